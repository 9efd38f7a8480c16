package plugin

import (
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"

	"lictor.dev/kube-scheduler/internal/wire"
)

// recording is a handle that keeps events.
type recording struct {
	atServer
	recorder *events.FakeRecorder
}

func (r *recording) EventRecorder() events.EventRecorderLogger { return r.recorder }

func TestAMarkedVictimThatStillRunsAfterAMinuteHasAnEvent(t *testing.T) {
	begun := time.Now()
	stops := func(pod *v1.Pod) { pod.DeletionTimestamp = &metav1.Time{Time: begun} }
	another := func(pod *v1.Pod) { pod.UID = "another" }
	for name, c := range map[string]struct {
		change func(*v1.Pod)
		order  wire.Order
		want   int
	}{
		"runs":        {func(*v1.Pod) {}, wire.Order{}, 1},
		"stops":       {stops, wire.Order{}, 0},
		"another pod": {another, wire.Order{}, 0},
		"deleted":     {func(*v1.Pod) {}, wire.Order{Delete: true}, 0},
	} {
		v := podNamed("v")
		handle := &recording{atServer{clients: fake.NewClientset(v)}, events.NewFakeRecorder(10)}
		p := newPlugin(t.Context(), Args{}, handle)
		c.change(v)
		p.feed.objects["Pod/default/v"] = v
		order := c.order
		order.ID, order.Action, order.Object, order.Plan = 1, wire.Evict, victimNamed("v"), 7
		order.Marks = []wire.Mark{{Place: "label", Key: "k", Value: "v"}}
		for range 2 {
			p.carryOut(nil, []wire.Order{order}, nil)
		}
		p.warnOfStanding(begun)
		if len(handle.recorder.Events) != 0 {
			t.Error(name, "said at once")
		}
		for range 2 {
			p.warnOfStanding(time.Now().Add(overdue))
		}
		if found := len(handle.recorder.Events); found != c.want {
			t.Error(name, found, "events")
		}
		if c.want == 1 {
			if said := <-handle.recorder.Events; !strings.Contains(said, "VictimStillRuns") || !strings.Contains(said, "plan 7") {
				t.Error(said)
			}
		}
	}
}
