package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// full returns a full node of four vcores: test has four pods, and guarantees one. prod guarantees two, and ask is its pod.
func full() *world {
	return newWorld(queue("prod", 2, 0), queue("test", 1, 0)).node("n1", 4).
		pod("t1", "test", "n1", 1).pod("t2", "test", "n1", 1).pod("t3", "test", "n1", 1).pod("t4", "test", "n1", 1).
		pod("ask", "prod", "", 1)
}

func TestAPodIsBoundWhereThereIsRoom(t *testing.T) {
	w := newWorld(queue("prod", 2, 0)).node("n1", 4).node("n2", 2).node("n3", 1).
		pod("p1", "prod", "n2", 1).pod("ask", "prod", "", 2)
	answer := w.expect(t, "ask", resultBound, "n1")
	if !slices.Equal(answer.LegalNodes, []string{"n1"}) {
		t.Error(answer.LegalNodes)
	}
	if !maps.Equal(answer.Usage["root.prod"], Amounts{"vcore": 1000, "pods": 1}) || answer.Guaranteed["root.prod"]["vcore"] != 2000 {
		t.Error(answer.Usage, answer.Guaranteed)
	}
}

func TestTheYoungestPodOfAQueueOverItsGuaranteeIsEvicted(t *testing.T) {
	answer := full().expect(t, "ask", resultPreempts, "n1", "t4")
	if answer.Preemptable["root.test"]["vcore"] != 3000 {
		t.Error(answer.Preemptable)
	}
}

func TestPreemptionWaitsForItsDelay(t *testing.T) {
	w := full()
	w.now = 29.999
	w.expect(t, "ask", resultNothing, "")
	w.now = 30
	w.expect(t, "ask", resultPreempts, "n1", "t4")
	w = newWorld(queue("prod", 2, 0, "preemption.delay: 5s"), queue("test", 1, 0)).node("n1", 2).
		pod("t1", "test", "n1", 1).pod("t2", "test", "n1", 1).pod("ask", "prod", "", 1)
	w.now = 4
	w.expect(t, "ask", resultNothing, "")
	w.now = 5
	w.expect(t, "ask", resultPreempts, "n1", "t2")
}

func TestWhatTheCoreDoesNotPreemptFor(t *testing.T) {
	over := newWorld(queue("prod", 2, 0), queue("test", 1, 0)).node("n1", 4).
		pod("p1", "prod", "n1", 1).pod("p2", "prod", "n1", 1).pod("t1", "test", "n1", 1).pod("t2", "test", "n1", 1).pod("ask", "prod", "", 1)
	within := newWorld(queue("prod", 2, 0), queue("test", 4, 0)).node("n1", 1).pod("t1", "test", "n1", 1).pod("ask", "prod", "", 1)
	fenced := newWorld(queue("prod", 2, 0, "preemption.policy: fence"), queue("test", 0, 0)).node("n1", 1).
		pod("t1", "test", "n1", 1).pod("ask", "prod", "", 1)
	disabled := newWorld(queue("prod", 2, 0), queue("test", 0, 0, "preemption.policy: disabled")).node("n1", 1).
		pod("t1", "test", "n1", 1).pod("ask", "prod", "", 1)
	important := newWorld(queue("prod", 2, 0), queue("test", 0, 0)).node("n1", 1).
		pod("t1", "test", "n1", 1, set(5, "spec", "priority")).pod("ask", "prod", "", 1, set(4, "spec", "priority"))
	unwilling := newWorld(queue("prod", 2, 0), queue("test", 0, 0)).node("n1", 1).pod("t1", "test", "n1", 1).pod("ask", "prod", "", 1, never)
	own := newWorld(queue("prod", 2, 0)).node("n1", 1).pod("p1", "prod", "n1", 1).pod("ask", "prod", "", 1)
	foreign := newWorld(queue("prod", 2, 0)).node("n1", 1).
		pod("t1", "x", "n1", 1, set("default-scheduler", "spec", "schedulerName")).pod("ask", "prod", "", 1)
	switchedOff := withConfig("partitions:\n- name: default\n  preemption: {enabled: false}\n  queues:\n  - name: root\n    submitacl: '*'\n"+
		"    queues:\n    "+queue("prod", 2, 0)+"\n    "+queue("test", 0, 0)+"\n").node("n1", 1).
		pod("t1", "test", "n1", 1).pod("ask", "prod", "", 1)
	for what, w := range map[string]*world{
		"over its guarantee": over, "victims within their guarantee": within, "fenced": fenced, "disabled": disabled,
		"more important": important, "never": unwilling, "its own queue": own, "another scheduler": foreign, "switched off": switchedOff,
	} {
		t.Run(what, func(t *testing.T) { w.expect(t, "ask", resultNothing, "") })
	}
}

func TestPodsThatOptedOutAndOriginatorsGoLast(t *testing.T) {
	w := newWorld(queue("prod", 4, 0), queue("test", 0, 0)).node("n1", 3).
		pod("t1", "test", "n1", 1).pod("t2", "test", "n1", 1).pod("t3", "test", "n1", 1, optedOut).pod("ask", "prod", "", 1)
	w.expect(t, "ask", resultPreempts, "n1", "t2")
	// The class says the same of the youngest pod, which annotates nothing itself.
	w = newWorld(queue("prod", 4, 0), queue("test", 0, 0)).node("n1", 3).
		pod("t1", "test", "n1", 1).pod("t2", "test", "n1", 1).
		pod("t3", "test", "n1", 1, set("polite", "spec", "priorityClassName")).pod("ask", "prod", "", 1)
	w.objects = append(w.objects, object{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 0,
		"metadata": object{"name": "polite", "annotations": object{allowPreemption: "false"}}})
	w.expect(t, "ask", resultPreempts, "n1", "t2")
	// The first pod of an application is its originator, whichever that was.
	w = newWorld(queue("prod", 4, 0), queue("test", 0, 0)).node("n1", 2).
		pod("t1", "test", "n1", 1).pod("t2", "test", "n1", 1).pod("ask", "prod", "", 1)
	w.expect(t, "ask", resultPreempts, "n1", "t2")
	w.order = []string{"d/t2"}
	w.expect(t, "ask", resultPreempts, "n1", "t1")
	// No other pod becomes the originator when that one is gone, so that the youngest goes.
	w.withoutOriginator = []string{"app-test"}
	w.expect(t, "ask", resultPreempts, "n1", "t2")
	// Between nodes, one with an ordinary pod is better than one with an originator.
	w = newWorld(queue("prod", 4, 0), queue("test", 0, 0)).node("n1", 1).node("n2", 1).
		pod("t1", "test", "n1", 1).pod("t2", "test", "n2", 1).pod("ask", "prod", "", 1)
	w.expect(t, "ask", resultPreempts, "n2", "t2")
}

func TestAFullParentKeepsTheSearchInside(t *testing.T) {
	parent := "- name: a\n      resources: {max: {vcore: 2}}\n      queues:\n" +
		"      - {name: x, resources: {guaranteed: {vcore: 1}}}\n      - {name: y}"
	w := newWorld(parent, queue("b", 0, 0)).node("n1", 4).
		pod("y1", "a.y", "n1", 1).pod("y2", "a.y", "n1", 1).pod("b1", "b", "n1", 1).pod("b2", "b", "n1", 1).pod("ask", "a.x", "", 1)
	w.expect(t, "ask", resultPreempts, "n1", "y2")
}

func TestADaemonSetPodPreemptsOnItsNode(t *testing.T) {
	w := newWorld(queue("agents", 0, 0), queue("test", 9, 0)).node("n1", 2).node("n2", 4).
		pod("t0", "test", "n2", 1).pod("t1", "test", "n1", 1).pod("t2", "test", "n1", 1).pod("ask", "agents", "", 1, ofDaemonSet("n1"))
	w.now = 0
	w.expect(t, "ask", resultPreempts, "n1", "t2")
	// Not from pods of DaemonSets, and not from more important ones: its node is reserved all the same.
	w = newWorld(queue("agents", 0, 0), queue("test", 9, 0)).node("n1", 2).node("n2", 4).
		pod("t1", "test", "n1", 1, ofDaemonSet("n1")).pod("t2", "test", "n1", 1, set(1, "spec", "priority")).
		pod("ask", "agents", "", 1, ofDaemonSet("n1"))
	w.expect(t, "ask", resultReserves, "n1")
	// In a full cluster it does not get as far as its node.
	w = newWorld(queue("agents", 0, 0), queue("test", 0, 0)).node("n1", 1).
		pod("t1", "test", "n1", 1).pod("ask", "agents", "", 1, ofDaemonSet("n1"))
	w.expect(t, "ask", resultNothing, "")
	// A node that is not there.
	w = newWorld(queue("agents", 0, 0)).node("n1", 1).pod("ask", "agents", "", 1, ofDaemonSet("n2"))
	w.expect(t, "ask", resultNothing, "")
}

func TestReservations(t *testing.T) {
	nominated := set("n1", "status", "nominatedNodeName")
	// n1 has room, but for another pod.
	w := newWorld(queue("prod", 2, 0), queue("test", 0, 0)).node("n1", 2).node("n2", 1).
		pod("t1", "test", "n2", 1).pod("holder", "prod", "", 1, nominated).pod("ask", "prod", "", 1)
	w.expect(t, "ask", resultPreempts, "n2", "t1")
	w.expect(t, "holder", resultBound, "n1")
	// The core preempts once for a pod.
	w = newWorld(queue("prod", 2, 0), queue("test", 0, 0)).node("n1", 1).pod("t1", "test", "n1", 1).pod("ask", "prod", "", 1, nominated)
	w.expect(t, "ask", resultNothing, "")
	w.arguments["retry"] = true
	w.expect(t, "ask", resultPreempts, "n1", "t1")
	// It keeps a node for one pod.
	w = newWorld(queue("prod", 2, 0)).node("n1", 2).pod("h1", "prod", "", 1, nominated).pod("h2", "prod", "", 1, nominated).pod("ask", "prod", "", 1)
	if answer := w.expect(t, "ask", resultNothing, ""); !slices.Equal(answer.Unreserved, []string{"d/h2"}) {
		t.Error(answer.Unreserved)
	}
	// A DaemonSet pod takes the place of the holder.
	w = newWorld(queue("prod", 2, 0), queue("agents", 0, 0)).node("n1", 2).
		pod("holder", "prod", "", 1, nominated).pod("ask", "agents", "", 2, ofDaemonSet("n1"))
	w.expect(t, "ask", resultBound, "n1")
}

func TestAnAskReservesWithoutPreemptionWhereThatIsOn(t *testing.T) {
	w := newWorld(queue("prod", 0, 0)).node("n1", 2).node("n2", 3).pod("p1", "prod", "n1", 1).pod("p2", "prod", "n2", 1).pod("p3", "prod", "n2", 1).
		pod("ask", "prod", "", 2)
	w.expect(t, "ask", resultNothing, "")
	w.arguments["reserve"] = true
	if answer := w.answer(t, "ask"); answer.Result != resultReserves {
		t.Errorf("%+v", answer)
	}
	w.now = 2
	w.expect(t, "ask", resultNothing, "")
}

func TestPodsThatLeaveAreNoVictims(t *testing.T) {
	w := newWorld(queue("prod", 2, 0), queue("test", 0, 0)).node("n1", 2).
		pod("t1", "test", "n1", 1).pod("t2", "test", "n1", 1, isLeaving).pod("ask", "prod", "", 1)
	w.expect(t, "ask", resultPreempts, "n1", "t1")
	w = newWorld(queue("prod", 2, 0), queue("test", 0, 0)).node("n1", 1).pod("t1", "test", "n1", 1, isLeaving).pod("ask", "prod", "", 1)
	w.expect(t, "ask", resultNothing, "")
}

func TestAPodWithoutAQueueIsRefused(t *testing.T) {
	w := newWorld(queue("prod", 2, 0)).node("n1", 2).pod("ask", "nowhere", "", 1)
	if answer := w.expect(t, "ask", resultRefused, ""); answer.Why == "" {
		t.Error("it does not say why")
	}
	w = newWorld(queue("prod", 2, 0)).node("n1", 2).pod("ask", "prod", "", 1, set([]any{object{"name": "g"}}, "spec", "schedulingGates"))
	w.expect(t, "ask", resultNothing, "")
}

func TestWithoutQueuesEachNamespaceHasOne(t *testing.T) {
	w := newWorld().node("n1", 1).pod("ask", "prod", "", 1)
	w.objects = w.objects[1:]
	w.expect(t, "ask", resultBound, "n1")
}

func TestNodesAreFiltered(t *testing.T) {
	w := newWorld(queue("prod", 2, 0)).
		node("n1", 1, set([]any{object{"key": "k", "value": "v", "effect": "NoSchedule"}}, "spec", "taints")).
		node("n2", 1, set(true, "spec", "unschedulable")).node("n3", 1, set(object{"zone": "a"}, "metadata", "labels")).node("n4", 1).
		pod("ask", "prod", "", 1, set(object{"zone": "a"}, "spec", "nodeSelector"))
	w.expect(t, "ask", resultBound, "n3")
	w = newWorld(queue("prod", 2, 0), queue("test", 0, 0)).
		node("n1", 1, set([]any{object{"key": "k", "value": "v", "effect": "NoSchedule"}}, "spec", "taints")).node("n2", 1).
		pod("t0", "test", "n2", 1).pod("t1", "test", "n1", 1).pod("ask", "prod", "", 1)
	w.expect(t, "ask", resultPreempts, "n2", "t0")
}

func TestQueuesGiveBackWhatIsOverTheirMaximum(t *testing.T) {
	text := "partitions:\n- name: default\n  preemption: {quotapreemptionenabled: %v}\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n    " +
		queue("a", 0, 2, "quota.preemption.delay: 1h") + "\n    " + queue("b", 0, 1) + "\n"
	fill := func(w *world) *world {
		return w.node("n1", 9).pod("a1", "a", "n1", 1).pod("a2", "a", "n1", 1).pod("a3", "a", "n1", 1).pod("a4", "a", "n1", 1, set(1, "spec", "priority")).
			pod("b1", "b", "n1", 1).pod("b2", "b", "n1", 1)
	}
	// The core takes originators first, which is a known mistake of it.
	fill(withConfig(fmt.Sprintf(text, true))).expect(t, "", resultPreempts, "", "a1", "a2")
	fill(withConfig(fmt.Sprintf(text, false))).expect(t, "", resultNothing, "")
}

func TestWhatIsNotJudgedIsSaid(t *testing.T) {
	anti := object{"podAntiAffinity": object{"requiredDuringSchedulingIgnoredDuringExecution": []any{object{"topologyKey": "h"}}}}
	answer := full().pod("x", "prod", "", 1, set(anti, "spec", "affinity")).answer(t, "x")
	if answer.NotJudged != "required pod anti-affinity" || answer.Result != "" {
		t.Errorf("%+v", answer)
	}
}

func TestPodsAreDescribedAsTheCoreReadsThem(t *testing.T) {
	w := full().pod("agent", "test", "", 1, ofDaemonSet("n1"), optedOut)
	pods := w.answer(t, "ask").Pods
	if first := pods["d/t1"]; first.Queue != "root.test" || !first.IsOriginator || first.Uses["vcore"] != 1000 || first.OptedOut {
		t.Errorf("%+v", first)
	}
	if agent := pods["d/agent"]; agent.Required != "n1" || !agent.OptedOut || agent.IsOriginator {
		t.Errorf("%+v", agent)
	}
}

func TestWhatCannotBeAnsweredIsAnError(t *testing.T) {
	bad := full()
	bad.objects = append(bad.objects, object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": 5}})
	lines := []string{
		`{"id":1,"now":"1970-01-01T00:01:03Z","pod":"d/x","objects":[]}`,
		`{"id":2,`,
		`{"id":3,"now":"1970-01-01T00:01:03Z","what":1}`,
		full().line("t1"),
		bad.line("ask"),
		withConfig("partitions: [{nme: x}]").node("n1", 1).pod("ask", "prod", "", 1).line("ask"),
	}
	for at, answer := range serve(t, lines...) {
		if !strings.Contains(answer, `"error":`) {
			t.Error(at, answer)
		}
	}
	if after := serve(t, lines[1], full().line("ask"))[1]; !strings.HasPrefix(after, `{"id":7,"result":"preempts"`) {
		t.Error(after)
	}
}
