package serve

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"lictor.dev/judges/kube/objects"
)

// verdict writes an answer in one line: the feasible nodes, or each plan.
func verdict(it reply) string {
	switch {
	case it.Error != "":
		return "error: " + it.Error
	case it.Untried != "":
		return "untried: " + it.Untried
	case it.Ineligible != "":
		return "ineligible: " + it.Ineligible
	case len(it.Feasible) > 0:
		return "feasible: " + strings.Join(it.Feasible, " ")
	}
	var plans []string
	for _, plan := range it.Plans {
		var victims []string
		for _, victim := range plan.Victims {
			victims = append(victims, strings.TrimPrefix(victim, "default/"))
		}
		plans = append(plans, fmt.Sprintf("%s[%s]%d", plan.Node, strings.Join(victims, " "), plan.Violations))
	}
	return strings.TrimSpace(fmt.Sprintf("plans: %s best: %s", strings.Join(plans, " "), strings.Join(it.Best, " ")))
}

func TestVerdicts(t *testing.T) {
	zone := func(name, cpu, zone string) object {
		it := node(name, cpu)
		it["metadata"].(object)["labels"].(object)["zone"] = zone
		return it
	}
	apart := object{"podAntiAffinity": object{"requiredDuringSchedulingIgnoredDuringExecution": []object{
		{"topologyKey": "zone", "labelSelector": object{"matchLabels": object{"app": "r"}}},
	}}}
	port := func(it object) object {
		it["spec"].(object)["containers"].([]object)[0]["ports"] = []object{{"containerPort": 80, "hostPort": 80}}
		return it
	}
	leaving := object{"name": "r", "labels": object{"app": "r"}, "deletionTimestamp": "1970-01-01T00:01:00Z"}
	byPreemption := []object{{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}}
	claimed := []object{{"name": "v", "persistentVolumeClaim": object{"claimName": "c"}}}
	claim := object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": object{"name": "c"}, "spec": object{
		"accessModes": []string{"ReadWriteOnce"}, "storageClassName": "local", "resources": object{"requests": object{"storage": "1Gi"}},
	}}
	bound := object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": object{
		"name": "c", "annotations": object{"pv.kubernetes.io/bind-completed": "yes"},
	}, "spec": object{
		"accessModes": []string{"ReadWriteOnce"}, "storageClassName": "local", "volumeName": "pv", "resources": object{"requests": object{"storage": "1Gi"}},
	}, "status": object{"phase": "Bound"}}
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
	never := object{
		"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": object{"name": "never"}, "value": 10, "preemptionPolicy": "Never",
	}
	classed := pod("p", 0, "1").with("spec.priorityClassName", "never")
	delete(classed["spec"].(object), "priority")

	for name, it := range map[string]struct {
		want    string
		objects []object
	}{
		"fits":                        {"feasible: n1", []object{node("n1", "2"), node("n2", "1"), pod("p", 0, "2")}},
		"no nodes":                    {"plans:  best:", []object{pod("p", 0, "2")}},
		"equal priority is no victim": {"plans:  best:", []object{node("n1", "2"), running("r", "n1", 5, "2"), pod("p", 5, "2")}},
		"cheapest node": {"plans: n1[r]0 n2[s]0 best: n2", []object{
			node("n1", "2"), node("n2", "2"), running("r", "n1", 3, "2"), running("s", "n2", 1, "2"), pod("p", 5, "2"),
		}},
		"reprieves the more important": {"plans: n1[s]0 best: n1", []object{
			node("n1", "2"), running("r", "n1", 3, "1"), running("s", "n1", 1, "1"), pod("p", 5, "1"),
		}},
		"budget": {"plans: n1[r]1 n2[s]0 best: n2", []object{
			node("n1", "2"), node("n2", "2"), running("r", "n1", 0, "2"), running("s", "n2", 3, "2"), budget("b", "r", 0), pod("p", 5, "2"),
		}},
		"taint": {"feasible: n2", []object{
			node("n1", "2").with("spec.taints", []object{{"key": "k", "effect": "NoSchedule"}}), node("n2", "2"), pod("p", 0, "1"),
		}},
		"selector": {"feasible: n1", []object{
			node("n1", "2"), node("n2", "2"), pod("p", 0, "1").with("spec.nodeSelector", object{"kubernetes.io/hostname": "n1"}),
		}},
		"anti-affinity": {"feasible: n3", []object{
			zone("n1", "2", "a"), zone("n2", "2", "a"), zone("n3", "2", "b"), running("r", "n1", 0, "1"), pod("p", 0, "1").with("spec.affinity", apart),
		}},
		"anti-affinity, evicts on the node itself alone": {"plans: n1[r]0 best: n1", []object{
			zone("n1", "2", "a"), zone("n2", "2", "a"), running("r", "n1", 0, "1"), pod("p", 5, "1").with("spec.affinity", apart),
		}},
		"spread": {"feasible: n2", []object{
			zone("n1", "4", "a"), zone("n2", "4", "b"), running("r", "n1", 0, "1").with("metadata.labels", object{"app": "p"}),
			pod("p", 0, "1").with("spec.topologySpreadConstraints", []object{{
				"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": object{"matchLabels": object{"app": "p"}},
			}}),
		}},
		"port": {"plans: n1[r]0 best: n1", []object{node("n1", "4"), port(running("r", "n1", 0, "1")), port(pod("p", 5, "1"))}},
		"nominated pod holds its room": {"plans:  best:", []object{
			node("n1", "2"), pod("q", 5, "2").with("status.nominatedNodeName", "n1"), pod("p", 5, "1"),
		}},
		"nominated pod of lower priority holds none": {"feasible: n1", []object{
			node("n1", "2"), pod("q", 4, "2").with("status.nominatedNodeName", "n1"), pod("p", 5, "1"),
		}},
		"never": {"ineligible: not eligible due to preemptionPolicy=Never.", []object{
			node("n1", "2"), running("r", "n1", 0, "2"), pod("p", 5, "2").with("spec.preemptionPolicy", "Never"),
		}},
		"never, by its class": {"ineligible: not eligible due to preemptionPolicy=Never.", []object{
			node("n1", "2"), running("r", "n1", 0, "2"), classed, never,
		}},
		"leaving pod is waited for": {"ineligible: not eligible due to a terminating pod on the nominated node.", []object{
			node("n1", "2"), running("r", "n1", 0, "2").with("metadata", leaving, "status.conditions", byPreemption),
			pod("p", 5, "2").with("status.nominatedNodeName", "n1"),
		}},
		"leaving pod is a victim": {"plans: n1[r]0 best: n1", []object{
			node("n1", "2"), running("r", "n1", 0, "2").with("metadata", leaving), pod("p", 5, "2"),
		}},
		"ended pod holds nothing": {"feasible: n1", []object{
			node("n1", "2"), running("r", "n1", 0, "2").with("status.phase", "Succeeded"), pod("p", 0, "2"),
		}},
		"absent start is later than all": {"plans: n1[s]0 best: n1", []object{
			node("n1", "2"), running("s", "n1", 0, "1"), running("r", "n1", 0, "1").with("status.startTime", "1970-01-01T00:01:02Z"), pod("p", 5, "1"),
		}},
		"unbound claim waits for its volume": {"feasible: n2", []object{
			node("n1", "2"), node("n2", "2"), claim, volume, class, pod("p", 0, "1").with("spec.volumes", claimed),
		}},
		"bound claim": {"plans: n2[r]0 best: n2", []object{
			node("n1", "2"), node("n2", "2"), bound, volume, class, running("r", "n2", 0, "2"), pod("p", 5, "1").with("spec.volumes", claimed),
		}},
		"absent claim": {"plans:  best:", []object{node("n1", "2"), running("r", "n1", 0, "2"), pod("p", 5, "1").with("spec.volumes", claimed)}},
		"system class": {"plans: n1[r]0 best: n1", []object{
			node("n1", "2"), running("r", "n1", 2000000000, "2"), classedAs("system-node-critical"),
		}},
		"gated":           {"untried: it is gated by SchedulingGates", []object{node("n1", "2"), pod("p", 0, "1").with("spec.schedulingGates", []object{{"name": "g"}})}},
		"other scheduler": {"untried: it belongs to the scheduler s", []object{node("n1", "2"), pod("p", 0, "1").with("spec.schedulerName", "s")}},
		"unknown kinds":   {"feasible: n1", []object{{"apiVersion": "x.io/v1", "kind": "X"}, node("n1", "2"), pod("p", 0, "1")}},
		"wrong shape": {`error: object 0, Node "n1": json: cannot unmarshal string into Go struct field NodeSpec.spec.unschedulable of type bool`, []object{
			node("n1", "2").with("spec.unschedulable", "yes"), pod("p", 0, "1"),
		}},
		"absent pod": {`error: pod "default/p" is not among the objects`, []object{node("n1", "2")}},
	} {
		t.Run(name, func(t *testing.T) {
			it.want = strings.TrimSpace(it.want)
			if got := verdict(ask(t, "p", it.objects...)); got != it.want {
				t.Errorf("got  %s\nwant %s", got, it.want)
			}
		})
	}
}

func classedAs(class string) object {
	it := pod("p", 0, "2").with("spec.priorityClassName", class)
	delete(it["spec"].(object), "priority")
	return it
}

func TestNominations(t *testing.T) {
	full := []object{node("n1", "2"), running("r", "n1", 9, "2")}
	nominated := func(it object) object { return it.with("status.nominatedNodeName", "n1") }
	if it := ask(t, "p", append(full, nominated(pod("p", 5, "1")))...); it.KeepsNomination || len(it.Plans) > 0 {
		t.Errorf("no candidate ends the nomination: %+v", it)
	}
	if it := ask(t, "p", append(full, nominated(pod("p", 5, "1")).with("spec.preemptionPolicy", "Never"))...); !it.KeepsNomination {
		t.Errorf("a pod that may not preempt keeps its nomination: %+v", it)
	}
	it := ask(t, "p", node("n1", "2"), running("r", "n1", 0, "2"), nominated(pod("q", 3, "1")), pod("p", 5, "2"))
	if want := map[string][]string{"n1": {"default/q"}}; !reflect.DeepEqual(it.Clears, want) {
		t.Errorf("got %v, want %v", it.Clears, want)
	}
	it = ask(t, "p", node("n1", "2"), node("n2", "2"), nominated(pod("p", 5, "2")))
	if !it.Nominated || !reflect.DeepEqual(it.Feasible, []string{"n1", "n2"}) {
		t.Errorf("got %+v", it)
	}
}

func TestRefusals(t *testing.T) {
	it := ask(t, "p", node("n1", "2"), node("n2", "4").with("spec.unschedulable", true), running("r", "n1", 0, "1"), pod("p", 5, "2"))
	if got := it.Refused["n1"]; got.Code != "Unschedulable" || got.Plugin != "NodeResourcesFit" {
		t.Errorf("got %+v", got)
	}
	if got := it.Refused["n2"]; got.Code != "UnschedulableAndUnresolvable" || got.Plugin != "NodeUnschedulable" {
		t.Errorf("got %+v", got)
	}
}

func TestEqualVictims(t *testing.T) {
	objects := []object{node("n1", "2"), node("n2", "2"), running("a", "n1", 0, "1"), running("b", "n1", 0, "1"), running("c", "n2", 1, "2"), pod("p", 5, "1")}
	it := ask(t, "p", objects...)
	if got := verdict(it); got != "plans: n1[b]0 n2[c]0 best: n1" {
		t.Errorf("got %s", got)
	}
	plan := it.Plans[0]
	if len(plan.Alternatives) != 1 || plan.Alternatives[0].Victims[0] != "default/a" || !plan.Alternatives[0].Possible || !plan.Possible || it.Plans[1].Possible {
		t.Errorf("got %+v", it.Plans)
	}
	objects[2], objects[3] = objects[3], objects[2]
	if got := verdict(ask(t, "p", objects...)); got != "plans: n1[a]0 n2[c]0 best: n1" {
		t.Errorf("the order of the objects decides: got %s", got)
	}
}

func TestOrder(t *testing.T) {
	text := object{
		"id": 1, "pod": "default/p", "order": []string{"default/b", "default/none", "default/a"},
		"objects": []object{node("n1", "2"), running("a", "n1", 0, "1"), running("b", "n1", 0, "1"), pod("p", 5, "1")},
	}
	asked, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := verdict(read(t, asked)); got != "plans: n1[a]0 best: n1" {
		t.Errorf("got %s", got)
	}
}

// Requests do not influence one another, and equal requests have equal answers.
func TestNoStateBetweenRequests(t *testing.T) {
	spec := object{"kubernetes.io/hostname": "n1"}
	asked := [][]byte{
		line(t, "p", node("n1", "2"), node("n2", "2"), running("r", "n1", 0, "2"), running("s", "n2", 0, "2"), budget("b", "r", 0), pod("p", 5, "1")),
		line(t, "p", node("n1", "9"), node("n3", "9"), pod("p", 5, "1"), pod("q", 9, "8").with("status.nominatedNodeName", "n1")),
		line(t, "p", pod("p", 5, "1")),
		[]byte(`{"id":7`),
		line(t, "p", node("n1", "2"), running("r", "n1", 9, "2"), pod("p", 5, "1").with("spec.nodeSelector", spec)),
	}
	objects.Independent(t, Answer, asked)
}
