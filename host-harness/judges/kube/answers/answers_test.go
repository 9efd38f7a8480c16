package answers

import (
	"reflect"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

func pod(name string, priority int32) *v1.Pod {
	start := metav1.NewTime(time.Unix(60, 0))
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name}, Spec: v1.PodSpec{Priority: &priority}, Status: v1.PodStatus{StartTime: &start},
	}
}

func set(violations int64, pods ...*v1.Pod) Set {
	return NewSet(&extenderv1.Victims{Pods: pods, NumPDBViolations: violations})
}

// Plans are sorted by node, and the best of them tie: fewer violations, then a lower highest priority, then a lower sum.
func TestBest(t *testing.T) {
	plans := []Plan{
		{Node: "n4", Set: set(0, pod("p", 1))}, {Node: "n2", Set: set(0, pod("q", 1))}, {Node: "n1", Set: set(1, pod("r", 0))},
		{Node: "n3", Set: set(0, pod("s", 1), pod("t", 0))},
	}
	if got := Best(plans); !reflect.DeepEqual(got, []string{"n2", "n4"}) {
		t.Errorf("got %v", got)
	}
	if got := Best(nil); got == nil || len(got) > 0 {
		t.Errorf("got %v", got)
	}
	if plans[0].Node != "n1" {
		t.Errorf("the first plan is on %s", plans[0].Node)
	}
}

// A set is possible where it is no worse than the worst of each other node, except of a node that may have no plan.
func TestMarkPossible(t *testing.T) {
	plans := []Plan{
		{Node: "n1", Set: set(0, pod("p", 1)), Alternatives: []Set{set(0, pod("q", 4))}},
		{Node: "n2", Set: set(0, pod("r", 3)), Alternatives: []Set{set(0, pod("s", 5))}},
	}
	uncertain := []Plan{{Node: "n3", Set: set(0, pod("t", 0)), Uncertain: true}}
	MarkPossible(plans, uncertain)
	got := []bool{plans[0].Possible, plans[0].Alternatives[0].Possible, plans[1].Possible, plans[1].Alternatives[0].Possible, uncertain[0].Possible}
	if want := []bool{true, true, true, false, true}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestAlternativesAreThereOnce(t *testing.T) {
	plan := Plan{Set: set(0, pod("p", 0))}
	for _, name := range []string{"r", "p", "q", "r"} {
		plan.Add(set(0, pod(name, 0)), plan.Set)
	}
	plan.Sort()
	if len(plan.Alternatives) != 2 || plan.Alternatives[0].Victims[0] != "a/q" || plan.Alternatives[1].Victims[0] != "a/r" {
		t.Errorf("got %v", plan.Alternatives)
	}
}

func TestCleared(t *testing.T) {
	nominated := []*v1.Pod{pod("q", 1), pod("p", 1), pod("r", 2)}
	got := Cleared(pod("by", 2), nominated, func(it *v1.Pod) *v1.Pod { return it })
	if !reflect.DeepEqual(got, []string{"a/p", "a/q"}) {
		t.Errorf("got %v", got)
	}
}

// What a scheduler chooses is checked against the nodes that were found.
func TestIsNominated(t *testing.T) {
	for name, it := range map[string]struct {
		nominated, chosen string
		count             int
		is, fails         bool
	}{
		"none":                {"", "n1", 2, false, false},
		"chosen":              {"n2", "n2", 1, true, false},
		"another is chosen":   {"n2", "n1", 1, true, true},
		"not feasible":        {"", "n3", 2, false, true},
		"another count":       {"", "n1", 1, false, true},
		"nominated, but full": {"n3", "n1", 2, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			of := pod("p", 0)
			of.Status.NominatedNodeName = it.nominated
			if is, err := IsNominated(of, []string{"n1", "n2"}, it.chosen, it.count); is != it.is || (err != nil) != it.fails {
				t.Errorf("got %v and %v", is, err)
			}
		})
	}
}
