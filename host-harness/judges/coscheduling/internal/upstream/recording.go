package upstream

import (
	"errors"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"lictor.dev/judges/kube/cluster"
)

// told is what plugins do to pods at Permit, by namespace/name, and the victims that they find.
type told struct {
	allowed, rejected []string
	// victims are those of each candidate node.
	victims map[string]*extenderv1.Victims
}

// recording is the handle that the plugins of scheduler-plugins have: that of the framework, which tells what is done to pods at Permit,
// and which victims a preemption finds. A preemption shows all of its candidates to the extenders before it takes the best one.
type recording struct {
	framework.Handle
	one *one
}

// IterateOverWaitingPods calls back with each pod at Permit.
func (r *recording) IterateOverWaitingPods(callback func(framework.WaitingPod)) {
	r.Handle.IterateOverWaitingPods(func(pod framework.WaitingPod) { callback(waiting{pod, r.one}) })
}

// GetWaitingPod returns a pod at Permit, or nil.
func (r *recording) GetWaitingPod(id types.UID) framework.WaitingPod {
	pod := r.Handle.GetWaitingPod(id)
	if pod == nil {
		return nil
	}
	return waiting{pod, r.one}
}

// Extenders returns one that sees the candidates of a preemption.
func (r *recording) Extenders() []framework.Extender {
	return []framework.Extender{witness{one: r.one}}
}

// waiting is a pod at Permit that tells what is done to it.
type waiting struct {
	framework.WaitingPod
	one *one
}

// Allow lets the pod go.
func (w waiting) Allow(plugin string) {
	w.one.told.allowed = append(w.one.told.allowed, cluster.Key(w.GetPod()))
	w.WaitingPod.Allow(plugin)
}

// Reject rejects the pod.
func (w waiting) Reject(plugin, why string) {
	w.one.told.rejected = append(w.one.told.rejected, cluster.Key(w.GetPod()))
	w.WaitingPod.Reject(plugin, why)
}

// witness is an extender that changes nothing. The framework calls no other method of it.
type witness struct {
	framework.Extender
	one *one
}

// Name is that of the extender.
func (witness) Name() string { return holderName }

// SupportsPreemption returns true.
func (witness) SupportsPreemption() bool { return true }

// IsInterested returns true.
func (witness) IsInterested(*v1.Pod) bool { return true }

// IsIgnorable returns false: an error of ProcessPreemption ends the preemption.
func (witness) IsIgnorable() bool { return false }

// ProcessPreemption keeps the victims of each candidate. It fails, so that nobody is evicted.
func (w witness) ProcessPreemption(
	_ *v1.Pod, victims map[string]*extenderv1.Victims, _ framework.NodeInfoLister,
) (map[string]*extenderv1.Victims, error) {
	w.one.told.victims = victims
	return nil, errWitnessed
}

// errWitnessed ends a preemption when its candidates are known.
var errWitnessed = errors.New("a judge evicts nobody")

// sorted returns a list without repetitions, in order; it is never nil.
func sorted(list []string) []string {
	list = append([]string{}, list...)
	slices.Sort(list)
	return slices.Compact(list)
}
