package serve

import (
	"encoding/json"
	"os"
	"testing"

	"lictor.dev/judges/kubernetes/internal/upstream"
	"lictor.dev/judges/lines"
)

func TestMain(m *testing.M) {
	Silence()
	os.Exit(m.Run())
}

// object is a Kubernetes object as a request writes it.
type object map[string]any

// with sets fields, by keys and values in turn; a key is a path of two parts with a dot, or one part.
func (o object) with(keysAndValues ...any) object {
	for i := 0; i < len(keysAndValues); i += 2 {
		section, field := split(keysAndValues[i].(string))
		if field == "" {
			o[section] = keysAndValues[i+1]
			continue
		}
		if o[section] == nil {
			o[section] = object{}
		}
		o[section].(object)[field] = keysAndValues[i+1]
	}
	return o
}

func split(key string) (section, field string) {
	for i := range key {
		if key[i] == '.' {
			return key[:i], key[i+1:]
		}
	}
	return key, ""
}

func node(name, cpu string) object {
	return object{
		"apiVersion": "v1", "kind": "Node",
		"metadata": object{"name": name, "labels": object{"kubernetes.io/hostname": name}},
		"spec":     object{},
		"status":   object{"allocatable": object{"cpu": cpu, "memory": "8Gi", "pods": "110"}},
	}
}

// pod is a pending pod in the namespace default.
func pod(name string, priority int, cpu string) object {
	return object{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": object{"name": name, "labels": object{"app": name}},
		"spec": object{"priority": priority, "containers": []object{
			{"name": "c", "resources": object{"requests": object{"cpu": cpu}}},
		}},
		"status": object{},
	}
}

func running(name, node string, priority int, cpu string) object {
	return pod(name, priority, cpu).with("spec.nodeName", node, "status.phase", "Running")
}

func budget(name, app string, allowed int) object {
	return object{
		"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": object{"name": name},
		"spec": object{"selector": object{"matchLabels": object{"app": app}}}, "status": object{"disruptionsAllowed": allowed},
	}
}

// line writes a request about a pod of the namespace default.
func line(t *testing.T, about string, objects ...object) []byte {
	t.Helper()
	text, err := json.Marshal(object{"id": 7, "now": "1970-01-01T00:01:03Z", "objects": objects, "pod": "default/" + about})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// reply is what a line of output says.
type reply struct {
	ID    int
	Error string
	upstream.Answer
}

func ask(t *testing.T, about string, objects ...object) reply {
	t.Helper()
	return read(t, line(t, about, objects...))
}

func read(t *testing.T, asked []byte) reply {
	t.Helper()
	var it reply
	if err := json.Unmarshal(lines.Answer(asked, Answer), &it); err != nil {
		t.Fatal(err)
	}
	return it
}
