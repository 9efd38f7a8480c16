package informed

import (
	"fmt"
	"reflect"
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

// kinds are the objects of Kubernetes that kube-scheduler 1.33 follows with its default gates.
var kinds = []runtime.Object{
	&v1.Namespace{}, &v1.Node{}, &v1.Pod{}, &v1.PersistentVolume{}, &v1.PersistentVolumeClaim{},
	&policy.PodDisruptionBudget{},
	&storage.CSIDriver{}, &storage.CSINode{}, &storage.CSIStorageCapacity{}, &storage.StorageClass{}, &storage.VolumeAttachment{},
	&v1.Service{}, &v1.ReplicationController{}, &apps.ReplicaSet{}, &apps.StatefulSet{},
}

// Factory is a factory of informers that are fed by Put alone. It is never started, so no reflector runs.
type Factory struct {
	informers.SharedInformerFactory
	of map[reflect.Type]*Informer
}

// NewFactory makes a factory. Its informers are there before kube-scheduler asks for them, so kube-scheduler gets these.
func NewFactory(client kubernetes.Interface) *Factory {
	f := &Factory{SharedInformerFactory: informers.NewSharedInformerFactory(client, 0), of: map[reflect.Type]*Informer{}}
	for _, kind := range kinds {
		informer := New()
		f.of[reflect.TypeOf(kind)] = informer
		f.InformerFor(kind, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return informer })
	}
	return f
}

// Has returns whether kube-scheduler follows objects of this kind.
func (f *Factory) Has(object runtime.Object) bool { return f.of[reflect.TypeOf(object)] != nil }

// Put stores an object and runs the handlers of kube-scheduler for it.
func (f *Factory) Put(object runtime.Object) error {
	informer := f.of[reflect.TypeOf(object)]
	if informer == nil {
		return fmt.Errorf("kube-scheduler does not follow a %T", object)
	}
	return informer.Put(object)
}

// PutAll stores objects, in their order.
func (f *Factory) PutAll(objects []runtime.Object) error {
	for _, object := range objects {
		if err := f.Put(object); err != nil {
			return err
		}
	}
	return nil
}
