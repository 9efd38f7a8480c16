package upstream

import (
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"lictor.dev/judges/kube/cluster"
)

// watched is the framework of kube-scheduler that records which pods at Permit are let go, and which are rejected. Both do what they do in
// koord-scheduler, but nobody waits for the pods, so no pod is bound.
type watched struct {
	framework.Framework
	// released has the pods that were let go; rejected has the reason of the others, by namespace/name.
	released []string
	rejected map[string]string
}

// IterateOverWaitingPods calls a function with each pod at Permit.
func (w *watched) IterateOverWaitingPods(callback func(framework.WaitingPod)) {
	w.Framework.IterateOverWaitingPods(func(pod framework.WaitingPod) { callback(&waitingPod{pod, w}) })
}

// GetWaitingPod returns a pod at Permit, or nil.
func (w *watched) GetWaitingPod(uid types.UID) framework.WaitingPod {
	if pod := w.Framework.GetWaitingPod(uid); pod != nil {
		return &waitingPod{pod, w}
	}
	return nil
}

// close ends the timers of the pods at Permit.
func (w *watched) close() {
	w.Framework.IterateOverWaitingPods(func(pod framework.WaitingPod) { pod.Reject("Judge", "the request is answered") })
}

// waitingPod is a pod at Permit.
type waitingPod struct {
	framework.WaitingPod
	watched *watched
}

// Allow lets the pod go as far as one plugin is concerned.
func (p *waitingPod) Allow(plugin string) {
	p.WaitingPod.Allow(plugin)
	if len(p.GetPendingPlugins()) == 0 {
		p.watched.released = append(p.watched.released, cluster.Key(p.GetPod()))
	}
}

// Reject rejects the pod. The first reason is the one that counts.
func (p *waitingPod) Reject(plugin, message string) {
	p.WaitingPod.Reject(plugin, message)
	if key := cluster.Key(p.GetPod()); p.watched.rejected[key] == "" {
		p.watched.rejected[key] = message
	}
}
