package plugin

import (
	"context"
	"errors"
	"maps"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"lictor.dev/kube-scheduler/internal/wire"
)

// reservation is a pod that holds a node.
type reservation struct {
	uid  types.UID
	node string
	// waiting: it is held at Permit, or about to be.
	waiting bool
	// bind is the command by which it may be bound; 0: it may not yet.
	bind uint64
	// marks are written on it with its node.
	marks []wire.Mark
}

func (p *Plugin) reserve(pod *v1.Pod, node string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.reserved[keyOf(pod)] = &reservation{uid: pod.UID, node: node}
}

func (p *Plugin) unreserve(ctx context.Context, pod *v1.Pod) {
	key := keyOf(pod)
	p.lock.Lock()
	held, ok := p.reserved[key]
	ok = ok && held.uid == pod.UID
	if ok {
		delete(p.reserved, key)
		delete(p.open, held.bind)
	}
	p.lock.Unlock()
	if !ok {
		return
	}
	p.feed.again(pod)
	// Others that lose their nodes with it hear it before the answer, and so before they are given nodes anew.
	if _, _, _, err := p.ask(ctx, wire.KindUnreserve, wire.Asked{Pod: key}); err != nil && !errors.Is(err, errAway) {
		p.logger.Error(err, "The end of a reservation was not heard", "pod", key)
	}
}

// wait says that a pod is held at Permit; true: it may be bound already.
func (p *Plugin) wait(key string) bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	held, ok := p.reserved[key]
	if ok && held.bind == 0 {
		held.waiting = true
		return false
	}
	return ok
}

func (p *Plugin) bound(pod *v1.Pod) {
	key := keyOf(pod)
	p.lock.Lock()
	held, ok := p.reserved[key]
	delete(p.reserved, key)
	p.lock.Unlock()
	p.hints.forget(pod.UID)
	if ok && held.bind != 0 {
		p.report(p.talk.Load(), wire.Outcome{ID: held.bind, Accepted: true})
	}
}

func (p *Plugin) marks(pod *v1.Pod) []wire.Mark {
	p.lock.Lock()
	defer p.lock.Unlock()
	if held, ok := p.reserved[keyOf(pod)]; ok && held.uid == pod.UID {
		return held.marks
	}
	return nil
}

// gone forgets what is under way for a pod.
func (p *Plugin) gone(pod *v1.Pod) {
	p.lock.Lock()
	defer p.lock.Unlock()
	maps.DeleteFunc(p.open, func(_ uint64, order wire.Order) bool { return order.Object.UID == string(pod.UID) })
}

// letGo has all pods tried again that wait at Permit.
func (p *Plugin) letGo() {
	p.handle.IterateOverWaitingPods(func(waiting fwk.WaitingPod) {
		p.lock.Lock()
		held, ok := p.reserved[keyOf(waiting.GetPod())]
		ok = ok && held.bind == 0
		p.lock.Unlock()
		if ok {
			waiting.Preempt(Name, "the policy host was lost")
		}
	})
}

// holding says whether a pod holds a node that may not be bound.
func (p *Plugin) holding() bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	for _, held := range p.reserved {
		if held.bind == 0 {
			return true
		}
	}
	return false
}

// binding are the pods that are being bound, and their nodes. The commands by which they are belong to a host that is gone.
func (p *Plugin) binding() map[types.UID]string {
	p.lock.Lock()
	defer p.lock.Unlock()
	clear(p.open)
	found := map[types.UID]string{}
	for _, held := range p.reserved {
		found[held.uid] = held.node
	}
	return found
}
