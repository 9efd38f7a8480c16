package upstream

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"lictor.dev/judges/kube/answers"
	"lictor.dev/judges/kube/orders"
)

// planOn returns what comes of other orders of equal pods on a node: a plan whose alternatives are the sets of victims that differ from
// `known`, and which is uncertain where an order has no victims. kube-scheduler takes equal pods in the order of its cache, which depends on
// the order of the events that it observed. CapacityScheduling takes pods of other quotas in that order as long as their quotas are over
// their minimum, so that the room on the node depends on it, too. The order of budgets has no part in it.
func (o *one) planOn(state *framework.CycleState, pod *v1.Pod, node *framework.NodeInfo, known ...answers.Set) answers.Plan {
	kept := node.Pods
	defer func() { node.Pods = kept }()
	plan := answers.Plan{Node: node.Node().Name}
	possible, others := o.split(pod, kept)
	for _, order := range orders.Arrangements(orders.Equals(possible, moreImportant)) {
		node.Pods = slices.Concat(order, others)
		victims, _ := o.dryRun(state, pod, plan.Node)
		if victims == nil {
			plan.Uncertain = true
			continue
		}
		plan.Add(answers.NewSet(victims), known...)
	}
	plan.Sort()
	return plan
}

// split tells the pods of a node that may be victims from those that never are: CapacityScheduling evicts only pods with a quota for a
// pod with one, and only pods without for a pod without.
func (o *one) split(pod *v1.Pod, pods []*framework.PodInfo) (possible, others []*framework.PodInfo) {
	hasQuota := func(pod *v1.Pod) bool { return o.quotas.infos[pod.Namespace] != nil }
	for _, other := range pods {
		if hasQuota(other.Pod) == hasQuota(pod) {
			possible = append(possible, other)
		} else {
			others = append(others, other)
		}
	}
	return possible, others
}

// moreImportant returns whether a pod is more important than another, as the scheduler sorts victims.
func moreImportant(a, b *framework.PodInfo) bool { return util.MoreImportantPod(a.Pod, b.Pod) }
