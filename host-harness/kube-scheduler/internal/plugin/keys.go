package plugin

import (
	"sync"

	fwk "k8s.io/kube-scheduler/framework"
)

// keys are those of the queue, as the policy gives them. A pod whose key is not known is ordered by priority and age.
type keys struct {
	lock  sync.RWMutex
	epoch uint64
	known map[string]string
}

func newKeys() *keys { return &keys{known: map[string]string{}} }

// stale: the pod has changed, and so may have its key.
func (k *keys) stale(pod string) { k.forget(pod) }

func (k *keys) forget(pod string) {
	k.lock.Lock()
	defer k.lock.Unlock()
	delete(k.known, pod)
}

// less says which of two comes first.
func less(a, b fwk.QueuedEntityInfo) bool {
	if one, other := a.GetPriority(), b.GetPriority(); one != other {
		return one > other
	}
	return a.GetTimestamp().Before(b.GetTimestamp())
}
