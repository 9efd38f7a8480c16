package orders

import (
	"reflect"
	"slices"
	"testing"
)

// before sorts texts by their first letter alone.
func before(a, b string) bool { return a[0] < b[0] }

func TestEqualsKeepTheirOrder(t *testing.T) {
	got := Equals([]string{"b2", "a1", "b1", "c"}, before)
	if want := [][]string{{"a1"}, {"b2", "b1"}, {"c"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestArrangements(t *testing.T) {
	got := Arrangements(Equals([]string{"a1", "a2", "b", "c1", "c2"}, before))
	want := [][]string{{"a1", "a2", "b", "c1", "c2"}, {"a1", "a2", "b", "c2", "c1"}, {"a2", "a1", "b", "c1", "c2"}, {"a2", "a1", "b", "c2", "c1"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	if got := Arrangements([][]int{{1, 2, 3, 4}}); len(got) != most || len(permutations([]int{1, 2, 3, 4})) != most {
		t.Errorf("got %d orders", len(got))
	}
}

// Where there are too many orders, some are drawn, the same each time, and each has all elements.
func TestDrawnOrders(t *testing.T) {
	class := [][]int{{1, 2, 3, 4, 5}, {6}}
	got := Arrangements(class)
	if len(got) != most || !reflect.DeepEqual(got, Arrangements(class)) {
		t.Errorf("got %v", got)
	}
	for _, order := range got {
		if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, []int{1, 2, 3, 4, 5, 6}) || order[5] != 6 {
			t.Errorf("got %v", order)
		}
	}
}

func TestReversals(t *testing.T) {
	if got := Reversals([]int{1, 2}); !reflect.DeepEqual(got, [][]int{{1, 2}, {2, 1}}) {
		t.Errorf("got %v", got)
	}
	if got := Reversals([]int{1}); len(got) != 1 {
		t.Errorf("got %v", got)
	}
}
