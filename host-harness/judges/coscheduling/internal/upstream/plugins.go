package upstream

import (
	"context"
	"time"

	gocache "github.com/patrickmn/go-cache"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"sigs.k8s.io/scheduler-plugins/pkg/capacityscheduling"
	"sigs.k8s.io/scheduler-plugins/pkg/coscheduling"
	"sigs.k8s.io/scheduler-plugins/pkg/coscheduling/core"

	"lictor.dev/judges/kube/cluster"
)

// gangs is the plugin Coscheduling, which tells what it does.
type gangs struct {
	*coscheduling.Coscheduling
	manager *manager
	// waits is how long the last pod that Permit was asked about has to wait.
	waits time.Duration
	// after is the status of PostFilter, where it ran.
	after *framework.Status
}

// manager is upstream's manager of PodGroups, which tells whether it backs a group off.
type manager struct {
	core.Manager
	backsOff bool
}

// newGangs makes Coscheduling as its New does.
func (o *one) newGangs(_ context.Context, _ runtime.Object, handle framework.Handle) (framework.Plugin, error) {
	timeout := o.setting.PermitTimeout
	pods := handle.SharedInformerFactory().Core().V1().Pods()
	plugin := &coscheduling.Coscheduling{}
	o.gangs = &gangs{
		Coscheduling: plugin,
		manager:      &manager{Manager: core.NewPodGroupManager(o.objects, handle.SnapshotSharedLister(), &timeout, pods)},
	}
	set(plugin, "frameworkHandler", &recording{Handle: handle, one: o})
	set(plugin, "pgMgr", o.gangs.manager)
	set(plugin, "scheduleTimeout", &timeout)
	if backoff := o.setting.Backoff; backoff > 0 {
		set(plugin, "pgBackoff", &backoff)
	}
	return o.gangs, nil
}

// remember tells Coscheduling what it has in memory about groups, and nothing else. It has remembered groups when their pods were put at
// Permit; those it forgets.
func (o *one) remember() {
	manager := o.gangs.manager.Manager
	for _, group := range o.cluster.Groups {
		manager.DeletePermittedPodGroup(o.ctx, cluster.Key(group))
	}
	for _, group := range o.setting.BackedOff {
		manager.BackoffPodGroup(group, time.Hour)
	}
	permitted := get[*gocache.Cache](manager, "permittedPG")
	for _, group := range o.setting.Permitted {
		permitted.Set(group, group, time.Hour)
	}
}

// Permit is upstream's.
func (g *gangs) Permit(ctx context.Context, state *framework.CycleState, pod *v1.Pod, node string) (*framework.Status, time.Duration) {
	status, waits := g.Coscheduling.Permit(ctx, state, pod, node)
	g.waits = waits
	return status, waits
}

// PostFilter is upstream's.
func (g *gangs) PostFilter(
	ctx context.Context, state *framework.CycleState, pod *v1.Pod, nodes framework.NodeToStatusReader,
) (*framework.PostFilterResult, *framework.Status) {
	result, status := g.Coscheduling.PostFilter(ctx, state, pod, nodes)
	g.after = status
	return result, status
}

// BackoffPodGroup is upstream's.
func (m *manager) BackoffPodGroup(group string, backoff time.Duration) {
	m.backsOff = true
	m.Manager.BackoffPodGroup(group, backoff)
}

// quotas is the plugin CapacityScheduling, which tells what it does.
type quotas struct {
	*capacityscheduling.CapacityScheduling
	// infos are those of the plugin, by namespace.
	infos capacityscheduling.ElasticQuotaInfos
	// result and after are those of PostFilter.
	result *framework.PostFilterResult
	after  *framework.Status
}

// newQuotas makes CapacityScheduling as its New does. It observes the ElasticQuotas first, and the pods as they are put.
func (o *one) newQuotas(_ context.Context, _ runtime.Object, handle framework.Handle) (framework.Plugin, error) {
	factory := handle.SharedInformerFactory()
	plugin := &capacityscheduling.CapacityScheduling{}
	o.quotas = &quotas{CapacityScheduling: plugin, infos: capacityscheduling.NewElasticQuotaInfos()}
	set(plugin, "fh", &recording{Handle: handle, one: o})
	set(plugin, "elasticQuotaInfos", o.quotas.infos)
	set(plugin, "podLister", factory.Core().V1().Pods().Lister())
	set(plugin, "pdbLister", factory.Policy().V1().PodDisruptionBudgets().Lister())
	set(plugin, "client", o.objects)
	for _, quota := range o.cluster.Quotas {
		addElasticQuota(plugin, quota)
	}
	_, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(pod any) bool { return pod.(*v1.Pod).Spec.NodeName != "" },
		Handler:    cache.ResourceEventHandlerFuncs{AddFunc: func(pod any) { addPod(plugin, pod) }},
	})
	return o.quotas, err
}

// PostFilter is upstream's.
func (q *quotas) PostFilter(
	ctx context.Context, state *framework.CycleState, pod *v1.Pod, nodes framework.NodeToStatusReader,
) (*framework.PostFilterResult, *framework.Status) {
	q.result, q.after = q.CapacityScheduling.PostFilter(ctx, state, pod, nodes)
	return q.result, q.after
}

// holder is a Permit plugin that holds the pods which the request says to wait there, also where Coscheduling would let them go.
type holder struct{ *one }

// holderName is the name of the plugin.
const holderName = "Judge"

func (o *one) newHolder(context.Context, runtime.Object, framework.Handle) (framework.Plugin, error) {
	return holder{o}, nil
}

// Name is that of the plugin.
func (holder) Name() string { return holderName }

// Permit has a pod wait while the pods of the request are put at Permit, and lets it go afterwards.
func (h holder) Permit(context.Context, *framework.CycleState, *v1.Pod, string) (*framework.Status, time.Duration) {
	if h.holding {
		return framework.NewStatus(framework.Wait), time.Hour
	}
	return nil, 0
}
