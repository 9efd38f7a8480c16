package plugin

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// fresh is what the host was told and kube-scheduler may not have heard: both follow the same watches, each at its own pace.
type fresh struct {
	// pods are those that have left these nodes.
	pods map[types.UID]string
	// nodes are new.
	nodes map[string]struct{}
}

func newFresh() fresh { return fresh{pods: map[types.UID]string{}, nodes: map[string]struct{}{}} }

// most is how many pods, or nodes, are kept in mind at most: kube-scheduler has heard of those before them.
const most = 4096

// left says that a pod has left a node.
func (f *fresh) left(pod types.UID, node string) {
	if len(f.pods) >= most {
		clear(f.pods)
	}
	f.pods[pod] = node
}

// came says that a node is new.
func (f *fresh) came(node string) {
	if len(f.nodes) >= most {
		clear(f.nodes)
	}
	f.nodes[node] = struct{}{}
}

// isAhead says whether the host knows of room for these pods that kube-scheduler has not looked at in this cycle: a plan would evict for
// a pod that needs none. The event by which kube-scheduler hears of it has the pod tried again.
func (f *feed) isAhead(snapshot fwk.SharedLister, pods ...*v1.Pod) bool {
	isRoom := func(left types.UID) bool {
		return slices.ContainsFunc(pods, func(pod *v1.Pod) bool { return f.plugin.victims.isRoomFor(left, keyOf(pod)) })
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	nodes, ahead := snapshot.NodeInfos(), false
	for uid, name := range f.fresh.pods {
		node, err := nodes.Get(name)
		holds := err == nil && slices.ContainsFunc(node.GetPods(), func(pod fwk.PodInfo) bool { return pod.GetPod().UID == uid })
		if !holds {
			delete(f.fresh.pods, uid)
		}
		ahead = ahead || holds && isRoom(uid)
	}
	for name := range f.fresh.nodes {
		if node, err := nodes.Get(name); err == nil && node.Node() != nil {
			delete(f.fresh.nodes, name)
			continue
		}
		// One that is gone again is not waited for.
		if _, ok := f.objects["Node/"+name]; !ok {
			delete(f.fresh.nodes, name)
			continue
		}
		ahead = true
	}
	return ahead
}
