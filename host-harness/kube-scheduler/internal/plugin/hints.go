package plugin

import (
	"context"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"lictor.dev/kube-scheduler/internal/wire"
)

// The kinds of change that kube-scheduler itself hears of.
const (
	podUpserted  = "pod-upserted"
	podRemoved   = "pod-removed"
	nodeUpserted = "node-upserted"
)

// soon is when a pod is tried again at first for which there is room, so that both sides hear of it.
const soon = 50 * time.Millisecond

// hints are when pods that were refused are worth another attempt, as the policy says.
type hints struct {
	activate func(map[string]*v1.Pod)
	// victims leave for pods that were planned for.
	victims *victims
	// isThere says whether a pod is there, as kube-scheduler will have heard by the event that it looks at.
	isThere func(wire.Object) bool
	// clock is the time of day; tests set it.
	clock func() time.Time

	lock sync.Mutex
	pods map[types.UID]hint
	// final are the pods that PreFilter refused for good when they were tried last: no plan helps.
	final map[types.UID]struct{}
	// last says when each kind of change last came, by the count of changes. lastPending says the same of pods without a node, and lastGivenUp
	// of room that was given up.
	last, lastPending, lastGivenUp map[string]uint64
	count                          uint64
	// begun is how many changes had come when the host that answers now began, or its policy.
	begun uint64
	// paces are how often pods were woken by pods without a node.
	paces map[types.UID]pace
}

type hint struct {
	pod   *v1.Pod
	again wire.Again
	// asked is how many changes had come when it was asked about.
	asked uint64
	// away: it was refused because nobody answered.
	away bool
	// victims leave its node: until then an attempt would be in vain.
	victims []wire.Object
	// refused are the changes after which PreFilter or Permit may answer otherwise: what PostFilter names is about nodes, for which pods
	// without a node are no news.
	refused wire.Again
	// waitsForNode: neither PreFilter nor Permit has refused it.
	waitsForNode bool
	// paced is when the pace of the pod lets it be tried again, where a pod without a node has come too soon.
	paced time.Time
	// hasTurns: it has lost the node for which it waited at Permit, and is tried again at its next turn.
	hasTurns bool
}

func newHints(activate func(map[string]*v1.Pod)) *hints {
	return &hints{
		activate: activate, clock: steady(), pods: map[types.UID]hint{}, final: map[types.UID]struct{}{}, paces: map[types.UID]pace{},
		last: map[string]uint64{}, lastPending: map[string]uint64{}, lastGivenUp: map[string]uint64{},
	}
}

// now is how many changes have come.
func (h *hints) now() uint64 {
	h.lock.Lock()
	defer h.lock.Unlock()
	return h.count
}

// refused keeps when a pod is worth another attempt that was refused. What has changed since it was asked about counts: the answer may
// not know of it.
func (h *hints) refused(pod *v1.Pod, again wire.Again, asked uint64) {
	h.lock.Lock()
	h.pods[pod.UID] = hint{pod: pod, again: again, asked: asked, refused: again}
	h.lock.Unlock()
	h.wakeLate(pod.UID)
}

// wakeLate has a pod tried again where what it waits for has come since it was asked about.
func (h *hints) wakeLate(pod types.UID) {
	now := h.clock()
	h.wake(func(hint hint) bool {
		if hint.pod.UID != pod {
			return false
		}
		paced := isLate(hint, h.lastPending, hint.waitsForPending) || isLate(hint, h.lastGivenUp, hint.waitsFor)
		void := hint.asked < h.begun && hint.isOfAHost()
		return isLate(hint, h.last, hint.waitsFor) || void && hint.away || (paced || void) && h.mayWake(hint, now)
	})
}

// waitsFor says whether a pod is worth another attempt after this change; nothing said: after any.
func (h hint) waitsFor(change string) bool {
	if len(h.victims) > 0 {
		return change == nodeUpserted
	}
	if h.again.At == nil && len(h.again.After) == 0 {
		return !h.away
	}
	return slices.Contains(h.again.After, change)
}

// also adds when it is worth another attempt: the earlier moment, and all changes.
func (h *hints) also(pod *v1.Pod, again wire.Again, asked uint64) {
	defer h.wakeLate(pod.UID)
	h.lock.Lock()
	defer h.lock.Unlock()
	said, ok := h.pods[pod.UID]
	said.waitsForNode = said.waitsForNode || !ok
	before := said.again
	if at := before.At; at != nil && (again.At == nil || *at < *again.At) {
		again.At = at
	}
	again.After = append(slices.Clone(before.After), again.After...)
	h.pods[pod.UID] = hint{
		pod: pod, again: again, asked: asked, refused: said.refused, waitsForNode: said.waitsForNode, paced: said.paced,
	}
}

// planned keeps that a pod has a node when these have left: the victims on its own node or, where none leaves it, those of the whole plan,
// whose quota the pod may need. Where nobody has to leave, there is room that kube-scheduler has not seen: the pod may be tried after any
// change, and soon; but less and less soon, while nothing comes of it.
func (h *hints) planned(pod *v1.Pod, onItsNode, ofThePlan []wire.Object) {
	said := hint{pod: pod, victims: onItsNode, waitsForNode: true}
	isThere := func(victims []wire.Object) bool { return slices.ContainsFunc(victims, h.isThere) }
	if !isThere(said.victims) {
		said.victims = ofThePlan
	}
	leave := isThere(said.victims)
	h.lock.Lock()
	defer h.lock.Unlock()
	before := h.paces[pod.UID]
	before.room = min(max(2*before.room, soon), longestPace)
	if leave {
		before.room = 0
	} else {
		at := h.clock().Add(before.room).UnixNano()
		said.victims, said.again = nil, wire.Again{At: &at, After: []string{podUpserted, podRemoved, nodeUpserted}}
	}
	h.paces[pod.UID] = before
	h.pods[pod.UID] = said
}

// left are the victims of a pod that was planned for which are there no more.
func (h *hints) left(pod types.UID) []wire.Object {
	h.lock.Lock()
	victims := h.pods[pod].victims
	h.lock.Unlock()
	return slices.DeleteFunc(slices.Clone(victims), h.isThere)
}

// away keeps that a pod was refused because no host answered. A host that began since the pod was asked about has it tried again at once.
func (h *hints) away(pod *v1.Pod, asked uint64) {
	h.lock.Lock()
	h.pods[pod.UID] = hint{pod: pod, away: true, asked: asked}
	h.lock.Unlock()
	h.wakeLate(pod.UID)
}

func (h *hints) forget(pod types.UID) {
	h.lock.Lock()
	defer h.lock.Unlock()
	delete(h.pods, pod)
	delete(h.final, pod)
	delete(h.paces, pod)
}

// passed forgets why a pod was refused: PreFilter refuses it no more.
func (h *hints) passed(pod types.UID) {
	h.lock.Lock()
	defer h.lock.Unlock()
	delete(h.pods, pod)
	delete(h.final, pod)
}

// refusedInPreFilter keeps whether a plan may help a pod, until the pod is tried again.
func (h *hints) refusedInPreFilter(pod types.UID, isFinal bool) {
	h.lock.Lock()
	defer h.lock.Unlock()
	delete(h.final, pod)
	if isFinal {
		h.final[pod] = struct{}{}
	}
}

// isFinal says whether PreFilter refused a pod for good when the pod was tried last.
func (h *hints) isFinal(pod types.UID) bool {
	h.lock.Lock()
	defer h.lock.Unlock()
	_, ok := h.final[pod]
	return ok
}

// wake has those tried again of whom this is so.
func (h *hints) wake(is func(hint) bool) {
	pods := map[string]*v1.Pod{}
	h.lock.Lock()
	for uid, hint := range h.pods {
		if is(hint) {
			pods[keyOf(hint.pod)] = hint.pod
			delete(h.pods, uid)
		}
	}
	h.lock.Unlock()
	if len(pods) > 0 {
		h.activate(pods)
	}
}

// back has each pod tried again, at its pace, that was refused before the host that answers now began, or its policy. What another host or
// policy has said of the pod is void: the present one may have other laws, other arguments, or another history of the cluster.
func (h *hints) back() {
	now := h.clock()
	h.lock.Lock()
	h.count++
	h.begun = h.count
	h.lock.Unlock()
	h.wake(func(hint hint) bool { return hint.away || hint.isOfAHost() && h.mayWake(hint, now) })
}

// isOfAHost says whether a pod waits for what a host has said. Victims leave whichever host answers, and a turn comes by time
// alone.
func (h hint) isOfAHost() bool { return len(h.victims) == 0 && !h.hasTurns }

// changed: an object has changed of which kube-scheduler itself does not hear.
func (h *hints) changed(change string) {
	h.came(h.last, change, func(hint hint) bool { return hint.waitsFor(change) })
}

// came notes that a change of one of the three sorts has come, and wakes the pods for which isWorth says so.
func (h *hints) came(last map[string]uint64, change string, isWorth func(hint) bool) {
	h.lock.Lock()
	h.count++
	last[change] = h.count
	h.lock.Unlock()
	h.wake(isWorth)
}

// wakeDue wakes those whose time has come.
func (h *hints) wakeDue() {
	now := h.clock()
	h.wake(func(hint hint) bool {
		return hint.again.At != nil && *hint.again.At <= now.UnixNano() || h.mayWakeNow(hint, now)
	})
}

// withdrawn says that a pod is promised no node any more. The pod is tried again at its pace: where the API server refuses what a plan needs,
// each attempt ends so.
func (h *hints) withdrawn(pod types.UID) {
	now := h.clock()
	h.wake(func(hint hint) bool { return hint.pod.UID == pod && len(hint.victims) > 0 && h.mayWake(hint, now) })
}

// worth says whether a pod is worth another attempt after this change.
func (h *hints) worth(pod types.UID, change string) bool {
	h.lock.Lock()
	defer h.lock.Unlock()
	hint, ok := h.pods[pod]
	if !ok {
		return true
	}
	return !hint.away && hint.waitsFor(change)
}

// worthAfter says whether a pod is worth another attempt after another one has left. One that was planned for is, after the last of its
// victims, and after a pod that left for no plan. Where the other one is there, it has given up the node that it was to have.
func (h *hints) worthAfter(pod types.UID, left *v1.Pod, isThere bool) bool {
	h.lock.Lock()
	hint := h.pods[pod]
	rest := slices.DeleteFunc(slices.Clone(hint.victims), func(victim wire.Object) bool { return victim.UID == string(left.UID) })
	awaited, wasAwaited := len(hint.victims) > 0, len(rest) < len(hint.victims)
	if wasAwaited && isThere {
		// It holds no room any more.
		hint.victims = rest
		h.pods[pod] = hint
	}
	h.lock.Unlock()
	switch {
	case !awaited:
		return h.worth(pod, podRemoved) && (!isThere || h.isInPace(pod))
	case !wasAwaited:
		return left.Spec.NodeName != "" && h.victims.isRoomFor(left.UID, keyOf(hint.pod))
	}
	return !slices.ContainsFunc(rest, h.isThere)
}

// EventsToRegister are the changes of pods and nodes. Those of other kinds wake pods without kube-scheduler's help: a kind that is not
// installed would keep it from being ready.
func (p *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	after := func(upserted string) fwk.QueueingHintFn {
		return func(_ klog.Logger, pod *v1.Pod, before, now any) (fwk.QueueingHint, error) {
			left, isPod := before.(*v1.Pod)
			isThere := isPod && p.isThere(left)
			if now == nil && isPod && !isThere {
				// kube-scheduler knows it, and may ask before its event was heard here. Of a pod that lost the node it was to have it
				// says the same, and that one is still there.
				p.feed.gone(wire.Kind{Kind: "Pod"}, left)
			}
			if object, ok := now.(metav1.Object); ok {
				p.feed.catchUp(object)
			}
			isWorth := now == nil && isPod && p.hints.worthAfter(pod.UID, left, isThere) || now != nil && p.hints.worth(pod.UID, upserted)
			if isWorth {
				return fwk.Queue, nil
			}
			return fwk.QueueSkip, nil
		}
	}
	pods := fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Add | fwk.Delete | fwk.UpdatePodLabel | fwk.UpdatePodScaleDown}
	nodes := fwk.ClusterEvent{
		Resource:   fwk.Node,
		ActionType: fwk.Add | fwk.UpdateNodeAllocatable | fwk.UpdateNodeLabel | fwk.UpdateNodeTaint,
	}
	return []fwk.ClusterEventWithHint{
		{Event: pods, QueueingHintFn: after(podUpserted)},
		{Event: nodes, QueueingHintFn: after(nodeUpserted)},
	}, nil
}
