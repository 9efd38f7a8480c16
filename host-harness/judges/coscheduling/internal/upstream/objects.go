package upstream

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/scheduler-plugins/apis/scheduling/v1alpha1"

	"lictor.dev/judges/coscheduling/internal/cluster"
)

// objects is the client by which the plugins read PodGroups and ElasticQuotas. They call nothing else of it.
type objects struct {
	client.Client
	groups map[types.NamespacedName]*v1alpha1.PodGroup
	quotas []*v1alpha1.ElasticQuota
}

func newObjects(c *cluster.Cluster) *objects {
	groups := map[types.NamespacedName]*v1alpha1.PodGroup{}
	for _, group := range c.Groups {
		groups[client.ObjectKeyFromObject(group)] = group
	}
	return &objects{groups: groups, quotas: c.Quotas}
}

// Get reads a PodGroup.
func (o *objects) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	into, ok := object.(*v1alpha1.PodGroup)
	if !ok {
		return fmt.Errorf("a plugin reads a %T", object)
	}
	group := o.groups[key]
	if group == nil {
		return apierrors.NewNotFound(v1alpha1.Resource("podgroups"), key.String())
	}
	group.DeepCopyInto(into)
	return nil
}

// List reads the ElasticQuotas of a namespace.
func (o *objects) List(_ context.Context, list client.ObjectList, options ...client.ListOption) error {
	into, ok := list.(*v1alpha1.ElasticQuotaList)
	if !ok {
		return fmt.Errorf("a plugin lists a %T", list)
	}
	var of client.ListOptions
	of.ApplyOptions(options)
	for _, quota := range o.quotas {
		if quota.Namespace == of.Namespace {
			into.Items = append(into.Items, *quota.DeepCopy())
		}
	}
	return nil
}
