package plugin

import (
	"fmt"
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"lictor.dev/kube-scheduler/internal/wire"
)

// waking has hints at a time that the test sets, and the pods that they wake.
type waking struct {
	hints *hints
	feed  *feed
	now   time.Time
	woken []string
}

func newWaking(t *testing.T) *waking {
	t.Helper()
	w := &waking{now: time.Unix(1000, 0)}
	p := newPlugin(t.Context(), Args{Claim: claimAll}, nil)
	w.hints, w.feed = p.hints, p.feed
	w.hints.clock = func() time.Time { return w.now }
	w.hints.activate = func(pods map[string]*v1.Pod) {
		for key := range pods {
			w.woken = append(w.woken, key)
		}
		slices.Sort(w.woken)
	}
	return w
}

// refuse has PreFilter refuse a pod until the pods change.
func (w *waking) refuse(pod *v1.Pod) {
	w.hints.refused(pod, wire.Again{After: []string{podUpserted, podRemoved}}, w.hints.now())
}

// took are the pods that were woken since it was asked last.
func (w *waking) took() []string {
	took := w.woken
	w.woken = nil
	return took
}

func (w *waking) comes(pod *v1.Pod) { w.feed.there(wire.Kind{Kind: "Pod"}, pod) }

func TestRoomThatIsGivenUpWakesAtThePaceOfEachPod(t *testing.T) {
	w := newWaking(t)
	waits, other := podNamed("a"), podNamed("b")
	promised := other.DeepCopy()
	promised.Status.NominatedNodeName = "n1"
	woken := 0
	for range 100 {
		w.refuse(waits)
		// The nomination of the other pod ends, and kube-scheduler says that the pod has left the node.
		w.comes(promised)
		w.comes(other)
		w.hints.wakeDue()
		woken += len(w.took())
		if w.refuse(waits); w.hints.worthAfter(waits.UID, promised, true) {
			woken++
		}
		w.now = w.now.Add(20 * time.Millisecond)
	}
	// At 0, 100, 300, 700 and 1500 ms.
	if woken != 5 {
		t.Error("in two seconds it is woken", woken, "times")
	}
	w.now = w.now.Add(longestPace)
	if w.hints.wakeDue(); len(w.took()) != 1 {
		t.Error("it is not woken when its pace allows")
	}
	if w.refuse(waits); !w.hints.worthAfter(waits.UID, onNode(other), false) {
		t.Error("a pod that is gone leaves room at once")
	}
}

func onNode(pod *v1.Pod) *v1.Pod {
	bound := pod.DeepCopy()
	bound.Spec.NodeName = "n1"
	return bound
}

func TestAMomentIsCountedFromTheAnswer(t *testing.T) {
	second := int64(time.Second)
	for what, ahead := range map[string]int64{"behind": -600 * second, "ahead": 600 * second} {
		w := newWaking(t)
		at, wait := w.now.UnixNano()+second+ahead, second
		w.hints.refused(podNamed("a"), w.hints.local(wire.Again{At: &at, Wait: &wait}), w.hints.now())
		if w.hints.wakeDue(); len(w.took()) > 0 {
			t.Error("the clock of the host is", what, "and a pod is woken too early")
		}
		w.now = w.now.Add(time.Second)
		if w.hints.wakeDue(); len(w.took()) != 1 {
			t.Error("the clock of the host is", what, "and a pod is not woken in time")
		}
	}
}

func TestAPodWithoutANodeWakesThoseThatWaitForPods(t *testing.T) {
	w := newWaking(t)
	a, b := podNamed("a"), podNamed("b")
	w.comes(a)
	w.refuse(a)
	w.hints.refused(podNamed("c"), wire.Again{After: []string{nodeUpserted}}, w.hints.now())
	if w.comes(b); !slices.Equal(w.took(), []string{"default/a"}) {
		t.Error("b may be the member that is missing")
	}
	for what, change := range map[string]func(*v1.Pod){
		"a label":     func(pod *v1.Pod) { pod.Labels = map[string]string{"group": "g"} },
		"a gate":      func(pod *v1.Pod) { pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "x"}} },
		"its removal": nil,
	} {
		w.now = w.now.Add(time.Minute)
		w.refuse(a)
		if change == nil {
			w.feed.gone(wire.Kind{Kind: "Pod"}, b)
		} else {
			b = b.DeepCopy()
			change(b)
			w.comes(b)
		}
		if took := w.took(); !slices.Equal(took, []string{"default/a"}) {
			t.Errorf("%s of b: %v", what, took)
		}
		w.comes(b)
		w.took()
	}
}

func TestAStatusOfAPodWithoutANodeWakesNobody(t *testing.T) {
	w := newWaking(t)
	a, b := podNamed("a"), podNamed("b")
	w.comes(b)
	w.refuse(a)
	b = b.DeepCopy()
	b.Status.Message = "waits"
	if w.comes(b); w.took() != nil {
		t.Error("each attempt writes the status of its pod")
	}
}

func TestWhatCameWhileAPodWasTriedCounts(t *testing.T) {
	w := newWaking(t)
	a := podNamed("a")
	asked := w.hints.now()
	w.comes(podNamed("b"))
	w.hints.refused(a, wire.Again{After: []string{podUpserted}}, asked)
	if took := w.took(); !slices.Equal(took, []string{"default/a"}) {
		t.Errorf("the answer may not know of b: %v", took)
	}
}

func TestWhatPostFilterWaitsForAreNoPodsWithoutANode(t *testing.T) {
	w := newWaking(t)
	a := podNamed("a")
	w.hints.refused(a, wire.Again{After: []string{nodeUpserted}}, w.hints.now())
	w.hints.also(a, wire.Again{After: []string{podUpserted}}, w.hints.now())
	if w.comes(podNamed("b")); w.took() != nil {
		t.Error("a pod that waits for a node takes no room")
	}
}

// A thousand pods that come in 50 s do not have each refused pod tried a thousand times; and the last of them counts.
func TestManyPodsWakeAPodAtItsPace(t *testing.T) {
	w := newWaking(t)
	a, tries := podNamed("a"), 0
	w.refuse(a)
	for number := range 1000 {
		w.comes(podNamed(fmt.Sprint("b", number)))
		w.now = w.now.Add(50 * time.Millisecond)
		w.hints.wakeDue()
		if len(w.took()) > 0 {
			tries++
			w.refuse(a)
		}
	}
	if tries < 5 || tries > 14 {
		t.Errorf("%d attempts", tries)
	}
	w.now = w.now.Add(longestPace)
	if w.hints.wakeDue(); !slices.Equal(w.took(), []string{"default/a"}) {
		t.Error("the last pod that came may be the member that is missing")
	}
}

func TestAPodThatWaitsAtPermitWakesItsNamespace(t *testing.T) {
	w := newWaking(t)
	a, other := podNamed("a"), podNamed("a")
	other.Namespace, other.UID = "other", "uid-other"
	for number := range 8 {
		w.refuse(a)
		w.comes(podNamed(fmt.Sprint("b", number)))
		w.now = w.now.Add(time.Second)
	}
	w.refuse(a)
	w.refuse(other)
	w.took()
	w.now = w.now.Add(permitPace)
	if w.hints.waits(podNamed("last")); !slices.Equal(w.took(), []string{"default/a"}) {
		t.Error("a may be of its gang")
	}
	w.refuse(a)
	if w.hints.waits(podNamed("last")); w.took() != nil {
		t.Error("it was woken just now")
	}
	w.now = w.now.Add(2 * permitPace)
	if w.hints.wakeDue(); !slices.Equal(w.took(), []string{"default/a"}) {
		t.Error("and is woken again, two seconds later: that pod waits for the second time")
	}
}

func TestAPodThatWaitsAtPermitWakesThoseThatNeedOthersOnNodes(t *testing.T) {
	plain, spread, near := podNamed("plain"), podNamed("spread"), podNamed("near")
	spread.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{WhenUnsatisfiable: v1.DoNotSchedule}}
	near.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{}}}}
	w := newWaking(t)
	// Neither of these finds a node because another pod takes one.
	soft, apart := podNamed("soft"), podNamed("apart")
	soft.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{WhenUnsatisfiable: v1.ScheduleAnyway}}
	apart.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{}}}}
	for _, pod := range []*v1.Pod{plain, spread, near, soft, apart} {
		w.hints.also(pod, wire.Again{After: []string{podUpserted}}, w.hints.now())
	}
	if w.hints.waits(podNamed("sibling")); !slices.Equal(w.took(), []string{"default/near", "default/spread"}) {
		t.Error("the node that the sibling takes may be what they wait for; the plain pod loses room by it")
	}
}
