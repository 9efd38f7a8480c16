package upstream

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"lictor.dev/judges/kube/cluster"
)

// pluginName is the plugin that takes the place of DefaultPreemption.
const pluginName = "Judge"

// plugin is DefaultPreemption that records what is done instead of doing it.
type plugin struct {
	*defaultpreemption.DefaultPreemption
	outcome *Outcome
}

var (
	_ fwk.PermitPlugin             = &plugin{}
	_ fwk.PostFilterPlugin         = &plugin{}
	_ fwk.PodGroupPostFilterPlugin = &plugin{}
)

// newPlugin makes DefaultPreemption with arguments that leave no candidate node out.
func (o *one) newPlugin(ctx context.Context, _ runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	args := &config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 100, MinCandidateNodesAbsolute: 100}
	features := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	// Victims are evicted before the attempt ends, not in the background.
	features.EnableAsyncPreemption = false
	made, err := defaultpreemption.New(ctx, args, handle, features)
	if err != nil {
		return nil, err
	}
	made.Executor.PreemptPod = func(_ context.Context, _ preemption.Candidate, _ preemption.ExecutorPreemptor, victim *v1.Pod, _ string) (bool, error) {
		o.outcome.Victims = append(o.outcome.Victims, cluster.Key(victim))
		return false, nil
	}
	o.plugin = made
	return &plugin{DefaultPreemption: made, outcome: o.outcome}, nil
}

// Name is that of the plugin.
func (p *plugin) Name() string { return pluginName }

// Permit records the node of a pod that is about to be bound, and refuses it: a pod that is let go is bound in the background.
func (p *plugin) Permit(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node string) (*fwk.Status, time.Duration) {
	p.outcome.Placed[cluster.Key(pod)] = node
	return fwk.NewStatus(fwk.Unschedulable, "a judge binds no pod"), 0
}
