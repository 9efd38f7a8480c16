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
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	kubescheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/scheduler-plugins/apis/scheduling/v1alpha1"
)

// Cluster is the state of a cluster, as an API server would list it.
type Cluster struct {
	Nodes []*v1.Node
	// Pods are in the order in which kube-scheduler observes them.
	Pods    []*v1.Pod
	Budgets []*policy.PodDisruptionBudget
	Groups  []*v1alpha1.PodGroup
	// Quotas are in the order of the request: of several in a namespace, the plugin uses the first that it observes.
	Quotas []*v1alpha1.ElasticQuota
	// Others are the objects of all other kinds that the scheme has, namespaces first.
	Others []runtime.Object
	// Later is when pods without a start have started: later than every start in the cluster.
	Later   metav1.Time
	classes []*scheduling.PriorityClass
}

// scheme has the kinds of Kubernetes and those of scheduler-plugins.
var scheme = func() *runtime.Scheme {
	made := runtime.NewScheme()
	utilruntime.Must(kubescheme.AddToScheme(made))
	utilruntime.Must(v1alpha1.AddToScheme(made))
	return made
}()

// decoder reads objects of the kinds and versions that the scheme has.
var decoder = kjson.NewSerializerWithOptions(kjson.DefaultMetaFactory, scheme, scheme, kjson.SerializerOptions{})

// Read reads the objects of a request. `now` is the present of the cluster. `order` lists the pods that kube-scheduler observes first,
// by namespace/name; the others follow in the order of the objects.
func Read(objects []json.RawMessage, now time.Time, order []string) (*Cluster, error) {
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

// Key returns namespace/name of an object.
func Key(object metav1.Object) string { return object.GetNamespace() + "/" + object.GetName() }

// add puts an object into its list.
func (c *Cluster) add(object runtime.Object) {
	switch it := object.(type) {
	case *v1.Node:
		c.Nodes = append(c.Nodes, it)
	case *v1.Pod:
		c.Pods = append(c.Pods, it)
	case *policy.PodDisruptionBudget:
		c.Budgets = append(c.Budgets, it)
	case *v1alpha1.PodGroup:
		c.Groups = append(c.Groups, it)
	case *v1alpha1.ElasticQuota:
		c.Quotas = append(c.Quotas, it)
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

// clusterWide are the kinds that kube-scheduler follows and that have no namespace.
var clusterWide = map[string]bool{
	"Namespace": true, "Node": true, "PersistentVolume": true, "PriorityClass": true, "StorageClass": true, "CSINode": true,
	"CSIDriver": true, "VolumeAttachment": true,
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
