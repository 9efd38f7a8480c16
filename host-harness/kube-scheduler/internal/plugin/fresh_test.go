package plugin

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"

	"lictor.dev/kube-scheduler/internal/wire"
)

func TestNoPlanIsAskedForRoomThatKubeSchedulerHasNotHeardOf(t *testing.T) {
	node := func(name string) *v1.Node {
		return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}}
	}
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "d", Name: "v", UID: "v"}, Spec: v1.PodSpec{NodeName: "n1"}}
	ofNode := wire.Kind{Kind: "Node"}
	p := &Plugin{hints: newHints(nil), keys: newKeys(), reserved: map[string]*reservation{}, open: open{}, victims: newVictims()}
	p.feed = newFeed(klog.Background(), p)
	p.feed.there(ofNode, node("n1"))
	p.feed.there(wire.Kind{Kind: "Pod"}, pod)
	p.feed.listed.Store(true)
	before := cache.NewSnapshot([]*v1.Pod{pod}, []*v1.Node{node("n1")})
	if p.feed.isAhead(before, podNamed("p")) {
		t.Fatal("both know the same")
	}
	p.feed.gone(wire.Kind{Kind: "Pod"}, pod)
	if !p.feed.isAhead(before, podNamed("p")) {
		t.Fatal("kube-scheduler still counts a pod that has left")
	}
	p.victims.leave(pod.UID, []string{"default/q"})
	if p.feed.isAhead(before, podNamed("p")) || !p.feed.isAhead(before, podNamed("q")) {
		t.Fatal("the room of a victim is for whom it was evicted")
	}
	p.victims.stay(pod.UID)
	if p.feed.isAhead(cache.NewSnapshot(nil, []*v1.Node{node("n1")}), podNamed("p")) || p.feed.isAhead(before, podNamed("p")) {
		t.Fatal("what it has heard of once is not waited for")
	}
	p.feed.there(ofNode, node("n2"))
	if !p.feed.isAhead(before, podNamed("p")) {
		t.Fatal("kube-scheduler has not seen the new node")
	}
	p.feed.gone(ofNode, node("n2"))
	if p.feed.isAhead(before, podNamed("p")) {
		t.Fatal("a node that is gone is not waited for")
	}
}
