// Package upstream asks the code of kube-scheduler what it decides.
package upstream

import (
	"context"
	"errors"
	"net/http"
	"os/signal"
	"syscall"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"

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
}

// client refuses every call to an API server.
var client = kubernetes.NewForConfigOrDie(&rest.Config{Host: "http://localhost", Transport: refusing{}, QPS: -1})

type refusing struct{}

func (refusing) RoundTrip(request *http.Request) (*http.Response, error) {
	return nil, errors.New("a judge has no API server: " + request.Method + " " + request.URL.Path)
}

// observe makes a scheduler and has it observe the cluster by its own event handlers. `ctx` ends it.
func observe(ctx context.Context, c *cluster.Cluster) (*one, error) {
	factory := informed.NewFactory(client)
	snapshot := cache.NewEmptySnapshot()
	built, err := scheduler.New(ctx, client, factory, nil, func(string) events.EventRecorderLogger { return silent{} },
		scheduler.WithNodeInfoSnapshot(snapshot), scheduler.WithParallelism(1), scheduler.WithPercentageOfNodesToScore(&all))
	if err != nil {
		return nil, err
	}
	// A scheduler listens for this signal as long as the process lives.
	signal.Reset(syscall.SIGUSR2)
	if err := feed(factory, c); err != nil {
		return nil, err
	}
	o := &one{ctx: ctx, scheduler: built, profile: built.Profiles[v1.DefaultSchedulerName], snapshot: snapshot, cluster: c}
	return o, built.Cache.UpdateSnapshot(klog.FromContext(ctx), snapshot)
}

// all is the share of the nodes to look at, in percent.
var all = int32(100)

// feed puts the objects of a cluster into the informers, pods last.
func feed(factory *informed.Factory, c *cluster.Cluster) error {
	var objects []runtime.Object
	for _, object := range c.Others {
		if factory.Has(object) {
			objects = append(objects, object)
		}
	}
	for _, budget := range c.Budgets {
		objects = append(objects, budget)
	}
	for _, group := range c.Groups {
		objects = append(objects, group)
	}
	for _, node := range c.Nodes {
		objects = append(objects, node)
	}
	for _, pod := range c.Pods {
		if !hasEnded(pod) {
			objects = append(objects, pod)
		}
	}
	for _, object := range objects {
		if err := factory.Put(object); err != nil {
			return err
		}
	}
	return nil
}

// hasEnded returns whether a pod has ended. The informer of kube-scheduler leaves such pods out.
func hasEnded(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}

// silent is a recorder that records nothing.
type silent struct{}

func (silent) Eventf(_, _ runtime.Object, _, _, _, _ string, _ ...any) {}

func (silent) WithLogger(klog.Logger) events.EventRecorderLogger { return silent{} }
