// Package kubelet stands in for the kubelets of all nodes: it makes nodes ready, lets bound pods run, and removes deleted pods
// after their grace. It starts no container.
package kubelet

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

// workers is how many requests are made at a time.
const workers = 16

// key names a pod or, without a namespace, a node.
type key = types.NamespacedName

// Kubelet stands in for the kubelets of a cluster.
type Kubelet struct {
	client client.CoreV1Interface
	pods   cache.SharedIndexInformer
	nodes  cache.SharedIndexInformer
	queue  workqueue.TypedRateLimitingInterface[key]

	lock sync.Mutex
	seen map[types.UID]seen
}

// Main runs the stand-in until the process is ended.
func Main(args []string) error {
	flags := flag.NewFlagSet("kubelet", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", "", "how to reach the API server")
	if err := flags.Parse(args); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1 // Many kubelets together have no common limit.
	config.ContentType = "application/vnd.kubernetes.protobuf"
	core, err := client.NewForConfig(config)
	if err != nil {
		return err
	}
	return New(core).Run(context.Background())
}

// New makes a stand-in that does not run yet.
func New(core client.CoreV1Interface) *Kubelet {
	bound := fields.OneTermNotEqualSelector("spec.nodeName", "")
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[key](20*time.Millisecond, time.Second)
	return &Kubelet{
		client: core,
		pods:   informer(core, "pods", &corev1.Pod{}, bound),
		nodes:  informer(core, "nodes", &corev1.Node{}, fields.Everything()),
		queue:  workqueue.NewTypedRateLimitingQueue(limiter),
		seen:   map[types.UID]seen{},
	}
}

// informer follows the objects of a kind in all namespaces.
func informer(core client.CoreV1Interface, resource string, kind runtime.Object, which fields.Selector) cache.SharedIndexInformer {
	source := cache.NewListWatchFromClient(core.RESTClient(), resource, "", which)
	return cache.NewSharedIndexInformer(source, kind, 0, cache.Indexers{})
}

// Run works until the context ends.
func (k *Kubelet) Run(ctx context.Context) error {
	if err := k.pods.AddIndexers(cache.Indexers{byNode: nodeOf}); err != nil {
		return err
	}
	if err := errors.Join(handle(k.nodes, k.nodeChanged), handle(k.pods, k.podChanged)); err != nil {
		return err
	}
	go k.nodes.Run(ctx.Done())
	// A pod must not be taken for an orphan because its node is not known yet.
	if !cache.WaitForCacheSync(ctx.Done(), k.nodes.HasSynced) {
		return ctx.Err()
	}
	go k.pods.Run(ctx.Done())
	for range workers {
		go k.work(ctx)
	}
	<-ctx.Done()
	k.queue.ShutDown()
	return ctx.Err()
}

func (k *Kubelet) work(ctx context.Context) {
	for {
		key, stop := k.queue.Get()
		if stop {
			return
		}
		if err := k.sync(ctx, key); err != nil && !apierrors.IsNotFound(err) {
			fmt.Fprintf(os.Stderr, "kubelet: %s: %v\n", key, err)
			k.queue.AddRateLimited(key)
		} else {
			k.queue.Forget(key)
		}
		k.queue.Done(key)
	}
}

// sync does what a node or a pod needs next.
func (k *Kubelet) sync(ctx context.Context, key key) error {
	if key.Namespace == "" {
		return k.syncNode(ctx, key.Name)
	}
	object, found, err := k.pods.GetStore().GetByKey(key.String())
	if err != nil || !found {
		return err
	}
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return fmt.Errorf("%s is no pod but %T", key, object)
	}
	now := time.Now()
	seen, err := k.look(pod, now)
	if err != nil {
		return err
	}
	action, after := decide(pod, seen, now)
	if after > 0 {
		k.queue.AddAfter(key, after)
		return nil
	}
	return k.act(ctx, pod, action)
}

// look remembers what is new about a pod, and returns what is known of it.
func (k *Kubelet) look(pod *corev1.Pod, now time.Time) (seen, error) {
	_, hasNode, err := k.nodes.GetStore().GetByKey(pod.Spec.NodeName)
	if err != nil {
		return seen{}, err
	}
	k.lock.Lock()
	defer k.lock.Unlock()
	known := k.seen[pod.UID]
	since := func(moment *time.Time, holds bool) {
		if !holds {
			*moment = time.Time{}
		} else if moment.IsZero() {
			*moment = now
		}
	}
	since(&known.running, pod.Status.Phase == corev1.PodRunning)
	since(&known.deleted, pod.DeletionTimestamp != nil)
	since(&known.orphaned, !hasNode)
	k.seen[pod.UID] = known
	return known, nil
}
