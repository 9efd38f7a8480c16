package plugin

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"lictor.dev/kube-scheduler/internal/wire"
)

// look is how often is looked for kinds that were not installed.
const look = 10 * time.Second

// feed tells the host what there is. It keeps what it has told, so that another host can be told the same.
type feed struct {
	logger klog.Logger
	plugin *Plugin

	lock sync.Mutex
	conn *wire.Conn
	// objects are those that there are, by what the protocol calls them.
	objects map[string]metav1.Object
	// shown are the pods that are told as bound, to these nodes, though the cluster does not show it yet: they were being bound when
	// this host was told all.
	shown map[types.UID]string
	// fresh is what the host was told and kube-scheduler may not have heard.
	fresh fresh
	// listed: all kinds were read once. Before, nothing is answered.
	listed atomic.Bool
	// caught is the object that was told last because kube-scheduler knew it first.
	caught atomic.Pointer[metav1.Object]
}

func newFeed(logger klog.Logger, p *Plugin) *feed {
	return &feed{logger: logger, plugin: p, objects: map[string]metav1.Object{}, shown: map[types.UID]string{}, fresh: newFresh()}
}

// follow watches these kinds from now on.
func (f *feed) follow(ctx context.Context, handle fwk.Handle, kinds []wire.Kind) error {
	client, err := dynamic.NewForConfig(handle.KubeConfig())
	if err != nil {
		return err
	}
	core := handle.SharedInformerFactory().Core().V1()
	var synced []cache.InformerSynced
	for _, shared := range []cache.SharedIndexInformer{core.Pods().Informer(), core.Nodes().Informer()} {
		kind := wire.Kind{Kind: "Node"}
		if len(synced) == 0 {
			kind.Kind = "Pod"
		}
		registered, err := shared.AddEventHandler(f.handler(kind))
		if err != nil {
			return err
		}
		synced = append(synced, registered.HasSynced)
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	watch := func(kinds []wire.Kind) (missing []wire.Kind, synced []cache.InformerSynced, err error) {
		groups, err := restmapper.GetAPIGroupResources(handle.ClientSet().Discovery())
		if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
			return kinds, nil, err
		}
		mapper := restmapper.NewDiscoveryRESTMapper(groups)
		for _, kind := range kinds {
			mapping, err := mapper.RESTMapping(schema.GroupKind{Group: kind.Group, Kind: kind.Kind})
			if meta.IsNoMatchError(err) {
				missing = append(missing, kind)
				continue
			}
			if err != nil {
				return kinds, nil, err
			}
			registered, err := factory.ForResource(mapping.Resource).Informer().AddEventHandler(f.handler(kind))
			if err != nil {
				return kinds, nil, err
			}
			synced = append(synced, registered.HasSynced)
		}
		factory.Start(ctx.Done())
		return missing, synced, nil
	}
	var others []wire.Kind
	for _, kind := range kinds {
		if kind.Group != "" || kind.Kind != "Pod" && kind.Kind != "Node" {
			others = append(others, kind)
		}
	}
	missing, more, err := watch(others)
	if err != nil {
		return err
	}
	go func() {
		if cache.WaitForCacheSync(ctx.Done(), append(synced, more...)...) {
			f.complete()
		}
		for len(missing) > 0 {
			f.logger.V(2).Info("Kinds that are not installed", "kinds", missing)
			select {
			case <-ctx.Done():
				return
			case <-time.After(look):
			}
			if missing, _, err = watch(missing); err != nil {
				f.logger.Error(err, "Looking for kinds that were not installed")
			}
		}
	}()
	return nil
}

// handler tells what happens to the objects of a kind.
func (f *feed) handler(kind wire.Kind) cache.ResourceEventHandler {
	there := func(object any) {
		if object, ok := object.(metav1.Object); ok {
			f.there(kind, object)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    there,
		UpdateFunc: func(_, now any) { there(now) },
		DeleteFunc: func(last any) {
			if tombstone, ok := last.(cache.DeletedFinalStateUnknown); ok {
				last = tombstone.Obj
			}
			if object, ok := last.(metav1.Object); ok {
				f.gone(kind, object)
			}
		},
	}
}

// name is what the protocol calls an object. What is placed like a pod is found by its kind alone; of others the group tells them apart.
func name(kind wire.Kind, object metav1.Object) string {
	text := kind.Kind
	if kind.Group != "" && !kind.Placed {
		text += "." + kind.Group
	}
	if namespace := object.GetNamespace(); namespace != "" {
		text += "/" + namespace
	}
	return text + "/" + object.GetName()
}

func (f *feed) there(kind wire.Kind, object metav1.Object) {
	f.replace(kind, object, func(metav1.Object) bool { return true })
}

// replace sends an object in place of the version that was sent last, where that version is the expected one.
func (f *feed) replace(kind wire.Kind, object metav1.Object, isExpected func(before metav1.Object) bool) {
	key := name(kind, object)
	f.lock.Lock()
	if !isExpected(f.objects[key]) {
		f.lock.Unlock()
		return
	}
	if node, ok := object.(*v1.Node); ok && f.objects[key] == nil && f.listed.Load() {
		f.fresh.came(node.Name)
	}
	before, _ := f.objects[key].(*v1.Pod)
	f.objects[key] = object
	f.tell(object)
	f.lock.Unlock()
	if pod, ok := object.(*v1.Pod); ok {
		switch {
		case losesNomination(before, pod):
			// kube-scheduler wakes no pod for a nomination that ends, though its room may be for others.
			f.plugin.hints.givenUp(podUpserted)
		case isPendingNews(before, pod):
			f.plugin.hints.pendingChanged(podUpserted)
		}
	}
	if _, ok := object.(*unstructured.Unstructured); ok {
		f.plugin.hints.changed("object-upserted/" + kind.Kind)
	}
}

// catchUp tells a pod or a node in the version that kube-scheduler knows, where its event was not heard here yet: a pod that is tried for it at
// once would be refused, and no other event would come. kube-scheduler says of one event for each refused pod.
func (f *feed) catchUp(object metav1.Object) {
	if last := f.caught.Load(); last != nil && *last == object {
		return
	}
	kind := wire.Kind{Kind: "Pod"}
	if _, ok := object.(*v1.Node); ok {
		kind.Kind = "Node"
	}
	f.replace(kind, object, func(before metav1.Object) bool {
		if before == nil {
			// One that is gone again would stay.
			return f.isThere(object)
		}
		order, err := resourceversion.CompareResourceVersion(object.GetResourceVersion(), before.GetResourceVersion())
		return err == nil && order > 0
	})
	f.caught.Store(&object)
}

// isThere says whether a pod or a node is there, as kube-scheduler will have heard.
func (f *feed) isThere(object metav1.Object) bool {
	if pod, ok := object.(*v1.Pod); ok {
		return f.plugin.isThere(pod)
	}
	node, err := f.plugin.handle.SharedInformerFactory().Core().V1().Nodes().Lister().Get(object.GetName())
	return err == nil && node.UID == object.GetUID()
}

// losesNomination says whether a pod that waits is promised no node any more.
func losesNomination(before, now *v1.Pod) bool {
	return before != nil && before.Status.NominatedNodeName != "" && now.Status.NominatedNodeName == "" && now.Spec.NodeName == ""
}

// isPendingNews says whether a pod without a node is new, or is another one for the laws: kube-scheduler has only the pod itself tried again.
func isPendingNews(before, now *v1.Pod) bool {
	if now.Spec.NodeName != "" {
		return false
	}
	return before == nil || before.UID != now.UID || len(before.Spec.SchedulingGates) != len(now.Spec.SchedulingGates) ||
		(before.DeletionTimestamp == nil) != (now.DeletionTimestamp == nil) ||
		!maps.Equal(before.Labels, now.Labels) || !maps.Equal(before.Annotations, now.Annotations)
}

func (f *feed) gone(kind wire.Kind, object metav1.Object) {
	key := name(kind, object)
	f.lock.Lock()
	// Another object may have its name by now.
	if now, ok := f.objects[key]; ok && now.GetUID() == object.GetUID() {
		delete(f.objects, key)
		delete(f.shown, object.GetUID())
		if pod, ok := object.(*v1.Pod); ok && pod.Spec.NodeName != "" {
			f.fresh.left(pod.UID, pod.Spec.NodeName)
		}
		if f.conn != nil {
			f.conn.Tell(wire.KindRemoved, []byte(key))
		}
	}
	f.lock.Unlock()
	if pod, ok := object.(*v1.Pod); ok {
		f.plugin.hints.forget(pod.UID)
		f.plugin.keys.forget(keyOf(pod))
		f.plugin.gone(pod)
		if pod.Spec.NodeName == "" {
			f.plugin.hints.pendingChanged(podRemoved)
		}
		return
	}
	f.plugin.hints.changed("object-removed/" + kind.Kind)
}

// left tells that a pod has left, where its event was not heard yet.
func (f *feed) left(pod wire.Object) {
	f.lock.Lock()
	there, ok := f.objects["Pod/"+pod.Namespace+"/"+pod.Name]
	f.lock.Unlock()
	if ok && string(there.GetUID()) == pod.UID {
		f.gone(wire.Kind{Kind: "Pod"}, there)
	}
}

// ensure tells a pod that is asked about, where its event was not heard yet. False where the pod is gone: nobody would say so once more.
func (f *feed) ensure(pod *v1.Pod) bool {
	key := name(wire.Kind{Kind: "Pod"}, pod)
	f.lock.Lock()
	defer f.lock.Unlock()
	if now, ok := f.objects[key]; ok && now.GetUID() == pod.UID {
		return true
	}
	if !f.plugin.isThere(pod) {
		return false
	}
	f.objects[key] = pod
	f.tell(pod)
	return true
}

// again tells a pod that is not bound after all.
func (f *feed) again(pod *v1.Pod) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if _, ok := f.shown[pod.UID]; !ok {
		return
	}
	delete(f.shown, pod.UID)
	if now, ok := f.objects[name(wire.Kind{Kind: "Pod"}, pod)]; ok && now.GetUID() == pod.UID {
		f.tell(now)
	}
}

// nodeOf is the node of a pod; none where it has none, or is not there.
func (f *feed) nodeOf(pod wire.Object) string {
	f.lock.Lock()
	defer f.lock.Unlock()
	there, ok := f.objects["Pod/"+pod.Namespace+"/"+pod.Name].(*v1.Pod)
	if !ok || string(there.UID) != pod.UID {
		return ""
	}
	return there.Spec.NodeName
}

// known returns the version of a pod that was sent last; nil where the pod is not there.
func (f *feed) known(pod wire.Object) metav1.Object {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.objects["Pod/"+pod.Namespace+"/"+pod.Name]
}

// seen sends a pod as it was just read, unless an event has changed the pod since the version that was sent last: after the end of the pod
// no event would come that ends it once more.
func (f *feed) seen(pod *v1.Pod, known metav1.Object) {
	f.replace(wire.Kind{Kind: "Pod"}, pod, func(now metav1.Object) bool { return now != nil && now == known })
}

// tell tells an object, with the lock held.
func (f *feed) tell(object metav1.Object) {
	if f.conn == nil {
		return
	}
	text, err := f.encode(object)
	if err != nil {
		f.logger.Error(err, "An object is not told", "object", klog.KObj(object))
		return
	}
	f.conn.Tell(wire.KindObject, text)
}

func (f *feed) encode(object metav1.Object) ([]byte, error) {
	switch object := object.(type) {
	case *v1.Pod:
		pod := *object
		pod.TypeMeta, pod.ManagedFields = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, nil
		if node, ok := f.shown[pod.UID]; ok && pod.Spec.NodeName == "" {
			pod.Spec.NodeName = node
		}
		return json.Marshal(&pod)
	case *v1.Node:
		node := *object
		node.TypeMeta, node.ManagedFields = metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, nil
		// Only the host's own scoring would read it, and it is long.
		node.Status.Images = nil
		return json.Marshal(&node)
	default:
		return json.Marshal(object)
	}
}

// begin tells a host all that there is. These pods are being bound.
func (f *feed) begin(conn *wire.Conn, binding map[types.UID]string) {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.conn, f.shown = conn, maps.Clone(binding)
	for _, object := range f.objects {
		f.tell(object)
	}
	if f.listed.Load() {
		conn.Tell(wire.KindSynced, nil)
	}
}

// end tells nobody any more.
func (f *feed) end() {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.conn = nil
}

// complete says that all kinds were read once.
func (f *feed) complete() {
	f.lock.Lock()
	if f.conn != nil {
		f.conn.Tell(wire.KindSynced, nil)
	}
	f.listed.Store(true)
	f.logger.Info("All objects were told", "objects", len(f.objects))
	f.lock.Unlock()
	f.plugin.hints.back()
}
