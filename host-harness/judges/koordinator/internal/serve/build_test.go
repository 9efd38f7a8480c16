package serve

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"lictor.dev/judges/koordinator/internal/upstream"
	"lictor.dev/judges/kube/objects"
	"lictor.dev/judges/kube/requests"
)

func TestMain(m *testing.M) {
	requests.Silence()
	os.Exit(m.Run())
}

// object is a Kubernetes object as a request writes it, or a part of one.
type object map[string]any

// with sets fields, by keys and values in turn; a key is a path of two parts with a dot, or one part.
func (o object) with(keysAndValues ...any) object { return objects.With(o, keysAndValues...) }

// meta sets labels or annotations, by keys and values in turn.
func (o object) meta(section string, keysAndValues ...string) object {
	list := o["metadata"].(object)
	if list[section] == nil {
		list[section] = object{}
	}
	for i := 0; i < len(keysAndValues); i += 2 {
		list[section].(object)[keysAndValues[i]] = keysAndValues[i+1]
	}
	return o
}

func (o object) labels(keysAndValues ...string) object { return o.meta("labels", keysAndValues...) }

func (o object) annotations(keysAndValues ...string) object {
	return o.meta("annotations", keysAndValues...)
}

func (o object) in(namespace string) object { return o.with("metadata.namespace", namespace) }

const (
	quotaKey     = "quota.scheduling.koordinator.sh/"
	quotaName    = quotaKey + "name"
	preemptible  = quotaKey + "preemptible"
	gangKey      = "gang.scheduling.koordinator.sh/"
	podGroup     = "pod-group.scheduling.sigs.k8s.io"
	defaultQuota = "koordinator-default-quota"
)

func node(name, cpu string) object { return objects.Node[object](name, cpu) }

// pod is a pending pod in the namespace default that belongs to a quota; "" for none.
func pod(name, quota string, priority int, cpu string) object {
	it := objects.Pod[object](name, priority, cpu)
	if quota != "" {
		it.labels(quotaName, quota)
	}
	return it
}

func running(name, node, quota string, priority int, cpu string) object {
	return objects.On(pod(name, quota, priority, cpu), node)
}

func (o object) isNotPreemptible() object { return o.labels(preemptible, "false") }

// quota is a quota below the root that bounds cpu.
func quota(name, least, most string) object {
	return object{
		"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota", "metadata": object{"name": name},
		"spec": object{"min": object{"cpu": least}, "max": object{"cpu": most}},
	}
}

func (o object) weight(cpu string) object {
	return o.annotations(quotaKey+"shared-weight", fmt.Sprintf(`{"cpu":%q}`, cpu))
}

func (o object) isParent() object { return o.labels(quotaKey+"is-parent", "true") }

func (o object) below(parent string) object { return o.labels(quotaKey+"parent", parent) }

func (o object) lendsNothing() object { return o.labels(quotaKey+"allow-lent-resource", "false") }

// gang is a gang that needs a number of pods.
func gang(name string, least int) object {
	return object{
		"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "PodGroup", "metadata": object{"name": name},
		"spec": object{"minMember": least},
	}
}

// member is a pending pod of a gang, without a quota and with priority 5.
func member(name, gang, cpu string) object { return pod(name, "", 5, cpu).labels(podGroup, gang) }

func budget(name, app string, allowed int) object { return objects.Budget[object](name, app, allowed) }

// question is a request about a pod of the namespace default.
type question struct {
	about     string
	objects   []object
	arguments object
	waiting   map[string]string
	entered   map[string]int64
}

func (q question) line(t *testing.T) []byte {
	t.Helper()
	fields := objects.Request(q.about, q.objects)
	if q.arguments != nil {
		fields["arguments"] = q.arguments
	}
	if q.waiting != nil {
		fields["waiting"] = q.waiting
	}
	if q.entered != nil {
		fields["entered"] = q.entered
	}
	return objects.Line(t, fields)
}

// reply is what a line of output says.
type reply struct {
	ID    int
	Error string
	upstream.Answer
}

func (q question) ask(t *testing.T) reply {
	t.Helper()
	return objects.Read[reply](t, q.line(t), Answer)
}

// verdict writes an answer in one line: why there is no attempt, the feasible nodes, why PreFilter refuses, or each plan.
func (r reply) verdict() string {
	switch {
	case r.Error != "":
		return "error: " + r.Error
	case r.Untried != "":
		return "untried: " + r.Untried
	case r.Failed != "":
		return "failed: " + r.Failed
	case len(r.Feasible) > 0:
		return "feasible: " + objects.Short(r.Feasible)
	}
	var plans []string
	for _, plan := range r.Plans {
		plans = append(plans, fmt.Sprintf("%s[%s]%d", plan.Node, objects.Short(plan.Victims), plan.Violations))
	}
	text := strings.TrimSpace(fmt.Sprintf("plans: %s best: %s", strings.Join(plans, " "), objects.Short(r.Best)))
	switch {
	case r.Ineligible != "":
		return "ineligible: " + r.Ineligible
	case r.PreFilter != nil && len(plans) == 0:
		return r.PreFilter.Plugin + ", " + r.PreFilter.Code + ": " + r.PreFilter.Reason
	}
	return text
}
