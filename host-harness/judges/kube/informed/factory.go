package informed

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// Fed is an informer as client-go wants it that is fed by Put: an Informer, with whatever else the version of a judge wants.
type Fed interface {
	cache.SharedIndexInformer
	Put(object any) error
}

// common are the kinds that every version of kube-scheduler follows.
var common = []runtime.Object{
	&v1.Namespace{}, &v1.Node{}, &v1.Pod{}, &v1.PersistentVolume{}, &v1.PersistentVolumeClaim{}, &policy.PodDisruptionBudget{},
	&storage.CSIDriver{}, &storage.CSINode{}, &storage.CSIStorageCapacity{}, &storage.StorageClass{},
	&v1.Service{}, &v1.ReplicationController{}, &apps.ReplicaSet{}, &apps.StatefulSet{},
}

// Factory is a factory of informers that are fed by Put alone. Nothing is started, so no reflector runs.
type Factory struct {
	informers.SharedInformerFactory
	of map[reflect.Type]Fed
}

// NewFactory makes a factory with an informer, made by `make`, for each kind that every version follows, and for `more`. They are there before
// a scheduler asks for them, so it gets these.
func NewFactory(client kubernetes.Interface, make func() Fed, more ...runtime.Object) *Factory {
	f := &Factory{SharedInformerFactory: informers.NewSharedInformerFactory(client, 0), of: map[reflect.Type]Fed{}}
	for _, kind := range slices.Concat(common, more) {
		informer := make()
		f.of[reflect.TypeOf(kind)] = informer
		f.InformerFor(kind, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return informer })
	}
	return f
}

// Start starts nothing. Some plugins call it where they register handlers.
func (*Factory) Start(<-chan struct{}) {}

// WaitForCacheSync waits for nothing: there is no list.
func (*Factory) WaitForCacheSync(<-chan struct{}) map[reflect.Type]bool { return nil }

// Has returns whether the scheduler follows objects of this kind.
func (f *Factory) Has(object runtime.Object) bool { return f.of[reflect.TypeOf(object)] != nil }

// PutAll stores objects, in their order, and runs the handlers of the scheduler for each of them.
func (f *Factory) PutAll(objects []runtime.Object) error {
	for _, object := range objects {
		informer := f.of[reflect.TypeOf(object)]
		if informer == nil {
			return fmt.Errorf("the scheduler does not follow a %T", object)
		}
		if err := informer.Put(object); err != nil {
			return err
		}
	}
	return nil
}
