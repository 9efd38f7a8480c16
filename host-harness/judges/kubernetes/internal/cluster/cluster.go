// Package cluster has the cluster of a request, with its PodGroups.
package cluster

import (
	"encoding/json"
	"time"

	v1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/client-go/kubernetes/scheme"

	"lictor.dev/judges/kube/cluster"
)

// Cluster is the state of a cluster, as an API server would list it.
type Cluster struct {
	*cluster.Cluster
	Groups []*schedulingv1beta1.PodGroup
}

// Read reads the objects of a request, of the kinds that Kubernetes has. The package that it calls says what the arguments mean.
func Read(objects []json.RawMessage, now time.Time, order []string) (*Cluster, error) {
	read, err := cluster.Read(objects, now, order, scheme.Scheme)
	if err != nil {
		return nil, err
	}
	c := &Cluster{Cluster: read, Groups: cluster.Take[*schedulingv1beta1.PodGroup](read)}
	for _, group := range c.Groups {
		c.complete(group)
	}
	return c, nil
}

// Group returns the PodGroup that a pod names, or nil.
func (c *Cluster) Group(pod *v1.Pod) *schedulingv1beta1.PodGroup {
	if pod.Spec.SchedulingGroup == nil || pod.Spec.SchedulingGroup.PodGroupName == nil {
		return nil
	}
	for _, group := range c.Groups {
		if group.Namespace == pod.Namespace && group.Name == *pod.Spec.SchedulingGroup.PodGroupName {
			return group
		}
	}
	return nil
}

// WithNodes returns the same cluster with its nodes in another order, and leaves this one as it is.
func (c *Cluster) WithNodes(nodes []*v1.Node) *Cluster {
	turned := *c.Cluster
	turned.Nodes = nodes
	return &Cluster{Cluster: &turned, Groups: c.Groups}
}

// complete sets the priority and the preemption policy of a PodGroup, which have the same rules as those of a pod.
func (c *Cluster) complete(group *schedulingv1beta1.PodGroup) {
	class := c.Class(group.Spec.PriorityClassName, group.Spec.Priority == nil)
	if class != nil && group.Spec.PreemptionPolicy == nil && class.PreemptionPolicy != nil {
		policy := schedulingv1beta1.PreemptionPolicy(*class.PreemptionPolicy)
		group.Spec.PreemptionPolicy = &policy
	}
	if group.Spec.Priority == nil {
		group.Spec.Priority = cluster.ValueOf(class)
	}
}
