package serve

import (
	"reflect"
	"testing"

	"lictor.dev/judges/kube/objects"
)

// The queue is in the order of PrioritySort. A PodGroup has its own priority there, and stands where the first of its pods does.
func TestQueue(t *testing.T) {
	asked := objects.Request("p", []object{
		node("n1", "9"), pod("p", 5, "1"), pod("q", 5, "1"), group("g", 5, 2, "single"), pod("g1", 9, "1").of("g"), pod("g2", 5, "1").of("g"),
		pod("lost", 5, "1").of("absent"), pod("z", 7, "1"), running("r", "n1", 9, "1"),
		pod("held", 5, "1").with("spec.schedulingGates", []object{{"name": "g"}}),
	})
	asked["entered"] = object{"default/p": 9, "default/q": 3, "default/g1": 9, "default/g2": 3}
	want := [][]string{{"default/z"}, {"default/g1", "default/g2", "default/q"}, {"default/p"}}
	if got := read(t, objects.Line(t, asked)).Queue; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}
