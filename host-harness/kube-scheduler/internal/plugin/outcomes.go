package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"lictor.dev/kube-scheduler/internal/wire"
)

// missed reports a command whose request failed. Of a request without an answer nobody knows whether the API server has carried it out: the
// pod itself shows it. Else the host would have others evicted while the victim leaves.
func (p *Plugin) missed(talk *talk, order wire.Order, err error) {
	if !errors.Is(err, context.DeadlineExceeded) {
		p.fail(talk, order, err.Error())
		return
	}
	p.lock.Lock()
	delete(p.underWay, underWay{talk, order.ID})
	p.lock.Unlock()
	p.logger.Info("The API server does not answer", "command", order.ID, "pod", klog.KRef(order.Object.Namespace, order.Object.Name), "err", err)
	p.confirm(talk, order)
}

// confirm looks what became of a command. One that is still under way has no outcome yet: said to have failed, it could be carried out later.
func (p *Plugin) confirm(talk *talk, asked wire.Order) {
	p.lock.Lock()
	order, ok := p.open.get(asked)
	held, holds := p.reserved[asked.Object.Namespace+"/"+asked.Object.Name]
	binds := holds && held.bind == asked.ID
	_, isUnderWay := p.underWay[underWay{talk, asked.ID}]
	p.lock.Unlock()
	if isUnderWay {
		return
	}
	if binds {
		p.report(talk, wire.Outcome{ID: asked.ID, Accepted: true})
		return
	}
	known := p.feed.known(asked.Object)
	var pod *v1.Pod
	err := p.request(context.Background(), func(ctx context.Context) (err error) {
		pod, err = p.handle.ClientSet().CoreV1().Pods(asked.Object.Namespace).Get(ctx, asked.Object.Name, metav1.GetOptions{})
		return err
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return
	}
	if err != nil || string(pod.UID) != asked.Object.UID {
		// A pod that is gone is evicted: with a failure the host would give the plan up. Everything else that a command does needs the pod.
		outcome := wire.Outcome{ID: asked.ID, Failed: "the pod is gone"}
		if ok && order.Action == wire.Evict {
			outcome = wire.Outcome{ID: asked.ID, Accepted: true}
		}
		p.report(talk, outcome)
		return
	}
	p.feed.seen(pod, known)
	done := ok && order.Action == wire.Evict && (pod.DeletionTimestamp != nil || !order.Delete && carries(pod, order.Marks)) ||
		ok && order.Action == wire.Nominate && pod.Status.NominatedNodeName == order.Node ||
		ok && order.Action == wire.Bind && pod.Spec.NodeName != ""
	if done {
		if order.Action == wire.Evict && !order.Delete {
			p.marked.put(order, time.Now())
		}
		p.report(talk, wire.Outcome{ID: asked.ID, Accepted: true})
		return
	}
	if ok {
		asked.Action = order.Action
	}
	p.fail(talk, asked, "the cluster does not show it")
}

// carries says whether all marks stand on a pod.
func carries(pod *v1.Pod, marks []wire.Mark) bool {
	places := map[string]map[string]string{"label": pod.Labels, "annotation": pod.Annotations}
	return !slices.ContainsFunc(marks, func(mark wire.Mark) bool {
		value, ok := places[mark.Place][mark.Key]
		return !ok || value != mark.Value
	})
}

// fail reports that a command was not carried out. The host promises nothing for the command any more, and no event says so: other pods may
// have the room. A pod that is not evicted does not leave, and one that is not bound holds no room: whoever waits for its end waits in vain.
func (p *Plugin) fail(talk *talk, order wire.Order, why string) {
	p.report(talk, wire.Outcome{ID: order.ID, Failed: why})
	if order.Action == wire.Evict {
		p.victims.stay(types.UID(order.Object.UID))
	}
	p.hints.givenUp(podUpserted)
	p.hints.spared(types.UID(order.Object.UID))
}

// report tells what became of a command.
func (p *Plugin) report(talk *talk, outcome wire.Outcome) {
	p.lock.Lock()
	delete(p.underWay, underWay{talk, outcome.ID})
	p.lock.Unlock()
	if talk == nil {
		return
	}
	text, err := json.Marshal([]wire.Outcome{outcome})
	if err != nil {
		p.logger.Error(err, "An outcome is not told")
		return
	}
	if outcome.Failed != "" {
		p.logger.Info("A command was not carried out", "command", outcome.ID, "why", outcome.Failed)
	}
	talk.conn.Tell(wire.KindOutcomes, text)
}
