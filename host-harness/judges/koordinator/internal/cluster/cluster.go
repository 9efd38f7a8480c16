// Package cluster has the cluster of a request, with the gangs and the quotas of Koordinator.
package cluster

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/koordinator-sh/koordinator/apis/extension"
	koordinator "github.com/koordinator-sh/koordinator/apis/thirdparty/scheduler-plugins/pkg/apis/scheduling/v1alpha1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"

	"lictor.dev/judges/kube/cluster"
)

// SchedulerName is the name of koord-scheduler in the configuration that upstream ships.
const SchedulerName = "koord-scheduler"

// Cluster is the state of a cluster, as an API server would list it.
type Cluster struct {
	*cluster.Cluster
	Gangs  []*koordinator.PodGroup
	Quotas []*koordinator.ElasticQuota
}

// scheme has the kinds of Kubernetes, and those of scheduling.sigs.k8s.io.
var scheme = func() *runtime.Scheme {
	it := runtime.NewScheme()
	utilruntime.Must(clientscheme.AddToScheme(it))
	utilruntime.Must(koordinator.AddToScheme(it))
	return it
}()

// Read reads the objects of a request. The package that it calls says what the arguments mean.
func Read(objects []json.RawMessage, now time.Time, order []string) (*Cluster, error) {
	read, err := cluster.Read(objects, now, order, scheme)
	if err != nil {
		return nil, err
	}
	c := &Cluster{read, cluster.Take[*koordinator.PodGroup](read), cluster.Take[*koordinator.ElasticQuota](read)}
	for _, pod := range c.Pods {
		// Without a name of its own, a pod belongs to koord-scheduler: upstream's webhook sets the name by a profile of the cluster.
		if pod.Spec.SchedulerName == v1.DefaultSchedulerName {
			pod.Spec.SchedulerName = SchedulerName
		}
	}
	return c, c.checkQuotas()
}

// checkQuotas refuses quotas that upstream's webhook keeps out, and that upstream has no answer about: two of one name, of which it takes
// either, because it knows a quota by its name alone; and a quota that is its own ancestor, whose ancestors it follows without end.
func (c *Cluster) checkQuotas() error {
	named := map[string]*koordinator.ElasticQuota{}
	for _, quota := range c.Quotas {
		if other, ok := named[quota.Name]; ok {
			return fmt.Errorf("ElasticQuota %s and %s have one name, so the answer is not determined", cluster.Key(other), cluster.Key(quota))
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
			return fmt.Errorf("ElasticQuota %s has no end of parents", cluster.Key(quota))
		}
	}
	return nil
}
