package serve

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"lictor.dev/judges/coscheduling/internal/upstream"
	"lictor.dev/judges/kube/answers"
	"lictor.dev/judges/kube/objects"
	"lictor.dev/judges/kube/requests"
)

func TestMain(m *testing.M) {
	requests.Silence()
	os.Exit(m.Run())
}

// object is a Kubernetes object as a request writes it.
type object map[string]any

// with sets fields, by keys and values in turn; a key is a path of two parts with a dot, or one part.
func (o object) with(keysAndValues ...any) object { return objects.With(o, keysAndValues...) }

func node(name, cpu string) object { return objects.Node[object](name, cpu) }

// pod is a pending pod in the namespace default.
func pod(name string, priority int, cpu string) object {
	return objects.Pod[object](name, priority, cpu)
}

// copy copies an object, so that a change of it leaves the original as it is.
func (o object) copy() object {
	copied := object{}
	for key, value := range o {
		if inner, ok := value.(object); ok {
			value = inner.copy()
		}
		copied[key] = value
	}
	return copied
}

// in puts an object into a namespace.
func (o object) in(namespace string) object { return o.with("metadata.namespace", namespace) }

// short is the verdict where Coscheduling refuses a pod at PreFilter: CapacityScheduling was not asked, and then evicts nobody.
const short = "refused by Coscheduling, ineligible: not eligible due to failed to read from cycleState"

// member is a pending pod of one cpu in the PodGroup g.
func member(name string) object { return pod(name, 0, "1").of("g") }

// bound is a member that runs on n1.
func bound(name string) object { return running(name, "n1", 0, "1").of("g") }

// of puts a pod into a PodGroup of its namespace.
func (o object) of(group string) object {
	o["metadata"].(object)["labels"].(object)["scheduling.x-k8s.io/pod-group"] = group
	return o
}

// asks adds a request of another resource to a pod.
func (o object) asks(resource, amount string) object {
	o["spec"].(object)["containers"].([]object)[0]["resources"].(object)["requests"].(object)[resource] = amount
	return o
}

// group is a PodGroup in the namespace default.
func group(name string, minimum int) object {
	return object{
		"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": object{"name": name},
		"spec": object{"minMember": minimum},
	}
}

// quota is an ElasticQuota of cpu; without a maximum, its pods are bounded by the minimums of all quotas alone.
func quota(namespace, minimum, maximum string) object {
	it := object{
		"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "ElasticQuota", "metadata": object{"name": "q", "namespace": namespace},
		"spec": object{"min": object{"cpu": minimum}},
	}
	if maximum != "" {
		it["spec"].(object)["max"] = object{"cpu": maximum}
	}
	return it
}

func running(name, node string, priority int, cpu string) object {
	return objects.On(pod(name, priority, cpu), node)
}

func budget(name, app string, allowed int) object { return objects.Budget[object](name, app, allowed) }

// asking is a request about a pod, given by its name in the namespace default, or by namespace/name.
func asking(about string, list ...object) object { return objects.Request(about, list) }

// holding says which pods wait at Permit: names of pods of the namespace default and of nodes, in turn.
func (o object) holding(podsAndNodes ...string) object {
	waiting := map[string]string{}
	for i := 0; i < len(podsAndNodes); i += 2 {
		waiting["default/"+podsAndNodes[i]] = podsAndNodes[i+1]
	}
	o["waiting"] = waiting
	return o
}

// line writes a request.
func line(t *testing.T, request object) []byte { return objects.Line(t, request) }

// reply is what a line of output says.
type reply struct {
	ID    int
	Error string
	upstream.Answer
}

func ask(t *testing.T, request object) reply {
	t.Helper()
	return objects.Read[reply](t, line(t, request), Answer)
}

// verdict writes an answer in one line: what PreFilter refuses, the feasible nodes and Permit, or each plan and the best nodes, and what
// is done to pods at Permit.
func verdict(it reply) string {
	switch {
	case it.Error != "":
		return "error: " + it.Error
	case it.Untried != "":
		return "untried: " + it.Untried
	case it.Permit != nil:
		return strings.TrimSpace(fmt.Sprintf("%s: %s %s", it.Permit.Result, strings.Join(it.Feasible, " "), listed("allows", it.Permit.Allowed)))
	}
	var parts []string
	if it.PreFilter != nil {
		parts = append(parts, refusedBy(it.PreFilter))
	}
	if it.Failed != "" {
		parts = append(parts, "failed: "+it.Failed)
	}
	if it.Ineligible != "" {
		parts = append(parts, "ineligible: "+it.Ineligible)
	}
	for _, plan := range it.Plans {
		parts = append(parts, fmt.Sprintf("%s%v%d", plan.Node, plan.Victims, plan.Violations))
	}
	parts = append(parts, listed("best", it.Best))
	if it.PostFilter != nil {
		parts = append(parts, listed("rejects", it.PostFilter.Rejected))
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return strings.ReplaceAll(strings.Join(parts, ", "), "default/", "")
}

// refusedBy writes the plugin that refuses a pod at PreFilter or, for CapacityScheduling, the bound that the pod would be over.
func refusedBy(refused *answers.Refusal) string {
	switch {
	case strings.HasSuffix(refused.Reason, "is more than Max"):
		return "over max"
	case strings.HasSuffix(refused.Reason, "total ElasticQuota used is more than min"):
		return "over all min"
	}
	return "refused by " + refused.Plugin
}

// listed writes a list after a word, and nothing where it is empty.
func listed(word string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return word + " " + objects.Short(names)
}

// expected is a request and the verdict of the answer to it.
type expected struct {
	want    string
	request object
}

// verdicts checks the answers to requests.
func verdicts(t *testing.T, cases map[string]expected) {
	t.Helper()
	for name, it := range cases {
		t.Run(name, func(t *testing.T) {
			if got := verdict(ask(t, it.request)); got != it.want {
				t.Errorf("got  %s\nwant %s", got, it.want)
			}
		})
	}
}
