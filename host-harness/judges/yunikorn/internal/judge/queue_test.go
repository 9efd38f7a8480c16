package judge

import (
	"slices"
	"testing"
)

func (w *world) queues(t *testing.T, expected ...[]string) {
	t.Helper()
	w.arguments["queue"] = true
	answer := w.answer(t, "")
	if answer.Error != "" || len(answer.Queues) != len(expected) {
		t.Fatalf("%s %v; expected %v", answer.Error, answer.Queues, expected)
	}
	for _, order := range expected {
		keys := make([]string, len(order))
		for at, name := range order {
			keys[at] = "d/" + name
		}
		if !slices.ContainsFunc(answer.Queues, func(other []string) bool { return slices.Equal(other, keys) }) {
			t.Errorf("%v; expected %v", answer.Queues, keys)
		}
	}
}

func TestTheQueueWithTheSmallerShareOfItsGuaranteeComesFirst(t *testing.T) {
	w := newWorld(queue("a", 4, 0), queue("b", 8, 0)).node("n1", 20).pod("a1", "a", "n1", 3).pod("b1", "b", "n1", 2).
		pod("a2", "a", "", 1).pod("b2", "b", "", 1)
	w.queues(t, []string{"b2", "a2"})
	w.pod("a3", "a", "", 1, set(5, "spec", "priority")).queues(t, []string{"a3", "a2", "b2"})
}

func TestEqualQueuesComeInAnyOrder(t *testing.T) {
	w := newWorld(queue("a", 4, 0), queue("b", 4, 0)).node("n1", 20).pod("a1", "a", "", 1).pod("b1", "b", "", 1)
	w.queues(t, []string{"a1", "b1"}, []string{"b1", "a1"})
}

func TestPodsThatAreNotTriedHaveNoPlace(t *testing.T) {
	w := newWorld(queue("a", 4, 0)).node("n1", 20).pod("a1", "a", "", 1).
		pod("a2", "a", "", 1, set("n1", "status", "nominatedNodeName")).
		pod("a3", "a", "", 1, set([]any{object{"name": "g"}}, "spec", "schedulingGates")).
		pod("a4", "a", "", 1, set("other", "spec", "schedulerName")).pod("a5", "a", "", 1, isLeaving).
		pod("a6", "a", "n1", 1).pod("a7", "a", "", 1)
	w.queues(t, []string{"a1", "a7"})
}
