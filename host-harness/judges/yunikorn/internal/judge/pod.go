package judge

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"

	siCommon "github.com/apache/yunikorn-scheduler-interface/lib/go/common"
)

// The labels and annotations that yunikorn-k8shim reads.
const (
	queueName       = "yunikorn.apache.org/queue"
	appName         = "yunikorn.apache.org/app-id"
	allowPreemption = "yunikorn.apache.org/allow-preemption"
	placeholderName = "yunikorn.apache.org/placeholder"
)

// A pod is a Kubernetes pod in the terms of the core.
type pod struct {
	object *v1.Pod
	// key is the namespace and the name.
	key string
	// isOurs: the core schedules it. Pods of other schedulers only use what nodes have.
	isOurs bool
	// app is the application, queue the name that the pod gives of its queue.
	app, queue string
	// node is where it runs, nominated the node of a nomination, required the node of a DaemonSet pod.
	node, nominated, required string
	isLeaving                 bool
	amounts                   Amounts
	priority                  int32
	// isPreemptible: it did not opt out. mayPreempt: its policy is not Never.
	isPreemptible, mayPreempt bool
	isPlaceholder             bool
	isOriginator              bool
	// created is in seconds since 1970. entered is when the scheduler saw it first.
	created int64
	entered float64
}

func (c *cluster) readPod(object *v1.Pod, schedulers []string) *pod {
	class := c.classes[object.Spec.PriorityClassName]
	read := &pod{
		object: object, key: object.Namespace + "/" + object.Name,
		isOurs: slices.Contains(schedulers, cmp.Or(object.Spec.SchedulerName, v1.DefaultSchedulerName)),
		app: cmp.Or(object.Labels[appName], object.Annotations[appName], object.Labels["applicationId"],
			object.Labels["spark-app-selector"], "yunikorn-"+object.Namespace+"-autogen"),
		queue: cmp.Or(object.Labels[queueName], object.Annotations[queueName], object.Labels["queue"]),
		node:  object.Spec.NodeName, required: requiredNode(object),
		isLeaving:     object.DeletionTimestamp != nil,
		amounts:       amountsOf(resource.PodRequests(object, resource.PodResourcesOptions{})),
		isPreemptible: true, mayPreempt: true,
		isPlaceholder: cmp.Or(object.Labels[placeholderName], object.Annotations[placeholderName]) == "true",
	}
	read.amounts["pods"] = 1
	if read.node == "" {
		read.nominated = object.Status.NominatedNodeName
	}
	if !object.CreationTimestamp.IsZero() {
		read.created = object.CreationTimestamp.Unix()
	}
	policy := object.Spec.PreemptionPolicy
	said := object.Annotations[allowPreemption]
	if class != nil {
		read.priority, policy = class.Value, cmp.Or(policy, class.PreemptionPolicy)
		if said != "true" && said != "false" {
			said = class.Annotations[allowPreemption]
		}
	}
	if object.Spec.Priority != nil {
		read.priority = *object.Spec.Priority
	}
	read.isPreemptible = said != "false"
	read.mayPreempt = policy == nil || *policy != v1.PreemptNever
	return read
}

// requiredNode returns the node that a DaemonSet wants its pod on. Empty: the pod is of no DaemonSet, or may run on any node.
func requiredNode(object *v1.Pod) string {
	affinity := object.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil || affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return ""
	}
	for _, owner := range object.OwnerReferences {
		if owner.Kind != "DaemonSet" {
			continue
		}
		for _, term := range affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
			for _, match := range term.MatchFields {
				if match.Key == "metadata.name" && len(match.Values) > 0 {
					return match.Values[0]
				}
			}
		}
	}
	return ""
}

// amountsOf gives quantities the names and the units of the core.
func amountsOf(list v1.ResourceList) Amounts {
	amounts := make(Amounts, len(list)+1)
	for name, quantity := range list {
		if name == v1.ResourceCPU {
			amounts[siCommon.CPU] = quantity.MilliValue()
		} else {
			amounts[string(name)] = quantity.Value()
		}
	}
	return amounts
}
