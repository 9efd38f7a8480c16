package upstream

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"lictor.dev/judges/kube/answers"
	"lictor.dev/judges/kube/orders"
)

// ties tries other orders of equal victims. kube-scheduler takes equal victims in the order of its cache, which depends on the order of
// the events that it observed. It takes budgets in the order of a map, which is random.
type ties struct {
	*one
	state fwk.CycleState
	pod   *v1.Pod
}

func (o *one) newTies(state fwk.CycleState, pod *v1.Pod) *ties {
	return &ties{one: o, state: state, pod: pod}
}

// find finds the alternatives of a plan: the other sets of victims on its node.
func (t *ties) find(plan *answers.Plan) error {
	node, err := t.snapshot.Get(plan.Node)
	if err != nil {
		return err
	}
	victims, err := t.plugin.Evaluator.GetVictimsOnNode(t.ctx, node)
	if err != nil {
		return err
	}
	victims = slices.DeleteFunc(victims, func(v *preemption.DomainVictim) bool { return v.Priority() >= corev1helpers.PodPriority(t.pod) })
	for _, order := range orders.Arrangements(orders.Equals(victims, moreImportant)) {
		for _, budgets := range orders.Reversals(t.cluster.Budgets) {
			pods, violations, status := t.plugin.SelectVictimsOnNode(t.ctx, t.state.Clone(), t.pod, node.Snapshot(), order, budgets)
			if status.IsSuccess() && len(pods) > 0 {
				plan.Add(answers.NewSet(&extenderv1.Victims{Pods: pods, NumPDBViolations: int64(violations)}), plan.Set)
			}
		}
	}
	plan.Sort()
	return nil
}

// moreImportant returns whether a victim is more important than another, as kube-scheduler sorts them.
func moreImportant(a, b *preemption.DomainVictim) bool { return preemption.MoreImportantVictim(a, b) }
