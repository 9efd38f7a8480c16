package upstream

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"lictor.dev/judges/kubernetes/internal/cluster"
)

// preempt finds all plans for a pod that fits on no node, by the steps of the evaluator (preemption.go, evaluate).
func (o *one) preempt(answer *Answer, pod *v1.Pod, state fwk.CycleState, unfit *framework.FitError) error {
	statuses := unfit.Diagnosis.NodeToStatus
	nodes, err := o.snapshot.List()
	if err != nil {
		return err
	}
	for _, node := range nodes {
		answer.Refused[node.Node().Name] = refusal(statuses.Get(node.Node().Name))
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
		plan := Plan{Node: node, Set: newSet(candidate.Victims())}
		if plan.Alternatives, err = ties.alternatives(plan); err != nil {
			return err
		}
		answer.Plans = append(answer.Plans, plan)
		o.clear(answer, node, pod)
	}
	slices.SortFunc(answer.Plans, func(a, b Plan) int { return cmp.Compare(a.Node, b.Node) })
	answer.Best = best(answer.Plans)
	markPossible(answer.Plans)
	if chosen := plugin.Evaluator.SelectCandidate(o.ctx, candidates); chosen != nil && !slices.Contains(answer.Best, chosen.Name()) {
		return fmt.Errorf("SelectCandidate chooses %s, which is not among the best %v", chosen.Name(), answer.Best)
	}
	return nil
}

// clear finds the nominations of pods of lower priority that a plan on this node ends (executor.go, getLowerPriorityNominatedPods).
func (o *one) clear(answer *Answer, node string, pod *v1.Pod) {
	for _, other := range o.profile.NominatedPodsForNode(node) {
		if corev1helpers.PodPriority(other.GetPod()) < corev1helpers.PodPriority(pod) {
			answer.Clears[node] = append(answer.Clears[node], cluster.Key(other.GetPod()))
		}
	}
	slices.Sort(answer.Clears[node])
}

// rank is the criteria by which a node is chosen (preemption.go, pickOneNodeForPreemption); the greatest is the best.
type rank [5]int64

func newRank(victims *extenderv1.Victims) rank {
	sum := int64(0)
	for _, pod := range victims.Pods {
		sum += int64(corev1helpers.PodPriority(pod)) + int64(math.MaxInt32+1)
	}
	start := int64(math.MinInt64)
	if earliest := util.GetEarliestPodStartTime(victims); earliest != nil {
		start = earliest.UnixNano()
	}
	highest := int64(corev1helpers.PodPriority(victims.Pods[0]))
	return rank{-victims.NumPDBViolations, -highest, -sum, -int64(len(victims.Pods)), start}
}

func (r rank) compare(other rank) int { return slices.Compare(r[:], other[:]) }

func newSet(victims *extenderv1.Victims) Set {
	set := Set{Violations: victims.NumPDBViolations, rank: newRank(victims)}
	for _, pod := range victims.Pods {
		set.Victims = append(set.Victims, cluster.Key(pod))
	}
	slices.Sort(set.Victims)
	return set
}

// best returns the nodes whose plans tie as the best.
func best(plans []Plan) []string {
	nodes := []string{}
	var highest rank
	for _, plan := range plans {
		order := 1
		if len(nodes) > 0 {
			order = plan.rank.compare(highest)
		}
		if order > 0 {
			nodes, highest = nodes[:0], plan.rank
		}
		if order >= 0 {
			nodes = append(nodes, plan.Node)
		}
	}
	return nodes
}

// markPossible marks the sets that kube-scheduler chooses under some order of equal victims: those that are no worse than the worst set
// of every other node. The orders on different nodes do not depend on each other.
func markPossible(plans []Plan) {
	worst := make([]rank, len(plans))
	for i, plan := range plans {
		worst[i] = plan.rank
		for _, other := range plan.Alternatives {
			if other.rank.compare(worst[i]) < 0 {
				worst[i] = other.rank
			}
		}
	}
	isPossible := func(at int, set Set) bool {
		for i := range plans {
			if i != at && set.rank.compare(worst[i]) < 0 {
				return false
			}
		}
		return true
	}
	for i := range plans {
		plans[i].Possible = isPossible(i, plans[i].Set)
		for j := range plans[i].Alternatives {
			plans[i].Alternatives[j].Possible = isPossible(i, plans[i].Alternatives[j])
		}
	}
}
