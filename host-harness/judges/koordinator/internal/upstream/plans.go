package upstream

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/koordinator-sh/koordinator/pkg/scheduler/plugins/elasticquota"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"lictor.dev/judges/koordinator/internal/cluster"
)

// preemptor is a plugin that evicts pods for a pod alone.
type preemptor struct {
	preemption.Interface
	name string
	// handle is what the plugin filters with.
	handle framework.Handle
}

// planAll finds the plans of ElasticQuota for a pod that fits on no node. Where it has none, those of DefaultPreemption follow, if that is
// enabled.
func (o *one) planAll(answer *Answer, pod *v1.Pod, state *framework.CycleState, statuses framework.NodeToStatusMap) error {
	if err := o.plan(answer, pod, state, statuses, preemptor{o.quota, elasticquota.Name, o.profile}); err != nil {
		return err
	}
	// After an error no other plugin is asked.
	if !o.arguments.defaultPreemption || len(answer.Plans) > 0 || answer.Failed != "" {
		return nil
	}
	// A plugin of kube-scheduler has the framework of kube-scheduler for a handle.
	handle := o.watched.Framework
	gates := feature.Features{EnablePodDisruptionConditions: utilfeature.DefaultFeatureGate.Enabled(features.PodDisruptionConditions)}
	plugin, err := defaultpreemption.New(allNodes.DeepCopy(), handle, gates)
	if err != nil {
		return err
	}
	answer.Ineligible, answer.Clears, answer.DryRun = "", nil, nil
	by := preemptor{plugin.(*defaultpreemption.DefaultPreemption), defaultpreemption.Name, handle}
	return o.plan(answer, pod, state, statuses, by)
}

// allNodes are arguments of DefaultPreemption that leave no candidate node out.
var allNodes = &config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 100, MinCandidateNodesAbsolute: 100}

// plan finds all plans of a plugin, by the steps of the evaluator (preemption.go, Preempt).
func (o *one) plan(answer *Answer, pod *v1.Pod, state *framework.CycleState, statuses framework.NodeToStatusMap, by preemptor) error {
	answer.Preemptor = by.name
	if ok, why := by.PodEligibleToPreemptOthers(pod, statuses[pod.Status.NominatedNodeName]); !ok {
		answer.Ineligible = why
		return nil
	}
	nodes, err := o.nodes()
	if err != nil {
		return err
	}
	potential := slices.DeleteFunc(slices.Clone(nodes), func(node *framework.NodeInfo) bool {
		return statuses[node.Node().Name].Code() == framework.UnschedulableAndUnresolvable
	})
	if len(potential) == 0 {
		return nil
	}
	evaluator := &preemption.Evaluator{PluginName: by.name, Handler: by.handle, State: state, Interface: by}
	candidates, dry, err := evaluator.DryRunPreemption(o.ctx, pod, potential, o.cluster.Budgets, 0, int32(len(potential)))
	if err != nil {
		// With a candidate on another node, the evaluator goes on as if there were no error.
		answer.Failed = err.Error()
	}
	answer.DryRun, answer.Clears = map[string]string{}, map[string][]string{}
	for _, node := range potential {
		answer.DryRun[node.Node().Name] = reason(dry[node.Node().Name])
	}
	ties := &ties{one: o, state: state, pod: pod, by: by}
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
	chosen := evaluator.SelectCandidate(klog.FromContext(o.ctx), candidates)
	if chosen != nil && !slices.Contains(answer.Best, chosen.Name()) {
		return fmt.Errorf("SelectCandidate chooses %s, which is not among the best %v", chosen.Name(), answer.Best)
	}
	return nil
}

// clear finds the nominations of pods of lower priority that a plan on this node ends (preemption.go, getLowerPriorityNominatedPods).
func (o *one) clear(answer *Answer, node string, pod *v1.Pod) {
	for _, other := range o.profile.NominatedPodsForNode(node) {
		if corev1helpers.PodPriority(other.Pod) < corev1helpers.PodPriority(pod) {
			answer.Clears[node] = append(answer.Clears[node], cluster.Key(other.Pod))
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

// markPossible marks the sets that koord-scheduler chooses under some order of equal victims: those that are no worse than the worst set
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
