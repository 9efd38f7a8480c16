package cluster

import (
	v1 "k8s.io/api/core/v1"
	scheduling "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	schedulingv1 "k8s.io/kubernetes/pkg/apis/scheduling/v1"
)

// complete sets what an API server sets: defaults, priorities, and the namespaces of objects.
func (c *Cluster) complete() {
	for _, node := range c.Nodes {
		corev1.SetObjectDefaults_Node(node)
	}
	for _, pod := range c.Pods {
		c.completePod(pod)
	}
	for _, object := range c.Others {
		switch it := object.(type) {
		case *v1.PersistentVolume:
			corev1.SetObjectDefaults_PersistentVolume(it)
		case *v1.PersistentVolumeClaim:
			corev1.SetObjectDefaults_PersistentVolumeClaim(it)
		}
	}
	c.completeNamespaces()
}

// completePod sets the defaults of a pod, and what admission would set: its priority, and whether it preempts.
func (c *Cluster) completePod(pod *v1.Pod) {
	for _, list := range [][]v1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			// No scheduler reads it, and its default costs a tenth of the time of a request: it depends on the name of the image.
			list[i].ImagePullPolicy = v1.PullAlways
		}
	}
	corev1.SetObjectDefaults_Pod(pod)
	if pod.Status.Phase == "" {
		pod.Status.Phase = v1.PodPending
	}
	class := c.Class(pod.Spec.PriorityClassName, pod.Spec.Priority == nil)
	if class != nil && pod.Spec.PreemptionPolicy == nil {
		pod.Spec.PreemptionPolicy = class.PreemptionPolicy
	}
	if pod.Spec.Priority == nil {
		pod.Spec.Priority = ValueOf(class)
	}
	// The scheduler takes the time of its own clock for the start of a pod without one (GetPodStartTime): later than every start in the
	// cluster. Its clock is not that of the request, so the time is set here. Such pods start at the same time, as if the scheduler
	// had observed them in one moment; then the order of its cache decides.
	if pod.Spec.NodeName != "" && pod.Status.StartTime == nil {
		pod.Status.StartTime = &c.Later
	}
}

// Class returns the PriorityClass of this name, or nil. Without a name it is the global default of the lowest value, if `defaults`.
func (c *Cluster) Class(name string, defaults bool) *scheduling.PriorityClass {
	var found *scheduling.PriorityClass
	for _, class := range c.classes {
		switch {
		case name != "":
			if class.Name == name {
				return class
			}
		case defaults && class.GlobalDefault && (found == nil || class.Value < found.Value):
			found = class
		}
	}
	if name != "" {
		for _, class := range systemClasses {
			if class.Name == name {
				return class
			}
		}
	}
	return found
}

// systemClasses are in every cluster.
var systemClasses = schedulingv1.SystemPriorityClasses()

// ValueOf returns the priority that a class gives. Without a class it is 0, as schedulers take it.
func ValueOf(class *scheduling.PriorityClass) *int32 {
	value := int32(0)
	if class != nil {
		value = class.Value
	}
	return &value
}

// completeNamespaces adds the namespaces that pods are in and that are not among the objects, and puts all namespaces first.
func (c *Cluster) completeNamespaces() {
	there := map[string]bool{}
	var spaces, others []runtime.Object
	for _, object := range c.Others {
		if space, ok := object.(*v1.Namespace); ok {
			there[space.Name] = true
			if space.Labels == nil {
				space.Labels = map[string]string{}
			}
			space.Labels[v1.LabelMetadataName] = space.Name
			spaces = append(spaces, space)
		} else {
			others = append(others, object)
		}
	}
	for _, pod := range c.Pods {
		if !there[pod.Namespace] {
			there[pod.Namespace] = true
			labels := map[string]string{v1.LabelMetadataName: pod.Namespace}
			spaces = append(spaces, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: pod.Namespace, Labels: labels}})
		}
	}
	c.Others = append(spaces, others...)
}
