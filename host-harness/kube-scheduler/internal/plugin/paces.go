package plugin

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"lictor.dev/kube-scheduler/internal/wire"
)

// firstPace and longestPace bound how soon a pod is woken again by pods without a node: the pause doubles from one attempt in vain to the
// next, up to the longest backoff of kube-scheduler. permitPace bounds how soon it is woken again by pods that wait at Permit.
const firstPace, longestPace, permitPace = 100 * time.Millisecond, 10 * time.Second, time.Second

// pace is how often a refused pod was woken by pods without a node. Activation passes over the backoff of kube-scheduler: without a pace,
// each pod of a large Job would have all refused pods tried anew.
type pace struct {
	// woken is when the pod was woken last.
	woken time.Time
	// pause is how long it is not woken after that.
	pause time.Duration
	// room is how long it waited last for room that kube-scheduler has not seen.
	room time.Duration
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

// mayWake says whether the pace of a pod lets it be tried again now. Else it is tried again at the moment that its pace allows. The lock is
// held.
func (h *hints) mayWake(hint hint, now time.Time) bool {
	before := h.paces[hint.pod.UID]
	if !hint.paced.IsZero() && hint.paced.After(now) {
		return false
	}
	if free := before.woken.Add(before.pause); free.After(now) {
		hint.paced = free
		h.pods[hint.pod.UID] = hint
		return false
	}
	pause := max(2*before.pause, firstPace)
	if now.Sub(before.woken) > 2*longestPace {
		pause = firstPace
	}
	h.paces[hint.pod.UID] = pace{woken: now, pause: min(pause, longestPace), room: before.room}
	return true
}

// mayWakeNow says whether the moment has come that the pace of a pod allows. The lock is held.
func (h *hints) mayWakeNow(hint hint, now time.Time) bool {
	return !hint.paced.IsZero() && !hint.paced.After(now) && h.mayWake(hint, now)
}

// waits says that a pod waits at Permit. Members of its gang that were refused are in its namespace, and may pass now: they do not wait for
// their pace, and are woken once in a second at most.
func (h *hints) waits(pod *v1.Pod) {
	now := h.clock()
	h.lock.Lock()
	h.count++
	h.lastPending[podUpserted] = h.count
	for uid, hint := range h.pods {
		if before, ok := h.paces[uid]; ok && hint.pod.Namespace == pod.Namespace {
			before.pause = min(before.pause, permitPace)
			h.paces[uid] = before
			hint.paced = time.Time{}
			h.pods[uid] = hint
		}
	}
	h.lock.Unlock()
	h.wake(func(hint hint) bool {
		return hint.pod.Namespace == pod.Namespace && hint.waitsForPending(podUpserted) && h.mayWake(hint, now)
	})
}
