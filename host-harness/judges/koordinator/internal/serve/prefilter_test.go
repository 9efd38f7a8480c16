package serve

import (
	"strings"
	"testing"
)

// Verdicts of PreFilter of ElasticQuota, derived by hand from upstream's proposal: used and request are within runtime (or max), and those of
// pods that are not preemptible within min.
func TestPreFilterOfQuotas(t *testing.T) {
	byMax := object{"enableRuntimeQuota": false}
	tree := func(objects ...object) []object {
		return append(objects, node("n1", "10"), quota("p", "0", "4").isParent(), quota("c", "0", "8").below("p"), quota("d", "0", "8").below("p"))
	}
	memory := func(it object, amount string) object {
		it["spec"].(object)["containers"].([]object)[0]["resources"].(object)["requests"].(object)["memory"] = amount
		return it
	}
	for name, it := range map[string]struct {
		want      string
		arguments object
		objects   []object
	}{
		"within the runtime": {"feasible: n1", nil, []object{
			node("n1", "10"), quota("a", "4", "10"), quota("b", "6", "10"), running("r", "n1", "a", 0, "3"), pod("p", "a", 0, "1"),
		}},
		"over the runtime": {
			"ElasticQuota, Unschedulable: Insufficient quotas, quotaName: a, runtime: cpu:4, used: cpu:4, pod's request: cpu:1, exceedDimensions: [cpu]",
			nil, []object{
				node("n1", "10"), quota("a", "4", "10"), quota("b", "6", "10"), running("r", "n1", "a", 0, "4"), pod("p", "a", 0, "1"),
				pod("q", "b", 0, "6"),
			},
		},
		"over the runtime, within max": {"feasible: n1", byMax, []object{
			node("n1", "10"), quota("a", "4", "10"), quota("b", "6", "10"), running("r", "n1", "a", 0, "4"), pod("p", "a", 0, "1"),
			pod("q", "b", 0, "6"),
		}},
		"over max": {
			"ElasticQuota, Unschedulable: Insufficient quotas, quotaName: a, runtime: cpu:4, used: cpu:3500m, pod's request: cpu:1, exceedDimensions: [cpu]",
			byMax, []object{node("n1", "10"), quota("a", "4", "4"), running("r", "n1", "a", 0, "3500m"), pod("p", "a", 0, "1")},
		},
		"equal to max": {"feasible: n1", byMax, []object{
			node("n1", "10"), quota("a", "4", "4"), running("r", "n1", "a", 0, "3"), pod("p", "a", 0, "1"),
		}},
		"not preemptible, over min": {
			"ElasticQuota, Unschedulable: Insufficient non-preemptible quotas, quotaName: a, min: cpu:4, nonPreemptibleUsed: cpu:3, pod's request: cpu:2, exceedDimensions: [cpu]",
			nil, []object{
				node("n1", "10"), quota("a", "4", "10"), running("r", "n1", "a", 0, "3").isNotPreemptible(), pod("p", "a", 0, "2").isNotPreemptible(),
			},
		},
		"not preemptible, within min": {"feasible: n1", nil, []object{
			node("n1", "10"), quota("a", "4", "10"), running("r", "n1", "a", 0, "3").isNotPreemptible(), running("s", "n1", "a", 0, "3"),
			pod("p", "a", 0, "1").isNotPreemptible(),
		}},
		"the quota above does not bind": {"feasible: n1", byMax, tree(running("r", "n1", "d", 0, "4"), pod("p", "c", 0, "1"))},
		"the quota above binds": {
			"ElasticQuota, Unschedulable: Insufficient quotas, quotaNameTopo: [p c], runtime: cpu:4, used: cpu:4, pod's request: cpu:1, exceedDimensions: [cpu]",
			object{"enableRuntimeQuota": false, "enableCheckParentQuota": true}, tree(running("r", "n1", "d", 0, "4"), pod("p", "c", 0, "1")),
		},
		"over in a resource that is not requested": {
			"ElasticQuota, Unschedulable: Insufficient quotas, quotaName: a, runtime: cpu:4,memory:1Gi, used: cpu:1,memory:2Gi, pod's request: cpu:1, exceedDimensions: [memory]",
			byMax, []object{
				node("n1", "10"), quota("a", "4", "4").with("spec.max", object{"cpu": "4", "memory": "1Gi"}), memory(running("r", "n1", "a", 0, "1"), "2Gi"),
				pod("p", "a", 0, "1"),
			},
		},
		"over in two resources": {
			"ElasticQuota, Unschedulable: Insufficient quotas, quotaName: a, runtime: cpu:1,memory:1Gi, used: cpu:1,memory:2Gi, pod's request: cpu:1, exceedDimensions: [cpu memory]",
			byMax, []object{
				node("n1", "10"), quota("a", "1", "1").with("spec.max", object{"cpu": "1", "memory": "1Gi"}), memory(running("r", "n1", "a", 0, "1"), "2Gi"),
				pod("p", "a", 0, "1"),
			},
		},
		"max does not name the resource": {"feasible: n1", byMax, []object{
			node("n1", "10"), quota("a", "4", "4"), memory(running("r", "n1", "a", 0, "1"), "6Gi"), memory(pod("p", "a", 0, "1"), "2Gi"),
		}},
		"no quota":                              {"feasible: n1", byMax, []object{node("n1", "10"), quota("a", "1", "1"), pod("p", "", 0, "9")}},
		"the node is full and the quota is not": {"plans:  best:", byMax, []object{node("n1", "1"), quota("a", "4", "4"), pod("p", "a", 0, "2")}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (question{about: "p", objects: it.objects, arguments: it.arguments}).ask(t).verdict(); got != it.want {
				t.Errorf("%s\nnot %s", got, it.want)
			}
		})
	}
}

func TestPodsAtPermitAreUsage(t *testing.T) {
	it := question{about: "p", objects: []object{
		node("n1", "10"), quota("a", "4", "4"), gang("g", 2), member("w", "g", "3").labels(quotaName, "a"), member("v", "g", "1"), pod("p", "a", 0, "2"),
	}}
	if got := it.ask(t).verdict(); got != "feasible: n1" {
		t.Error(got)
	}
	it.waiting = map[string]string{"default/w": "n1"}
	got := it.ask(t)
	if got.Quotas["a"].Used["cpu"] != 3000 || !strings.Contains(got.verdict(), "used: cpu:3, pod's request: cpu:2") {
		t.Errorf("%s %+v", got.verdict(), got.Quotas["a"])
	}
}
