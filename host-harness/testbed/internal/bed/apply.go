package bed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// manager is who the fields belong to that the testbed writes.
const manager = "testbed"

// readManifests reads the objects of files and folders, CRDs and namespaces first.
func readManifests(paths []string) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	for _, path := range paths {
		files := []string{path}
		if info, err := os.Stat(path); err != nil {
			return nil, err
		} else if info.IsDir() {
			if files, err = filepath.Glob(filepath.Join(path, "*.y*ml")); err != nil {
				return nil, err
			}
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			read, err := readObjects(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			objects = append(objects, read...)
		}
	}
	slices.SortStableFunc(objects, func(a, b *unstructured.Unstructured) int { return order(a) - order(b) })
	return objects, nil
}

// order is where an object stands among others: what others need comes first.
func order(object *unstructured.Unstructured) int {
	switch object.GetKind() {
	case "CustomResourceDefinition":
		return 0
	case "Namespace":
		return 1
	}
	return 2
}

// readObjects reads the documents of a YAML text.
func readObjects(text []byte) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		if len(object.Object) == 0 {
			continue
		}
		if object.GetKind() == "" || object.GetName() == "" {
			return nil, fmt.Errorf("an object without kind or name: %v", object.Object)
		}
		objects = append(objects, object)
	}
}

// applier creates or changes objects of any kind.
type applier struct {
	client dynamic.Interface
	mapper *restmapper.DeferredDiscoveryRESTMapper
}

func newApplier(config *rest.Config) (*applier, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	found, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	return &applier{client: client, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(found))}, nil
}

// applyAll applies objects one after the other. A kind that is not served yet is waited for: its CRD may stand before it.
func (a *applier) applyAll(ctx context.Context, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		for {
			err := a.apply(ctx, object)
			if err == nil {
				break
			}
			if ctx.Err() != nil || !isNotServed(err) {
				return fmt.Errorf("apply %s %s: %w", object.GetKind(), object.GetName(), err)
			}
			a.mapper.Reset()
			time.Sleep(50 * time.Millisecond)
		}
	}
	return nil
}

// isNotServed says whether an error means that the server does not have this kind.
func isNotServed(err error) bool {
	return meta.IsNoMatchError(err) || strings.Contains(err.Error(), "could not find the requested resource")
}

// apply applies an object, its status included.
func (a *applier) apply(ctx context.Context, object *unstructured.Unstructured) error {
	resource, err := a.resource(object)
	if err != nil {
		return err
	}
	options := metav1.ApplyOptions{FieldManager: manager, Force: true}
	if _, err := resource.Apply(ctx, object.GetName(), object, options); err != nil {
		return err
	}
	if _, has := object.Object["status"]; !has {
		return nil
	}
	_, err = resource.ApplyStatus(ctx, object.GetName(), object, options)
	if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
		return nil // The status of this kind is a field like others.
	}
	return err
}

// resource is how the objects of this one's kind and namespace are reached.
func (a *applier) resource(object *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	kind := object.GroupVersionKind()
	mapping, err := a.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return a.client.Resource(mapping.Resource), nil
	}
	namespace := object.GetNamespace()
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	return a.client.Resource(mapping.Resource).Namespace(namespace), nil
}

// createAll creates many objects at the same time.
func (a *applier) createAll(ctx context.Context, objects []*unstructured.Unstructured) error {
	work := make(chan *unstructured.Unstructured)
	failed := make([]error, 16)
	var workers sync.WaitGroup
	for at := range failed {
		workers.Go(func() {
			for object := range work {
				resource, err := a.resource(object)
				if err == nil {
					_, err = resource.Create(ctx, object, metav1.CreateOptions{FieldManager: manager})
				}
				failed[at] = errors.Join(failed[at], err)
			}
		})
	}
	for _, object := range objects {
		work <- object
	}
	close(work)
	workers.Wait()
	return errors.Join(failed...)
}

// nodes are the nodes that the options ask for.
func nodes(options *Options) []*unstructured.Unstructured {
	var nodes []*unstructured.Unstructured
	for at := range options.Nodes {
		name := fmt.Sprintf("node-%d", at)
		has := map[string]any{"cpu": options.CPU, "memory": options.Memory, "pods": fmt.Sprint(options.Pods)}
		nodes = append(nodes, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Node",
			"metadata": map[string]any{"name": name, "labels": map[string]any{"kubernetes.io/hostname": name}},
			"status":   map[string]any{"capacity": has, "allocatable": has},
		}})
	}
	return nodes
}
