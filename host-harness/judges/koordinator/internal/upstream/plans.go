package upstream

import (
	"fmt"
	"slices"

	"github.com/koordinator-sh/koordinator/pkg/scheduler/plugins/elasticquota"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"lictor.dev/judges/kube/answers"
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
		plan := answers.Plan{Node: node, Set: answers.NewSet(candidate.Victims())}
		if err := ties.find(&plan); err != nil {
			return err
		}
		answer.Plans = append(answer.Plans, plan)
		o.clear(answer, node, pod)
	}
	answer.Best = answers.Best(answer.Plans)
	answers.MarkPossible(answer.Plans)
	chosen := evaluator.SelectCandidate(klog.FromContext(o.ctx), candidates)
	if chosen != nil && !slices.Contains(answer.Best, chosen.Name()) {
		return fmt.Errorf("SelectCandidate chooses %s, which is not among the best %v", chosen.Name(), answer.Best)
	}
	return nil
}

// clear finds the nominations that a plan on this node ends (preemption.go, getLowerPriorityNominatedPods).
func (o *one) clear(answer *Answer, node string, pod *v1.Pod) {
	podOf := func(other *framework.PodInfo) *v1.Pod { return other.Pod }
	if names := answers.Cleared(pod, o.profile.NominatedPodsForNode(node), podOf); names != nil {
		answer.Clears[node] = names
	}
}
