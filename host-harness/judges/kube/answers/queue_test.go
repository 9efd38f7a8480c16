package answers

import (
	"reflect"
	"testing"
)

// Pods of equal rank are sorted by name, whatever the order in which they came.
func TestRanks(t *testing.T) {
	entries := []Ranked[int]{{1, []string{"a/s"}}, {2, []string{"a/r", "a/p"}}, {1, []string{"a/q"}}}
	got := Ranks(entries, func(a, b int) bool { return a > b })
	if want := [][]string{{"a/p", "a/r"}, {"a/q", "a/s"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	if got := Ranks(nil, func(a, b int) bool { return a > b }); got == nil || len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

func TestEntered(t *testing.T) {
	of := pod("p", 0)
	if got := Entered(of, map[string]int64{"a/p": 9}).Unix(); got != 9 {
		t.Errorf("got %v", got)
	}
	if got := Entered(of, nil); !got.IsZero() {
		t.Errorf("got %v", got)
	}
}
