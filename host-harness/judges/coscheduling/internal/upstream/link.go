package upstream

import (
	"fmt"
	"reflect"
	"unsafe" // also for go:linkname

	"sigs.k8s.io/scheduler-plugins/pkg/capacityscheduling"
)

// New of both plugins starts informers of controller-runtime, which list and watch from an API server in the background, and look only
// every 100 milliseconds whether they have. So the plugins are put together here: their fields by `set`, and what their informers would
// tell them by calling the handlers that New registers. All that decides is theirs.

// addElasticQuota is the handler of CapacityScheduling for an ElasticQuota that is there.
//
//go:linkname addElasticQuota sigs.k8s.io/scheduler-plugins/pkg/capacityscheduling.(*CapacityScheduling).addElasticQuota
func addElasticQuota(plugin *capacityscheduling.CapacityScheduling, quota any)

// addPod is the handler of CapacityScheduling for a bound pod that is there.
//
//go:linkname addPod sigs.k8s.io/scheduler-plugins/pkg/capacityscheduling.(*CapacityScheduling).addPod
func addPod(plugin *capacityscheduling.CapacityScheduling, pod any)

// set sets a field of the struct that `of` points to, which upstream does not export. It panics where there is no such field, or one of
// another type.
func set(of any, name string, value any) { field(of, name).Set(reflect.ValueOf(value)) }

// get returns a field of the struct that `of` points to, which upstream does not export. It panics as set does.
func get[T any](of any, name string) T { return field(of, name).Interface().(T) }

func field(of any, name string) reflect.Value {
	found := reflect.ValueOf(of).Elem().FieldByName(name)
	if !found.IsValid() {
		panic(fmt.Sprintf("%T has no field %s", of, name))
	}
	return reflect.NewAt(found.Type(), unsafe.Pointer(found.UnsafeAddr())).Elem()
}
