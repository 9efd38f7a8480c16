package plugin

import (
	"context"
	"errors"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"lictor.dev/kube-scheduler/internal/wire"
)

// reservation is a pod that holds a node.
type reservation struct {
	pod  string
	uid  types.UID
	node string
	// waiting: it is held at Permit, or about to be.
	waiting bool
	// bind is the command by which it may be bound; 0: it may not yet.
	bind uint64
	// marks are written on it with its node.
	marks []wire.Mark
	// wake is what to do with the pod as soon as it waits at Permit; nil where nothing is.
	wake func(fwk.WaitingPod)
}

// wake does this with a pod that waits at Permit, or is about to: kube-scheduler has it wait only after Permit was answered. It is done now,
// or when the binding cycle of the pod begins (PreBindPreFlight), or at the next tick. A later reservation of the same pod is not meant.
func (p *Plugin) wake(held *reservation, do func(fwk.WaitingPod)) {
	p.lock.Lock()
	held.wake = do
	p.lock.Unlock()
	p.wakeWaiting(held)
}

// wakeWaiting does what is to be done with a pod, if it waits at Permit by now.
func (p *Plugin) wakeWaiting(held *reservation) {
	p.lock.Lock()
	do, uid, isMeant := held.wake, held.uid, p.reserved[held.pod] == held
	p.lock.Unlock()
	if do == nil || !isMeant {
		return
	}
	if waiting := p.handle.GetWaitingPod(uid); waiting != nil {
		p.lock.Lock()
		held.wake = nil
		p.lock.Unlock()
		do(waiting)
	}
}

// wakeAllWaiting does what is to be done with the pods that have begun to wait at Permit.
func (p *Plugin) wakeAllWaiting() {
	p.lock.Lock()
	var due []*reservation
	for _, held := range p.reserved {
		if held.wake != nil {
			due = append(due, held)
		}
	}
	p.lock.Unlock()
	for _, held := range due {
		p.wakeWaiting(held)
	}
}

// begins is called when the binding cycle of a pod begins: it waits at Permit, if it was to.
func (p *Plugin) begins(pod *v1.Pod) {
	p.lock.Lock()
	held, ok := p.reserved[keyOf(pod)]
	p.lock.Unlock()
	if ok && held.uid == pod.UID {
		p.wakeWaiting(held)
	}
}

func (p *Plugin) reserve(pod *v1.Pod, node string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.reserved[keyOf(pod)] = &reservation{pod: keyOf(pod), uid: pod.UID, node: node}
}

func (p *Plugin) unreserve(ctx context.Context, pod *v1.Pod) {
	key := keyOf(pod)
	p.lock.Lock()
	held, ok := p.reserved[key]
	ok = ok && held.uid == pod.UID
	// A pod that Permit had allowed has failed with an error, and its backoff says when it is tried again.
	waited := ok && held.waiting
	if ok {
		delete(p.reserved, key)
		p.open.drop(pod.UID, wire.Bind)
	}
	p.lock.Unlock()
	if !ok {
		return
	}
	// Nothing is kept of a pod that is gone: the event of its end may have come before.
	if waited && p.isThere(pod) {
		p.hints.lost(pod)
	}
	p.ends()
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
	p.ends()
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
	delete(p.open, pod.UID)
}

// letGo has all pods tried again that wait at Permit, or are about to.
func (p *Plugin) letGo() {
	p.lock.Lock()
	var waiting []*reservation
	for _, held := range p.reserved {
		if held.bind == 0 {
			waiting = append(waiting, held)
		}
	}
	p.lock.Unlock()
	for _, held := range waiting {
		p.wake(held, func(waiting fwk.WaitingPod) { waiting.Preempt(Name, "the policy host was lost") })
	}
}

// ends says that a reservation has ended.
func (p *Plugin) ends() {
	select {
	case p.ended <- struct{}{}:
	default:
	}
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
