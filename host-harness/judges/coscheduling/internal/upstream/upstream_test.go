package upstream

import (
	"reflect"
	"testing"
	"time"

	"lictor.dev/judges/coscheduling/internal/cluster"
)

// New of the plugins leaves no field at nil but pgBackoff, which is so without a backoff. A field that upstream adds is found here.
func TestThePluginsLackNothing(t *testing.T) {
	c, err := cluster.Read(nil, time.Unix(60, 0), nil)
	if err != nil {
		t.Fatal(err)
	}
	o, err := observe(t.Context(), c, Setting{Backoff: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, plugin := range []any{o.gangs.Coscheduling, o.quotas.CapacityScheduling} {
		of := reflect.ValueOf(plugin).Elem()
		for i := range of.NumField() {
			switch it := of.Field(i); it.Kind() {
			case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
				if it.IsNil() {
					t.Errorf("%T: %s is nil", plugin, of.Type().Field(i).Name)
				}
			}
		}
	}
}

func TestFieldsAreThereAndOfTheirType(t *testing.T) {
	var of struct{ hidden int }
	set(&of, "hidden", 3)
	if got := get[int](&of, "hidden"); got != 3 {
		t.Errorf("got %d", got)
	}
	for name, wrong := range map[string]func(){
		"absent":     func() { set(&of, "absent", 3) },
		"other type": func() { set(&of, "hidden", "3") },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			wrong()
		})
	}
}

func TestWhyNoVictims(t *testing.T) {
	for message, want := range map[string]string{
		"0/1 nodes are available: 1 Insufficient cpu.":                                                          "Insufficient cpu",
		"0/3 nodes are available: 1 Insufficient cpu, 2 Preemption is not helpful for scheduling.":              "Insufficient cpu",
		"0/2 nodes are available: 1 Preemption is not helpful for scheduling, 1 Too many pods, 1 a, with more.": "Too many pods, a, with more",
		"no corresponding pod r in pods of node n1":                                                             "no corresponding pod r in pods of node n1",
	} {
		if got := whyNoVictims(message); got != want {
			t.Errorf("%s: got %s", message, got)
		}
	}
}
