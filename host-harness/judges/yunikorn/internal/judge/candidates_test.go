package judge

import (
	"slices"
	"testing"
)

func (w *world) candidates(t *testing.T, names ...string) {
	t.Helper()
	w.arguments["candidates"] = true
	answer := w.answer(t, "ask")
	for at := range names {
		names[at] = "d/" + names[at]
	}
	if answer.Error != "" || !slices.Equal(answer.Candidates, names) {
		t.Errorf("%s %v; expected %v", answer.Error, answer.Candidates, names)
	}
}

func TestCandidatesAreThePodsThatTheCoreMayEvict(t *testing.T) {
	// None of them makes the room alone, and each is larger than the rest of the guarantee.
	w := newWorld(queue("prod", 2, 0), queue("test", 1, 0), queue("held", 9, 0), queue("off", 0, 0, "preemption.policy: disabled")).node("n1", 16).
		pod("p1", "prod", "n1", 1).pod("t1", "test", "n1", 4).pod("t2", "test", "n1", 3, set(9, "spec", "priority")).
		pod("t3", "test", "n1", 3, isLeaving).pod("h1", "held", "n1", 1).pod("o1", "off", "n1", 1).
		pod("x1", "test", "n1", 1, set("other", "spec", "schedulerName")).pod("t4", "test", "n1", 2).pod("ask", "prod", "", 8)
	if answer := w.answer(t, "ask"); answer.Result != resultNothing || answer.Candidates != nil {
		t.Error(answer)
	}
	w.candidates(t, "t1", "t4")
}

func TestCandidatesOfAFullParentAreInside(t *testing.T) {
	parent := "- name: a\n      resources: {max: {vcore: 2}}\n      queues:\n" +
		"      - {name: x, resources: {guaranteed: {vcore: 1}}}\n      - {name: y}"
	newWorld(parent, queue("b", 0, 0)).node("n1", 4).pod("y1", "a.y", "n1", 1).pod("y2", "a.y", "n1", 1).
		pod("b1", "b", "n1", 1).pod("b2", "b", "n1", 1).pod("ask", "a.x", "", 1).candidates(t, "y1", "y2")
}

func TestCandidatesOfADaemonSetPodInAFullCluster(t *testing.T) {
	w := newWorld(queue("agents", 0, 1), queue("test", 9, 0)).node("n1", 2).node("n2", 1).pod("a1", "agents", "n1", 1).
		pod("t1", "test", "n1", 1).pod("t2", "test", "n2", 1).pod("ask", "agents", "", 1, ofDaemonSet("n1"))
	w.expect(t, "ask", resultNothing, "")
	w.candidates(t, "a1", "t1")
}

func TestNoPodIsACandidateWherePreemptionIsOff(t *testing.T) {
	w := withConfig("partitions:\n- name: default\n  preemption: {enabled: false}\n  queues:\n  - name: root\n    submitacl: '*'\n"+
		"    queues:\n    "+queue("prod", 2, 0)+"\n    "+queue("test", 0, 0)+"\n").node("n1", 1).
		pod("t1", "test", "n1", 1).pod("ask", "prod", "", 1)
	w.candidates(t)
	full().pod("late", "prod", "", 1, never).candidates(t, "t1", "t2", "t3", "t4")
}
