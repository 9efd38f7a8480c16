// Package upstream asks the code of koord-scheduler what it decides.
package upstream

import (
	"context"
	"os/signal"
	"slices"
	"sync"
	"syscall"

	"github.com/koordinator-sh/koordinator/pkg/scheduler/frameworkext"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/plugins/coscheduling"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/plugins/coscheduling/core"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/plugins/elasticquota"
	"github.com/koordinator-sh/koordinator/pkg/util/transformer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"lictor.dev/judges/koordinator/internal/cluster"
	"lictor.dev/judges/koordinator/internal/informed"
	kube "lictor.dev/judges/kube/cluster"
	kubeinformed "lictor.dev/judges/kube/informed"
	"lictor.dev/judges/kube/initial"
)

// one is a scheduler that has observed one cluster. Nothing of it outlives the request: the caches, the queue, the nominations and the
// plugins are its own.
type one struct {
	ctx       context.Context
	cluster   *cluster.Cluster
	arguments *Arguments
	scheduler *scheduler.Scheduler
	extenders *frameworkext.FrameworkExtenderFactory
	// profile is the extended framework that runs the plugins; watched is the framework of kube-scheduler in it.
	profile frameworkext.FrameworkExtender
	watched *watched
	groups  *informed.Gangs
	quota   *elasticquota.Plugin
	gangs   core.Manager
	planner *planner
}

// observe makes a scheduler, as koord-scheduler does when it starts (cmd/koord-scheduler/app, Setup), and has it observe the cluster by its
// own event handlers. `ctx` ends it.
func observe(ctx context.Context, c *cluster.Cluster, arguments *Arguments) (*one, error) {
	o := &one{ctx: ctx, cluster: c, arguments: arguments, extenders: newExtenders(), groups: informed.NewGangs()}
	o.planner = &planner{one: o}
	profile, err := o.configure()
	if err != nil {
		return nil, err
	}
	factory := informed.NewKubernetes(client)
	transformer.SetupTransformers(factory, o.extenders.KoordinatorSharedInformerFactory())
	o.scheduler, err = scheduler.New(ctx, client, factory, nil, func(string) events.EventRecorder { return silent{} },
		scheduler.WithProfiles(profile), scheduler.WithParallelism(1), scheduler.WithPercentageOfNodesToScore(&initial.AllNodes),
		scheduler.WithFrameworkOutOfTreeRegistry(o.registry()))
	if err != nil {
		return nil, err
	}
	// A scheduler listens for this signal as long as the process lives.
	signal.Reset(syscall.SIGUSR2)
	o.profile = o.extenders.GetExtender(profile.SchedulerName)
	o.profile.SetConfiguredPlugins(o.watched.ListPlugins())
	o.scheduler.Profiles[profile.SchedulerName] = o.profile
	// Its InitScheduler would have a monitor keep each pod that is tried.
	set(o.extenders, "scheduler", &frameworkext.SchedulerAdapter{Scheduler: o.scheduler})
	return o, o.feed(factory)
}

// defaults returns the default profile of kube-scheduler, which is made once.
var defaults = sync.OnceValues(initial.Profile)

// configure returns the profile that upstream ships (config/manager/scheduler-config.yaml), as far as it is about these plugins.
func (o *one) configure() (config.KubeSchedulerProfile, error) {
	read, err := defaults()
	if err != nil {
		return config.KubeSchedulerProfile{}, err
	}
	profile := *read.DeepCopy()
	profile.SchedulerName = cluster.SchedulerName
	gang, quota := config.Plugin{Name: coscheduling.Name}, config.Plugin{Name: elasticquota.Name}
	plugins := profile.Plugins
	plugins.PreEnqueue.Enabled = append(plugins.PreEnqueue.Enabled, gang)
	for _, name := range placement {
		plugins.PreFilter.Enabled = append(plugins.PreFilter.Enabled, config.Plugin{Name: name})
		plugins.Filter.Enabled = append(plugins.Filter.Enabled, config.Plugin{Name: name})
	}
	plugins.PreFilter.Enabled = append(plugins.PreFilter.Enabled, gang, quota)
	plugins.PostFilter = config.PluginSet{Enabled: []config.Plugin{gang, {Name: plannerName}, quota}, Disabled: []config.Plugin{{Name: "*"}}}
	if o.arguments.defaultPreemption {
		plugins.PostFilter.Enabled = append(plugins.PostFilter.Enabled, config.Plugin{Name: names.DefaultPreemption})
		isOther := func(it config.PluginConfig) bool { return it.Name == names.DefaultPreemption }
		profile.PluginConfig = slices.DeleteFunc(profile.PluginConfig, isOther)
		profile.PluginConfig = append(profile.PluginConfig, config.PluginConfig{Name: names.DefaultPreemption, Args: allNodes.DeepCopy()})
	}
	plugins.Reserve.Enabled = append(plugins.Reserve.Enabled, gang, quota)
	plugins.Permit.Enabled = append(plugins.Permit.Enabled, gang)
	plugins.PostBind.Enabled = append(plugins.PostBind.Enabled, gang)
	profile.PluginConfig = append(profile.PluginConfig, config.PluginConfig{Name: gang.Name, Args: o.arguments.gang},
		config.PluginConfig{Name: quota.Name, Args: o.arguments.quota})
	return profile, nil
}

// feed puts the objects of the cluster into the informers, and nominates the pods that have a nominated node. The queue would nominate
// only those that it admits, which of a gang is one pod.
func (o *one) feed(factory *kubeinformed.Factory) error {
	for _, gang := range o.cluster.Gangs {
		if err := o.groups.PodGroups.Put(gang); err != nil {
			return err
		}
	}
	objects := o.cluster.Observed(factory.Has)
	pods := slices.DeleteFunc(slices.Clone(o.cluster.Pods), kube.HasEnded)
	for _, pod := range pods {
		objects = append(objects, pod)
	}
	if err := factory.PutAll(objects); err != nil {
		return err
	}
	for _, pod := range pods {
		if pod.Spec.NodeName != "" || pod.Status.NominatedNodeName == "" {
			continue
		}
		info, err := framework.NewPodInfo(pod)
		if err != nil {
			return err
		}
		o.profile.AddNominatedPod(klog.FromContext(o.ctx), info, nil)
	}
	return nil
}

// silent is a recorder that records nothing.
type silent struct{}

func (silent) Eventf(_, _ runtime.Object, _, _, _, _ string, _ ...any) {}
