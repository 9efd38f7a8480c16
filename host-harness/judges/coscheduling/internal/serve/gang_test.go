package serve

import (
	"fmt"
	"reflect"
	"testing"

	"lictor.dev/judges/coscheduling/internal/upstream"
)

// What pkg/coscheduling/README.md and kep/42-podgroup-coscheduling of scheduler-plugins say of PodGroups, and where the code differs.
func TestGangs(t *testing.T) {
	small := []object{node("n1", "2"), group("g", 3), member("a"), member("b"), member("c")}
	leaving := object{"name": "a", "labels": object{"scheduling.x-k8s.io/pod-group": "g"}, "deletionTimestamp": "1970-01-01T00:01:00Z"}
	verdicts(t, map[string]expected{
		"the first pod waits":   {"wait: n1", asking("a", small...)},
		"the second waits, too": {"wait: n1", asking("b", small...).holding("a", "n1")},
		"a pod that finds no node rejects those at Permit": {
			"rejects a b",
			asking("c", small...).holding("a", "n1", "b", "n1"),
		},
		"the last pod lets all go": {
			"bind: n2 allows a b",
			asking("c", append(small, node("n2", "1"))...).holding("a", "n1", "b", "n1"),
		},
		"bound pods count": {"bind: n1", asking("b", node("n1", "2"), group("g", 2), bound("a"), member("b"))},
		"pods that are leaving count": {
			"bind: n1",
			asking("b", node("n1", "2"), group("g", 2), running("a", "n1", 0, "1").with("metadata", leaving), member("b")),
		},
		"pods that have ended do not": {
			short,
			asking("b", node("n1", "2"), group("g", 2), bound("a").with("status.phase", "Succeeded"), member("b")),
		},
		"too few pods": {short, asking("a", node("n1", "2"), group("g", 2), member("a"))},
		"too few pods, and those at Permit are rejected": {
			short + ", rejects a",
			asking("b", node("n1", "2"), group("g", 3), member("a"), member("b")).holding("a", "n1"),
		},
		"a pod of the other namespace is no member": {
			short,
			asking("a", node("n1", "2"), group("g", 2), member("a"), member("b").in("x")),
		},
		"a minimum of one":                        {"bind: n1", asking("a", node("n1", "2"), group("g", 1), member("a"))},
		"more than the minimum":                   {"bind: n1", asking("c", node("n1", "4"), group("g", 2), bound("a"), bound("b"), member("c"))},
		"a missing PodGroup is refused at Permit": {"refuse: n1", asking("a", node("n1", "2"), member("a"))},
		"a missing PodGroup evicts before": {
			"n1[r]0, best n1",
			asking("a", node("n1", "2"), running("r", "n1", 0, "2"), pod("a", 5, "1").of("g")),
		},
		"others at Permit stay there": {
			"bind: n1",
			asking("p", node("n1", "4"), group("g", 2), member("a"), member("b"), pod("p", 0, "1")).holding("a", "n1"),
		},
		"a pod at Permit holds its room": {
			"",
			asking("p", node("n1", "2"), group("g", 2), member("a"), member("b"), pod("p", 0, "2")).holding("a", "n1"),
		},
		"a pod at Permit is a victim": {
			"n1[a]0, best n1",
			asking("p", node("n1", "2"), group("g", 2), member("a"), member("b"), pod("p", 5, "2")).holding("a", "n1"),
		},
		"a gang evicts pod by pod": {
			"n1[r]0, best n1",
			asking("a", node("n1", "1"), group("g", 2), running("r", "n1", 0, "1"), pod("a", 5, "1").of("g"), pod("b", 5, "1").of("g")),
		},
		"a full gang rejects nobody": {"", asking("c", node("n1", "2"), group("g", 2), bound("a"), bound("b"), member("c"))},
	})
}

// The gap of a group must be more than a tenth of its minimum.
func TestASmallGapRejectsNobody(t *testing.T) {
	for bound, want := range map[int][]string{8: {"default/a"}, 9: {}} {
		objects := []object{node("n1", "100"), group("g", 10), member("a"), pod("p", 0, "1000").of("g")}
		for i := range bound - 1 {
			objects = append(objects, running(fmt.Sprint("r", i), "n1", 0, "1").of("g"))
		}
		objects = append(objects, member("z"), member("y"))
		it := ask(t, asking("p", objects...).holding("a", "n1"))
		if it.PostFilter == nil || !reflect.DeepEqual(it.PostFilter.Rejected, want) {
			t.Errorf("%d pods have nodes: got %+v, want %v rejected", bound, it.PostFilter, want)
		}
	}
}

func TestWhatAGroupHasFreeMustBeItsMinResources(t *testing.T) {
	for name, it := range map[string]struct {
		cpu, want string
		others    []object
	}{
		"of all nodes together":        {"3", "wait: n1 n2", nil},
		"more than there is":           {"5", short, nil},
		"what others hold is not free": {"3", short, []object{running("r", "n1", 0, "1500m")}},
		"what its own pods hold is free": {
			"3",
			"wait: n1 n2", []object{running("r", "n1", 0, "1500m").of("g"), running("s", "n1", 0, "100m")},
		},
		"a node that holds more than all": {"2", short, []object{running("r", "n1", 0, "4")}},
	} {
		t.Run(name, func(t *testing.T) {
			needy := group("g", 3).with("spec.minResources", object{"cpu": it.cpu})
			small := func(name string) object { return pod(name, 0, "100m").of("g") }
			objects := []object{node("n1", "2"), node("n2", "2"), needy, small("a"), small("b"), small("c")}
			if got := verdict(ask(t, asking("a", append(objects, it.others...)...))); got != it.want {
				t.Errorf("got  %s\nwant %s", got, it.want)
			}
		})
	}
}

func TestPermit(t *testing.T) {
	pods := []object{node("n1", "4"), member("a"), member("b"), member("c")}
	ask3 := func(group object) object { return asking("a", append([]object{group}, pods...)...) }
	timeout := object{"permitTimeout": "10s"}
	none, others := []string{}, []string{"default/b", "default/c"}
	waits := func(seconds float64, activated []string) upstream.Permit {
		return upstream.Permit{Result: "wait", Seconds: seconds, Allowed: none, Activated: activated}
	}
	for name, it := range map[string]struct {
		request object
		want    upstream.Permit
	}{
		"upstream's default":              {ask3(group("g", 3)), waits(60, others)},
		"the argument":                    {ask3(group("g", 3)).with("arguments", timeout), waits(10, others)},
		"the argument as a number":        {ask3(group("g", 3)).with("arguments", object{"permitTimeout": 1.5}), waits(1.5, others)},
		"no time is upstream's default":   {ask3(group("g", 3)).with("arguments", object{"permitTimeout": 0}), waits(60, others)},
		"the group's own":                 {ask3(group("g", 3).with("spec.scheduleTimeoutSeconds", 20)).with("arguments", timeout), waits(20, others)},
		"the second pod activates nobody": {ask3(group("g", 3)).holding("b", "n1"), waits(60, none)},
		"the last pod": {
			ask3(group("g", 3)).holding("b", "n1", "c", "n1"),
			upstream.Permit{Result: "bind", Allowed: others, Activated: none},
		},
		"a minimum that was lowered meanwhile": {
			ask3(group("g", 2)).holding("b", "n1", "c", "n1"),
			upstream.Permit{Result: "bind", Allowed: others, Activated: none},
		},
		"no PodGroup": {
			asking("a", pods...),
			upstream.Permit{Result: "refuse", Reason: "PodGroup not found", Allowed: none, Activated: none},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ask(t, it.request).Permit; got == nil || !reflect.DeepEqual(*got, it.want) {
				t.Errorf("got %+v, want %+v", got, it.want)
			}
		})
	}
}

func TestBackoff(t *testing.T) {
	few := []object{node("n1", "1"), group("g", 2), member("a"), member("b")}
	for seconds, want := range map[int]bool{0: false, 30: true} {
		it := ask(t, asking("b", few...).holding("a", "n1").with("arguments", object{"podGroupBackoff": seconds}))
		if it.PostFilter == nil || it.PostFilter.BacksOff != want {
			t.Errorf("%d seconds: got %+v", seconds, it.PostFilter)
		}
	}
}

// Priority first, then the creation of the group, or that of a pod without one, then the name.
func TestQueue(t *testing.T) {
	created := func(it object, second string) object {
		return it.with("metadata.creationTimestamp", "1970-01-01T00:00:"+second+"Z")
	}
	it := ask(t, asking("p",
		created(group("g", 2), "10"), created(group("h", 2), "10"), created(member("a"), "50"), created(pod("b", 0, "1").of("h"), "51"),
		created(member("c"), "52"), created(pod("p", 0, "1"), "09"), created(pod("q", 0, "1"), "11"), created(pod("r", 1, "1"), "59"),
		created(pod("s", 0, "1"), "01").with("spec.schedulingGates", []object{{"name": "x"}}), node("n1", "9"), created(pod("t", 0, "1"), "01"),
	).holding("t", "n1"))
	// Groups of one second are mixed: b of h stands between the pods a and c of g.
	want := []string{"default/r", "default/p", "default/a", "default/b", "default/c", "default/q"}
	if !reflect.DeepEqual(it.Queue, want) {
		t.Errorf("got %v, want %v", it.Queue, want)
	}
}
