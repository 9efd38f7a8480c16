package upstream

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"lictor.dev/judges/coscheduling/internal/cluster"
	"lictor.dev/judges/kube/answers"
	kube "lictor.dev/judges/kube/cluster"
	"lictor.dev/judges/kube/initial"
)

// Attempt plays one attempt of kube-scheduler to place a pod, given by namespace/name.
func Attempt(c *cluster.Cluster, name string, setting Setting) (*Answer, error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	pod := c.Pod(name)
	if pod == nil {
		return nil, fmt.Errorf("pod %q is not among the objects", name)
	}
	o, err := observe(ctx, c, setting)
	if err != nil {
		return nil, err
	}
	defer o.release()
	if err := o.hold(); err != nil {
		return nil, err
	}
	o.remember()
	answer := newAnswer()
	answer.Quotas, answer.Queue = o.usage(), o.queue()
	if answer.Untried = o.gate(pod); answer.Untried != "" {
		return answer, nil
	}
	return answer, o.attempt(answer, pod)
}

// gate returns why a pod is not tried now, or nothing.
func (o *one) gate(pod *v1.Pod) string {
	if why := answers.Untried(pod, v1.DefaultSchedulerName); why != "" {
		return why
	}
	if node := o.setting.Waiting[kube.Key(pod)]; node != "" {
		return "it waits at Permit for " + node
	}
	queued, ok := o.scheduler.SchedulingQueue.GetPod(pod.Name, pod.Namespace)
	switch {
	case !ok:
		return "it is not in the queue"
	case queued.Gated:
		return fmt.Sprintf("it is gated by %s", sets.List(queued.UnschedulablePlugins)[0])
	}
	return ""
}

// attempt plays the scheduling cycle of a pod that is in the queue.
func (o *one) attempt(answer *Answer, pod *v1.Pod) error {
	state := initial.State()
	result, err := o.scheduler.SchedulePod(o.ctx, o.profile, state, pod)
	var unfit *framework.FitError
	switch {
	case err == nil:
		if err := o.findFeasible(answer, pod, result); err != nil {
			return err
		}
		answer.Permit = o.askPermit(state, pod, result.SuggestedHost)
	case errors.As(err, &unfit):
		return o.postFilter(answer, pod, state, unfit)
	case errors.Is(err, scheduler.ErrNoNodesAvailable):
		// The nomination ends (schedulingCycle in schedule_one.go).
	default:
		answer.Failed = err.Error()
	}
	return nil
}

// findFeasible finds all nodes that a pod may be bound to. SchedulePod names one of them; it is checked against the others.
func (o *one) findFeasible(answer *Answer, pod *v1.Pod, chosen scheduler.ScheduleResult) error {
	state := initial.State()
	nodes, err := o.snapshot.List()
	if err != nil {
		return err
	}
	allowed, status, plugins := o.profile.RunPreFilterPlugins(o.ctx, state, pod)
	if !status.IsSuccess() {
		return fmt.Errorf("PreFilter refuses a pod that SchedulePod places: %w", status.AsError())
	}
	answer.Feasible, answer.Refused = answers.Feasible(nodes, func(node *framework.NodeInfo) *answers.Refusal {
		if !allowed.AllNodes() && !allowed.NodeNames.Has(node.Node().Name) {
			why := fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(plugins))
			return &answers.Refusal{Code: framework.UnschedulableAndUnresolvable.String(), Reason: why}
		}
		return refusal(o.profile.RunFilterPluginsWithNominatedPods(o.ctx, state, pod, node))
	})
	answer.Nominated, err = answers.IsNominated(pod, answer.Feasible, chosen.SuggestedHost, chosen.FeasibleNodes)
	return err
}

// askPermit asks the Permit plugins about a pod with a node, after the Reserve plugins.
func (o *one) askPermit(state *framework.CycleState, pod *v1.Pod, node string) *Permit {
	status := o.permit(state, pod, node)
	answer := &Permit{Result: "refuse", Allowed: sorted(o.told.allowed), Activated: activated(state)}
	switch {
	case status.IsSuccess():
		answer.Result = "bind"
	case status.IsWait():
		answer.Result, answer.Seconds = "wait", o.gangs.waits.Seconds()
	default:
		answer.Reason = reason(status)
	}
	return answer
}

// activated returns the pods that plugins have left in the state, to be moved to the active part of the queue.
func activated(state *framework.CycleState) []string {
	names := []string{}
	if data, err := state.Read(framework.PodsToActivateKey); err == nil {
		for name := range data.(*framework.PodsToActivate).Map {
			names = append(names, name)
		}
	}
	return sorted(names)
}
