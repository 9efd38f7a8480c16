package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	fwk "k8s.io/kube-scheduler/framework"

	"lictor.dev/kube-scheduler/internal/wire"
)

// obey does what is to be done. It does not wait: what takes time is done beside.
func (p *Plugin) obey(talk *talk, commands wire.Commands) {
	var plan []wire.Order
	p.lock.Lock()
	for _, order := range commands.Commands {
		if order.Action != wire.Confirm {
			p.open.put(order)
		}
		if order.Object.Kind == "Pod" && (order.Action == wire.Nominate || order.Action == wire.Evict) {
			p.underWay[underWay{talk, order.ID}] = struct{}{}
		}
	}
	p.lock.Unlock()
	for _, order := range commands.Commands {
		switch {
		case order.Object.Kind != "Pod":
			p.report(talk, wire.Outcome{ID: order.ID, Failed: "kube-scheduler places pods only, not a " + order.Object.Kind})
		case order.Action == wire.Bind:
			p.allow(talk, order)
		case order.Action == wire.Confirm:
			go p.confirm(talk, order)
		default:
			plan = append(plan, order)
		}
	}
	for _, lost := range commands.Released {
		p.release(lost)
	}
	if commands.Anew {
		p.hints.back()
	}
	if len(plan) == 0 {
		return
	}
	// Before the answer comes: who asked for the plan writes these nominations.
	go p.carryOut(talk, plan, p.note(plan))
}

// note keeps who leaves for whom. It says which nominations kube-scheduler writes.
func (p *Plugin) note(plan []wire.Order) map[uint64]bool {
	asked, written := p.planning.Load(), map[uint64]bool{}
	var preemptors []string
	for _, order := range plan {
		key := order.Object.Namespace + "/" + order.Object.Name
		if order.Action != wire.Nominate {
			continue
		}
		if order.Node == "" {
			p.hints.withdrawn(types.UID(order.Object.UID))
			continue
		}
		preemptors = append(preemptors, key)
		if asked.takes(key, order.Node) {
			written[order.ID] = true
		}
	}
	for _, order := range plan {
		if order.Action == wire.Evict {
			p.victims.leave(types.UID(order.Object.UID), preemptors)
			asked.evicts(order.Object, p.feed.nodeOf(order.Object))
		}
	}
	return written
}

// allow lets a pod be bound. One that is asked about hears it from its answer, one that waits is woken.
func (p *Plugin) allow(talk *talk, order wire.Order) {
	key := order.Object.Namespace + "/" + order.Object.Name
	p.lock.Lock()
	held, ok := p.reserved[key]
	ok = ok && string(held.uid) == order.Object.UID
	waits := ok && held.waiting
	if ok {
		held.bind, held.marks, held.waiting = order.ID, order.Marks, false
	}
	p.lock.Unlock()
	switch {
	case !ok:
		p.report(talk, wire.Outcome{ID: order.ID, Failed: "kube-scheduler has given up the pod"})
	case waits:
		p.wake(held, func(waiting fwk.WaitingPod) { waiting.Allow(Name) })
	}
}

// release lets go of a pod that has lost its node.
func (p *Plugin) release(lost wire.Loss) {
	p.lock.Lock()
	held, ok := p.reserved[lost.Pod]
	ok = ok && held.bind == 0
	p.lock.Unlock()
	if !ok {
		return
	}
	p.wake(held, func(waiting fwk.WaitingPod) {
		if lost.Cause == "preempted" {
			waiting.Preempt(Name, "preempted")
			return
		}
		waiting.Reject(Name, "lictor: "+lost.Cause)
	})
}

// carryOut carries a plan out: first who gets the room is nominated, then the victims are evicted. Nobody is evicted for a nomination that
// failed. Nominations that kube-scheduler writes count as written. A request that is not answered in time counts as failed, too; what became
// of it the pod itself shows.
func (p *Plugin) carryOut(talk *talk, orders []wire.Order, written map[uint64]bool) {
	ctx := context.Background()
	failed := ""
	for _, order := range orders {
		if order.Action != wire.Nominate {
			continue
		}
		var err error
		if !written[order.ID] {
			err = p.nominate(ctx, order)
		}
		if err != nil {
			p.missed(talk, order, err)
			if order.Node != "" {
				failed = "nobody is evicted for a nomination that failed: " + err.Error()
			}
			continue
		}
		p.report(talk, wire.Outcome{ID: order.ID, Accepted: true})
	}
	var victims []wire.Order
	for _, order := range orders {
		if order.Action == wire.Evict {
			victims = append(victims, order)
		}
	}
	p.handle.Parallelizer().Until(ctx, len(victims), func(place int) {
		order, err := victims[place], errors.New(failed)
		if failed == "" {
			err = p.evict(ctx, order)
		}
		if err == nil {
			if !order.Delete {
				p.marked.put(order, time.Now())
			}
			p.report(talk, wire.Outcome{ID: order.ID, Accepted: true})
			return
		}
		p.missed(talk, order, err)
	}, Name)
}

// announce writes an event about a plan: one, on who preempts. On a victim stands a condition.
func (p *Plugin) announce(plan *planning, pod *v1.Pod) {
	if names := plan.named(); names != "" {
		recorder := p.handle.EventRecorder().WithLogger(p.logger)
		recorder.Eventf(pod, nil, v1.EventTypeNormal, "Preempting", "Preempting", "Evicts %s", names)
	}
}

// nominate writes where a pod will be, or that it is promised no node any more.
func (p *Plugin) nominate(ctx context.Context, order wire.Order) error {
	object := order.Object
	patch := map[string]any{
		"metadata": map[string]string{"uid": object.UID},
		"status":   map[string]any{"nominatedNodeName": order.Node},
	}
	if order.Node == "" {
		patch["status"] = map[string]any{"nominatedNodeName": nil}
	}
	return p.request(ctx, func(ctx context.Context) error {
		return patchPod(ctx, p.handle.ClientSet(), object, patch, "status")
	})
}

// evict marks a pod, and deletes it where that is not left to somebody else.
func (p *Plugin) evict(ctx context.Context, order wire.Order) error {
	clients, object := p.handle.ClientSet(), order.Object
	if len(order.Marks) > 0 {
		err := p.request(ctx, func(ctx context.Context) error {
			return writeMarks(ctx, clients, object.Namespace, object.Name, object.UID, order.Marks)
		})
		if apierrors.IsNotFound(err) || isAnother(err) {
			return nil
		}
		if err != nil || !order.Delete {
			return err
		}
	}
	condition := map[string]any{
		"type": v1.DisruptionTarget, "status": v1.ConditionTrue, "reason": v1.PodReasonPreemptionByScheduler,
		"message":            fmt.Sprintf("%s: preempted by plan %d of the policy", p.handle.ProfileName(), order.Plan),
		"lastTransitionTime": metav1.Now(),
	}
	patch := map[string]any{
		"metadata": map[string]string{"uid": object.UID}, "status": map[string]any{"conditions": []any{condition}},
	}
	err := p.request(ctx, func(ctx context.Context) error { return patchPod(ctx, clients, object, patch, "status") })
	if err != nil && !isGone(err) {
		return err
	}
	uid := types.UID(object.UID)
	options := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}
	err = p.request(ctx, func(ctx context.Context) error {
		return clients.CoreV1().Pods(object.Namespace).Delete(ctx, object.Name, options)
	})
	if isGone(err) {
		return nil
	}
	return err
}

// isGone says that the object is not there, or is another one of the same name.
func isGone(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsConflict(err) || isAnother(err)
}

// isAnother says that a patch names the uid of another object than the one that is there: the API server finds that invalid.
func isAnother(err error) bool {
	var refused apierrors.APIStatus
	if !apierrors.IsInvalid(err) || !errors.As(err, &refused) || refused.Status().Details == nil {
		return false
	}
	isUID := func(cause metav1.StatusCause) bool { return cause.Field == "metadata.uid" }
	return slices.ContainsFunc(refused.Status().Details.Causes, isUID)
}

func patchPod(ctx context.Context, clients kubernetes.Interface, object wire.Object, patch any, subresources ...string) error {
	text, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	_, err = clients.CoreV1().Pods(object.Namespace).Patch(
		ctx, object.Name, types.StrategicMergePatchType, text, metav1.PatchOptions{}, subresources...)
	return err
}

// writeMarks writes labels and annotations on a pod.
func writeMarks(ctx context.Context, clients kubernetes.Interface, namespace, pod, uid string, marks []wire.Mark) error {
	places := map[string]map[string]string{"labels": {}, "annotations": {}}
	for _, mark := range marks {
		place, ok := places[mark.Place+"s"]
		if !ok {
			return fmt.Errorf("a mark of the kind %q cannot be written: use the plugin of the host's version", mark.Place)
		}
		place[mark.Key] = mark.Value
	}
	patch := map[string]any{"metadata": map[string]any{"uid": uid, "labels": places["labels"], "annotations": places["annotations"]}}
	return patchPod(ctx, clients, wire.Object{Namespace: namespace, Name: pod, UID: uid}, patch)
}
