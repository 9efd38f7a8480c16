package serve

import (
	"reflect"
	"testing"

	"lictor.dev/judges/kube/objects"
)

// What kube-scheduler decides without PodGroups and ElasticQuotas.
func TestVerdicts(t *testing.T) {
	apart := object{"podAntiAffinity": object{"requiredDuringSchedulingIgnoredDuringExecution": []object{
		{"topologyKey": "kubernetes.io/hostname", "labelSelector": object{"matchLabels": object{"app": "r"}}},
	}}}
	claimed := []object{{"name": "v", "persistentVolumeClaim": object{"claimName": "c"}}}
	claim := object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": object{"name": "c"}, "spec": object{
		"accessModes": []string{"ReadWriteOnce"}, "storageClassName": "local", "resources": object{"requests": object{"storage": "1Gi"}},
	}}
	volume := object{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": object{"name": "pv"}, "spec": object{
		"accessModes": []string{"ReadWriteOnce"}, "storageClassName": "local", "capacity": object{"storage": "2Gi"}, "local": object{"path": "/d"},
		"nodeAffinity": object{"required": object{"nodeSelectorTerms": []object{
			{"matchExpressions": []object{{"key": "kubernetes.io/hostname", "operator": "In", "values": []string{"n2"}}}},
		}}},
	}, "status": object{"phase": "Available"}}
	class := object{
		"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": object{"name": "local"},
		"provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer",
	}
	high := object{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": object{"name": "high"}, "value": 10}
	classed := pod("p", 0, "2").with("spec.priorityClassName", "high")
	delete(classed["spec"].(object), "priority")
	gated := pod("p", 0, "1").with("spec.schedulingGates", []object{{"name": "g"}})
	other := pod("p", 0, "1").with("spec.schedulerName", "s")
	two := []object{node("n1", "2"), node("n2", "2")}
	on := func(objects ...object) object { return asking("p", append(two, objects...)...) }

	verdicts(t, map[string]expected{
		"fits":     {"bind: n1 n2", on(pod("p", 0, "2"))},
		"no nodes": {"", asking("p", pod("p", 0, "2"))},
		"cheapest node": {
			"n1[r]0, n2[s]0, best n2",
			on(running("r", "n1", 3, "2"), running("s", "n2", 1, "2"), pod("p", 5, "2")),
		},
		"equal priority is no victim": {"", on(running("r", "n1", 5, "2"), running("s", "n2", 5, "2"), pod("p", 5, "2"))},
		"priority class": {
			"n1[r]0, n2[s]0, best n2",
			on(running("r", "n1", 3, "2"), running("s", "n2", 1, "2"), classed, high),
		},
		"taint":         {"bind: n1", asking("p", node("n1", "2"), node("n2", "2").with("spec.unschedulable", true), pod("p", 0, "1"))},
		"anti-affinity": {"bind: n2", on(running("r", "n1", 0, "1"), pod("p", 0, "1").with("spec.affinity", apart))},
		"anti-affinity to a pod at Permit": {
			"bind: n2",
			on(member("r"), group("g", 2), pod("p", 0, "1").with("spec.affinity", apart)).holding("r", "n1"),
		},
		"unbound claim": {"bind: n2", on(claim, volume, class, pod("p", 0, "1").with("spec.volumes", claimed))},
		"claim that a pod at Permit has taken": {
			"bind: n2",
			on(claim, volume, class, pod("q", 0, "1").with("spec.volumes", claimed),
				pod("p", 0, "1").with("spec.volumes", claimed)).holding("q", "n2"),
		},
		"nominated node":    {"bind: n1 n2", on(pod("p", 0, "1").with("status.nominatedNodeName", "n2"))},
		"a promised room":   {"bind: n2", on(pod("q", 5, "2").with("status.nominatedNodeName", "n1"), pod("p", 5, "1"))},
		"gated":             {"untried: it is gated by SchedulingGates", on(gated)},
		"other scheduler":   {"untried: it belongs to the scheduler s", on(other)},
		"bound":             {"untried: it is bound to n1", on(running("p", "n1", 0, "1"))},
		"ended":             {"untried: it has ended", on(pod("p", 0, "1").with("status.phase", "Failed"))},
		"at Permit":         {"untried: it waits at Permit for n1", on(pod("p", 0, "1")).holding("p", "n1")},
		"unknown kinds":     {"bind: n1 n2", on(object{"apiVersion": "x.io/v1", "kind": "X"}, pod("p", 0, "1"))},
		"unknown arguments": {"bind: n1 n2", on(pod("p", 0, "1")).with("arguments", object{"minCandidateNodesPercentage": 10})},
		"absent pod":        {`error: pod "default/p" is not among the objects`, on()},
		"absent pod at Permit": {
			`error: pod "default/q" at Permit is not among the objects`,
			on(pod("p", 0, "1")).holding("q", "n1"),
		},
		"bound pod at Permit": {
			`error: pod "default/r" cannot wait at Permit: it is bound to n1`,
			on(running("r", "n1", 0, "1"), pod("p", 0, "1")).holding("r", "n1"),
		},
		"no such node": {
			`error: pod "default/q" cannot wait at Permit: nodeinfo not found for node name "n3"`,
			on(pod("q", 0, "1"), pod("p", 0, "1")).holding("q", "n3"),
		},
		"no group at Permit": {
			`error: pod "default/q" cannot wait at Permit: PodGroup not found`,
			on(member("q"), pod("p", 0, "1")).holding("q", "n1"),
		},
		"twice": {"error: PodGroup default/g is there twice", on(group("g", 1), group("g", 2), pod("p", 0, "1"))},
		"wrong shape": {
			`error: object 2, PodGroup "g": json: cannot unmarshal string into Go struct field PodGroupSpec.spec.minMember of type int32`,
			on(group("g", 1).with("spec.minMember", "one"), pod("p", 0, "1")),
		},
		"wrong argument": {
			"error: the request cannot be read: arguments: -1 is negative",
			on(pod("p", 0, "1")).with("arguments", object{"permitTimeout": -1}),
		},
		"no time": {
			`error: the request cannot be read: arguments: time: invalid duration "soon"`,
			on(pod("p", 0, "1")).with("arguments", object{"permitTimeout": "soon"}),
		},
		"another namespace": {`error: pod "x/p" is not among the objects`, asking("x/p", two[0], pod("p", 0, "1"))},
	})
}

func TestRefusals(t *testing.T) {
	it := ask(t, asking("p", node("n1", "2"), node("n2", "4").with("spec.unschedulable", true), running("r", "n1", 0, "1"), pod("p", 5, "2")))
	if got := it.Refused["n1"]; got.Code != "Unschedulable" || got.Plugin != "NodeResourcesFit" {
		t.Errorf("got %+v", got)
	}
	if got := it.Refused["n2"]; got.Code != "UnschedulableAndUnresolvable" || got.Plugin != "NodeUnschedulable" {
		t.Errorf("got %+v", got)
	}
	it = ask(t, asking("a/p", node("n1", "2"), quota("a", "1", "1"), pod("p", 5, "2").in("a")))
	if got := it.PreFilter; got == nil || got.Code != "Unschedulable" || got.Plugin != "CapacityScheduling" || len(it.Refused) > 0 {
		t.Errorf("got %+v, %+v", got, it.Refused)
	}
	if got, want := it.DryRun, map[string]string{"n1": "No victims found on node n1 for preemptor pod p"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNominations(t *testing.T) {
	nominated := func(it object) object { return it.with("status.nominatedNodeName", "n1") }
	full := []object{node("n1", "2"), running("r", "n1", 9, "2")}
	if it := ask(t, asking("p", append(full, nominated(pod("p", 5, "1")))...)); it.KeepsNomination || len(it.Plans) > 0 {
		t.Errorf("no candidate ends the nomination: %+v", it)
	}
	never := nominated(pod("p", 5, "1")).with("spec.preemptionPolicy", "Never")
	if it := ask(t, asking("p", append(full, never)...)); !it.KeepsNomination {
		t.Errorf("a pod that may not preempt keeps its nomination: %+v", it)
	}
	it := ask(t, asking("p", node("n1", "2"), running("r", "n1", 0, "2"), nominated(pod("q", 3, "1")), pod("p", 5, "2")))
	if want := map[string][]string{"n1": {"default/q"}}; !reflect.DeepEqual(it.Clears, want) {
		t.Errorf("got %v, want %v", it.Clears, want)
	}
	leaving := object{"name": "r", "deletionTimestamp": "1970-01-01T00:01:00Z"}
	it = ask(t, asking("p", node("n1", "2"), running("r", "n1", 0, "2").with("metadata", leaving), nominated(pod("p", 5, "2"))))
	if want := "not eligible due to a terminating pod on the nominated node."; it.Ineligible != want || !it.KeepsNomination {
		t.Errorf("got %+v", it)
	}
}

// Requests do not influence one another, and equal requests have equal answers.
func TestNoStateBetweenRequests(t *testing.T) {
	gang := []object{node("n1", "1"), group("g", 2).with("spec.minResources", object{"cpu": "1"}), member("a"), member("b")}
	requests := [][]byte{
		line(t, asking("a", gang...)),
		line(t, asking("b", gang...).holding("a", "n1").with("arguments", object{"podGroupBackoff": 60})),
		line(t, asking("b", node("n1", "1"), gang[2], gang[3])),
		line(t, asking("a/p", node("n1", "4"), quota("a", "2", "4"), quota("b", "2", "4"), running("r", "n1", 9, "2").in("b"),
			running("s", "n1", 9, "1").in("b"), running("u", "n1", 9, "1").in("b"), pod("p", 0, "2").in("a"))),
		[]byte(`{"id":7`),
		line(t, asking("b/r", node("n1", "4"), quota("a", "1", "1"), pod("r", 0, "2").in("b"))),
	}
	objects.Independent(t, Answer, requests)
}
