// Package cluster reads the objects of a request, and completes them as an API server would.
package cluster

import (
	"encoding/json"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	scheduling "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/types"
)

// Cluster is the state of a cluster, as an API server would list it.
type Cluster struct {
	Nodes []*v1.Node
	// Pods are in the order in which the scheduler observes them.
	Pods    []*v1.Pod
	Budgets []*policy.PodDisruptionBudget
	// Others are the objects of all other kinds that the scheme has, namespaces first, then in the order of the request.
	Others []runtime.Object
	// Later is when pods without a start have started: later than every start in the cluster.
	Later   metav1.Time
	classes []*scheduling.PriorityClass
}

// Read reads the objects of a request, of the kinds and versions that `scheme` has; others are passed over. `now` is the present of the
// cluster. `order` lists the pods that the scheduler observes first, by namespace/name; the others follow in the order of the objects.
func Read(objects []json.RawMessage, now time.Time, order []string, scheme *runtime.Scheme) (*Cluster, error) {
	decoder := kjson.NewSerializerWithOptions(kjson.DefaultMetaFactory, scheme, scheme, kjson.SerializerOptions{})
	c := &Cluster{Later: metav1.NewTime(now.Add(time.Hour))}
	seen := map[string]bool{}
	for number, text := range objects {
		object, kind, err := decoder.Decode(text, nil, nil)
		if runtime.IsNotRegisteredError(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", describe(number, text), err)
		}
		id, err := identify(object, kind.Kind)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", describe(number, text), err)
		}
		if seen[id] {
			return nil, fmt.Errorf("%s is there twice", id)
		}
		seen[id] = true
		c.add(object)
	}
	c.complete()
	c.arrange(order)
	return c, nil
}

// Pod returns the pod of this namespace/name, or nil.
func (c *Cluster) Pod(name string) *v1.Pod {
	for _, pod := range c.Pods {
		if Key(pod) == name {
			return pod
		}
	}
	return nil
}

// Observed returns what informers are fed with, in an order that no handler stumbles over: the other objects that `has` admits, the budgets,
// `more`, and the nodes that pods name. The pods follow, which each scheduler takes in its own way.
func (c *Cluster) Observed(has func(runtime.Object) bool, more ...runtime.Object) []runtime.Object {
	var objects []runtime.Object
	for _, object := range c.Others {
		if has(object) {
			objects = append(objects, object)
		}
	}
	for _, budget := range c.Budgets {
		objects = append(objects, budget)
	}
	objects = append(objects, more...)
	for _, node := range c.Nodes {
		objects = append(objects, node)
	}
	return objects
}

// Key returns namespace/name of an object.
func Key(object metav1.Object) string { return object.GetNamespace() + "/" + object.GetName() }

// Take removes the objects of one Go type from Others, and returns them in their order: a scheduler that has kinds of its own keeps them in
// lists of its own.
func Take[T runtime.Object](c *Cluster) []T {
	var taken []T
	var left []runtime.Object
	for _, object := range c.Others {
		if it, ok := object.(T); ok {
			taken = append(taken, it)
		} else {
			left = append(left, object)
		}
	}
	c.Others = left
	return taken
}

// HasEnded returns whether a pod has ended. The informers of schedulers leave such pods out.
func HasEnded(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}

// add puts an object into its list.
func (c *Cluster) add(object runtime.Object) {
	switch it := object.(type) {
	case *v1.Node:
		c.Nodes = append(c.Nodes, it)
	case *v1.Pod:
		c.Pods = append(c.Pods, it)
	case *policy.PodDisruptionBudget:
		c.Budgets = append(c.Budgets, it)
	case *scheduling.PriorityClass:
		c.classes = append(c.classes, it)
	default:
		c.Others = append(c.Others, it)
	}
}

// arrange puts the pods of `order` first, in that order. Names without a pod are passed over.
func (c *Cluster) arrange(order []string) {
	if len(order) == 0 {
		return
	}
	left := map[string]*v1.Pod{}
	for _, pod := range c.Pods {
		left[Key(pod)] = pod
	}
	pods := make([]*v1.Pod, 0, len(c.Pods))
	for _, name := range order {
		if pod := left[name]; pod != nil {
			pods = append(pods, pod)
			delete(left, name)
		}
	}
	for _, pod := range c.Pods {
		if left[Key(pod)] != nil {
			pods = append(pods, pod)
		}
	}
	c.Pods = pods
}

// clusterWide are the kinds that schedulers follow and that have no namespace.
var clusterWide = map[string]bool{
	"Namespace": true, "Node": true, "PersistentVolume": true, "PriorityClass": true, "StorageClass": true, "CSINode": true,
	"CSIDriver": true, "VolumeAttachment": true, "DeviceClass": true, "ResourceSlice": true, "DeviceTaintRule": true,
}

// identify gives the object a namespace, an UID and a version where it has none, and returns its kind and name.
func identify(object runtime.Object, kind string) (string, error) {
	of, err := meta.Accessor(object)
	if err != nil {
		return "", err
	}
	if of.GetName() == "" {
		return "", fmt.Errorf("it has no name")
	}
	name := of.GetName()
	if !clusterWide[kind] {
		if of.GetNamespace() == "" {
			of.SetNamespace(metav1.NamespaceDefault)
		}
		name = Key(of)
	}
	if of.GetUID() == "" {
		of.SetUID(types.UID(name))
	}
	if of.GetResourceVersion() == "" {
		// VolumeBinding compares the versions of the volumes that it assumes to be taken.
		of.SetResourceVersion("1")
	}
	return kind + " " + name, nil
}

// describe names an object that cannot be read, as far as it says its name.
func describe(number int, text []byte) string {
	var object struct {
		Kind     string
		Metadata struct{ Namespace, Name string }
	}
	_ = json.Unmarshal(text, &object)
	name := object.Metadata.Name
	if object.Metadata.Namespace != "" {
		name = object.Metadata.Namespace + "/" + name
	}
	return fmt.Sprintf("object %d, %s %q", number, object.Kind, name)
}
