package serve

import (
	"reflect"
	"testing"
)

// The queue is in the order of PrioritySort. Of a gang group one pod stands in it, the first that is observed; the others are taken after it.
func TestQueue(t *testing.T) {
	held := pod("held", "", 5, "1").with("spec.schedulingGates", []object{{"name": "g"}})
	first, second := member("a1", "a", "1").with("spec.priority", 5), member("a2", "a", "1").with("spec.priority", 9)
	it := question{
		about: "p", waiting: map[string]string{"default/w": "n1"},
		entered: map[string]int64{"default/p": 9, "default/q": 3, "default/a1": 3, "default/a2": 9},
		objects: []object{
			node("n1", "9"), pod("p", "", 5, "1"), first, pod("w", "", 9, "1"), pod("q", "", 5, "1"), gang("a", 2), second, held, pod("z", "", 7, "1"),
			running("r", "n1", "", 9, "1"),
		},
	}
	want := [][]string{{"default/z"}, {"default/a1", "default/a2", "default/q"}, {"default/p"}}
	if got := it.ask(t).Queue; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}
