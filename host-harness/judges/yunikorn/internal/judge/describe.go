package judge

import (
	"slices"

	"github.com/apache/yunikorn-core/pkg/common/configs"
	"github.com/apache/yunikorn-core/pkg/common/resources"
	"github.com/apache/yunikorn-core/pkg/scheduler/objects"
)

// describe fills in the pods, and the amounts of all nodes and queues.
func (c *core) describe(answer *Answer, pods []*pod) {
	answer.Free = map[string]Amounts{}
	for id, name := range c.names {
		answer.Free[name] = amountsIn(c.partition.GetNode(id).GetAvailableResource(), false)
	}
	answer.Pods = map[string]Known{}
	for _, p := range pods {
		if p.isOurs && c.refused[p.app] == nil {
			answer.Pods[p.key] = Known{
				App: p.app, Queue: c.partition.GetApplication(p.app).GetQueuePath(), Uses: p.amounts, Priority: p.priority,
				OptedOut: !p.isPreemptible, IsOriginator: p.isOriginator, Required: p.required,
			}
		}
	}
	answer.Usage, answer.Max = map[string]Amounts{}, map[string]Amounts{}
	answer.Guaranteed, answer.Preemptable = map[string]Amounts{}, map[string]Amounts{}
	put := func(into map[string]Amounts, path string, amounts *resources.Resource, isZeroKept bool) {
		if read := amountsIn(amounts, isZeroKept); len(read) > 0 {
			into[path] = read
		}
	}
	var walk func(*objects.Queue, *objects.QueuePreemptionSnapshot)
	walk = func(queue *objects.Queue, parent *objects.QueuePreemptionSnapshot) {
		snapshot := &objects.QueuePreemptionSnapshot{
			Parent: parent, QueuePath: queue.GetQueuePath(), AllocatedResource: queue.GetAllocatedResource(),
			PreemptingResource: queue.GetPreemptingResource(), GuaranteedResource: queue.GetGuaranteedResource(),
		}
		put(answer.Usage, snapshot.QueuePath, snapshot.AllocatedResource, false)
		// The least of the queue and those above it. A maximum of 0 is one.
		put(answer.Max, snapshot.QueuePath, queue.GetMaxResource(), true)
		put(answer.Guaranteed, snapshot.QueuePath, snapshot.GuaranteedResource, false)
		put(answer.Preemptable, snapshot.QueuePath, snapshot.GetPreemptableResource(), false)
		for _, child := range queue.GetCopyOfChildren() {
			walk(child, snapshot)
		}
	}
	walk(c.partition.GetQueue(configs.RootQueue), nil)
	answer.Unreserved = slices.Sorted(slices.Values(c.unreserved))
}

// amountsIn reads a resource of the core.
func amountsIn(resource *resources.Resource, isZeroKept bool) Amounts {
	read := Amounts{}
	if resource != nil {
		for name, value := range resource.Resources {
			if value != 0 || isZeroKept {
				read[name] = int64(value)
			}
		}
	}
	return read
}
