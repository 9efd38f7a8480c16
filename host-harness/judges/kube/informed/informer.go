// Package informed has informers that no API server feeds. Objects are put into them, and handlers run before Put returns.
package informed

import (
	"context"
	"slices"
	"time"

	"k8s.io/client-go/tools/cache"
)

// Informer is a shared informer without a reflector: it has what was put into it, and runs no goroutine. It has the methods whose types are in
// every version of client-go. Where a version wants more, a judge has them in a type of its own, around this one.
type Informer struct {
	indexer      *ordered
	handlers     []cache.ResourceEventHandler
	transform    cache.TransformFunc
	registration cache.ResourceEventHandlerRegistration
}

// New makes an empty informer. Whoever adds a handler gets this registration, of which newer versions of client-go want more methods.
func New(registration cache.ResourceEventHandlerRegistration) *Informer {
	indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	indexer := &ordered{Indexer: cache.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc, indexers)}
	return &Informer{indexer: indexer, registration: registration}
}

// Put stores an object, transformed, and calls every handler with it, in the order in which the handlers were added.
func (i *Informer) Put(object any) error {
	if i.transform != nil {
		var err error
		if object, err = i.transform(object); err != nil {
			return err
		}
	}
	if err := i.indexer.Add(object); err != nil {
		return err
	}
	i.indexer.objects = append(i.indexer.objects, object)
	for _, handler := range i.handlers {
		handler.OnAdd(object, true)
	}
	return nil
}

// AddEventHandler adds a handler. It is called with the objects that are put later.
func (i *Informer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	i.handlers = append(i.handlers, handler)
	return i.registration, nil
}

// AddEventHandlerWithResyncPeriod adds a handler; there are no resyncs.
func (i *Informer) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(handler)
}

// RemoveEventHandler removes nothing: an informer lives as long as its handlers.
func (i *Informer) RemoveEventHandler(cache.ResourceEventHandlerRegistration) error { return nil }

// GetStore returns the objects.
func (i *Informer) GetStore() cache.Store { return i.indexer }

// GetIndexer returns the objects.
func (i *Informer) GetIndexer() cache.Indexer { return i.indexer }

// AddIndexers adds indexers.
func (i *Informer) AddIndexers(indexers cache.Indexers) error { return i.indexer.AddIndexers(indexers) }

// GetController returns nil: nothing is controlled.
func (i *Informer) GetController() cache.Controller { return nil }

// Run does nothing.
func (i *Informer) Run(<-chan struct{}) {}

// RunWithContext does nothing.
func (i *Informer) RunWithContext(context.Context) {}

// HasSynced returns true: there is no list to wait for.
func (i *Informer) HasSynced() bool { return true }

// LastSyncResourceVersion returns nothing: there was no list.
func (i *Informer) LastSyncResourceVersion() string { return "" }

// SetWatchErrorHandler sets nothing: there is no watch.
func (i *Informer) SetWatchErrorHandler(cache.WatchErrorHandler) error { return nil }

// SetTransform sets what is done to each object that is put later.
func (i *Informer) SetTransform(transform cache.TransformFunc) error {
	i.transform = transform
	return nil
}

// IsStopped returns false.
func (i *Informer) IsStopped() bool { return false }

// ordered is an indexer that lists objects in the order in which they were put. An indexer of its own accord lists them in a random
// order, and the scheduler takes budgets in the order of the list.
type ordered struct {
	cache.Indexer
	objects []any
}

// List returns the objects in their order.
func (o *ordered) List() []any { return slices.Clone(o.objects) }

// Synced is a registration of a handler that has every object.
type Synced struct{}

// HasSynced returns true: a handler runs before Put returns.
func (Synced) HasSynced() bool { return true }
