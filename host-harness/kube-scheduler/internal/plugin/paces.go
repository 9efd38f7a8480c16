package plugin

import (
	"hash/fnv"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"lictor.dev/kube-scheduler/internal/wire"
)

// firstPace and longestPace bound how soon a pod is woken again by pods without a node: the pause doubles from one attempt in vain to the
// next, up to the longest backoff of kube-scheduler, or up to longestSpread less. permitPace bounds the pause of the pods that are woken by
// one that waits at Permit; where that one waits time and again, the bound doubles, up to longestPermitPace. longestTurn is how far apart the
// turns of a pod are at most.
const (
	firstPace, longestPace        = 100 * time.Millisecond, 10 * time.Second
	longestTurn                   = 64 * firstPace
	longestSpread                 = longestPace / 4
	permitPace, longestPermitPace = time.Second, 5 * time.Second
)

// pace is how often a refused pod was woken by pods without a node. Activation passes over the backoff of kube-scheduler: without a pace,
// each pod of a large Job would have all refused pods tried anew.
type pace struct {
	// woken is when the pod was woken last.
	woken time.Time
	// pause is how long it is not woken after that.
	pause time.Duration
	// room is how long it waited last for room that kube-scheduler has not seen.
	room time.Duration
	// waited is when it waited at Permit last, and others bounds the pause of those that this woke.
	waited time.Time
	others time.Duration
}

// steady is the time of day now, and from then on the time that has passed: a clock of the machine that is set changes nothing.
func steady() func() time.Time {
	begun := time.Now()
	return func() time.Time { return begun.Add(time.Since(begun)) }
}

// local is an answer that has just come, with its moment by the clock of this side: that of the host may show another time.
func (h *hints) local(again wire.Again) wire.Again {
	if again.Wait != nil {
		at := h.clock().Add(time.Duration(*again.Wait)).UnixNano()
		again.At = &at
	}
	return again
}

// isLate says whether one of these changes that the pod waits for has come since the pod was asked about.
func isLate(hint hint, last map[string]uint64, waitsFor func(string) bool) bool {
	for change, at := range last {
		if at > hint.asked && waitsFor(change) {
			return true
		}
	}
	return false
}

// waitsForPending says whether a pod is worth another attempt after this change of a pod that has no node.
func (h hint) waitsForPending(change string) bool {
	return len(h.victims) == 0 && hint{again: h.refused, away: h.away}.waitsFor(change) && h.waitsFor(change)
}

// pendingChanged says that a pod without a node is new, has changed or is gone. kube-scheduler has no other pod tried again for it unless
// GenericWorkload is on, though the pod may be the missing member of a gang.
func (h *hints) pendingChanged(change string) {
	now := h.clock()
	h.came(h.lastPending, change, func(hint hint) bool { return hint.waitsForPending(change) && h.mayWake(hint, now) })
}

// givenUp says that a pod that waits has given up room that it was promised: this is the change. kube-scheduler wakes no pod for that, though
// the room may be for others. Gangs that fail in turn give up room all the time, so each pod is woken at its pace.
func (h *hints) givenUp(change string) {
	now := h.clock()
	h.came(h.lastGivenUp, change, func(hint hint) bool { return hint.waitsFor(change) && h.mayWake(hint, now) })
}

// isInPace says whether the pace of a pod lets it be tried again now. Else it is tried again at the moment that its pace allows.
func (h *hints) isInPace(pod types.UID) bool {
	now := h.clock()
	h.lock.Lock()
	defer h.lock.Unlock()
	hint, ok := h.pods[pod]
	return !ok || h.mayWake(hint, now)
}

// lost says that a pod was let go of that had waited at Permit: it may be tried again after any change, but at its next turn where that is
// only another pod that has lost its node. kube-scheduler says of each of them that a pod has left, and takes pods out of their backoff where
// nobody else waits: gangs that take turns would have each other tried without a pause.
func (h *hints) lost(pod *v1.Pod) {
	now := h.clock()
	h.lock.Lock()
	defer h.lock.Unlock()
	if _, ok := h.pods[pod.UID]; ok {
		return
	}
	turn := h.paces[pod.UID].turn()
	if turn.Before(now) {
		turn = now
	}
	h.pods[pod.UID] = hint{pod: pod, paced: turn, hasTurns: true}
}

// turn is when a pod is tried again that has lost the node for which it waited at Permit: at a multiple of its pause. So members of a gang
// that have lost their nodes one by one are tried together again. One alone would hold its node only until a pod of another gang is tried.
func (p pace) turn() time.Time {
	apart := firstPace
	for apart < longestTurn && 2*apart <= p.pause {
		apart *= 2
	}
	return p.woken.Truncate(apart).Add(apart)
}

// spared says that a victim of a plan is not evicted after all, or was never bound: a pod that waits for its end would wait in vain.
func (h *hints) spared(victim types.UID) {
	now := h.clock()
	isIt := func(other wire.Object) bool { return other.UID == string(victim) }
	h.wake(func(hint hint) bool { return slices.ContainsFunc(hint.victims, isIt) && h.mayWake(hint, now) })
}

// mayWake says whether the pace of a pod lets it be tried again now. Else it is tried again at the moment that its pace allows. The lock is
// held.
func (h *hints) mayWake(hint hint, now time.Time) bool {
	before := h.paces[hint.pod.UID]
	if !hint.paced.IsZero() && hint.paced.After(now) {
		return false
	}
	free := before.woken.Add(before.pause)
	if hint.hasTurns {
		free = before.turn()
	}
	if free.After(now) {
		hint.paced = free
		h.pods[hint.pod.UID] = hint
		return false
	}
	pause := max(2*before.pause, firstPace)
	if now.Sub(before.woken) > 2*longestPace {
		pause = firstPace
	}
	before.woken, before.pause = now, min(pause, longestOf(hint.pod.UID))
	h.paces[hint.pod.UID] = before
	return true
}

// longestOf is the longest pause of a pod. It differs from pod to pod: those that were woken together would be woken together forever, and one
// that comes after the others would find the room that they try for taken each time.
func longestOf(pod types.UID) time.Duration {
	sum := fnv.New32a()
	// It never fails.
	_, _ = sum.Write([]byte(pod))
	return longestPace - time.Duration(sum.Sum32()%uint32(longestSpread/time.Millisecond))*time.Millisecond
}

// mayWakeNow says whether the moment has come that the pace of a pod allows. The lock is held.
func (h *hints) mayWakeNow(hint hint, now time.Time) bool {
	return !hint.paced.IsZero() && !hint.paced.After(now) && h.mayWake(hint, now)
}

// waits says that a pod waits at Permit. Members of its gang that were refused are in its namespace, and may pass now: they do not wait for
// their pace, and are woken once in a second at most. Those that wait for a node are meant only where other pods can open one for them
// (needsOthers): else the pod just takes one; nor are those that have turns. Where the pod waits time and again, others are woken less and
// less often: two gangs of which neither is complete would have each other tried forever.
func (h *hints) waits(pod *v1.Pod) {
	now := h.clock()
	isMeant := func(hint hint) bool {
		return hint.pod.Namespace == pod.Namespace && (!hint.waitsForNode || needsOthers(hint.pod)) && !hint.hasTurns
	}
	h.lock.Lock()
	h.count++
	h.lastPending[podUpserted] = h.count
	longest := h.longestAfter(pod.UID, now)
	for uid, hint := range h.pods {
		if before, ok := h.paces[uid]; ok && isMeant(hint) {
			before.pause = min(before.pause, longest)
			h.paces[uid] = before
			if !hint.paced.IsZero() {
				// What it waited for has come: it is woken as soon as its pace allows.
				hint.paced = now
			}
			h.pods[uid] = hint
		}
	}
	h.lock.Unlock()
	h.wake(func(hint hint) bool {
		return isMeant(hint) && hint.waitsForPending(podUpserted) && h.mayWake(hint, now)
	})
}

// needsOthers says whether a pod may fit a node only when other pods have theirs: pods that it must be near, or among which it must be spread.
func needsOthers(pod *v1.Pod) bool {
	isHard := func(spread v1.TopologySpreadConstraint) bool { return spread.WhenUnsatisfiable == v1.DoNotSchedule }
	if slices.ContainsFunc(pod.Spec.TopologySpreadConstraints, isHard) {
		return true
	}
	affinity := pod.Spec.Affinity
	return affinity != nil && affinity.PodAffinity != nil && len(affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0
}

// longestAfter is the longest pause of the pods that are woken by one that waits at Permit now. The lock is held.
func (h *hints) longestAfter(pod types.UID, now time.Time) time.Duration {
	own := h.paces[pod]
	if now.Sub(own.waited) > 2*longestPace {
		own.others = permitPace
	} else {
		own.others = min(2*own.others, longestPermitPace)
	}
	own.waited = now
	h.paces[pod] = own
	return own.others
}
