package serve

import (
	"reflect"
	"strings"
	"testing"

	"lictor.dev/judges/kube/objects"
)

// group is a gang of so many pods; a mode is the disruption mode.
func group(name string, priority, count int, mode string) object {
	return object{
		"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": object{"name": name},
		"spec": object{"priority": priority, "schedulingPolicy": object{"gang": object{"minCount": count}}, "disruptionMode": object{mode: object{}}},
	}
}

func (o object) of(group string) object {
	return o.with("spec.schedulingGroup", object{"podGroupName": group})
}

func TestGroupFits(t *testing.T) {
	it := ask(t, "p", node("n1", "2"), node("n2", "2"), group("g", 5, 2, "single"), pod("p", 5, "2").of("g"), pod("q", 5, "2").of("g"), pod("x", 9, "2"))
	if it.Group == nil || len(it.Group.Outcomes) != 2 {
		t.Fatalf("both orders of the nodes are possible: got %+v", it.Group.Outcomes[0])
	}
	for _, outcome := range it.Group.Outcomes {
		if outcome.Placed["default/p"] == outcome.Placed["default/q"] || len(outcome.Placed) != 2 || len(outcome.Victims)+len(outcome.Refused) != 0 {
			t.Errorf("got %+v", outcome)
		}
	}
}

func TestGroupIsPlacedAsAWhole(t *testing.T) {
	it := ask(t, "p", node("n1", "2"), group("g", 5, 2, "single"), pod("p", 5, "2").of("g"), pod("q", 5, "2").of("g"))
	if it.Group == nil || len(it.Group.Outcomes) != 1 {
		t.Fatalf("got %+v", it)
	}
	if got := it.Group.Outcomes[0]; len(got.Placed) != 0 || len(got.Refused) != 2 || len(got.Nominated) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestGroupPreempts(t *testing.T) {
	objects := []object{
		node("n1", "2"), node("n2", "2"), group("g", 5, 2, "single"), running("r", "n1", 0, "1"), running("s", "n2", 3, "1"), running("k", "n2", 1, "1"),
		pod("p", 5, "2").of("g"), pod("q", 5, "1").of("g"),
	}
	it := ask(t, "p", objects...)
	if it.Group == nil {
		t.Fatalf("got %+v", it)
	}
	for _, outcome := range it.Group.Outcomes {
		if len(outcome.Nominated) != 2 || len(outcome.Placed) != 0 || len(outcome.Victims) == 0 {
			t.Errorf("got %+v", outcome)
		}
	}
	objects[2]["spec"].(object)["preemptionPolicy"] = "Never"
	for _, it := range objects[6:] {
		it.with("spec.preemptionPolicy", "Never")
	}
	for _, outcome := range ask(t, "p", objects...).Group.Outcomes {
		if len(outcome.Nominated)+len(outcome.Placed)+len(outcome.Victims) != 0 {
			t.Errorf("got %+v", outcome)
		}
	}
}

func TestGroupIsGated(t *testing.T) {
	alone := pod("p", 5, "1").of("g")
	if got := verdict(ask(t, "p", node("n1", "2"), group("g", 5, 2, "single"), alone)); got != "untried: its group is gated by GangScheduling" {
		t.Errorf("got %s", got)
	}
	if got := verdict(ask(t, "p", node("n1", "2"), alone)); got != "untried: its PodGroup is absent" {
		t.Errorf("got %s", got)
	}
	// A bound member counts.
	it := ask(t, "p", node("n1", "2"), group("g", 5, 2, "single"), running("r", "n1", 5, "1").of("g"), alone)
	if it.Group == nil || it.Group.Outcomes[0].Placed["default/p"] != "n1" {
		t.Errorf("got %+v", it)
	}
}

func TestGroupIsEvicted(t *testing.T) {
	for mode, want := range map[string]string{
		"single": "plans: n1[r]0 n2[s]0 best: n1 n2",
		"all":    "plans: n1[r s]0 n2[r s]0 best: n1 n2",
	} {
		it := ask(t, "p", node("n1", "2"), node("n2", "2"), group("g", 1, 2, mode), running("r", "n1", 1, "2").of("g"), running("s", "n2", 1, "2").of("g"), pod("p", 5, "2"))
		if got := verdict(it); got != want {
			t.Errorf("%s: got %s, want %s", mode, got, want)
		}
	}
}

// The gate of PodGroups does not stay on, and the outcomes are the same each time.
func TestGroupsLeaveNoState(t *testing.T) {
	alone := line(t, "p", node("n1", "2"), node("n2", "2"), running("r", "n1", 0, "2"), running("s", "n2", 0, "2"), pod("p", 5, "1"))
	gang := line(t, "p", node("n1", "2"), node("n2", "2"), group("g", 5, 2, "single"), running("r", "n1", 0, "2"), running("s", "n2", 0, "1"),
		budget("b1", "r", 0), budget("b2", "s", 1), pod("p", 5, "1").of("g"), pod("q", 5, "1").of("g"))
	first := objects.Answers(t, Answer, alone, gang)
	for range 20 {
		if got := objects.Answers(t, Answer, gang, alone, gang, alone); !reflect.DeepEqual(got, []string{first[1], first[0], first[1], first[0]}) {
			t.Fatalf("got  %s\nwant %s", strings.Join(got, "\n"), strings.Join(first, "\n"))
		}
	}
}
