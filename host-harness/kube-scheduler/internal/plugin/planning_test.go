package plugin

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"

	"lictor.dev/kube-scheduler/internal/wire"
)

func victimNamed(name string) wire.Object {
	return wire.Object{Kind: "Pod", Namespace: "default", Name: name, UID: "uid-" + name}
}

func TestANominationThatKubeSchedulerWritesIsNotWrittenTwice(t *testing.T) {
	plan := newPlanning(podNamed("a"))
	if !plan.takes("default/a", "n1") || plan.node("default/a") != "n1" {
		t.Error("a is planned for")
	}
	if plan.takes("default/b", "n1") || plan.takes("default/a", "") {
		t.Error("b is not, and a withdrawal is written here")
	}
	if (*planning)(nil).takes("default/a", "n1") {
		t.Error("nobody is planned for")
	}
}

func TestThoseWhoLeaveTheNodeOfAPodAreItsVictims(t *testing.T) {
	a, b := podNamed("a"), podNamed("b")
	plan := newPlanning(a, b)
	plan.takes("default/a", "n1")
	plan.takes("default/b", "n1")
	plan.evicts(victimNamed("v"), "n1")
	plan.evicts(victimNamed("w"), "n2")
	(*planning)(nil).evicts(victimNamed("x"), "n1")
	if named := plan.named(); named != "default/v on n1, default/w on n2" {
		t.Error(named)
	}
	for number := range fewNames {
		plan.evicts(victimNamed(fmt.Sprint(number)), "n3")
	}
	if named := plan.named(); !strings.HasSuffix(named, "default/5 on n3, 2 more") {
		t.Error(named)
	}
	if found := plan.victims(a, b); !slices.Equal(found, []wire.Object{victimNamed("v")}) {
		t.Errorf("%v", found)
	}
}

func TestAPreemptorIsTriedWhenItsLastVictimHasLeft(t *testing.T) {
	there := map[string]bool{"v": true, "w": true}
	woken := 0
	h := newHints(func(map[string]*v1.Pod) { woken++ })
	h.victims, h.isThere = newVictims(), func(pod wire.Object) bool { return there[pod.Name] }
	a, b, v, w := podNamed("a"), podNamed("b"), podNamed("v"), podNamed("w")
	for _, victim := range []*v1.Pod{v, w} {
		h.victims.leave(victim.UID, []string{"default/a"})
	}
	h.planned(a, []wire.Object{victimNamed("v"), victimNamed("w")}, nil)
	there["v"] = false
	if h.worthAfter(a.UID, v, false) || h.worth(a.UID, podUpserted) {
		t.Error("w is still there")
	}
	h.changed("object-upserted/PodGroup")
	if !h.worth(a.UID, nodeUpserted) || woken > 0 {
		t.Error("only room may change what is planned")
	}
	there["w"] = false
	if !h.worthAfter(a.UID, w, false) {
		t.Error("all have left")
	}
	there["x"] = true
	h.planned(b, []wire.Object{victimNamed("x")}, nil)
	y := podNamed("y")
	if h.worthAfter(b.UID, v, false) || h.worthAfter(b.UID, y, false) {
		t.Error("the room of v is promised, and y had none")
	}
	if y.Spec.NodeName = "n9"; !h.worthAfter(b.UID, y, false) {
		t.Error("the room of y is nobody's")
	}
	h.withdrawn(b.UID)
	if woken != 1 || !h.worth(b.UID, podUpserted) {
		t.Error("a pod that is promised no node any more is tried again")
	}
	if left := h.left(a.UID); len(left) != 2 {
		t.Errorf("%v", left)
	}
	there["v"] = false
	h.planned(b, []wire.Object{victimNamed("v")}, nil)
	if at := h.pods[b.UID].again.At; !h.worth(b.UID, podUpserted) || at == nil || *at > time.Now().Add(soon).UnixNano() {
		t.Error("a pod whose room is there may be tried after any change, and soon")
	}
}

func TestAMemberOnAFreeNodeWaitsForTheVictimsOfItsPlan(t *testing.T) {
	there := map[string]bool{"v": true}
	h := newHints(func(map[string]*v1.Pod) {})
	h.victims, h.isThere = newVictims(), func(pod wire.Object) bool { return there[pod.Name] }
	a, v := podNamed("a"), podNamed("v")
	h.victims.leave(v.UID, []string{"default/a"})
	h.planned(a, nil, []wire.Object{victimNamed("v")})
	if h.pods[a.UID].again.At != nil || h.worth(a.UID, podUpserted) {
		t.Error("its quota has no room for it until v has left")
	}
	there["v"] = false
	if !h.worthAfter(a.UID, v, false) {
		t.Error("v has left")
	}
}

func TestPlansThatEvictNobodyAreMadeLessAndLessOften(t *testing.T) {
	h, now := newHints(func(map[string]*v1.Pod) {}), time.Unix(1000, 0)
	h.victims, h.isThere, h.clock = newVictims(), func(wire.Object) bool { return false }, func() time.Time { return now }
	a := podNamed("a")
	plans := 0
	for until := now.Add(30 * time.Second); now.Before(until); now = now.Add(100 * time.Millisecond) {
		if hint, ok := h.pods[a.UID]; !ok || *hint.again.At <= now.UnixNano() {
			h.passed(a.UID)
			h.planned(a, nil, nil)
			plans++
		}
	}
	if plans > 11 {
		t.Errorf("%d plans in 30 s", plans)
	}
}

func TestVictimsAreKeptUntilManyHaveComeAfterThem(t *testing.T) {
	v := newVictims()
	for number := range most + 1 {
		v.leave(types.UID(fmt.Sprint(number)), []string{"default/a"})
	}
	if v.isRoomFor("0", "default/b") || !v.isRoomFor("0", "default/a") {
		t.Error("it was not so long ago")
	}
	for number := range most {
		v.leave(types.UID(fmt.Sprint("later", number)), []string{"default/a"})
	}
	if !v.isRoomFor("0", "default/b") {
		t.Error("kube-scheduler has heard of it")
	}
	v.stay("later0")
	v.leave("given back", nil)
	if !v.isRoomFor("later0", "default/b") || !v.isRoomFor("given back", "default/b") {
		t.Error("one stays, and the room of the other is for all")
	}
}

func TestANominationEndsWithItsNode(t *testing.T) {
	there := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	snapshot := cache.NewSnapshot(nil, []*v1.Node{there})
	for node, ends := range map[string]bool{"": false, "n1": false, "n2": true} {
		pod := podNamed("p")
		pod.Status.NominatedNodeName = node
		result := withoutPlan(snapshot, pod)
		if (result != nil) != ends {
			t.Errorf("nominated to %q: %v", node, result)
		}
		if result != nil && (result.Mode() != fwk.ModeOverride || result.NominatedNodeName != "") {
			t.Errorf("nominated to %q: %v", node, result)
		}
	}
}
