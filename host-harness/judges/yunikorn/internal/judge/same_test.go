package judge

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
)

// ties returns a cluster whose nodes, and whose pods of each node, are equal.
func ties() *world {
	w := newWorld(queue("prod", 9, 0), queue("a", 0, 0), queue("b", 0, 0))
	for node := range 12 {
		name := fmt.Sprintf("n%02d", node)
		w.node(name, 4)
		for pod := range 4 {
			w.pod(fmt.Sprintf("%s-%d", name, pod), []string{"a", "b"}[pod%2], name, 1, createdAt(0))
		}
	}
	return w.pod("ask", "prod", "", 1)
}

func TestTheSameRequestHasTheSameAnswer(t *testing.T) {
	a, b := ties().line("ask"), full().line("ask")
	want := serve(t, a, b)
	for range 40 {
		if got := serve(t, a, b); !slices.Equal(got, want) {
			t.Fatal(got, want)
		}
	}
}

func TestNothingIsLeftBetweenRequests(t *testing.T) {
	limited := withConfig("partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    limits:\n" +
		"    - {limit: all, users: ['*'], maxresources: {vcore: 1}}\n    queues:\n    " + queue("prod", 0, 0) + "\n")
	limited.node("n1", 4).pod("p1", "prod", "n1", 1).pod("ask", "prod", "", 1)
	daemon := newWorld(queue("agents", 0, 0), queue("test", 9, 0)).node("n1", 2).node("n2", 4).
		pod("t1", "test", "n1", 2).pod("ask", "agents", "", 1, ofDaemonSet("n1"))
	reserving := full()
	reserving.arguments["reserve"] = true
	lines := []string{full().line("ask"), limited.line("ask"), daemon.line("ask"), reserving.line("ask"), ties().line("ask")}
	alone := make([]string, len(lines))
	for at, line := range lines {
		alone[at] = serve(t, line)[0]
	}
	for _, a := range lines {
		for _, b := range lines {
			answers := serve(t, a, b, a)
			if answers[0] != answers[2] || answers[0] != alone[slices.Index(lines, a)] || answers[1] != alone[slices.Index(lines, b)] {
				t.Error(answers)
			}
		}
	}
}

func TestAlternativesAreWhatAnotherOrderOfEqualsGives(t *testing.T) {
	w := ties()
	w.expect(t, "ask", resultPreempts, "n00", "n00-2")
	w.arguments["alternatives"] = 3
	answer := w.answer(t, "ask")
	if len(answer.Alternatives) != 3 || answer.Alternatives[0].Node != "n11" || !slices.Equal(answer.Alternatives[0].Victims, []string{"d/n11-3"}) {
		t.Errorf("%+v", answer.Alternatives)
	}
	w = full()
	w.arguments["alternatives"] = 3
	if answer := w.answer(t, "ask"); len(answer.Alternatives) != 0 {
		t.Errorf("%+v", answer.Alternatives)
	}
}

func BenchmarkSmall(b *testing.B) { bench(b, full()) }

func BenchmarkTwelveNodes(b *testing.B) { bench(b, ties()) }

func bench(b *testing.B, w *world) {
	line := []byte(w.line("ask"))
	for b.Loop() {
		if _, err := AnswerLine(line); err != nil {
			b.Fatal(err)
		}
	}
}

func TestNoGoroutineIsLeft(t *testing.T) {
	line := ties().line("ask")
	serve(t, line)
	before := runtime.NumGoroutine()
	for range 50 {
		serve(t, line)
	}
	// The last one of the core may be about to end.
	if after := runtime.NumGoroutine(); after > before+1 {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}

func TestQueuesAlwaysGiveBackTheSamePods(t *testing.T) {
	w := withConfig("partitions:\n- name: default\n  preemption: {quotapreemptionenabled: true}\n  queues:\n  - name: root\n    submitacl: '*'\n"+
		"    queues:\n    - name: p\n      resources: {max: {vcore: 4}}\n      properties: {quota.preemption.delay: 1s}\n      queues:\n"+
		"      - {name: x}\n      - {name: y}\n").node("n1", 20)
	for number := range 6 {
		w.pod(fmt.Sprint("x", number), "p.x", "n1", 1, createdAt(0)).pod(fmt.Sprint("y", number), "p.y", "n1", 1, createdAt(0))
	}
	// Each child gives half of eight: the originators, and three of five that are equal.
	want := w.expect(t, "", resultPreempts, "", "x0", "x1", "x2", "x3", "y0", "y1", "y2", "y3")
	for range 30 {
		if got := w.answer(t, ""); !slices.Equal(got.Victims, want.Victims) {
			t.Fatal(got.Victims)
		}
	}
}
