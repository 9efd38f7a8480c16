package plugin

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// victims are the pods that leave by plans, and for whom: their room is promised.
type victims struct {
	lock sync.RWMutex
	// recent and earlier have, by victim, the pods that its plan nominates. Where recent is full, it becomes the earlier one: kube-scheduler
	// hears of a victim that left after the host does, but not so many victims later.
	recent, earlier map[types.UID][]string
}

func newVictims() *victims { return &victims{recent: map[types.UID][]string{}} }

// leave says that a pod is evicted for these. Where it is for nobody, such as what a queue gives back, its room is for all.
func (v *victims) leave(victim types.UID, preemptors []string) {
	if len(preemptors) == 0 {
		return
	}
	v.lock.Lock()
	defer v.lock.Unlock()
	if len(v.recent) >= most {
		v.recent, v.earlier = map[types.UID][]string{}, v.recent
	}
	v.recent[victim] = preemptors
}

// stay says that a pod is not evicted after all.
func (v *victims) stay(victim types.UID) {
	v.lock.Lock()
	defer v.lock.Unlock()
	delete(v.recent, victim)
	delete(v.earlier, victim)
}

// isRoomFor says whether the room of a pod that has left may be for this pod: nobody else was promised it.
func (v *victims) isRoomFor(left types.UID, pod string) bool {
	v.lock.RLock()
	defer v.lock.RUnlock()
	preemptors, ok := v.recent[left]
	if !ok {
		preemptors, ok = v.earlier[left]
	}
	return !ok || slices.Contains(preemptors, pod)
}
