package judge

import (
	"runtime"
	"testing"
)

// gang makes a pod the first of an application with placeholders.
func gang(groups string) func(object) {
	return func(it object) {
		it["metadata"].(object)["annotations"] = object{taskGroups: groups, policyOfGroups: "gangSchedulingStyle=Hard"}
	}
}

func TestAPodIsTriedWhenThePlaceholdersOfItsApplicationArePlaced(t *testing.T) {
	two := gang(`[{"name":"w","minMember":2,"minResource":{"cpu":"1"}}]`)
	newWorld(queue("prod", 0, 0)).node("n1", 3).pod("ask", "prod", "", 1, two).expect(t, "ask", resultBound, "n1")
	newWorld(queue("prod", 0, 0)).node("n1", 2).pod("ask", "prod", "", 1, two).expect(t, "ask", resultNothing, "")
	// The queue has no room for both.
	w := newWorld(queue("prod", 0, 1)).node("n1", 9).pod("ask", "prod", "", 1, two)
	if answer := w.expect(t, "ask", resultNothing, ""); answer.Why != "placeholders of the application wait" {
		t.Error(answer.Why)
	}
	// No pod is evicted for placeholders.
	w = newWorld(queue("prod", 9, 0), queue("test", 0, 0)).node("n1", 2).pod("t1", "test", "n1", 1).pod("t2", "test", "n1", 1)
	w.pod("ask", "prod", "", 1, two).expect(t, "ask", resultNothing, "")
}

func TestAnApplicationThatRunsHasNoPlaceholders(t *testing.T) {
	two := gang(`[{"name":"w","minMember":2,"minResource":{"cpu":"1"}}]`)
	w := newWorld(queue("prod", 0, 0)).node("n1", 2).pod("p1", "prod", "n1", 1).pod("ask", "prod", "", 1, two)
	w.expect(t, "ask", resultBound, "n1")
	// Nor has one whose first pod names no groups, or none that the shim can read.
	w = newWorld(queue("prod", 0, 0)).node("n1", 1).pod("p1", "prod", "", 1).pod("ask", "prod", "", 1, two)
	w.expect(t, "ask", resultBound, "n1")
	newWorld(queue("prod", 0, 0)).node("n1", 1).pod("ask", "prod", "", 1, gang(`[{"name":"w"}]`)).expect(t, "ask", resultBound, "n1")
}

func TestNothingIsLeftOfACore(t *testing.T) {
	w := newWorld(queue("prod", 0, 0)).node("n1", 4).pod("ask", "prod", "", 1, gang(`[{"name":"w","minMember":2,"minResource":{"cpu":"1"}}]`))
	heap := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	const attempts = 200
	w.answer(t, "ask")
	before := heap()
	for range attempts {
		w.answer(t, "ask")
	}
	if after := heap(); after > before+attempts*4096 {
		t.Errorf("%d attempts leave %d bytes", attempts, after-before)
	}
}
