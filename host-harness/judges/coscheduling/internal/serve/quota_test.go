package serve

import (
	"reflect"
	"testing"

	"lictor.dev/judges/coscheduling/internal/upstream"
)

// What kep/9-capacity-scheduling of scheduler-plugins says of ElasticQuotas, and where the code differs. Quotas a and b have a minimum of 2
// cpus each, unless a case says otherwise.
func TestQuotas(t *testing.T) {
	a, b := quota("a", "2", "4"), quota("b", "2", "4")
	in := func(namespace string, priority int, name, cpu string) object {
		return pod(name, priority, cpu).in(namespace)
	}
	on := func(node, namespace string, priority int, name, cpu string) object {
		return running(name, node, priority, cpu).in(namespace)
	}
	quick := func(it object) object { return it.with("status.nominatedNodeName", "n2") }
	verdicts(t, map[string]expected{
		"within the minimum":          {"bind: n1", asking("a/p", node("n1", "4"), a, b, in("a", 0, "p", "2"))},
		"borrows what another leaves": {"bind: n1", asking("a/p", node("n1", "8"), a, b, in("a", 0, "p", "3"))},
		"no more than the maximum": {
			"over max",
			asking("a/p", node("n1", "8"), quota("a", "2", "2"), b, in("a", 0, "p", "3")),
		},
		"exactly the maximum": {"bind: n1", asking("a/p", node("n1", "8"), a, b, in("a", 0, "p", "4"))},
		"no more than all minimums": {
			"over all min",
			asking("a/p", node("n1", "8"), a, b, on("n1", "b", 0, "r", "2"), in("a", 0, "p", "3")),
		},
		"no maximum": {"bind: n1", asking("a/p", node("n1", "8"), quota("a", "4", ""), b, in("a", 0, "p", "5"))},
		"a maximum without memory is one of none": {
			"over max",
			asking("a/p", node("n1", "8"), a, b, in("a", 0, "p", "1").asks("memory", "1Mi")),
		},
		"a maximum without another resource bounds none, but all minimums do": {
			"over all min",
			asking("a/p", with(node("n1", "8"), "x.io/gpu"), a, b, in("a", 0, "p", "1").asks("x.io/gpu", "1")),
		},
		"a minimum of another resource": {
			"bind: n1",
			asking("a/p", with(node("n1", "8"), "x.io/gpu"), a,
				b.copy().with("spec.min", object{"cpu": "2", "x.io/gpu": "1"}), in("a", 0, "p", "1").asks("x.io/gpu", "1")),
		},
		"a namespace without a quota is not bounded": {"bind: n1", asking("c/p", node("n1", "8"), a, b, in("c", 0, "p", "8"))},
		"nor does it count for others": {
			"bind: n1",
			asking("a/p", node("n1", "8"), a, b, on("n1", "c", 0, "r", "4"), in("a", 0, "p", "4")),
		},
		"pods at Permit count": {
			"over all min, n1[b/r]0, best n1",
			asking("a/p", node("n1", "8"), a, b, in("b", 9, "r", "4"), in("a", 0, "p", "2")).with("waiting", object{"b/r": "n1"}),
		},
		"pods that are leaving count, and are victims": {
			"over all min, n1[b/r]0, best n1",
			asking("a/p", node("n1", "8"), a, b, on("n1", "b", 0, "r", "4").with("metadata.deletionTimestamp", "1970-01-01T00:01:00Z"),
				in("a", 0, "p", "2")),
		},
		"pods that have ended do not": {
			"bind: n1",
			asking("a/p", node("n1", "8"), a, b, on("n1", "b", 0, "r", "4").with("status.phase", "Failed"), in("a", 0, "p", "2")),
		},
		"of two quotas in a namespace the first counts": {
			"bind: n1",
			asking("a/p", node("n1", "8"), a, quota("a", "0", "0").with("metadata.name", "r"), in("a", 0, "p", "2")),
		},

		"takes back, whatever the priority": {
			"n1[b/r]0, best n1",
			asking("a/p", node("n1", "4"), quota("a", "4", "4"), b, on("n1", "b", 9, "r", "3"), in("a", 0, "p", "2")),
		},
		"takes back for the minimums of all": {
			"over all min, n1[b/r]0, best n1",
			asking("a/p", node("n1", "8"), a, b, on("n1", "b", 9, "r", "3"), in("a", 0, "p", "2")),
		},
		"takes back no more than the other has borrowed": {
			"over all min",
			asking("a/p", node("n1", "8"), quota("a", "2", "4"), quota("b", "2", "4"),
				on("n1", "a", 9, "s", "1"), on("n1", "b", 9, "r", "2"), in("a", 0, "p", "2")),
		},
		"takes back the least important pods, while they borrow": {
			"over all min, n1[b/s]0, best n1",
			asking("a/p", node("n1", "4"), a, b,
				on("n1", "b", 9, "r", "1"), on("n1", "b", 1, "s", "2"), on("n1", "b", 5, "u", "1"), in("a", 0, "p", "2")),
		},
		"a borrower evicts in its own quota": {
			"over all min, n1[a/s]0, best n1",
			asking("a/p", node("n1", "4"), a, b, on("n1", "b", 0, "r", "2"), on("n1", "a", 1, "s", "2"), in("a", 5, "p", "2")),
		},
		"but nobody of its own priority": {
			"over all min",
			asking("a/p", node("n1", "4"), a, b, on("n1", "b", 0, "r", "2"), on("n1", "a", 5, "s", "2"), in("a", 5, "p", "2")),
		},
		"within the minimum it evicts nobody of its own": {
			"",
			asking("a/p", node("n1", "1500m"), a, b, on("n1", "a", 1, "s", "1"), in("a", 5, "p", "1")),
		},
		"without a quota, pods without one": {
			"n1[c/r]0, best n1",
			asking("c/p", node("n1", "4"), a, b, on("n1", "c", 0, "r", "2"), on("n1", "a", 0, "s", "2"), in("c", 5, "p", "2")),
		},
		"without a quota, none with one": {
			"",
			asking("c/p", node("n1", "2"), a, b, on("n1", "a", 0, "s", "2"), in("c", 5, "p", "2")),
		},
		"with a quota, none without one": {
			"",
			asking("a/p", node("n1", "2"), a, b, on("n1", "c", 0, "s", "2"), in("a", 5, "p", "2")),
		},
		"the pods of a budget stay": {
			"over all min, n1[b/s]0, n2[b/r]1, best n1",
			asking("a/p", node("n1", "2"), node("n2", "2"), a, quota("b", "2", "5"),
				on("n1", "b", 9, "s", "2"), on("n2", "b", 0, "r", "2"), budget("x", "r", 0).in("b"), in("a", 0, "p", "2")),
		},
		"a budget of another namespace": {
			"over all min, n1[b/s]0, n2[b/r]0, best n2",
			asking("a/p", node("n1", "2"), node("n2", "2"), a, b,
				on("n1", "b", 9, "s", "2"), on("n2", "b", 0, "r", "2"), budget("x", "r", 0), in("a", 0, "p", "2")),
		},
		"never": {
			"over all min, ineligible: not eligible due to preemptionPolicy=Never.",
			asking("a/p", node("n1", "8"), a, b, on("n1", "b", 9, "r", "4"), in("a", 0, "p", "2").with("spec.preemptionPolicy", "Never")),
		},

		"nominated pods of the same quota count, if as important": {
			"over max",
			asking("a/p", node("n1", "8"), node("n2", "8"), a, b, quick(in("a", 5, "q", "3")), in("a", 5, "p", "2")),
		},
		"less important ones do not": {
			"bind: n1 n2",
			asking("a/p", node("n1", "8"), node("n2", "8"), a, b, quick(in("a", 4, "q", "3")), in("a", 5, "p", "2")),
		},
		"nominated pods of quotas within their minimum count": {
			"over all min",
			asking("a/p", node("n1", "8"), node("n2", "8"), a, b, quick(in("b", 0, "q", "2")), in("a", 5, "p", "3")),
		},
		"of quotas above it they do not": {
			"bind: n1 n2",
			asking("a/p", node("n1", "8"), node("n2", "8"), a, quota("b", "1", "4"), quota("c", "3", "4"),
				on("n1", "b", 0, "r", "2"), quick(in("b", 0, "q", "2")), in("a", 5, "p", "3")),
		},
		"every candidate goes where the nominated pods do not fit beside one": {
			"over max, n1[a/r a/s]0, best n1",
			asking("a/p", node("n1", "4"), node("n2", "2"), quota("a", "4", "4"), quota("b", "4", "4"),
				on("n1", "a", 0, "r", "1"), on("n1", "a", 0, "s", "1"), quick(in("a", 9, "q", "2")), in("a", 5, "p", "2")),
		},
		"an error where the quota is over without the victim, too": {
			`over max, failed: no corresponding pod s in pods of node n1`,
			asking("a/p", node("n1", "2"), node("n2", "3"), quota("a", "4", "4"), quota("b", "4", "4"),
				on("n1", "a", 0, "r", "1"), on("n1", "a", 0, "s", "1"), quick(in("a", 9, "q", "3")), in("a", 5, "p", "2")),
		},
	})
}

// with gives a node one of a resource.
func with(node object, resource string) object {
	node["status"].(object)["allocatable"].(object)[resource] = "1"
	return node
}

func TestUsage(t *testing.T) {
	const unbounded = 1<<63 - 1
	it := ask(t, asking("a/p", node("n1", "8"), quota("a", "2", "4"), quota("b", "1", ""),
		running("r", "n1", 0, "500m").in("a").asks("memory", "1Ki").asks("x.io/gpu", "2"), pod("w", 0, "1").in("b"), pod("p", 0, "1").in("a"),
	).with("waiting", object{"b/w": "n1"}))
	want := map[string]upstream.Quota{
		"a": {
			Used: upstream.Amounts{"cpu": 500, "memory": 1024, "x.io/gpu": 2},
			Min:  upstream.Amounts{"cpu": 2000}, Max: upstream.Amounts{"cpu": 4000},
		},
		"b": {Used: upstream.Amounts{"cpu": 1000}, Min: upstream.Amounts{"cpu": 1000}, Max: upstream.Amounts{
			"cpu": unbounded, "memory": unbounded, "ephemeral-storage": unbounded,
		}},
	}
	if !reflect.DeepEqual(it.Quotas, want) {
		t.Errorf("got %v, want %v", it.Quotas, want)
	}
}
