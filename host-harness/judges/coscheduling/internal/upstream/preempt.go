package upstream

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"sigs.k8s.io/scheduler-plugins/pkg/capacityscheduling"

	"lictor.dev/judges/kube/answers"
)

// postFilter has the PostFilter plugins look at a pod that fits on no node: CapacityScheduling for victims, then, where there are none,
// Coscheduling for pods at Permit.
func (o *one) postFilter(answer *Answer, pod *v1.Pod, state *framework.CycleState, unfit *framework.FitError) error {
	statuses := unfit.Diagnosis.NodeToStatus
	if err := o.tellRefusals(answer, unfit); err != nil {
		return err
	}
	o.profile.RunPostFilterPlugins(o.ctx, state, pod, statuses)
	found, result := o.told.victims, o.quotas.result
	answer.PostFilter = o.rejections()
	if found == nil && result == nil {
		// The nomination stays where there is no result; a result without a node ends it (handleSchedulingFailure in schedule_one.go).
		answer.KeepsNomination = pod.Status.NominatedNodeName != ""
		if status := o.quotas.after; status.Code() != framework.Error {
			// Only a pod that may not preempt has neither a result nor an error (Preempt in preemption.go).
			answer.Ineligible = reason(status)
			return nil
		}
		answer.Failed = reason(o.quotas.after)
	}
	return o.tellPlans(answer, pod, state, statuses, found)
}

// tellRefusals tells why no node takes the pod: PreFilter refuses it everywhere, or each node has its own reason.
func (o *one) tellRefusals(answer *Answer, unfit *framework.FitError) error {
	statuses := unfit.Diagnosis.NodeToStatus
	if unfit.Diagnosis.PreFilterMsg != "" {
		answer.PreFilter = refusal(statuses.AbsentNodesStatus())
		return nil
	}
	nodes, err := o.snapshot.List()
	if err != nil {
		return err
	}
	for _, node := range nodes {
		answer.Refused[node.Node().Name] = *refusal(statuses.Get(node.Node().Name))
	}
	return nil
}

// tellPlans tells what the dry run has found on each candidate node.
func (o *one) tellPlans(
	answer *Answer, pod *v1.Pod, state *framework.CycleState, statuses *framework.NodeToStatus, found map[string]*extenderv1.Victims,
) error {
	potential, err := statuses.NodesForStatusCode(o.snapshot, framework.Unschedulable)
	if err != nil {
		return err
	}
	answer.DryRun, answer.Clears = map[string]string{}, map[string][]string{}
	for _, node := range potential {
		name := node.Node().Name
		victims := found[name]
		if victims == nil {
			o.tellNoPlan(answer, pod, state, node)
			continue
		}
		set := answers.NewSet(victims)
		plan := o.planOn(state, pod, node, set)
		plan.Set = set
		answer.Plans = append(answer.Plans, plan)
		o.clear(answer, name, pod)
	}
	slices.SortFunc(answer.OtherPlans, func(a, b answers.Plan) int { return cmp.Compare(a.Node, b.Node) })
	answer.Best = answers.Best(answer.Plans)
	answers.MarkPossible(answer.Plans, answer.OtherPlans)
	o.tellWithoutPlans(answer, pod, state, statuses)
	if chosen := o.choose(found); chosen != "" && !slices.Contains(answer.Best, chosen) {
		return fmt.Errorf("SelectCandidate chooses %s, which is not among the best %v", chosen, answer.Best)
	}
	return nil
}

// tellNoPlan tells why there is no plan on a node, and the plan that there is under another order of equal pods.
func (o *one) tellNoPlan(answer *Answer, pod *v1.Pod, state *framework.CycleState, node *framework.NodeInfo) {
	name := node.Node().Name
	_, why := o.dryRun(state, pod, name)
	answer.DryRun[name] = why
	if strings.HasPrefix(why, "No victims found") {
		// No pod of the node may be evicted, whatever the order.
		return
	}
	if plan := o.planOn(state, pod, node); len(plan.Alternatives) > 0 {
		plan.Set, plan.Alternatives, plan.Uncertain = plan.Alternatives[0], plan.Alternatives[1:], true
		answer.OtherPlans = append(answer.OtherPlans, plan)
		o.clear(answer, name, pod)
	}
}

// tellWithoutPlans asks Coscheduling what it does where there is no plan, if there is one, but none under some order of equal pods.
func (o *one) tellWithoutPlans(answer *Answer, pod *v1.Pod, state *framework.CycleState, statuses *framework.NodeToStatus) {
	if len(answer.Plans) > 0 && !slices.ContainsFunc(answer.Plans, func(plan answers.Plan) bool { return !plan.Uncertain }) {
		o.gangs.PostFilter(o.ctx, state, pod, statuses)
		answer.PostFilter = o.rejections()
	}
}

// rejections returns what the PostFilter of Coscheduling has done, or nil where it did not run.
func (o *one) rejections() *PostFilter {
	if o.gangs.after == nil {
		return nil
	}
	return &PostFilter{Reason: reason(o.gangs.after), Rejected: sorted(o.told.rejected), BacksOff: o.gangs.manager.backsOff}
}

// dryRun has CapacityScheduling look for victims on one node. It returns them, or why there are none.
func (o *one) dryRun(state *framework.CycleState, pod *v1.Pod, node string) (*extenderv1.Victims, string) {
	o.told.victims = nil
	statuses := framework.NewNodeToStatus(
		map[string]*framework.Status{node: framework.NewStatus(framework.Unschedulable)},
		framework.NewStatus(framework.UnschedulableAndUnresolvable))
	_, status := o.quotas.CapacityScheduling.PostFilter(o.ctx, state, pod, statuses)
	if victims := o.told.victims[node]; victims != nil {
		return victims, ""
	}
	return nil, whyNoVictims(reason(status))
}

// whyNoVictims takes the reason of one node out of a message about all of them, which says of the others that preemption does not help:
// "0/2 nodes are available: 1 No victims found, 1 Preemption is not helpful for scheduling."
func whyNoVictims(message string) string {
	_, list, ok := strings.Cut(message, " nodes are available: ")
	if !ok {
		return message
	}
	reasons := strings.Split(strings.TrimSuffix(list, "."), ", ")
	reasons = slices.DeleteFunc(reasons, func(reason string) bool {
		return strings.HasSuffix(reason, " Preemption is not helpful for scheduling")
	})
	for i := range reasons {
		reasons[i] = strings.TrimPrefix(reasons[i], "1 ")
	}
	return strings.Join(reasons, ", ")
}

// clear finds the nominations that a plan on this node ends (preemption.go, getLowerPriorityNominatedPods).
func (o *one) clear(answer *Answer, node string, pod *v1.Pod) {
	podOf := func(other *framework.PodInfo) *v1.Pod { return other.Pod }
	if names := answers.Cleared(pod, o.profile.NominatedPodsForNode(node), podOf); names != nil {
		answer.Clears[node] = names
	}
}

// choose returns the node that the evaluator takes of these candidates.
func (o *one) choose(found map[string]*extenderv1.Victims) string {
	var candidates []preemption.Candidate
	for node, victims := range found {
		candidates = append(candidates, candidate{node, victims})
	}
	chosen := preemption.NewEvaluator(capacityscheduling.Name, o.profile, chooser{}, false).SelectCandidate(o.ctx, candidates)
	if chosen == nil {
		return ""
	}
	return chosen.Name()
}

// candidate is a node with victims.
type candidate struct {
	node    string
	victims *extenderv1.Victims
}

// Victims returns the victims.
func (c candidate) Victims() *extenderv1.Victims { return c.victims }

// Name returns the node.
func (c candidate) Name() string { return c.node }

// chooser has the two methods that SelectCandidate calls. They say what those of CapacityScheduling say.
type chooser struct{ preemption.Interface }

// OrderedScoreFuncs returns none: kube-scheduler's own criteria are used.
func (chooser) OrderedScoreFuncs(context.Context, map[string]*extenderv1.Victims) []func(string) int64 {
	return nil
}

// CandidatesToVictimsMap returns the victims by node.
func (chooser) CandidatesToVictimsMap(candidates []preemption.Candidate) map[string]*extenderv1.Victims {
	victims := map[string]*extenderv1.Victims{}
	for _, candidate := range candidates {
		victims[candidate.Name()] = candidate.Victims()
	}
	return victims
}
