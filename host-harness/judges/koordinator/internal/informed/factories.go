// Package informed has the informers of koord-scheduler, which no API server feeds.
package informed

import (
	"reflect"
	"time"

	reservations "github.com/koordinator-sh/koordinator/apis/scheduling/v1alpha1"
	gangs "github.com/koordinator-sh/koordinator/apis/thirdparty/scheduler-plugins/pkg/apis/scheduling/v1alpha1"
	gangclient "github.com/koordinator-sh/koordinator/apis/thirdparty/scheduler-plugins/pkg/generated/clientset/versioned"
	ganginformers "github.com/koordinator-sh/koordinator/apis/thirdparty/scheduler-plugins/pkg/generated/informers/externalversions"
	koordinatorclient "github.com/koordinator-sh/koordinator/pkg/client/clientset/versioned"
	koordinatorinformers "github.com/koordinator-sh/koordinator/pkg/client/informers/externalversions"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"lictor.dev/judges/kube/informed"
)

// New makes an empty informer.
func New() *informed.Informer { return informed.New(informed.Synced{}) }

// NewKubernetes makes a factory of the informers of Kubernetes' own kinds that koord-scheduler asks for.
func NewKubernetes(client kubernetes.Interface) *informed.Factory {
	return informed.NewFactory(client, func() informed.Fed { return New() })
}

// Gangs is a factory of the informer of PodGroups.
type Gangs struct {
	ganginformers.SharedInformerFactory
	// PodGroups is fed by Put alone.
	PodGroups *informed.Informer
}

// NewGangs makes a factory.
func NewGangs() *Gangs {
	f := &Gangs{SharedInformerFactory: ganginformers.NewSharedInformerFactory(nil, 0), PodGroups: New()}
	f.InformerFor(&gangs.PodGroup{}, func(gangclient.Interface, time.Duration) cache.SharedIndexInformer { return f.PodGroups })
	return f
}

// Start starts nothing: no reflector runs. Plugins call it where they register handlers.
func (*Gangs) Start(<-chan struct{}) {}

// WaitForCacheSync waits for nothing: there is no list.
func (*Gangs) WaitForCacheSync(<-chan struct{}) map[reflect.Type]bool { return nil }

// Koordinator is a factory of the informers of scheduling.koordinator.sh, which stay empty.
type Koordinator struct {
	koordinatorinformers.SharedInformerFactory
}

// NewKoordinator makes a factory.
func NewKoordinator() *Koordinator {
	f := &Koordinator{SharedInformerFactory: koordinatorinformers.NewSharedInformerFactory(nil, 0)}
	for _, kind := range []runtime.Object{&reservations.Reservation{}, &reservations.Device{}} {
		informer := New()
		f.InformerFor(kind, func(koordinatorclient.Interface, time.Duration) cache.SharedIndexInformer { return informer })
	}
	return f
}

// Start starts nothing: no reflector runs. Plugins call it where they register handlers.
func (*Koordinator) Start(<-chan struct{}) {}

// WaitForCacheSync waits for nothing: there is no list.
func (*Koordinator) WaitForCacheSync(<-chan struct{}) map[reflect.Type]bool { return nil }
