package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lictor.dev/judges/lines"
)

// A world is a request in the making.
type world struct {
	objects []any
	entered map[string]float64
	order   []string
	// withoutOriginator are the applications whose originator is gone.
	withoutOriginator []string
	arguments         map[string]any
	now               float64
}

type object = map[string]any

// newWorld returns a cluster with these queues below the root, a minute after the pending pods came.
func newWorld(queues ...string) *world {
	text := "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n    " + strings.Join(queues, "\n    ") + "\n"
	return withConfig(text)
}

func withConfig(text string) *world {
	return &world{
		entered: map[string]float64{}, arguments: map[string]any{}, now: 60,
		objects: []any{object{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": "yunikorn-configs", "namespace": "yunikorn"},
			"data": object{"queues.yaml": text},
		}},
	}
}

// queue returns a leaf with a guarantee and a maximum of vcores, where they are not 0, and with properties.
func queue(name string, guaranteed, most int, properties ...string) string {
	text := "- name: " + name
	if guaranteed+most > 0 {
		text += "\n      resources:"
	}
	if guaranteed > 0 {
		text += fmt.Sprintf("\n        guaranteed: {vcore: %d}", guaranteed)
	}
	if most > 0 {
		text += fmt.Sprintf("\n        max: {vcore: %d}", most)
	}
	if len(properties) > 0 {
		text += "\n      properties: {" + strings.Join(properties, ", ") + "}"
	}
	return text
}

func (w *world) node(name string, cpu int, changes ...func(object)) *world {
	node := object{
		"apiVersion": "v1", "kind": "Node", "metadata": object{"name": name}, "spec": object{},
		"status": object{"allocatable": object{"cpu": fmt.Sprint(cpu), "memory": "64Gi", "pods": "110"}},
	}
	return w.put(node, changes)
}

// pod adds a pod of so many cpus. On no node, it waits. Its application is named after the queue, and its age counts down from the first.
func (w *world) pod(name, queue, node string, cpu int, changes ...func(object)) *world {
	created := time.Unix(1_700_000_000+int64(len(w.objects)), 0).UTC().Format(time.RFC3339)
	pod := object{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": object{
			"name": name, "namespace": "d", "creationTimestamp": created,
			"labels": object{"queue": "root." + queue, "applicationId": "app-" + queue}, "annotations": object{},
		},
		"spec": object{
			"schedulerName": "yunikorn",
			"containers":    []any{object{"name": "c", "resources": object{"requests": object{"cpu": fmt.Sprint(cpu)}}}},
		},
		"status": object{"phase": "Pending"},
	}
	if node != "" {
		pod["spec"].(object)["nodeName"] = node
		pod["status"].(object)["phase"] = "Running"
	} else {
		w.entered["d/"+name] = 0
	}
	return w.put(pod, changes)
}

func (w *world) put(it object, changes []func(object)) *world {
	for _, change := range changes {
		change(it)
	}
	w.objects = append(w.objects, it)
	return w
}

// set changes the field at a path of names.
func set(value any, path ...string) func(object) {
	return func(it object) {
		for _, name := range path[:len(path)-1] {
			it = it[name].(object)
		}
		it[path[len(path)-1]] = value
	}
}

func ofDaemonSet(node string) func(object) {
	return func(it object) {
		it["metadata"].(object)["ownerReferences"] = []any{object{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "u"}}
		it["spec"].(object)["affinity"] = object{"nodeAffinity": object{"requiredDuringSchedulingIgnoredDuringExecution": object{
			"nodeSelectorTerms": []any{object{"matchFields": []any{object{"key": "metadata.name", "operator": "In", "values": []any{node}}}}},
		}}}
	}
}

var (
	optedOut  = set("false", "metadata", "annotations", allowPreemption)
	isLeaving = set("2026-01-01T00:00:00Z", "metadata", "deletionTimestamp")
	never     = set("Never", "spec", "preemptionPolicy")
)

func createdAt(second int) func(object) {
	return set(time.Unix(1_600_000_000+int64(second), 0).UTC().Format(time.RFC3339), "metadata", "creationTimestamp")
}

func (w *world) line(pod string) string {
	key := pod
	if pod != "" {
		key = "d/" + pod
	}
	line, err := json.Marshal(object{
		"id": 7, "now": time.Unix(0, int64(w.now*1e9)).UTC(), "objects": w.objects, "arguments": w.arguments, "pod": key, "entered": w.entered, "order": w.order,
		"withoutOriginator": w.withoutOriginator,
	})
	if err != nil {
		panic(err)
	}
	return string(line)
}

func serve(t testing.TB, asked ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := lines.Serve(strings.NewReader(strings.Join(asked, "\n")+"\n"), &out, AnswerLine); err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(answers) != len(asked) {
		t.Fatalf("%d answers to %d lines", len(answers), len(asked))
	}
	return answers
}

// reply is what a line of output says.
type reply struct {
	Error string
	Answer
}

func (w *world) answer(t testing.TB, pod string) reply {
	t.Helper()
	var answer reply
	if err := json.Unmarshal([]byte(serve(t, w.line(pod))[0]), &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// expect checks a decision: its result, its node, and its victims.
func (w *world) expect(t *testing.T, pod, result, node string, victims ...string) reply {
	t.Helper()
	answer := w.answer(t, pod)
	for at := range victims {
		victims[at] = "d/" + victims[at]
	}
	if answer.Error != "" || answer.Result != result || answer.Node != node || !slices.Equal(answer.Victims, victims) {
		t.Errorf("%s: %+v; expected %s %s %v", pod, answer, result, node, victims)
	}
	return answer
}
