package upstream

import (
	"math"
	"slices"

	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"lictor.dev/judges/coscheduling/internal/cluster"
)

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

// markPossible marks the sets that kube-scheduler chooses under some order of equal pods: those that are no worse than the worst set of
// every other node that has a plan under every order. The orders on different nodes do not depend on each other.
func markPossible(lists ...[]Plan) {
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
