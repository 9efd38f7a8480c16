package upstream

import (
	"context"
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"lictor.dev/judges/kube/answers"
	"lictor.dev/judges/kube/initial"
	"lictor.dev/judges/kubernetes/internal/cluster"
)

// Attempt plays one attempt of kube-scheduler to place a pod, given by namespace/name. `entered` is when pods came to the queue.
func Attempt(c *cluster.Cluster, name string, entered map[string]int64) (*Answer, error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	pod := c.Pod(name)
	if pod == nil {
		return nil, fmt.Errorf("pod %q is not among the objects", name)
	}
	answer := newAnswer()
	answer.Queue = queue(c, entered)
	if answer.Untried = answers.Untried(pod, v1.DefaultSchedulerName); answer.Untried != "" {
		return answer, nil
	}
	if group := c.Group(pod); group != nil {
		return answer, attemptGroup(answer, c, group)
	}
	o, err := observe(ctx, c, nil)
	if err != nil {
		return nil, err
	}
	if answer.Untried = o.gate(pod); answer.Untried != "" {
		return answer, nil
	}
	return answer, o.attempt(answer, pod)
}

// gate returns why a pod waits in the queue and is not tried, or nothing.
func (o *one) gate(pod *v1.Pod) string {
	queued, ok := o.scheduler.SchedulingQueue.GetPod(pod.Name, pod.Namespace, pod.Spec.SchedulingGroup)
	switch {
	case !ok:
		return "it is not in the queue"
	case queued.GatingPlugin != "":
		return "it is gated by " + queued.GatingPlugin
	case slices.Contains(o.scheduler.SchedulingQueue.IncompletePodGroupPodsPods(), queued.Pod):
		return "its PodGroup is absent"
	}
	return ""
}

// attempt plays the scheduling cycle of a pod that is in the queue.
func (o *one) attempt(answer *Answer, pod *v1.Pod) error {
	queued, _ := o.scheduler.SchedulingQueue.GetPod(pod.Name, pod.Namespace, pod.Spec.SchedulingGroup)
	state := initial.State()
	result, err := o.scheduler.SchedulePod(o.ctx, o.profile, state, queued)
	var unfit *framework.FitError
	switch {
	case err == nil:
		return o.bind(answer, pod, result)
	case errors.As(err, &unfit):
		return o.preempt(answer, pod, state, unfit)
	case errors.Is(err, scheduler.ErrNoNodesAvailable):
	default:
		answer.Failed = err.Error()
	}
	// The nomination ends (schedulingAlgorithm in schedule_one.go).
	return nil
}

// bind finds all nodes that a pod may be bound to. SchedulePod names one of them; it is checked against the others.
func (o *one) bind(answer *Answer, pod *v1.Pod, chosen scheduler.ScheduleResult) error {
	state := initial.State()
	nodes, err := o.snapshot.List()
	if err != nil {
		return err
	}
	allowed, status, plugins := o.profile.RunPreFilterPlugins(o.ctx, state, pod)
	if !status.IsSuccess() {
		return fmt.Errorf("PreFilter refuses a pod that SchedulePod places: %w", status.AsError())
	}
	answer.Feasible, answer.Refused = answers.Feasible(nodes, func(node fwk.NodeInfo) *answers.Refusal {
		if !allowed.AllNodes() && !allowed.NodeNames.Has(node.Node().Name) {
			why := fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", plugins.UnsortedList())
			return &answers.Refusal{Code: fwk.UnschedulableAndUnresolvable.String(), Reason: why}
		}
		return refusal(o.profile.RunFilterPluginsWithNominatedPods(o.ctx, state, pod, node))
	})
	answer.Nominated, err = answers.IsNominated(pod, answer.Feasible, chosen.SuggestedHost, chosen.FeasibleNodes)
	return err
}
