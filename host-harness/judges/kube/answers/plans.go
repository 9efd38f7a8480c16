// Package answers has the parts of an answer that the judges share, with the order in which a scheduler prefers plans.
package answers

import (
	"cmp"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"lictor.dev/judges/kube/cluster"
)

// Set is a set of victims.
type Set struct {
	Victims []string `json:"victims"`
	// Violations is the number of victims that violate a budget.
	Violations int64 `json:"violations"`
	// Possible is set where the scheduler chooses this set under some order of equal victims.
	Possible bool `json:"possible"`
	rank     rank
}

// Plan is the victims on a node.
type Plan struct {
	Node string `json:"node"`
	Set
	// Alternatives are the sets of victims under other orders of equal victims.
	Alternatives []Set `json:"alternatives,omitempty"`
	// Uncertain is set where there is no plan on the node under some order of equal victims.
	Uncertain bool `json:"uncertain,omitempty"`
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

// NewSet writes the victims that a scheduler has found, with their rank.
func NewSet(victims *extenderv1.Victims) Set {
	set := Set{Violations: victims.NumPDBViolations, rank: newRank(victims)}
	for _, pod := range victims.Pods {
		set.Victims = append(set.Victims, cluster.Key(pod))
	}
	slices.Sort(set.Victims)
	return set
}

// Is returns whether two sets have the same victims with as many violations: what a scheduler finds under two orders is often the same.
func (s Set) Is(other Set) bool {
	return slices.Equal(s.Victims, other.Victims) && s.Violations == other.Violations
}

// Add adds what is found under another order to the alternatives of a plan, unless it is there or among `known`.
func (p *Plan) Add(set Set, known ...Set) {
	if !slices.ContainsFunc(known, set.Is) && !slices.ContainsFunc(p.Alternatives, set.Is) {
		p.Alternatives = append(p.Alternatives, set)
	}
}

// Sort sorts the alternatives of a plan by their victims: the order in which they were found says nothing.
func (p *Plan) Sort() {
	slices.SortFunc(p.Alternatives, func(a, b Set) int { return slices.Compare(a.Victims, b.Victims) })
}

// Best sorts plans by node, and returns the nodes whose plans tie as the best.
func Best(plans []Plan) []string {
	slices.SortFunc(plans, func(a, b Plan) int { return cmp.Compare(a.Node, b.Node) })
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

// MarkPossible marks the sets that the scheduler chooses under some order of equal victims: those that are no worse than the worst set of
// every other node that has a plan under every order. The orders on different nodes do not depend on each other.
func MarkPossible(lists ...[]Plan) {
	worst := map[string]rank{}
	for _, plan := range slices.Concat(lists...) {
		if plan.Uncertain {
			continue
		}
		worst[plan.Node] = plan.rank
		for _, other := range plan.Alternatives {
			if other.rank.compare(worst[plan.Node]) < 0 {
				worst[plan.Node] = other.rank
			}
		}
	}
	isPossible := func(node string, set Set) bool {
		for other, rank := range worst {
			if other != node && set.rank.compare(rank) < 0 {
				return false
			}
		}
		return true
	}
	for _, plans := range lists {
		for i := range plans {
			plan := &plans[i]
			plan.Possible = isPossible(plan.Node, plan.Set)
			for j := range plan.Alternatives {
				plan.Alternatives[j].Possible = isPossible(plan.Node, plan.Alternatives[j])
			}
		}
	}
}

// Cleared returns the pods of lower priority among those that are nominated for a node, as `pod` has them: a plan of `by` on that node ends
// their nominations (getLowerPriorityNominatedPods).
func Cleared[T any](by *v1.Pod, nominated []T, pod func(T) *v1.Pod) []string {
	var names []string
	for _, other := range nominated {
		if it := pod(other); corev1helpers.PodPriority(it) < corev1helpers.PodPriority(by) {
			names = append(names, cluster.Key(it))
		}
	}
	slices.Sort(names)
	return names
}
