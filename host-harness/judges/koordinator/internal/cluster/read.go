// Package cluster reads the objects of a request, and completes them as an API server would.
package cluster

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/koordinator-sh/koordinator/apis/extension"
	koordinator "github.com/koordinator-sh/koordinator/apis/thirdparty/scheduler-plugins/pkg/apis/scheduling/v1alpha1"
	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	scheduling "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
)

// Cluster is the state of a cluster, as an API server would list it.
type Cluster struct {
	Nodes []*v1.Node
	// Pods are in the order in which koord-scheduler observes them.
	Pods    []*v1.Pod
	Budgets []*policy.PodDisruptionBudget
	Gangs   []*koordinator.PodGroup
	Quotas  []*koordinator.ElasticQuota
	// Others are the objects of all other kinds that the scheme has, namespaces first.
	Others  []runtime.Object
	classes []*scheduling.PriorityClass
}

// scheme has the kinds of Kubernetes, and those of scheduling.sigs.k8s.io.
var scheme = func() *runtime.Scheme {
	it := runtime.NewScheme()
	utilruntime.Must(clientscheme.AddToScheme(it))
	utilruntime.Must(koordinator.AddToScheme(it))
	return it
}()

// decoder reads objects of the kinds and versions that the scheme has.
var decoder = kjson.NewSerializerWithOptions(kjson.DefaultMetaFactory, scheme, scheme, kjson.SerializerOptions{})

// Read reads the objects of a request. `now` is the present of the cluster. `order` lists the pods that koord-scheduler observes first, by
// namespace/name; the others follow in the order of the objects.
func Read(objects []json.RawMessage, now time.Time, order []string) (*Cluster, error) {
	c := &Cluster{}
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
	if err := c.checkQuotas(); err != nil {
		return nil, err
	}
	c.complete(now)
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
	case *koordinator.PodGroup:
		c.Gangs = append(c.Gangs, it)
	case *koordinator.ElasticQuota:
		c.Quotas = append(c.Quotas, it)
	case *scheduling.PriorityClass:
		c.classes = append(c.classes, it)
	default:
		c.Others = append(c.Others, it)
	}
}

// checkQuotas refuses quotas that upstream's webhook keeps out, and that upstream has no answer about: two of one name, of which it takes
// either, because it knows a quota by its name alone; and a quota that is its own ancestor, whose ancestors it follows without end.
func (c *Cluster) checkQuotas() error {
	named := map[string]*koordinator.ElasticQuota{}
	for _, quota := range c.Quotas {
		if other, ok := named[quota.Name]; ok {
			return fmt.Errorf("ElasticQuota %s and %s have one name, so the answer is not determined", Key(other), Key(quota))
		}
		named[quota.Name] = quota
	}
	for _, quota := range c.Quotas {
		above := quota
		for range c.Quotas {
			if above = named[above.Labels[extension.LabelQuotaParent]]; above == nil {
				break
			}
		}
		if above != nil {
			return fmt.Errorf("ElasticQuota %s has no end of parents", Key(quota))
		}
	}
	return nil
}

// arrange puts the pods of `order` first, in that order. Names without a pod are passed over.
func (c *Cluster) arrange(order []string) {
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

// clusterWide are the kinds that koord-scheduler follows and that have no namespace.
var clusterWide = map[string]bool{
	"Namespace": true, "Node": true, "PersistentVolume": true, "PriorityClass": true, "StorageClass": true, "CSINode": true,
	"CSIDriver": true, "VolumeAttachment": true,
}

// identify gives the object a namespace and an UID where it has none, and returns its kind and name.
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
