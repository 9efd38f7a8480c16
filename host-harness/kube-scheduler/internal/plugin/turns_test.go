package plugin

import (
	"fmt"
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"lictor.dev/kube-scheduler/internal/wire"
)

// wakesInAMinute is how often a pod is woken in a minute where something happens all the time: at 0, 100, 300, 700, 1500, 3100, 6300 and
// 12700 ms, and from then on after the longest pause.
func wakesInAMinute(pod *v1.Pod) int {
	return 8 + int((time.Minute-12700*time.Millisecond)/longestOf(pod.UID))
}

func TestTheLongestPauseDiffersFromPodToPod(t *testing.T) {
	seen := map[time.Duration]bool{}
	for number := range 100 {
		longest := longestOf(podNamed(fmt.Sprint(number)).UID)
		if longest > longestPace || longest <= longestPace-longestSpread {
			t.Error(longest)
		}
		seen[longest] = true
	}
	// A hundred out of 2500: about two of them are alike.
	if len(seen) < 90 {
		t.Error(len(seen), "pauses of 100 pods")
	}
}

// Two gangs of which neither is complete take turns: a pod of each waits at Permit, until it is let go of because the other one is tried.
func TestGangsThatTakeTurnsHaveEachOtherTriedAtAPace(t *testing.T) {
	w := newWaking(t)
	a, b := podNamed("a"), podNamed("b")
	tries := 0
	for range 6000 {
		// kube-scheduler has a wait again, and says that b has left its node, though b is still there.
		if w.hints.lost(a); w.hints.worthAfter(a.UID, onNode(b), true) {
			tries++
			w.hints.passed(a.UID)
			w.hints.waits(a)
		}
		w.hints.wakeDue()
		tries += len(w.took())
		w.now = w.now.Add(10 * time.Millisecond)
	}
	// Each pause is the next multiple of 100, 200, 400, 800, 1600 and 3200 ms, and then of 6400 ms: once more where the first ones are short.
	if most := 8 + int(time.Minute/longestTurn); tries < most-3 || tries > most {
		t.Error("in a minute it is tried", tries, "times")
	}
}

func TestMembersThatLostTheirNodesOneByOneAreTriedTogether(t *testing.T) {
	w := newWaking(t)
	gang := []*v1.Pod{podNamed("a"), podNamed("b"), podNamed("c")}
	together := 0
	for range 6000 {
		w.hints.wakeDue()
		if took := w.took(); len(took) == len(gang) {
			together++
		}
		for place, pod := range gang {
			// A pod of another gang is tried while it waits at Permit.
			if _, isLost := w.hints.pods[pod.UID]; !isLost && w.now.UnixMilli()%30 == int64(10*place) {
				w.hints.lost(pod)
			}
		}
		w.now = w.now.Add(10 * time.Millisecond)
	}
	if together < 5 {
		t.Error("in a minute they are tried together", together, "times")
	}
}

func TestAPodThatWasLetGoOfIsTriedAfterAnyChange(t *testing.T) {
	w := newWaking(t)
	a := podNamed("a")
	w.hints.lost(a)
	if !w.hints.worth(a.UID, nodeUpserted) || !w.hints.worthAfter(a.UID, onNode(podNamed("b")), false) {
		t.Error("a node has come, and a pod has left one")
	}
	if w.comes(podNamed("c")); !slices.Equal(w.took(), []string{"default/a"}) {
		t.Error("c may be the member that is missing")
	}
	// Why it was refused is known.
	w.hints.refused(a, wire.Again{After: []string{nodeUpserted}}, w.hints.now())
	if w.hints.lost(a); w.hints.worth(a.UID, podUpserted) {
		t.Error("no pod helps it")
	}
}

func TestOnlyAPodThatWaitedIsLetGoOf(t *testing.T) {
	for what, c := range map[string]struct{ isBound, isGone, want bool }{
		"let go of": {want: true},
		"let on":    {isBound: true},
		"deleted":   {isGone: true},
	} {
		p := newPlugin(t.Context(), Args{Claim: claimAll}, nil)
		p.hints.isThere = func(wire.Object) bool { return !c.isGone }
		a := podNamed("a")
		p.reserve(a, "n1")
		p.wait(keyOf(a))
		if c.isBound {
			object := wire.Object{Kind: "Pod", Namespace: "default", Name: "a", UID: string(a.UID)}
			p.handle = &atPermit{}
			p.allow(nil, wire.Order{ID: 3, Action: wire.Bind, Object: object})
		}
		p.unreserve(t.Context(), a)
		if _, ok := p.hints.pods[a.UID]; ok != c.want {
			t.Error("a was", what)
		}
	}
}

// Where the API server refuses the nominations of a plan, the plan is given up, the pod is tried again, and the next plan is given up.
func TestAPlanThatIsGivenUpTimeAndAgainIsMadeAtThePaceOfThePod(t *testing.T) {
	w := newWaking(t)
	a := podNamed("a")
	w.hints.isThere = func(wire.Object) bool { return true }
	plans := 0
	for range 6000 {
		if plans == 0 || len(w.took()) > 0 {
			plans++
			w.hints.planned(a, []wire.Object{victimNamed("v")}, nil)
		}
		w.hints.withdrawn(a.UID)
		w.now = w.now.Add(10 * time.Millisecond)
		w.hints.wakeDue()
	}
	// The first one, and one for each time that it is woken.
	if plans != 1+wakesInAMinute(a) {
		t.Error("in a minute", plans, "plans are made")
	}
}

func TestAPodWhoseVictimStaysIsTriedAgain(t *testing.T) {
	w := newWaking(t)
	a, b := podNamed("a"), podNamed("b")
	w.hints.isThere = func(wire.Object) bool { return true }
	w.hints.planned(a, []wire.Object{victimNamed("v"), victimNamed("w")}, nil)
	w.hints.planned(b, []wire.Object{victimNamed("x")}, nil)
	if w.hints.spared("uid-w"); !slices.Equal(w.took(), []string{"default/a"}) {
		t.Error("w was to leave for a, and stays")
	}
}

func TestWhatKubeSchedulerKnowsIsToldBeforeAPodIsTriedForIt(t *testing.T) {
	p := newPlugin(t.Context(), Args{Claim: claimAll}, nil)
	isThere := false
	p.hints.isThere = func(wire.Object) bool { return isThere }
	events, err := p.EventsToRegister(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	hears := func(event int, now any) {
		if _, err := events[event].QueueingHintFn(p.logger, podNamed("waits"), nil, now); err != nil {
			t.Error(err)
		}
	}
	told := func(name string) string {
		if object, ok := p.feed.objects[name]; ok {
			return object.GetResourceVersion()
		}
		return ""
	}
	node := func(version string) *v1.Node {
		return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", UID: "uid-n1", ResourceVersion: version}}
	}
	p.feed.there(wire.Kind{Kind: "Node"}, node("9"))
	for _, version := range []string{"10", "9"} {
		if hears(1, node(version)); told("Node/n1") != "10" {
			t.Error("kube-scheduler knows of 10, and of", told("Node/n1"), "was told")
		}
	}
	pod := func(version string) *v1.Pod {
		pod := onNode(podNamed("a"))
		pod.ResourceVersion = version
		return pod
	}
	if hears(0, pod("11")); told("Pod/default/a") != "" {
		t.Error("a pod that is gone again is told")
	}
	isThere = true
	if hears(0, pod("12")); told("Pod/default/a") != "12" {
		t.Error("a pod that was given a node is told as", told("Pod/default/a"))
	}
}

func TestAPlanThatFailsIsMadeAnewThoughOthersWait(t *testing.T) {
	w := newWaking(t)
	a := podNamed("a")
	w.hints.isThere = func(wire.Object) bool { return true }
	fails := func() {
		w.hints.planned(a, []wire.Object{victimNamed("v")}, nil)
		w.hints.spared("uid-v")
	}
	fails()
	w.took()
	fails()
	// A pod of another gang waits at Permit meanwhile. It does not wait for what a waits for.
	w.hints.waits(podNamed("b"))
	w.now = w.now.Add(longestPace)
	if w.hints.wakeDue(); !slices.Equal(w.took(), []string{"default/a"}) {
		t.Error("v was not evicted, and a waits for its end")
	}
}

func TestAVictimThatIsNotBoundIsWaitedForNoMore(t *testing.T) {
	w := newWaking(t)
	a, b := podNamed("a"), podNamed("b")
	there := map[string]bool{"uid-v": true, "uid-w": true, "uid-x": true}
	w.hints.isThere = func(object wire.Object) bool { return there[object.UID] }
	w.hints.planned(a, []wire.Object{victimNamed("v")}, nil)
	w.feed.plugin.fail(nil, wire.Order{ID: 3, Action: wire.Bind, Object: victimNamed("v"), Node: "n1"}, "the cluster does not show it")
	if took := w.took(); !slices.Equal(took, []string{"default/a"}) {
		t.Error("v was never bound, and", took, "are woken")
	}
	// w loses the node that it was to have, and stays in the queue; then x leaves.
	w.hints.planned(b, []wire.Object{victimNamed("w"), victimNamed("x")}, nil)
	if w.hints.worthAfter(b.UID, podNamed("w"), true) {
		t.Error("x has not left")
	}
	delete(there, "uid-x")
	if !w.hints.worthAfter(b.UID, podNamed("x"), false) {
		t.Error("w holds no room, and b waits for it")
	}
}

func TestACommandThatFailsGivesRoomUp(t *testing.T) {
	w := newWaking(t)
	a := podNamed("a")
	w.hints.also(a, wire.Again{After: []string{podUpserted}}, w.hints.now())
	w.feed.plugin.fail(nil, wire.Order{ID: 3, Action: wire.Nominate, Node: "n1"}, "the cluster does not show it")
	if took := w.took(); !slices.Equal(took, []string{"default/a"}) {
		t.Errorf("n1 is promised to nobody any more: %v", took)
	}
}

func TestAPodThatWaitsTimeAndAgainWakesOthersLessAndLess(t *testing.T) {
	w := newWaking(t)
	a, other, tries := podNamed("a"), podNamed("other"), 0
	w.refuse(a)
	for range 600 {
		w.hints.waits(other)
		w.hints.wakeDue()
		if len(w.took()) > 0 {
			tries++
			w.refuse(a)
		}
		w.now = w.now.Add(100 * time.Millisecond)
	}
	if tries > 17 {
		t.Error("in a minute it is tried", tries, "times")
	}
	w.now = w.now.Add(3 * longestPace)
	w.refuse(a)
	w.hints.waits(other)
	w.took()
	w.refuse(a)
	w.now = w.now.Add(permitPace)
	if w.hints.waits(podNamed("third")); !slices.Equal(w.took(), []string{"default/a"}) {
		t.Error("that another pod waits is news")
	}
}

func TestAPodThatWaitsForANodeIsNotWokenByOneThatTakesANode(t *testing.T) {
	w := newWaking(t)
	a := podNamed("a")
	w.hints.also(a, wire.Again{After: []string{podUpserted, podRemoved}}, w.hints.now())
	if w.hints.waits(podNamed("b")); w.took() != nil {
		t.Error("b takes a node")
	}
	if w.comes(podNamed("c")); w.took() == nil {
		t.Error("c may be of the gang of a, and smaller")
	}
}

func TestAPodThatWasReadIsNotToldAfterItsEnd(t *testing.T) {
	w := newWaking(t)
	a := podNamed("a")
	w.comes(a)
	object := wire.Object{Kind: "Pod", Namespace: "default", Name: "a", UID: string(a.UID)}
	read := a.DeepCopy()
	w.feed.seen(read, w.feed.known(object))
	if w.feed.known(object) != read {
		t.Error("nothing else was said of it")
	}
	known, newer := w.feed.known(object), a.DeepCopy()
	w.comes(newer)
	if w.feed.seen(read, known); w.feed.known(object) != newer {
		t.Error("it has changed since it was read")
	}
	known = w.feed.known(object)
	w.feed.gone(wire.Kind{Kind: "Pod"}, newer)
	if w.feed.seen(read, known); w.feed.known(object) != nil {
		t.Error("it is gone")
	}
	if w.feed.seen(read, nil); w.feed.known(object) != nil {
		t.Error("it may be gone")
	}
}

// locked is a kube-scheduler whose queue is locked while it asks what a change means.
type locked struct {
	fwk.Handle
	queue chan struct{}
	woken chan map[string]*v1.Pod
}

func (l *locked) Activate(_ klog.Logger, pods map[string]*v1.Pod) {
	l.queue <- struct{}{}
	<-l.queue
	l.woken <- pods
}

func TestAPodThatLeavesWakesOthersWhileTheQueueIsLocked(t *testing.T) {
	handle := &locked{queue: make(chan struct{}, 1), woken: make(chan map[string]*v1.Pod, 1)}
	p := newPlugin(t.Context(), Args{Claim: claimAll}, handle)
	p.hints.isThere = func(wire.Object) bool { return false }
	waits, left := podNamed("a"), podNamed("b")
	p.hints.refused(waits, wire.Again{After: []string{podRemoved}}, p.hints.now())
	left.Status.NominatedNodeName = "n1"
	p.feed.there(wire.Kind{Kind: "Pod"}, left)
	events, err := p.EventsToRegister(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// A pod that is nominated is deleted (deletePodFromSchedulingQueue). Where Activate is called here, this is a deadlock.
	handle.queue <- struct{}{}
	if _, err := events[0].QueueingHintFn(klog.Background(), podNamed("c"), left, nil); err != nil {
		t.Error(err)
	}
	<-handle.queue
	if woken := <-handle.woken; woken["default/a"] != waits {
		t.Errorf("%v", woken)
	}
}
