package serve

import (
	"slices"
	"testing"

	"lictor.dev/judges/kube/objects"
)

// Plans of ElasticQuota, derived by hand from its comments: pods of lower priority of the same quota make way, on one node; the more
// important ones are kept where the pod still fits and the quota keeps its limit.
func TestPlansOfQuotas(t *testing.T) {
	byMax := object{"enableRuntimeQuota": false}
	spares := func(is bool) object { return object{"disableDefaultQuotaPreemption": is} }
	leaving := func(it object) object { return it.with("metadata.deletionTimestamp", "1970-01-01T00:01:00Z") }
	memory := func(it object, amount string) object {
		it["spec"].(object)["containers"].([]object)[0]["resources"].(object)["requests"].(object)["memory"] = amount
		return it
	}
	for name, it := range map[string]struct {
		want      string
		arguments object
		objects   []object
	}{
		"room on the node": {"plans: n1[r]0 best: n1", byMax, []object{
			node("n1", "2"), quota("a", "0", "9"), running("r", "n1", "a", 0, "2"), pod("p", "a", 5, "1"),
		}},
		"room in the quota": {"plans: n1[r]0 best: n1", byMax, []object{
			node("n1", "9"), quota("a", "0", "2"), running("r", "n1", "a", 0, "2"), pod("p", "a", 5, "1"),
		}},
		"pods of another quota stay": {"plans:  best:", byMax, []object{
			node("n1", "2"), quota("a", "0", "9"), quota("b", "0", "9"), running("r", "n1", "b", 0, "2"), pod("p", "a", 5, "1"),
		}},
		"pods of equal priority stay": {"plans:  best:", byMax, []object{
			node("n1", "2"), quota("a", "0", "9"), running("r", "n1", "a", 5, "2"), pod("p", "a", 5, "1"),
		}},
		"pods that are not preemptible stay": {"plans:  best:", byMax, []object{
			node("n1", "2"), quota("a", "0", "9"), running("r", "n1", "a", 0, "2").isNotPreemptible(), pod("p", "a", 5, "1"),
		}},
		"pods without a quota stay": {"plans:  best:", nil, []object{node("n1", "2"), running("r", "n1", "", 0, "2"), pod("p", "", 5, "1")}},
		"pods without a quota make way on demand": {"plans: n1[r]0 best: n1", spares(false), []object{
			node("n1", "2"), running("r", "n1", "", 0, "2"), pod("p", "", 5, "1"),
		}},
		"the more important pod is kept": {"plans: n1[s]0 best: n1", byMax, []object{
			node("n1", "2"), quota("a", "0", "9"), running("r", "n1", "a", 3, "1"), running("s", "n1", "a", 1, "1"), pod("p", "a", 5, "1"),
		}},
		"the quota decides which pod is kept": {"plans: n1[s]0 best: n1", byMax, []object{
			node("n1", "9"), quota("a", "0", "3"), running("r", "n1", "a", 3, "1"), running("s", "n1", "a", 1, "2"), pod("p", "a", 5, "1"),
		}},
		"the least important victim": {"plans: n1[r]0 n2[s]0 best: n2", byMax, []object{
			node("n1", "2"), node("n2", "2"), quota("a", "0", "9"), running("r", "n1", "a", 3, "2"), running("s", "n2", "a", 1, "2"), pod("p", "a", 5, "2"),
		}},
		"budget": {"plans: n1[r]1 n2[s]0 best: n2", byMax, []object{
			node("n1", "2"), node("n2", "2"), quota("a", "0", "9"), running("r", "n1", "a", 0, "2"), running("s", "n2", "a", 3, "2"), budget("b", "r", 0),
			pod("p", "a", 5, "2"),
		}},
		"never": {"ineligible: not eligible due to preemptionPolicy=Never.", byMax, []object{
			node("n1", "2"), quota("a", "0", "9"), running("r", "n1", "a", 0, "2"), pod("p", "a", 5, "2").with("spec.preemptionPolicy", "Never"),
		}},
		"a victim is leaving": {"ineligible: not eligible due to a terminating pod on the nominated node.", byMax, []object{
			node("n1", "2"), quota("a", "0", "9"), leaving(running("r", "n1", "a", 0, "2")), pod("p", "a", 5, "2").with("status.nominatedNodeName", "n1"),
		}},
		"a pod of another quota is leaving": {"plans:  best:", byMax, []object{
			node("n1", "2"), quota("a", "0", "9"), quota("b", "0", "9"), leaving(running("r", "n1", "b", 0, "2")),
			pod("p", "a", 5, "2").with("status.nominatedNodeName", "n1"),
		}},
		// Upstream checks the quota only where it spares a victim. What is used on n2 keeps the quota over its max.
		"in vain": {"plans: n1[r]0 best: n1", byMax, []object{
			node("n1", "9"), node("n2", "9"), quota("a", "0", "2"), running("r", "n1", "a", 0, "1"), running("s", "n2", "a", 9, "3"), pod("p", "a", 5, "1"),
		}},
		"the quota above is full of pods of another quota": {
			"ElasticQuota, Unschedulable: Insufficient quotas, quotaNameTopo: [p c], runtime: cpu:2, used: cpu:2, pod's request: cpu:1, exceedDimensions: [cpu]",
			object{"enableRuntimeQuota": false, "enableCheckParentQuota": true}, []object{
				node("n1", "9"), quota("p", "0", "2").isParent(), quota("c", "0", "9").below("p"), quota("d", "0", "9").below("p"),
				running("r", "n1", "d", 0, "2"), pod("p", "c", 5, "1"),
			},
		},
		// Nor does it check the quotas above when it spares a victim: r alone has to go for the quota above, and is kept.
		"the quota above is full of pods of the quota": {`failed: expected at least one victim pod on node "n1"`,
			object{"enableRuntimeQuota": false, "enableCheckParentQuota": true}, []object{
				node("n1", "9"), quota("p", "0", "2").isParent(), quota("c", "0", "9").below("p"), running("r", "n1", "c", 0, "2"), pod("p", "c", 5, "1"),
			},
		},
		// In vain as above, and the node is too small beside the victim: upstream takes it off the node twice.
		"in vain, on a small node": {"failed: no corresponding pod r in pods of node n1", byMax, []object{
			node("n1", "2"), node("n2", "9"), quota("a", "0", "2"), running("r", "n1", "a", 0, "2"), running("s", "n2", "a", 9, "3"), pod("p", "a", 5, "2"),
		}},
		// The quota is over max in memory, which the pod does not request; the check of a spared victim is about what it requests.
		"over in a resource that is not requested": {`failed: expected at least one victim pod on node "n1"`, byMax, []object{
			node("n1", "9"), quota("a", "0", "9").with("spec.max", object{"cpu": "9", "memory": "1Gi"}), memory(running("r", "n1", "a", 0, "1"), "2Gi"),
			pod("p", "a", 5, "1"),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (question{about: "p", objects: it.objects, arguments: it.arguments}).ask(t).verdict(); got != it.want {
				t.Errorf("%s\nnot %s", got, it.want)
			}
		})
	}
}

func TestOrderOfEqualVictims(t *testing.T) {
	got := question{about: "p", arguments: object{"enableRuntimeQuota": false}, objects: []object{
		node("n1", "2"), quota("a", "0", "9"), running("r", "n1", "a", 0, "1"), running("s", "n1", "a", 0, "1"), pod("p", "a", 5, "1"),
	}}.ask(t)
	if len(got.Plans) != 1 || len(got.Plans[0].Alternatives) != 1 {
		t.Fatalf("%+v", got.Plans)
	}
	sets := []string{objects.Short(got.Plans[0].Victims), objects.Short(got.Plans[0].Alternatives[0].Victims)}
	if slices.Sort(sets); !slices.Equal(sets, []string{"r", "s"}) || !got.Plans[0].Possible || !got.Plans[0].Alternatives[0].Possible {
		t.Errorf("%+v", got.Plans)
	}
}

func TestPlanEndsNominations(t *testing.T) {
	got := question{about: "p", arguments: object{"enableRuntimeQuota": false}, objects: []object{
		node("n1", "2"), quota("a", "0", "9"), running("r", "n1", "a", 0, "2"), pod("p", "a", 5, "1"), pod("q", "a", 3, "1").with("status.nominatedNodeName", "n1"),
	}}.ask(t)
	if got.verdict() != "plans: n1[r]0 best: n1" || objects.Short(got.Clears["n1"]) != "q" || got.KeepsNomination || got.PostFilter.Reason != "" {
		t.Errorf("%s %+v %+v", got.verdict(), got.PostFilter, got.Clears)
	}
}

func TestPodAtPermitMakesWay(t *testing.T) {
	got := question{about: "p", arguments: object{"enableRuntimeQuota": false}, waiting: map[string]string{"default/w": "n1"}, objects: []object{
		node("n1", "2"), quota("a", "0", "9"), gang("g", 2), member("w", "g", "2").labels(quotaName, "a"), member("v", "g", "1"), pod("p", "a", 9, "1"),
	}}.ask(t)
	if got.verdict() != "plans: n1[w]0 best: n1" || len(got.PostFilter.Rejected) > 0 {
		t.Errorf("%s %+v", got.verdict(), got.PostFilter)
	}
}

func TestDefaultPreemptionFollows(t *testing.T) {
	arguments := object{"enableRuntimeQuota": false, "defaultPreemption": true}
	for name, it := range map[string]struct {
		want, preemptor string
		objects         []object
	}{
		"a plan of the quota comes first": {"plans: n1[r]0 best: n1", "ElasticQuota", []object{
			node("n1", "2"), node("n2", "2"), quota("a", "0", "9"), quota("b", "0", "9"), running("r", "n1", "a", 3, "2"), running("s", "n2", "b", 0, "2"),
			pod("p", "a", 5, "1"),
		}},
		"pods of any quota make way": {"plans: n1[r]0 best: n1", "DefaultPreemption", []object{
			node("n1", "2"), quota("a", "0", "9"), quota("b", "0", "9"), running("r", "n1", "b", 0, "2").isNotPreemptible(), pod("p", "a", 5, "1"),
		}},
		// The quota is full, and the node is not: DefaultPreemption looks at the filters alone, which find room without a victim.
		"for room in the quota": {`failed: expected at least one victim pod on node "n1"`, "DefaultPreemption", []object{
			node("n1", "9"), quota("a", "0", "2"), quota("b", "0", "9"), running("r", "n1", "a", 9, "2"), running("s", "n1", "b", 0, "1"), pod("p", "a", 5, "1"),
		}},
		"no victims": {"plans:  best:", "DefaultPreemption", []object{node("n1", "2"), running("r", "n1", "", 5, "2"), pod("p", "", 5, "1")}},
	} {
		t.Run(name, func(t *testing.T) {
			got := question{about: "p", objects: it.objects, arguments: arguments}.ask(t)
			if got.verdict() != it.want || got.Preemptor != it.preemptor {
				t.Errorf("%s by %s\nnot %s by %s", got.verdict(), got.Preemptor, it.want, it.preemptor)
			}
		})
	}
}
