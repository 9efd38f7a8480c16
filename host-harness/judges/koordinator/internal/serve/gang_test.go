package serve

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"lictor.dev/judges/kube/objects"
)

// outcome writes what becomes of a pod of a gang: at Permit, or of the pods at Permit after PostFilter.
func (r reply) outcome() string {
	switch {
	case r.Permit != nil:
		return strings.TrimSpace(fmt.Sprintf("%s %v %s", r.Permit.Result, r.Permit.Seconds, objects.Short(r.Permit.Released)))
	case r.PostFilter != nil && r.PreFilter == nil:
		return "rejects " + objects.Short(slices.Sorted(maps.Keys(r.PostFilter.Rejected)))
	}
	return r.verdict()
}

// Gangs, derived by hand from upstream's proposal of gang scheduling: a pod waits until each gang of its group has its minimum.
func TestGangs(t *testing.T) {
	const gated = "untried: it is gated by Coscheduling: "
	at := func(names ...string) map[string]string {
		nodes := map[string]string{}
		for _, name := range names {
			nodes["default/"+name] = "n1"
		}
		return nodes
	}
	n1 := node("n1", "10")
	bound := func(it object) object { return it.with("spec.nodeName", "n1", "status.phase", "Running") }
	grouped := func(it object) object { return it.annotations(gangKey+"groups", `["default/a","default/b"]`) }
	policy := func(it object, policy string) object { return it.annotations(gangKey+"match-policy", policy) }
	loose := func(it object) object { return it.annotations(gangKey+"mode", "NonStrict") }
	annotated := func(name string) object {
		return pod(name, "", 5, "1").annotations(gangKey+"name", "a", gangKey+"min-available", "2", gangKey+"waiting-time", "30s")
	}
	for name, it := range map[string]struct {
		want    string
		about   string
		waiting map[string]string
		objects []object
	}{
		"too few pods": {
			gated + "gangGroup [default/a] basic check: memberGangs [default/a] child pod not collect enough, current gang: default/a, podName: default/a1",
			"a1", nil, []object{n1, gang("a", 2), member("a1", "a", "1")},
		},
		"no PodGroup":          {gated + "gang has not init, gangName: default/a, podName: default/a1", "a1", nil, []object{n1, member("a1", "a", "1")}},
		"the first pod waits":  {"wait 600", "a1", nil, []object{n1, gang("a", 2), member("a1", "a", "1"), member("a2", "a", "1")}},
		"a time of its own":    {"wait 20", "a1", nil, []object{n1, gang("a", 2).with("spec.scheduleTimeoutSeconds", 20), member("a1", "a", "1"), member("a2", "a", "1")}},
		"the last pod":         {"bind 0 a1", "a2", at("a1"), []object{n1, gang("a", 2), member("a1", "a", "1"), member("a2", "a", "1")}},
		"a gang of one":        {"bind 0", "a1", nil, []object{n1, gang("a", 1), member("a1", "a", "1")}},
		"no gang":              {"bind 0", "p", nil, []object{n1, pod("p", "", 5, "1")}},
		"by annotations":       {"wait 30", "a1", nil, []object{n1, annotated("a1"), annotated("a2")}},
		"by annotations, last": {"bind 0 a1", "a2", at("a1"), []object{n1, annotated("a1"), annotated("a2")}},
		"a group waits for the other gang": {"wait 600", "a2", at("a1"), []object{
			n1, grouped(gang("a", 2)), grouped(gang("b", 1)), member("a1", "a", "1"), member("a2", "a", "1"), member("b1", "b", "1"),
		}},
		"a group is let go together": {"bind 0 a1 a2", "b1", at("a1", "a2"), []object{
			n1, grouped(gang("a", 2)), grouped(gang("b", 1)), member("a1", "a", "1"), member("a2", "a", "1"), member("b1", "b", "1"),
		}},
		"a group without one of its gangs": {
			gated + "gangGroup [default/a default/b] basic check: memberGangs [default/b] doesn't exists, current gang: default/a, podName: default/a1",
			"a1", nil, []object{n1, grouped(gang("a", 1)), member("a1", "a", "1")},
		},
		"a strict gang gives up": {"rejects a1", "a2", at("a1"), []object{n1, gang("a", 2), member("a1", "a", "1"), member("a2", "a", "20")}},
		"a loose gang does not":  {"rejects", "a2", at("a1"), []object{n1, loose(gang("a", 2)), member("a1", "a", "1"), member("a2", "a", "20")}},
		"other gangs keep their pods": {"rejects", "b1", at("a1"), []object{
			n1, gang("a", 2), gang("b", 1), member("a1", "a", "1"), member("a2", "a", "1"), member("b1", "b", "20"),
		}},
		"a group gives up together": {"rejects a1", "b1", at("a1"), []object{
			n1, grouped(gang("a", 1)), grouped(gang("b", 1)), member("a1", "a", "1"), member("b1", "b", "20"),
		}},
		"complete once":        {"bind 0", "a2", nil, []object{n1, gang("a", 2), bound(member("a1", "a", "1")), member("a2", "a", "1")}},
		"complete once, alone": {"rejects", "a2", nil, []object{n1, gang("a", 2), bound(member("a1", "a", "1")), member("a2", "a", "20")}},
		"only pods that wait count": {"wait 600", "a2", nil, []object{
			n1, policy(gang("a", 2), "only-waiting"), bound(member("a1", "a", "1")), member("a2", "a", "1"),
		}},
		"bound pods count, too": {"bind 0", "a2", nil, []object{
			n1, policy(gang("a", 2), "waiting-and-running"), bound(member("a1", "a", "1")), member("a2", "a", "1"),
		}},
		"by a network that is not known": {
			"Coscheduling, UnschedulableAndUnresolvable: no cluster network topology", "a1", nil, []object{
				n1, member("a1", "a", "1"),
				gang("a", 1).annotations(gangKey+"network-topology-spec", `{"gatherStrategy":[{"layer":"spine","strategy":"MustGather"}]}`),
			},
		},
		"it waits already": {"untried: it waits at Permit", "a1", at("a1"), []object{n1, gang("a", 2), member("a1", "a", "1"), member("a2", "a", "1")}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.TrimSpace((question{about: it.about, objects: it.objects, waiting: it.waiting}).ask(t).outcome()); got != it.want {
				t.Errorf("%s\nnot %s", got, it.want)
			}
		})
	}
}

func TestPodsThatUpstreamDoesNotHaveWait(t *testing.T) {
	objects := []object{
		node("n1", "4"), gang("a", 2), member("a1", "a", "1"), member("a2", "a", "1"), member("a3", "a", "1"), member("b1", "b", "1"), pod("p", "", 9, "1"),
	}
	waiting := map[string]string{"default/a1": "n1"}
	ask := func() reply { return question{about: "p", objects: objects, waiting: waiting}.ask(t) }
	if got := ask(); len(got.NotWaiting) > 0 {
		t.Errorf("%v", got.NotWaiting)
	}
	// a1 waited for a2, and a3 for neither; the gang of b1 is unknown. All of them keep their room.
	waiting["default/a2"], waiting["default/a3"], waiting["default/b1"] = "n1", "n1", "n1"
	got := ask()
	want := map[string]string{"default/a1": "bind", "default/a2": "bind", "default/a3": "bind"}
	delete(got.NotWaiting, "default/b1")
	if !maps.Equal(got.NotWaiting, want) || got.verdict() != "plans:  best:" {
		t.Errorf("%v %s", got.NotWaiting, got.verdict())
	}
}

// job writes what the preemption of Coscheduling does: nodes by pod, and its victims.
func (r reply) job() string {
	if r.PostFilter == nil || r.PostFilter.Job == nil {
		return r.verdict()
	}
	var nodes []string
	for _, name := range slices.Sorted(maps.Keys(r.PostFilter.Job.Nodes)) {
		nodes = append(nodes, objects.Short([]string{name})+":"+r.PostFilter.Job.Nodes[name])
	}
	return fmt.Sprintf("preempts %t [%s] evicts [%s]", r.PostFilter.Job.Preempts, strings.Join(nodes, " "), objects.Short(r.PostFilter.Job.Victims))
}

func TestPreemptionForAGang(t *testing.T) {
	for name, it := range map[string]struct {
		want    string
		objects []object
	}{
		"for all of its pods": {"preempts true [a1:n1 a2:n1] evicts [r]", []object{
			node("n1", "2"), gang("a", 2), running("r", "n1", "", 0, "2"), member("a1", "a", "1"), member("a2", "a", "1"),
		}},
		"for a pod alone": {"preempts true [a1:n1] evicts [r]", []object{
			node("n1", "2"), running("r", "n1", "", 0, "2"), pod("a1", "", 5, "1"),
		}},
		"pods of any quota make way": {"preempts true [a1:n1] evicts [r]", []object{
			node("n1", "2"), quota("a", "0", "9"), quota("b", "0", "9"), running("r", "n1", "b", 0, "2"), pod("a1", "a", 5, "1"),
		}},
		"a pod that fits on no node": {"preempts false [] evicts []", []object{
			node("n1", "2"), gang("a", 2), running("r", "n1", "", 0, "2"), member("a1", "a", "3"), member("a2", "a", "3"),
		}},
		// Upstream filters each pod by the state of the cycle of a1: a2 is taken to request what a1 does.
		"a pod that fits on no node is not like the one that is tried": {"preempts true [a1:n1 a2:n1] evicts [r]", []object{
			node("n1", "2"), gang("a", 2), running("r", "n1", "", 0, "2"), member("a1", "a", "1"), member("a2", "a", "3"),
		}},
		"the more important pod is kept": {"preempts true [a1:n1] evicts [s]", []object{
			node("n1", "2"), running("r", "n1", "", 3, "1"), running("s", "n1", "", 1, "1"), pod("a1", "", 5, "1"),
		}},
		// Upstream does not count the pods that it has planned: both are planned into the room of one.
		"into the room of one": {"preempts true [a1:n1 a2:n1] evicts [r]", []object{
			node("n1", "2"), gang("a", 2), running("r", "n1", "", 0, "2"), member("a1", "a", "2"), member("a2", "a", "2"),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got := question{about: "a1", objects: it.objects, arguments: object{"enablePreemption": true}}.ask(t)
			if got.job() != it.want {
				t.Errorf("%s\nnot %s", got.job(), it.want)
			}
			if got.PostFilter != nil && len(got.PostFilter.Alternatives) > 0 {
				t.Errorf("%+v", got.PostFilter.Alternatives)
			}
		})
	}
}

func TestPreemptionForAGangDependsOnAnOrder(t *testing.T) {
	// n1 costs less, and a2 does not tolerate it. The nodes that are left only become fewer: after a2, a1 has n2 alone.
	taints := []object{{"key": "k", "effect": "NoSchedule"}}
	got := question{about: "a1", arguments: object{"enablePreemption": true}, objects: []object{
		node("n1", "2").with("spec.taints", taints), node("n2", "2"), gang("a", 2), running("r", "n1", "", 0, "2"), running("s", "n2", "", 1, "2"),
		member("a1", "a", "1").with("spec.tolerations", []object{{"operator": "Exists"}}), member("a2", "a", "1"),
	}}.ask(t)
	all := []string{got.job()}
	for _, it := range got.PostFilter.Alternatives {
		other := got
		other.PostFilter = it
		all = append(all, other.job())
	}
	slices.Sort(all)
	// With 8 plays, one of the orders is missing once in 128 times.
	want := []string{"preempts true [a1:n1 a2:n2] evicts [r s]", "preempts true [a1:n2 a2:n2] evicts [s]"}
	for _, it := range all {
		if !slices.Contains(want, it) {
			t.Errorf("%v", all)
		}
	}
}
