// Package informed has the informers of kube-scheduler, which no API server feeds.
package informed

import (
	storage "k8s.io/api/storage/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"lictor.dev/judges/kube/informed"
)

// NewFactory makes a factory of the informers that kube-scheduler 1.33 asks for with its default gates.
func NewFactory(client kubernetes.Interface) *informed.Factory {
	return informed.NewFactory(client, func() informed.Fed { return informer{informed.New(informed.Synced{})} }, &storage.VolumeAttachment{})
}

// informer is an informer with the methods that are new in its client-go.
type informer struct{ *informed.Informer }

// AddEventHandlerWithOptions adds a handler; there are no resyncs.
func (i informer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(handler)
}

// SetWatchErrorHandlerWithContext sets nothing: there is no watch.
func (informer) SetWatchErrorHandlerWithContext(cache.WatchErrorHandlerWithContext) error { return nil }
