// Package informed has the informers of kube-scheduler, which no API server feeds.
package informed

import (
	"sync"

	resource "k8s.io/api/resource/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"lictor.dev/judges/kube/informed"
)

// NewFactory makes a factory of the informers that kube-scheduler asks for.
func NewFactory(client kubernetes.Interface) *informed.Factory {
	return informed.NewFactory(client, func() informed.Fed { return informer{informed.New(synced{})} }, &storage.VolumeAttachment{},
		&resource.DeviceClass{}, &resource.ResourceClaim{}, &resource.ResourceSlice{}, &resource.DeviceTaintRule{},
		&schedulingv1beta1.PodGroup{}, &schedulingv1alpha3.CompositePodGroup{})
}

// informer is an informer with the methods that are new in its client-go.
type informer struct{ *informed.Informer }

// AddEventHandlerWithOptions adds a handler; there are no resyncs.
func (i informer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(handler)
}

// HasSyncedChecker returns a checker that is done.
func (informer) HasSyncedChecker() cache.DoneChecker { return synced{} }

// SetWatchErrorHandlerWithContext sets nothing: there is no watch.
func (informer) SetWatchErrorHandlerWithContext(cache.WatchErrorHandlerWithContext) error { return nil }

// synced is a registration of a handler that has every object, and its own checker.
type synced struct{ informed.Synced }

// closed is a channel that was closed.
var closed = sync.OnceValue(func() chan struct{} {
	channel := make(chan struct{})
	close(channel)
	return channel
})

// HasSyncedChecker returns a checker that is done.
func (synced) HasSyncedChecker() cache.DoneChecker { return synced{} }

// Name returns what logs would call the checker.
func (synced) Name() string { return "informed" }

// Done returns a channel that was closed.
func (synced) Done() <-chan struct{} { return closed() }
