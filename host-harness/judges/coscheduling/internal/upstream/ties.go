package upstream

import (
	"math/rand/v2"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/util"
)

// orders is the number of orders of equal victims to try on a node, at most.
const orders = 24

// planOn returns what comes of other orders of equal pods on a node: a plan whose alternatives are the sets of victims that differ from
// `known`, and which is uncertain where an order has no victims. kube-scheduler takes equal pods in the order of its cache, which depends on
// the order of the events that it observed. CapacityScheduling takes pods of other quotas in that order as long as their quotas are over
// their minimum, so that the room on the node depends on it, too. The order of budgets has no part in it.
func (o *one) planOn(state *framework.CycleState, pod *v1.Pod, node *framework.NodeInfo, known ...Set) Plan {
	kept := node.Pods
	defer func() { node.Pods = kept }()
	plan := Plan{Node: node.Node().Name}
	possible, others := o.split(pod, kept)
	for _, order := range arrangements(equals(possible)) {
		node.Pods = slices.Concat(order, others)
		victims, _ := o.dryRun(state, pod, plan.Node)
		if victims == nil {
			plan.Uncertain = true
			continue
		}
		set := newSet(victims)
		if !slices.ContainsFunc(known, set.isSame) && !slices.ContainsFunc(plan.Alternatives, set.isSame) {
			plan.Alternatives = append(plan.Alternatives, set)
		}
	}
	slices.SortFunc(plan.Alternatives, func(a, b Set) int { return slices.Compare(a.Victims, b.Victims) })
	return plan
}

func (s Set) isSame(other Set) bool {
	return slices.Equal(s.Victims, other.Victims) && s.Violations == other.Violations
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

// equals sorts pods by importance, and splits them into classes of equals. Within a class they keep their order.
func equals(pods []*framework.PodInfo) [][]*framework.PodInfo {
	slices.SortStableFunc(pods, func(a, b *framework.PodInfo) int {
		switch {
		case util.MoreImportantPod(a.Pod, b.Pod):
			return -1
		case util.MoreImportantPod(b.Pod, a.Pod):
			return 1
		}
		return 0
	})
	var classes [][]*framework.PodInfo
	for i, pod := range pods {
		if i > 0 && !util.MoreImportantPod(pods[i-1].Pod, pod.Pod) {
			classes[len(classes)-1] = append(classes[len(classes)-1], pod)
		} else {
			classes = append(classes, []*framework.PodInfo{pod})
		}
	}
	return classes
}

// arrangements returns the orders of all pods that differ in the order of equals: all of them if they are few, else some that are
// drawn, always the same.
func arrangements(classes [][]*framework.PodInfo) [][]*framework.PodInfo {
	count := 1
	for _, class := range classes {
		for i := 2; i <= len(class) && count <= orders; i++ {
			count *= i
		}
	}
	if count > orders {
		return drawn(classes)
	}
	lists := [][]*framework.PodInfo{nil}
	for _, class := range classes {
		var longer [][]*framework.PodInfo
		for _, list := range lists {
			for _, order := range permutations(class) {
				longer = append(longer, append(slices.Clone(list), order...))
			}
		}
		lists = longer
	}
	return lists
}

func drawn(classes [][]*framework.PodInfo) [][]*framework.PodInfo {
	random := rand.New(rand.NewPCG(1, 1))
	var lists [][]*framework.PodInfo
	for range orders {
		var list []*framework.PodInfo
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
