// Package upstream asks the code of kube-scheduler what it decides.
package upstream

import (
	"context"
	"errors"
	"net/http"
	"os/signal"
	"slices"
	"syscall"

	v1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	kube "lictor.dev/judges/kube/cluster"
	kubeinformed "lictor.dev/judges/kube/informed"
	"lictor.dev/judges/kube/initial"
	"lictor.dev/judges/kubernetes/internal/cluster"
	"lictor.dev/judges/kubernetes/internal/informed"
)

// one is a scheduler that has observed one cluster. Nothing of it outlives the request: the caches, the queue, the nominations and the
// plugins are its own.
type one struct {
	ctx       context.Context
	scheduler *scheduler.Scheduler
	profile   framework.Framework
	snapshot  *cache.Snapshot
	cluster   *cluster.Cluster
	// plugin is DefaultPreemption.
	plugin *defaultpreemption.DefaultPreemption
	// popped is the group that the attempt is about; gated is why there is no attempt.
	popped  framework.QueuedEntityInfo
	gated   string
	outcome *Outcome
}

// client refuses every call to an API server.
var client = kubernetes.NewForConfigOrDie(&rest.Config{Host: "http://localhost", Transport: refusing{}, QPS: -1})

type refusing struct{}

func (refusing) RoundTrip(request *http.Request) (*http.Response, error) {
	return nil, errors.New("a judge has no API server: " + request.Method + " " + request.URL.Path)
}

// observe makes a scheduler and has it observe the cluster by its own event handlers. `ctx` ends it. With a group, its queue has let the
// group go, as for an attempt; without one, all pods are in the queue.
func observe(ctx context.Context, c *cluster.Cluster, group *schedulingv1beta1.PodGroup) (*one, error) {
	// The gates come first: a snapshot, too, is made for them.
	profile, err := profileOf(setGates(c))
	if err != nil {
		return nil, err
	}
	factory := informed.NewFactory(client)
	snapshot := cache.NewEmptySnapshot()
	o := &one{ctx: ctx, snapshot: snapshot, cluster: c, outcome: newOutcome()}
	registry := frameworkruntime.Registry{pluginName: o.newPlugin}
	o.scheduler, err = scheduler.New(ctx, client, factory, nil, func(string) events.EventRecorderLogger { return silent{} },
		scheduler.WithNodeInfoSnapshot(snapshot), scheduler.WithParallelism(1), scheduler.WithPercentageOfNodesToScore(&initial.AllNodes),
		scheduler.WithProfiles(profile), scheduler.WithFrameworkOutOfTreeRegistry(registry))
	if err != nil {
		return nil, err
	}
	// A scheduler listens for this signal as long as the process lives.
	signal.Reset(syscall.SIGUSR2)
	o.profile = o.scheduler.Profiles[v1.DefaultSchedulerName]
	if err := o.feed(factory, group); err != nil {
		return nil, err
	}
	return o, o.scheduler.Cache.UpdateSnapshot(klog.FromContext(ctx), snapshot)
}

// setGates sets the gate of PodGroups, which is off by default, where the cluster has or names any. The gates belong to the process: no
// two schedulers may run at the same time.
func setGates(c *cluster.Cluster) (on bool) {
	isMember := func(pod *v1.Pod) bool { return pod.Spec.SchedulingGroup != nil }
	if on = len(c.Groups) > 0 || slices.ContainsFunc(c.Pods, isMember); on != utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload) {
		utilruntime.Must(utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{string(features.GenericWorkload): on}))
	}
	return on
}

// profiles are the profiles by the gate of PodGroups.
var profiles = map[bool]config.KubeSchedulerProfile{}

// profileOf returns a copy of the profile with this gate. The gate has been set.
func profileOf(groups bool) (config.KubeSchedulerProfile, error) {
	profile, ok := profiles[groups]
	if !ok {
		var err error
		if profile, err = configure(); err != nil {
			return profile, err
		}
		profiles[groups] = profile
	}
	return *profile.DeepCopy(), nil
}

// configure returns the default profile, with the plugin Judge instead of DefaultPreemption.
func configure() (config.KubeSchedulerProfile, error) {
	profile, err := initial.Profile()
	if err != nil {
		return profile, err
	}
	for i, plugin := range profile.Plugins.MultiPoint.Enabled {
		if plugin.Name == names.DefaultPreemption {
			profile.Plugins.MultiPoint.Enabled[i].Name = pluginName
		}
	}
	profile.PluginConfig = slices.DeleteFunc(profile.PluginConfig, func(args config.PluginConfig) bool { return args.Name == names.DefaultPreemption })
	return profile, nil
}

// feed puts the objects of a cluster into the informers. Pending pods that are not of the group come last, when the group has left the
// queue: the queue gives out what is most important first.
func (o *one) feed(factory *kubeinformed.Factory, group *schedulingv1beta1.PodGroup) error {
	var groups []runtime.Object
	for _, group := range o.cluster.Groups {
		groups = append(groups, group)
	}
	objects := o.cluster.Observed(factory.Has, groups...)
	var last []runtime.Object
	for _, pod := range o.cluster.Pods {
		switch {
		case kube.HasEnded(pod):
		case group != nil && pod.Spec.NodeName == "" && o.cluster.Group(pod) != group:
			last = append(last, pod)
		default:
			objects = append(objects, pod)
		}
	}
	if err := factory.PutAll(objects); err != nil {
		return err
	}
	if group != nil {
		o.popGroup(group)
	}
	return factory.PutAll(last)
}

// popGroup takes a group out of the queue, unless it is gated.
func (o *one) popGroup(group *schedulingv1beta1.PodGroup) {
	queue := o.scheduler.SchedulingQueue
	waiting, ok := queue.GetPodGroup(group.Name, group.Namespace, fwk.PodGroupKeyType)
	switch {
	case !ok:
		o.gated = "the queue, which does not have it"
	case waiting.Gated():
		o.gated = waiting.GatingPlugin
	default:
		entity, err := queue.Pop(klog.FromContext(o.ctx))
		if err == nil && entity != nil {
			o.popped = entity
		}
	}
}

// silent is a recorder that records nothing.
type silent struct{}

func (silent) Eventf(_, _ runtime.Object, _, _, _, _ string, _ ...any) {}

func (silent) WithLogger(klog.Logger) events.EventRecorderLogger { return silent{} }
