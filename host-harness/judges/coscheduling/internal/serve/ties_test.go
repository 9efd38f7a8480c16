package serve

import (
	"reflect"
	"testing"

	"lictor.dev/judges/kube/answers"
)

func TestEqualVictims(t *testing.T) {
	objects := func(first, second string) []object {
		return []object{node("n1", "2"), quota("a", "1", "2"), quota("b", "1", "2"),
			running(first, "n1", 0, "1").in("b"), running(second, "n1", 0, "1").in("b"), pod("p", 0, "1").in("a")}
	}
	it := ask(t, asking("a/p", objects("r", "s")...))
	if got := verdict(it); got != "over all min, n1[b/s]0, best n1" {
		t.Fatalf("got %s", got)
	}
	want := []answers.Set{{Victims: []string{"b/r"}, Possible: true}}
	if got := it.Plans[0]; !reflect.DeepEqual(got.Alternatives, want) || got.Uncertain || it.PostFilter != nil {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for name, request := range map[string]object{
		"objects": asking("a/p", objects("s", "r")...),
		"request": asking("a/p", objects("r", "s")...).with("order", []string{"b/s", "b/none", "b/r"}),
	} {
		if got := verdict(ask(t, request)); got != "over all min, n1[b/r]0, best n1" {
			t.Errorf("the order of the %s decides: got %s", name, got)
		}
	}
}

// CapacityScheduling takes pods of b while b is over its minimum of 3 cpus: s, so that r stays, or r, so that s stays, which leaves no room
// for p.
func TestTheOrderOfEqualsDecidesWhetherThereIsAPlan(t *testing.T) {
	objects := []object{node("n1", "4"), node("n2", "1"), quota("a", "4", ""), quota("b", "3", ""), group("g", 2).in("a"),
		running("r", "n1", 0, "1").in("b"), running("s", "n1", 0, "3").in("b"),
		pod("p", 0, "3").in("a").of("g"), pod("q", 0, "1").in("a").of("g")}
	it := ask(t, asking("a/p", objects...).with("waiting", object{"a/q": "n2"}))
	if got := verdict(it); got != "over all min, n1[b/s]0, best n1, rejects a/q" {
		t.Errorf("got %s", got)
	}
	if !it.Plans[0].Uncertain || !it.Plans[0].Possible || len(it.OtherPlans) > 0 {
		t.Errorf("got %+v, %+v", it.Plans, it.OtherPlans)
	}
	it = ask(t, asking("a/p", objects...).with("waiting", object{"a/q": "n2"}, "order", []string{"b/s"}))
	if got := verdict(it); got != "over all min, rejects a/q" {
		t.Errorf("got %s", got)
	}
	want := answers.Set{Victims: []string{"b/s"}, Possible: true}
	if other := it.OtherPlans; len(other) != 1 || !reflect.DeepEqual(other[0].Set, want) || it.DryRun["n1"] != "Insufficient cpu" {
		t.Errorf("got %+v, %v", it.OtherPlans, it.DryRun)
	}
}

// A plan is impossible where another node has a better one under every order.
func TestPossible(t *testing.T) {
	it := ask(t, asking("p", node("n1", "2"), node("n2", "2"),
		running("a", "n1", 0, "1"), running("b", "n1", 0, "1"), running("c", "n2", 1, "2"), pod("p", 5, "1")))
	if got := verdict(it); got != "n1[a]0, n2[c]0, best n1" {
		t.Fatalf("got %s", got)
	}
	if plan := it.Plans[0]; !plan.Possible || len(plan.Alternatives) != 1 || !plan.Alternatives[0].Possible || it.Plans[1].Possible {
		t.Errorf("got %+v", it.Plans)
	}
}
