package upstream

import (
	"math/rand/v2"
	"slices"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"k8s.io/kubernetes/pkg/scheduler/util"
)

// orders is the number of orders of equal victims to try on a node, at most.
const orders = 24

// ties tries other orders of equal victims. koord-scheduler takes equal victims in the order of its cache, which depends on the order of
// the events that it observed. It takes budgets in the order of a map, which is random.
type ties struct {
	*one
	state *framework.CycleState
	pod   *v1.Pod
	by    preemption.Interface
}

// alternatives returns the other sets of victims on the node of a plan.
func (t *ties) alternatives(plan Plan) ([]Set, error) {
	node, err := t.profile.SnapshotSharedLister().NodeInfos().Get(plan.Node)
	if err != nil {
		return nil, err
	}
	isSafe := func(pod *framework.PodInfo) bool {
		return corev1helpers.PodPriority(pod.Pod) >= corev1helpers.PodPriority(t.pod)
	}
	victims := slices.DeleteFunc(slices.Clone(node.Pods), isSafe)
	safe := slices.DeleteFunc(slices.Clone(node.Pods), func(pod *framework.PodInfo) bool { return !isSafe(pod) })
	reversed := slices.Clone(t.cluster.Budgets)
	slices.Reverse(reversed)
	budgets := [][]*policy.PodDisruptionBudget{t.cluster.Budgets}
	if len(reversed) > 1 {
		budgets = append(budgets, reversed)
	}
	var found []Set
	for _, order := range arrangements(equals(victims)) {
		for _, list := range budgets {
			reordered := node.Clone()
			reordered.Pods = append(slices.Clone(order), safe...)
			set, ok := t.try(reordered, list)
			isKnown := func(other Set) bool {
				return slices.Equal(other.Victims, set.Victims) && other.Violations == set.Violations
			}
			if ok && !isKnown(plan.Set) && !slices.ContainsFunc(found, isKnown) {
				found = append(found, set)
			}
		}
	}
	slices.SortFunc(found, func(a, b Set) int { return slices.Compare(a.Victims, b.Victims) })
	return found, nil
}

// try returns the victims on a node, and whether there are any. It changes the node.
func (t *ties) try(node *framework.NodeInfo, budgets []*policy.PodDisruptionBudget) (Set, bool) {
	pods, violations, status := t.by.SelectVictimsOnNode(t.ctx, t.state.Clone(), t.pod, node, budgets)
	if !status.IsSuccess() || len(pods) == 0 {
		return Set{}, false
	}
	return newSet(&extenderv1.Victims{Pods: pods, NumPDBViolations: int64(violations)}), true
}

// equals sorts victims by importance, and splits them into classes of equals. Within a class they keep their order.
func equals(victims []*framework.PodInfo) [][]*framework.PodInfo {
	isBefore := func(a, b *framework.PodInfo) bool { return util.MoreImportantPod(a.Pod, b.Pod) }
	slices.SortStableFunc(victims, func(a, b *framework.PodInfo) int {
		switch {
		case isBefore(a, b):
			return -1
		case isBefore(b, a):
			return 1
		}
		return 0
	})
	var classes [][]*framework.PodInfo
	for i, victim := range victims {
		if i > 0 && !isBefore(victims[i-1], victim) {
			classes[len(classes)-1] = append(classes[len(classes)-1], victim)
		} else {
			classes = append(classes, []*framework.PodInfo{victim})
		}
	}
	return classes
}

// arrangements returns the orders of all elements that differ in the order of equals: all of them if they are few, else some that are
// drawn, always the same.
func arrangements[T any](classes [][]T) [][]T {
	count := 1
	for _, class := range classes {
		for i := 2; i <= len(class) && count <= orders; i++ {
			count *= i
		}
	}
	if count > orders {
		return drawn(classes)
	}
	lists := [][]T{nil}
	for _, class := range classes {
		var longer [][]T
		for _, list := range lists {
			for _, order := range permutations(class) {
				longer = append(longer, append(slices.Clone(list), order...))
			}
		}
		lists = longer
	}
	return lists
}

func drawn[T any](classes [][]T) [][]T {
	random := rand.New(rand.NewPCG(1, 1))
	var lists [][]T
	for range orders {
		var list []T
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
