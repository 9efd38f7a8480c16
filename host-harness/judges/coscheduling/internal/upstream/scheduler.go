// Package upstream asks the code of kube-scheduler and scheduler-plugins what they decide.
package upstream

import (
	"context"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"sigs.k8s.io/scheduler-plugins/pkg/capacityscheduling"
	"sigs.k8s.io/scheduler-plugins/pkg/coscheduling"

	"lictor.dev/judges/coscheduling/internal/cluster"
	"lictor.dev/judges/coscheduling/internal/informed"
	kube "lictor.dev/judges/kube/cluster"
	kubeinformed "lictor.dev/judges/kube/informed"
	"lictor.dev/judges/kube/initial"
)

// Setting is what a request says beside its objects.
type Setting struct {
	// PermitTimeout is how long pods wait at Permit whose PodGroup does not say it; zero: upstream's 60 seconds.
	PermitTimeout time.Duration
	// Backoff is how long a group is refused after one of its pods found no node; zero: never.
	Backoff time.Duration
	// Waiting are the nodes of the pods at Permit, by namespace/name of the pod.
	Waiting map[string]string
	// BackedOff are the groups that are refused for a failure of the past, by namespace/name.
	BackedOff []string
	// Permitted are the groups whose minResources were free within the timeout, by namespace/name: they are not asked for again.
	Permitted []string
}

// one is a scheduler that has observed one cluster. Nothing of it outlives the request: the caches, the queue, the nominations and the
// plugins are its own.
type one struct {
	ctx       context.Context
	setting   Setting
	scheduler *scheduler.Scheduler
	profile   framework.Framework
	snapshot  *cache.Snapshot
	cluster   *cluster.Cluster
	objects   *objects
	gangs     *gangs
	quotas    *quotas
	// holding is set while the pods at Permit are put there.
	holding bool
	// told is what the plugins do beside what they return.
	told told
}

// observe makes a scheduler and has it observe the cluster by its own event handlers. `ctx` ends it.
func observe(ctx context.Context, c *cluster.Cluster, setting Setting) (*one, error) {
	profile, err := profileOnce()
	if err != nil {
		return nil, err
	}
	factory := informed.NewFactory(noServer)
	o := &one{ctx: ctx, setting: setting, cluster: c, objects: newObjects(c)}
	registry := frameworkruntime.Registry{
		coscheduling.Name: o.newGangs, capacityscheduling.Name: o.newQuotas, holderName: o.newHolder,
	}
	o.scheduler, err = scheduler.New(ctx, noServer, factory, nil, func(string) events.EventRecorder { return silent{} },
		scheduler.WithParallelism(1), scheduler.WithPercentageOfNodesToScore(&initial.AllNodes), scheduler.WithProfiles(*profile.DeepCopy()),
		scheduler.WithFrameworkOutOfTreeRegistry(registry))
	if err != nil {
		return nil, err
	}
	// A scheduler listens for this signal as long as the process lives.
	signal.Reset(syscall.SIGUSR2)
	o.profile = o.scheduler.Profiles[v1.DefaultSchedulerName]
	o.snapshot = o.profile.SnapshotSharedLister().(*cache.Snapshot)
	if err := o.feed(factory); err != nil {
		return nil, err
	}
	return o, o.update()
}

// update has the snapshot show what the cache of the scheduler has.
func (o *one) update() error {
	return o.scheduler.Cache.UpdateSnapshot(klog.FromContext(o.ctx), o.snapshot)
}

// profileOnce returns the profile that all requests use: that of manifests/coscheduling and manifests/capacityscheduling of
// scheduler-plugins in one. Coscheduling sorts the queue instead of PrioritySort, and CapacityScheduling evicts instead of
// DefaultPreemption, before Coscheduling rejects.
var profileOnce = sync.OnceValues(func() (*config.KubeSchedulerProfile, error) {
	profile, err := initial.Profile()
	if err != nil {
		return nil, err
	}
	plugins := profile.Plugins
	plugins.MultiPoint.Enabled = slices.DeleteFunc(plugins.MultiPoint.Enabled, func(plugin config.Plugin) bool {
		return plugin.Name == names.PrioritySort || plugin.Name == names.DefaultPreemption
	})
	plugins.MultiPoint.Enabled = append(plugins.MultiPoint.Enabled,
		config.Plugin{Name: coscheduling.Name}, config.Plugin{Name: capacityscheduling.Name}, config.Plugin{Name: holderName})
	plugins.PostFilter.Enabled = []config.Plugin{{Name: capacityscheduling.Name}, {Name: coscheduling.Name}}
	return &profile, nil
})

// feed puts the objects of a cluster into the informers, in their order, the pods last.
func (o *one) feed(factory *kubeinformed.Factory) error {
	objects := o.cluster.Observed(factory.Has)
	for _, pod := range o.cluster.Pods {
		if !kube.HasEnded(pod) {
			objects = append(objects, pod)
		}
	}
	return factory.PutAll(objects)
}

// silent is a recorder that records nothing.
type silent struct{}

func (silent) Eventf(_, _ runtime.Object, _, _, _, _ string, _ ...any) {}
