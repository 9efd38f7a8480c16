package upstream

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"lictor.dev/judges/kube/answers"
	"lictor.dev/judges/kube/orders"
)

// ties tries other orders of equal victims. koord-scheduler takes equal victims in the order of its cache, which depends on the order of
// the events that it observed. It takes budgets in the order of a map, which is random.
type ties struct {
	*one
	state *framework.CycleState
	pod   *v1.Pod
	by    preemption.Interface
}

// find finds the alternatives of a plan: the other sets of victims on its node.
func (t *ties) find(plan *answers.Plan) error {
	node, err := t.profile.SnapshotSharedLister().NodeInfos().Get(plan.Node)
	if err != nil {
		return err
	}
	isSafe := func(pod *framework.PodInfo) bool {
		return corev1helpers.PodPriority(pod.Pod) >= corev1helpers.PodPriority(t.pod)
	}
	victims := slices.DeleteFunc(slices.Clone(node.Pods), isSafe)
	safe := slices.DeleteFunc(slices.Clone(node.Pods), func(pod *framework.PodInfo) bool { return !isSafe(pod) })
	for _, order := range orders.Arrangements(orders.Equals(victims, moreImportant)) {
		for _, budgets := range orders.Reversals(t.cluster.Budgets) {
			reordered := node.Clone()
			reordered.Pods = append(slices.Clone(order), safe...)
			pods, violations, status := t.by.SelectVictimsOnNode(t.ctx, t.state.Clone(), t.pod, reordered, budgets)
			if status.IsSuccess() && len(pods) > 0 {
				plan.Add(answers.NewSet(&extenderv1.Victims{Pods: pods, NumPDBViolations: int64(violations)}), plan.Set)
			}
		}
	}
	plan.Sort()
	return nil
}

// moreImportant returns whether a pod is more important than another, as the scheduler sorts victims.
func moreImportant(a, b *framework.PodInfo) bool { return util.MoreImportantPod(a.Pod, b.Pod) }
