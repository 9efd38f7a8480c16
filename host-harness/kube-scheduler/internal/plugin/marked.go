package plugin

import (
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"lictor.dev/kube-scheduler/internal/wire"
)

// overdue is how long a victim that was only marked may run before an event says so, as in `lictor run`.
const overdue = time.Minute

// stands is what the event says.
const stands = "It was marked to be evicted for plan %d and still runs after a minute: no controller deletes what is marked " +
	"(koordinator: podShouldBeDeletedWhenPreempted)"

// marked are the victims that were only marked, and that may still run.
type marked struct {
	lock sync.Mutex
	pods map[types.UID]markedPod
}

type markedPod struct {
	order wire.Order
	since time.Time
}

func newMarked() *marked { return &marked{pods: map[types.UID]markedPod{}} }

// put keeps a victim that was marked just now, unless it was before.
func (m *marked) put(order wire.Order, now time.Time) {
	m.lock.Lock()
	defer m.lock.Unlock()
	uid := types.UID(order.Object.UID)
	if _, ok := m.pods[uid]; !ok {
		m.pods[uid] = markedPod{order: order, since: now}
	}
}

// due takes out the victims that were marked a minute ago.
func (m *marked) due(now time.Time) (found []wire.Order) {
	m.lock.Lock()
	defer m.lock.Unlock()
	for uid, pod := range m.pods {
		if now.Sub(pod.since) >= overdue {
			found = append(found, pod.order)
			delete(m.pods, uid)
		}
	}
	return found
}

// warnOfStanding writes an event on each victim that was marked a minute ago and still runs.
func (p *Plugin) warnOfStanding(now time.Time) {
	for _, order := range p.marked.due(now) {
		pod, ok := p.feed.known(order.Object).(*v1.Pod)
		if !ok || string(pod.UID) != order.Object.UID || pod.DeletionTimestamp != nil {
			continue
		}
		recorder := p.handle.EventRecorder().WithLogger(p.logger)
		recorder.Eventf(pod, nil, v1.EventTypeWarning, "VictimStillRuns", "Preempting", stands, order.Plan)
	}
}
