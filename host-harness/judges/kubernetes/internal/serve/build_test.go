package serve

import (
	"os"
	"testing"

	"lictor.dev/judges/kube/objects"
	"lictor.dev/judges/kube/requests"
	"lictor.dev/judges/kubernetes/internal/upstream"
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

func running(name, node string, priority int, cpu string) object {
	return objects.On(pod(name, priority, cpu), node)
}

func budget(name, app string, allowed int) object { return objects.Budget[object](name, app, allowed) }

// line writes a request about a pod.
func line(t *testing.T, about string, list ...object) []byte {
	t.Helper()
	return objects.Line(t, objects.Request(about, list))
}

// reply is what a line of output says.
type reply struct {
	ID    int
	Error string
	upstream.Answer
}

func ask(t *testing.T, about string, list ...object) reply {
	t.Helper()
	return read(t, line(t, about, list...))
}

func read(t *testing.T, asked []byte) reply {
	t.Helper()
	return objects.Read[reply](t, asked, Answer)
}
