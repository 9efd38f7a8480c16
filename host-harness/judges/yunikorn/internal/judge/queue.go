package judge

import (
	"maps"
	"slices"

	"github.com/apache/yunikorn-core/pkg/common/configs"
	"github.com/apache/yunikorn-core/pkg/common/resources"
	"github.com/apache/yunikorn-core/pkg/scheduler/objects"
)

// queueOrders is in how many orders of equals the pending pods are sorted.
const queueOrders = 24

// queue sorts the pending pods as a cycle of the core does that places none of them. Pods with a reservation are no part of it: a cycle looks
// at reservations first.
func (c *cluster) queue(config configs.PartitionConfig) (Answer, error) {
	var answer Answer
	for number := range order(queueOrders) {
		sorted, err := c.sorted(config, number)
		if err != nil {
			return Answer{}, err
		}
		if !slices.ContainsFunc(answer.Queues, func(other []string) bool { return slices.Equal(other, sorted) }) {
			answer.Queues = append(answer.Queues, sorted)
		}
	}
	return answer, nil
}

// sorted sorts the pending pods, and equals in this order.
func (c *cluster) sorted(config configs.PartitionConfig, order order) ([]string, error) {
	createdAt := order.created(c.pods)
	core, err := c.newCore(config, order, createdAt)
	if err != nil {
		return nil, err
	}
	defer core.stop()
	nominated := map[string]bool{}
	for _, p := range c.pods {
		if p.node != "" || p.isLeaving || !p.isOurs || core.refused[p.app] != nil || len(p.object.Spec.SchedulingGates) > 0 {
			continue
		}
		ask := objects.NewAllocationFromSI(core.allocation(p, createdAt(p)))
		if _, _, err := core.partition.UpdateAllocation(ask); err != nil {
			return nil, err
		}
		nominated[p.key] = p.nominated != ""
	}
	asks := order.asksOf(core.partition.GetQueue(configs.RootQueue))
	return slices.DeleteFunc(asks, func(key string) bool { return nominated[key] }), nil
}

// asksOf returns the asks below a queue as TryAllocate comes by them. Of queues that the core finds equal, it takes them in this order.
func (o order) asksOf(queue *objects.Queue) []string {
	var keys []string
	if queue.IsLeafQueue() {
		for _, app := range sortApplications(queue.GetCopyOfApps(), sortPolicy(queue), queue.IsPrioritySortEnabled(), queue.GetGuaranteedResource()) {
			// Those of pods that run stay on the list.
			asks := slices.DeleteFunc(app.GetAllRequests(), (*objects.Allocation).IsAllocated)
			slices.SortFunc(asks, func(a, b *objects.Allocation) int {
				if a.LessThan(b) {
					return 1
				}
				return -1
			})
			for _, ask := range asks {
				keys = append(keys, ask.GetAllocationKey())
			}
		}
		return keys
	}
	var children []*objects.Queue
	var maxima []*resources.Resource
	named := queue.GetCopyOfChildren()
	for _, name := range slices.SortedFunc(maps.Keys(named), o.compare) {
		if child := named[name]; !child.IsStopped() && resources.StrictlyGreaterThanZero(child.GetPendingResource()) {
			children, maxima = append(children, child), append(maxima, child.GetFairMaxResource())
		}
	}
	sortQueue(children, maxima, sortPolicy(queue), queue.IsPrioritySortEnabled())
	for _, child := range children {
		keys = append(keys, o.asksOf(child)...)
	}
	return keys
}
