// Package cluster has the cluster of a request, with the kinds of scheduler-plugins.
package cluster

import (
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	kubescheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/scheduler-plugins/apis/scheduling/v1alpha1"

	"lictor.dev/judges/kube/cluster"
)

// Cluster is the state of a cluster, as an API server would list it.
type Cluster struct {
	*cluster.Cluster
	Groups []*v1alpha1.PodGroup
	// Quotas are in the order of the request: of several in a namespace, the plugin uses the first that it observes.
	Quotas []*v1alpha1.ElasticQuota
}

// scheme has the kinds of Kubernetes and those of scheduler-plugins.
var scheme = func() *runtime.Scheme {
	made := runtime.NewScheme()
	utilruntime.Must(kubescheme.AddToScheme(made))
	utilruntime.Must(v1alpha1.AddToScheme(made))
	return made
}()

// Read reads the objects of a request. The package that it calls says what the arguments mean.
func Read(objects []json.RawMessage, now time.Time, order []string) (*Cluster, error) {
	read, err := cluster.Read(objects, now, order, scheme)
	if err != nil {
		return nil, err
	}
	return &Cluster{read, cluster.Take[*v1alpha1.PodGroup](read), cluster.Take[*v1alpha1.ElasticQuota](read)}, nil
}
