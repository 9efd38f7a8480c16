package upstream

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"lictor.dev/judges/kube/answers"
)

// preempt finds all plans for a pod that fits on no node, by the steps of the evaluator (preemption.go, evaluate).
func (o *one) preempt(answer *Answer, pod *v1.Pod, state fwk.CycleState, unfit *framework.FitError) error {
	statuses := unfit.Diagnosis.NodeToStatus
	nodes, err := o.snapshot.List()
	if err != nil {
		return err
	}
	for _, node := range nodes {
		answer.Refused[node.Node().Name] = *refusal(statuses.Get(node.Node().Name))
	}
	plugin := o.plugin
	nominated := pod.Status.NominatedNodeName != ""
	if ok, why := plugin.PodEligibleToPreemptOthers(o.ctx, pod, statuses.Get(pod.Status.NominatedNodeName)); !ok {
		// The evaluator returns no result, which leaves the nomination as it is.
		answer.Ineligible, answer.KeepsNomination = why, nominated
		return nil
	}
	potential, err := statuses.NodesForStatusCode(o.snapshot, fwk.Unschedulable)
	if err != nil {
		return err
	}
	if len(potential) == 0 {
		return nil
	}
	candidates, dry, err := plugin.Evaluator.DryRunPreemption(o.ctx, state, pod, potential, o.cluster.Budgets, 0, int32(len(potential)))
	if err != nil {
		answer.Failed = err.Error()
		// Without a candidate the evaluator returns an error and no result, which leaves the nomination as it is.
		answer.KeepsNomination = nominated && len(candidates) == 0
	}
	answer.DryRun, answer.Clears = map[string]string{}, map[string][]string{}
	for _, node := range potential {
		answer.DryRun[node.Node().Name] = reason(dry.Get(node.Node().Name))
	}
	ties := o.newTies(state, pod)
	for _, candidate := range candidates {
		node := candidate.Name()
		delete(answer.DryRun, node)
		plan := answers.Plan{Node: node, Set: answers.NewSet(candidate.Victims())}
		if err := ties.find(&plan); err != nil {
			return err
		}
		answer.Plans = append(answer.Plans, plan)
		o.clear(answer, node, pod)
	}
	answer.Best = answers.Best(answer.Plans)
	answers.MarkPossible(answer.Plans)
	if chosen := plugin.Evaluator.SelectCandidate(o.ctx, candidates); chosen != nil && !slices.Contains(answer.Best, chosen.Name()) {
		return fmt.Errorf("SelectCandidate chooses %s, which is not among the best %v", chosen.Name(), answer.Best)
	}
	return nil
}

// clear finds the nominations that a plan on this node ends (executor.go, getLowerPriorityNominatedPods).
func (o *one) clear(answer *Answer, node string, pod *v1.Pod) {
	podOf := func(other fwk.PodInfo) *v1.Pod { return other.GetPod() }
	if names := answers.Cleared(pod, o.profile.NominatedPodsForNode(node), podOf); names != nil {
		answer.Clears[node] = names
	}
}
