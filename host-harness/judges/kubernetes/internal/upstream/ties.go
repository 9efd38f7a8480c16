package upstream

import (
	"math/rand/v2"
	"slices"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// orders is the number of orders of equal victims to try on a node, at most.
const orders = 24

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

// alternatives returns the other sets of victims on the node of a plan.
func (t *ties) alternatives(plan Plan) ([]Set, error) {
	node, err := t.snapshot.Get(plan.Node)
	if err != nil {
		return nil, err
	}
	victims, err := t.plugin.Evaluator.GetVictimsOnNode(t.ctx, node)
	if err != nil {
		return nil, err
	}
	victims = slices.DeleteFunc(victims, func(v *preemption.DomainVictim) bool { return v.Priority() >= corev1helpers.PodPriority(t.pod) })
	classes := equals(victims)
	reversed := slices.Clone(t.cluster.Budgets)
	slices.Reverse(reversed)
	var found []Set
	try := func(victims []*preemption.DomainVictim, budgets []*policy.PodDisruptionBudget) {
		pods, violations, status := t.plugin.SelectVictimsOnNode(t.ctx, t.state.Clone(), t.pod, node.Snapshot(), victims, budgets)
		if !status.IsSuccess() || len(pods) == 0 {
			return
		}
		set := newSet(&extenderv1.Victims{Pods: pods, NumPDBViolations: int64(violations)})
		isKnown := func(other Set) bool {
			return slices.Equal(other.Victims, set.Victims) && other.Violations == set.Violations
		}
		if !isKnown(plan.Set) && !slices.ContainsFunc(found, isKnown) {
			found = append(found, set)
		}
	}
	budgets := [][]*policy.PodDisruptionBudget{t.cluster.Budgets}
	if len(reversed) > 1 {
		budgets = append(budgets, reversed)
	}
	for _, order := range arrangements(classes) {
		for _, list := range budgets {
			try(order, list)
		}
	}
	slices.SortFunc(found, func(a, b Set) int { return slices.Compare(a.Victims, b.Victims) })
	return found, nil
}

// equals sorts victims by importance, and splits them into classes of equals. Within a class they keep their order.
func equals(victims []*preemption.DomainVictim) [][]*preemption.DomainVictim {
	slices.SortStableFunc(victims, func(a, b *preemption.DomainVictim) int {
		switch {
		case preemption.MoreImportantVictim(a, b):
			return -1
		case preemption.MoreImportantVictim(b, a):
			return 1
		}
		return 0
	})
	var classes [][]*preemption.DomainVictim
	for i, victim := range victims {
		if i > 0 && !preemption.MoreImportantVictim(victims[i-1], victim) {
			classes[len(classes)-1] = append(classes[len(classes)-1], victim)
		} else {
			classes = append(classes, []*preemption.DomainVictim{victim})
		}
	}
	return classes
}

// arrangements returns the orders of all victims that differ in the order of equals: all of them if they are few, else some that are
// drawn, always the same.
func arrangements(classes [][]*preemption.DomainVictim) [][]*preemption.DomainVictim {
	count := 1
	for _, class := range classes {
		for i := 2; i <= len(class) && count <= orders; i++ {
			count *= i
		}
	}
	if count > orders {
		return drawn(classes)
	}
	lists := [][]*preemption.DomainVictim{nil}
	for _, class := range classes {
		var longer [][]*preemption.DomainVictim
		for _, list := range lists {
			for _, order := range permutations(class) {
				longer = append(longer, append(slices.Clone(list), order...))
			}
		}
		lists = longer
	}
	return lists
}

func drawn(classes [][]*preemption.DomainVictim) [][]*preemption.DomainVictim {
	random := rand.New(rand.NewPCG(1, 1))
	var lists [][]*preemption.DomainVictim
	for range orders {
		var list []*preemption.DomainVictim
		for _, class := range classes {
			class = slices.Clone(class)
			random.Shuffle(len(class), func(i, j int) { class[i], class[j] = class[j], class[i] })
			list = append(list, class...)
		}
		lists = append(lists, list)
	}
	return lists
}

// permutations returns all orders of a list.
func permutations[T any](list []T) [][]T {
	if len(list) < 2 {
		return [][]T{list}
	}
	var all [][]T
	for i := range list {
		rest := append(slices.Clone(list[:i]), list[i+1:]...)
		for _, order := range permutations(rest) {
			all = append(all, append([]T{list[i]}, order...))
		}
	}
	return all
}
