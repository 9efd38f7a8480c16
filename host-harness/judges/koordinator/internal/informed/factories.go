package informed

import (
	"fmt"
	"reflect"
	"time"

	reservations "github.com/koordinator-sh/koordinator/apis/scheduling/v1alpha1"
	gangs "github.com/koordinator-sh/koordinator/apis/thirdparty/scheduler-plugins/pkg/apis/scheduling/v1alpha1"
	gangclient "github.com/koordinator-sh/koordinator/apis/thirdparty/scheduler-plugins/pkg/generated/clientset/versioned"
	ganginformers "github.com/koordinator-sh/koordinator/apis/thirdparty/scheduler-plugins/pkg/generated/informers/externalversions"
	koordinatorclient "github.com/koordinator-sh/koordinator/pkg/client/clientset/versioned"
	koordinatorinformers "github.com/koordinator-sh/koordinator/pkg/client/informers/externalversions"
	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// kinds are the objects of Kubernetes that koord-scheduler follows.
var kinds = []runtime.Object{
	&v1.Namespace{}, &v1.Node{}, &v1.Pod{}, &v1.PersistentVolume{}, &v1.PersistentVolumeClaim{}, &policy.PodDisruptionBudget{},
	&storage.CSIDriver{}, &storage.CSINode{}, &storage.CSIStorageCapacity{}, &storage.StorageClass{},
	&v1.Service{}, &v1.ReplicationController{}, &apps.ReplicaSet{}, &apps.StatefulSet{},
}

// Kubernetes is a factory of informers of the kinds of Kubernetes that are fed by Put alone.
type Kubernetes struct {
	informers.SharedInformerFactory
	of map[reflect.Type]*Informer
}

// NewKubernetes makes a factory. Its informers are there before koord-scheduler asks for them, so it gets these.
func NewKubernetes(client kubernetes.Interface) *Kubernetes {
	f := &Kubernetes{SharedInformerFactory: informers.NewSharedInformerFactory(client, 0), of: map[reflect.Type]*Informer{}}
	for _, kind := range kinds {
		informer := New()
		f.of[reflect.TypeOf(kind)] = informer
		f.InformerFor(kind, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return informer })
	}
	return f
}

// Start starts nothing: no reflector runs. Plugins call it where they register handlers.
func (*Kubernetes) Start(<-chan struct{}) {}

// WaitForCacheSync waits for nothing: there is no list.
func (*Kubernetes) WaitForCacheSync(<-chan struct{}) map[reflect.Type]bool { return nil }

// Has returns whether koord-scheduler follows objects of this kind.
func (f *Kubernetes) Has(object runtime.Object) bool { return f.of[reflect.TypeOf(object)] != nil }

// Put stores an object and runs the handlers of koord-scheduler for it.
func (f *Kubernetes) Put(object runtime.Object) error {
	informer := f.of[reflect.TypeOf(object)]
	if informer == nil {
		return fmt.Errorf("koord-scheduler does not follow a %T", object)
	}
	return informer.Put(object)
}

// Gangs is a factory of the informer of PodGroups.
type Gangs struct {
	ganginformers.SharedInformerFactory
	// PodGroups is fed by Put alone.
	PodGroups *Informer
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
