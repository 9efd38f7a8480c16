package cluster

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

func read(t *testing.T, order []string, objects ...string) *Cluster {
	t.Helper()
	c, err := readAll(order, objects...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func readAll(order []string, objects ...string) (*Cluster, error) {
	var list []json.RawMessage
	for _, object := range objects {
		list = append(list, json.RawMessage(object))
	}
	return Read(list, time.Unix(60, 0), order, scheme.Scheme)
}

func pod(name, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q},"spec":{"containers":[{"name":"c"}]%s}}`, name, spec)
}

func class(name string, value int, more string) string {
	return fmt.Sprintf(`{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":%q},"value":%d%s}`, name, value, more)
}

func TestPodsAreCompleted(t *testing.T) {
	c := read(t, []string{"default/r", "default/absent"}, pod("p", `,"priorityClassName":"never"`), pod("q", ""), pod("r", `,"nodeName":"n1"`),
		pod("s", `,"priorityClassName":"system-node-critical"`), class("never", 7, `,"preemptionPolicy":"Never"`),
		class("more", 9, `,"globalDefault":true`), class("less", 3, `,"globalDefault":true`))
	var got []string
	for _, it := range c.Pods {
		got = append(got, fmt.Sprint(Key(it), *it.Spec.Priority, it.Status.Phase, it.UID, it.ResourceVersion, it.Status.StartTime != nil))
		if it.Spec.SchedulerName != v1.DefaultSchedulerName {
			t.Errorf("%s has no defaults", it.Name)
		}
	}
	want := []string{
		"default/r3Pendingdefault/r1true", "default/p7Pendingdefault/p1false", "default/q3Pendingdefault/q1false",
		"default/s2000001000Pendingdefault/s1false",
	}
	if text := strings.ReplaceAll(strings.Join(got, "; "), " ", ""); text != strings.Join(want, ";") {
		t.Errorf("got  %s\nwant %s", text, strings.Join(want, ";"))
	}
	if start := c.Pod("default/r").Status.StartTime.Time; !start.Equal(time.Unix(3660, 0)) {
		t.Errorf("it started at %v", start)
	}
	if policy := c.Pod("default/p").Spec.PreemptionPolicy; policy == nil || *policy != v1.PreemptNever {
		t.Errorf("got %v", policy)
	}
}

// Namespaces come first, those of pods without an object too, and what is taken is no longer there.
func TestOthersAndTake(t *testing.T) {
	service := `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"}}`
	c := read(t, nil, service, pod("p", ""), `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"}}`, `{"apiVersion":"x/v1","kind":"X"}`)
	var got []string
	for _, object := range c.Others {
		got = append(got, fmt.Sprintf("%T", object))
	}
	if text := strings.Join(got, " "); text != "*v1.Namespace *v1.Namespace *v1.Service" {
		t.Errorf("got %s", text)
	}
	if taken := Take[*v1.Service](c); len(taken) != 1 || taken[0].Namespace != "default" || len(c.Others) != 2 {
		t.Errorf("got %v and %v", taken, c.Others)
	}
}

func TestErrorsNameTheObject(t *testing.T) {
	for want, objects := range map[string][]string{
		"Pod default/p is there twice":      {pod("p", ""), pod("p", "")},
		`object 1, Pod "a/q": `:             {pod("p", ""), `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"q","namespace":"a"},"spec":7}`},
		`object 0, Node "": it has no name`: {`{"apiVersion":"v1","kind":"Node"}`},
	} {
		if _, err := readAll(nil, objects...); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
