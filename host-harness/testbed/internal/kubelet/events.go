package kubelet

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// byNode is the index of pods by the name of their node.
const byNode = "node"

func nodeOf(object any) ([]string, error) {
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return nil, nil
	}
	return []string{pod.Spec.NodeName}, nil
}

// handle calls a function with every object that comes, changes or goes; gone says that it has gone.
func handle(informer cache.SharedIndexInformer, changed func(object any, gone bool)) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { changed(object, false) },
		UpdateFunc: func(_, object any) { changed(object, false) },
		DeleteFunc: func(object any) {
			if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = last.Obj
			}
			changed(object, true)
		},
	})
	return err
}

// nodeChanged has a node looked at, and its pods: they lose their node, or have it back.
func (k *Kubelet) nodeChanged(object any, gone bool) {
	node, ok := object.(*corev1.Node)
	if !ok {
		return
	}
	if !gone && saysReadiness(node) {
		return
	}
	k.queue.Add(key{Name: node.Name})
	pods, err := k.pods.GetIndexer().ByIndex(byNode, node.Name)
	if err != nil {
		return
	}
	for _, pod := range pods {
		k.podChanged(pod, false)
	}
}

// podChanged has a pod looked at, or forgets it.
func (k *Kubelet) podChanged(object any, gone bool) {
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return
	}
	if gone {
		k.lock.Lock()
		delete(k.seen, pod.UID)
		k.lock.Unlock()
		return
	}
	k.queue.Add(key{Namespace: pod.Namespace, Name: pod.Name})
}
