package plugin

import (
	"context"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"lictor.dev/kube-scheduler/internal/wire"
)

var (
	_ fwk.QueueSortPlugin  = &Plugin{}
	_ fwk.PreEnqueuePlugin = &Plugin{}
)

const (
	// keyWithin is how long an answer with a key may take: the queue waits for it.
	keyWithin = 200 * time.Millisecond
	// together is how long to wait before all keys are asked for anew.
	together = 50 * time.Millisecond
)

// keys are those of the queue, as the policy gives them. A pod whose key is not known is ordered by priority and age.
type keys struct {
	lock  sync.RWMutex
	epoch uint64
	known map[string]string
	// versions are those of the pods when their keys were asked for.
	versions map[string]string
	// refreshes: all keys are about to be asked for.
	refreshes bool
}

func newKeys() *keys { return &keys{known: map[string]string{}, versions: map[string]string{}} }

func (k *keys) forget(pod string) {
	k.lock.Lock()
	defer k.lock.Unlock()
	delete(k.known, pod)
	delete(k.versions, pod)
}

// asks says whether the key of a pod is to be asked for: it is not known, or the pod has changed since.
func (k *keys) asks(pod *v1.Pod) bool {
	key := keyOf(pod)
	k.lock.Lock()
	defer k.lock.Unlock()
	_, ok := k.known[key]
	asks := !ok || k.versions[key] != pod.ResourceVersion
	k.versions[key] = pod.ResourceVersion
	return asks
}

// learn takes keys of an epoch. Those of another epoch are void; the pods that had them are returned where nobody asks for them yet.
func (k *keys) learn(epoch uint64, pairs [][2]string) []string {
	k.lock.Lock()
	defer k.lock.Unlock()
	var void []string
	if epoch != k.epoch {
		if len(k.known) > 0 && !k.refreshes {
			for pod := range k.known {
				void = append(void, pod)
			}
			k.refreshes = true
		}
		k.epoch = epoch
		clear(k.known)
	}
	for _, pair := range pairs {
		k.known[pair[0]] = pair[1]
	}
	return void
}

// refreshed takes all keys that were asked for anew.
func (k *keys) refreshed(epoch uint64, pairs [][2]string) {
	k.lock.Lock()
	defer k.lock.Unlock()
	k.refreshes, k.epoch = false, epoch
	clear(k.known)
	for _, pair := range pairs {
		k.known[pair[0]] = pair[1]
	}
}

// of are the keys of two pods; false where they cannot be compared. Hexadecimal is ordered as the bytes are.
func (k *keys) of(one, other string) (string, string, bool) {
	k.lock.RLock()
	defer k.lock.RUnlock()
	a, knowsA := k.known[one]
	b, knowsB := k.known[other]
	return a, b, knowsA && knowsB
}

// Less says which of two comes first.
func (p *Plugin) Less(one, other fwk.QueuedEntityInfo) bool {
	a, isPod := podOf(one)
	b, isAnother := podOf(other)
	if isPod && isAnother {
		if first, second, ok := p.keys.of(keyOf(a), keyOf(b)); ok && first != second {
			return first < second
		}
	}
	if first, second := one.GetPriority(), other.GetPriority(); first != second {
		return first > second
	}
	return one.GetTimestamp().Before(other.GetTimestamp())
}

// podOf is the pod of an entity that is no group.
func podOf(entity fwk.QueuedEntityInfo) (*v1.Pod, bool) {
	if holder, ok := entity.(interface{ GetPodInfo() fwk.PodInfo }); ok {
		return holder.GetPodInfo().GetPod(), true
	}
	return nil, false
}

// PreEnqueue asks for the key of a pod before it enters the queue: afterwards it would not be moved.
func (p *Plugin) PreEnqueue(ctx context.Context, pod *v1.Pod) *fwk.Status {
	key := keyOf(pod)
	talk := p.talk.Load()
	if !p.args.Sort || talk == nil || !p.isClaimed(pod) || !p.keys.asks(pod) {
		return nil
	}
	p.feed.ensure(pod)
	ctx, cancel := context.WithTimeout(ctx, keyWithin)
	defer cancel()
	head, _, err := talk.conn.Ask(ctx, wire.KindKeys, wire.Asked{Pods: []string{key}})
	if err != nil {
		p.logger.V(3).Info("A pod is ordered by priority and age", "pod", key, "err", err)
		return nil
	}
	if void := p.keys.learn(head.Epoch, head.Keys); len(void) > 0 {
		time.AfterFunc(together, func() { p.refresh(append(void, key)) })
	}
	return nil
}

// refresh asks for all keys anew: they have another epoch.
func (p *Plugin) refresh(pods []string) {
	slices.Sort(pods)
	_, head, _, err := p.ask(context.Background(), wire.KindKeys, wire.Asked{Pods: slices.Compact(pods)})
	if err != nil {
		p.logger.V(3).Info("The keys of the queue are not known", "err", err)
		head = wire.Head{}
	}
	p.keys.refreshed(head.Epoch, head.Keys)
}
