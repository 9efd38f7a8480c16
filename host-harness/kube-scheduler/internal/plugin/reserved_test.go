package plugin

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"lictor.dev/kube-scheduler/internal/wire"
)

// atPermit is a kube-scheduler that has these pods wait at Permit.
type atPermit struct {
	fwk.Handle
	waiting map[types.UID]*waitingPod
}

func (a *atPermit) GetWaitingPod(uid types.UID) fwk.WaitingPod {
	if waiting, ok := a.waiting[uid]; ok {
		return waiting
	}
	return nil
}

type waitingPod struct {
	fwk.WaitingPod
	said string
}

func (w *waitingPod) Allow(string) { w.said += "allowed" }
func (w *waitingPod) Reject(_, message string) bool {
	w.said += message
	return true
}

func TestAPodIsWokenWhenItWaitsHoweverLateThatIs(t *testing.T) {
	a := podNamed("a")
	object := wire.Object{Kind: "Pod", Namespace: "default", Name: "a", UID: string(a.UID)}
	bind := wire.Commands{Commands: []wire.Order{{ID: 3, Action: wire.Bind, Object: object}}}
	lost := wire.Commands{Released: []wire.Loss{{Pod: "default/a", Cause: "timeout"}}}
	for name, c := range map[string]struct {
		commands wire.Commands
		want     string
		later    func(*Plugin, *v1.Pod)
	}{
		"let on at the next tick":    {bind, "allowed", func(p *Plugin, _ *v1.Pod) { p.wakeAllWaiting() }},
		"let on when binding begins": {bind, "allowed", func(p *Plugin, pod *v1.Pod) { p.begins(pod) }},
		"let go at the next tick":    {lost, "lictor: timeout", func(p *Plugin, _ *v1.Pod) { p.wakeAllWaiting() }},
	} {
		handle, waiting := &atPermit{waiting: map[types.UID]*waitingPod{}}, &waitingPod{}
		p := newPlugin(t.Context(), Args{Claim: claimAll}, nil)
		p.handle = handle
		p.reserve(a, "n1")
		p.wait(keyOf(a))
		p.obey(nil, c.commands)
		// kube-scheduler takes its time.
		p.wakeAllWaiting()
		handle.waiting[a.UID] = waiting
		c.later(p, a)
		p.wakeAllWaiting()
		if waiting.said != c.want {
			t.Errorf("%s: %q", name, waiting.said)
		}
	}
}

func TestALaterReservationIsNotWoken(t *testing.T) {
	a, waiting := podNamed("a"), &waitingPod{}
	p := newPlugin(t.Context(), Args{Claim: claimAll}, nil)
	p.handle = &atPermit{waiting: map[types.UID]*waitingPod{a.UID: waiting}}
	p.reserve(a, "n1")
	held := p.reserved[keyOf(a)]
	p.reserve(a, "n2")
	p.wake(held, func(waiting fwk.WaitingPod) { waiting.Allow(Name) })
	if p.wakeAllWaiting(); waiting.said != "" {
		t.Error("the pod waits with another node")
	}
}

func TestCommandsAreKeptOnceForEachPod(t *testing.T) {
	p := newPlugin(t.Context(), Args{Claim: claimAll}, nil)
	a, b := podNamed("a"), podNamed("b")
	order := func(id uint64, pod *v1.Pod, node string) wire.Order {
		object := wire.Object{Kind: "Pod", Namespace: "default", Name: pod.Name, UID: string(pod.UID)}
		return wire.Order{ID: id, Action: wire.Nominate, Node: node, Object: object}
	}
	for id := range uint64(1000) {
		p.open.put(order(id, a, fmt.Sprint("n", id)))
	}
	p.open.put(order(1000, b, "n1"))
	if len(p.open) != 2 || len(p.open[a.UID]) != 1 {
		t.Errorf("%d pods, and %d commands of a", len(p.open), len(p.open[a.UID]))
	}
	if last, ok := p.open.get(order(999, a, "")); !ok || last.Node != "n999" {
		t.Errorf("%v", last)
	}
	if _, ok := p.open.get(order(998, a, "")); ok {
		t.Error("it was superseded")
	}
	p.gone(a)
	p.open.drop(b.UID, wire.Nominate)
	if len(p.open) != 0 {
		t.Errorf("%v", p.open)
	}
}
