package upstream

import (
	"reflect"
	"unsafe"
)

// set gives an unexported field of a struct of upstream a value. `object` points to the struct. It panics, which is answered as an error,
// where the field is not there or has another type: then upstream is not the version that this judge was written for.
func set(object any, name string, value any) {
	field := reflect.ValueOf(object).Elem().FieldByName(name)
	if !field.IsValid() {
		panic("upstream has no field " + name)
	}
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(value))
}
