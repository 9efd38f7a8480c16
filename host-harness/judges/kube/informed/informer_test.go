package informed

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// registered is a registration, whatever methods its interface has.
type registered struct {
	cache.ResourceEventHandlerRegistration
}

// Objects are transformed, are listed in the order in which they were put, and handlers have run when Put returns.
func TestPut(t *testing.T) {
	given := registered{}
	informer := New(given)
	var seen []string
	handler := cache.ResourceEventHandlerFuncs{AddFunc: func(object any) { seen = append(seen, object.(*v1.Node).Labels["is"]) }}
	if registration, err := informer.AddEventHandler(handler); err != nil || registration != given {
		t.Errorf("got %v and %v", registration, err)
	}
	mark := func(object any) (any, error) {
		node := object.(*v1.Node).DeepCopy()
		node.Labels = map[string]string{"is": "marked " + node.Name}
		return node, nil
	}
	if err := informer.SetTransform(mark); err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range 20 {
		name := fmt.Sprint("n", 20-i)
		want = append(want, "marked "+name)
		if err := informer.Put(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			t.Fatal(err)
		}
	}
	var listed []string
	for _, object := range informer.GetStore().List() {
		listed = append(listed, object.(*v1.Node).Labels["is"])
	}
	if fmt.Sprint(seen) != fmt.Sprint(want) || fmt.Sprint(listed) != fmt.Sprint(want) {
		t.Errorf("handlers saw %v, the list is %v, want %v", seen, listed, want)
	}
	if _, ok, err := informer.GetIndexer().GetByKey("n7"); !ok || err != nil {
		t.Errorf("n7 is not there: %v", err)
	}
}
