package judge

import (
	"fmt"
	"math"
	"strings"

	siCommon "github.com/apache/yunikorn-scheduler-interface/lib/go/common"
	"github.com/apache/yunikorn-scheduler-interface/lib/go/si"

	"github.com/apache/yunikorn-core/pkg/common/configs"
	"github.com/apache/yunikorn-core/pkg/common/resources"
	"github.com/apache/yunikorn-core/pkg/scheduler/objects"
)

// unlimited is more than any cluster has. Sums of it do not overflow.
const unlimited = math.MaxInt64 / 16

// candidates returns the pods that the core evicts, each where it is the only one that can be a victim, for an ask that is no larger than the
// pod and is short of all of it: what free room, sizes of other candidates, and the rest of the guarantee decide is not looked at.
func (c *cluster) candidates(config configs.PartitionConfig, request Request, asked *pod) ([]string, error) {
	request.Arguments = Arguments{Schedulers: request.Arguments.Schedulers}
	var keys []string
	for _, victim := range c.pods {
		if victim.node == "" || !victim.isOurs || victim.isLeaving || victim.required != "" {
			continue
		}
		decision, err := c.alone(victim).evictFor(config, request, asked, victim)
		if err != nil {
			return nil, err
		}
		if decision.Result == resultPreempts {
			keys = append(keys, victim.key)
		}
	}
	return keys, nil
}

// alone returns the cluster in which the other pods that run are those of DaemonSets, which are never victims. No pod is nominated.
func (c *cluster) alone(victim *pod) *cluster {
	other := *c
	other.pods = make([]*pod, len(c.pods))
	for at, p := range c.pods {
		copied := *p
		copied.nominated = ""
		if p.node != "" && p != victim {
			copied.required = p.node
		}
		other.pods[at] = &copied
	}
	return &other
}

// evictFor has a core without free room try the pod with the size of the victim.
func (c *cluster) evictFor(config configs.PartitionConfig, request Request, asked, victim *pod) (Decision, error) {
	core, err := c.newCore(config, 0, order(0).created(c.pods))
	if err != nil {
		return Decision{}, err
	}
	defer core.stop()
	if core.refused[asked.app] != nil {
		return Decision{Result: resultRefused}, nil
	}
	small := *c.find(asked.key)
	small.amounts = Amounts{}
	for name, amount := range asked.amounts {
		if least := min(amount, victim.amounts[name]); least > 0 {
			small.amounts[name] = least
		}
	}
	core.shim.asked = &small
	if err := core.fill(); err != nil {
		return Decision{}, err
	}
	core.unbound(&small)
	ask, err := core.ask(&small, core.creation(&small, request), false)
	if err != nil {
		return Decision{Result: resultRefused}, nil
	}
	return core.try(&small, ask), nil
}

// fill has pods of another scheduler use what the nodes have left.
func (c *core) fill() error {
	for id := range c.names {
		_, _, err := c.partition.UpdateAllocation(objects.NewAllocationFromSI(&si.Allocation{
			AllocationKey: "rest of " + id, NodeID: id, PartitionName: partitionName,
			AllocationTags:   map[string]string{siCommon.Foreign: siCommon.AllocTypeDefault},
			ResourcePerAlloc: c.partition.GetNode(id).GetAvailableResource().ToProto(),
		}))
		if err != nil {
			return fmt.Errorf("node %s: %w", c.names[id], err)
		}
	}
	return nil
}

// unbound gives the queue of the pod more of what it, or a queue above it, guarantees than pods can use, and the cluster a size that is no
// maximum. For a pod of a DaemonSet, no queue has one.
func (c *core) unbound(p *pod) {
	root := c.partition.GetQueue(configs.RootQueue)
	most, guaranteed := resources.NewResource(), resources.NewResource()
	for name := range p.amounts {
		most.Resources[name] = unlimited
	}
	root.SetMaxResource(most)
	leaf := c.partition.GetApplication(p.app).GetQueue()
	for path := leaf.GetQueuePath(); path != configs.RootQueue; path = path[:strings.LastIndexByte(path, '.')] {
		queue := c.partition.GetQueue(path)
		for name := range amountsIn(queue.GetGuaranteedResource(), false) {
			guaranteed.Resources[name] = unlimited
		}
		if p.required != "" {
			queue.SetResources(queue.GetGuaranteedResource(), nil)
		}
	}
	leaf.SetResources(guaranteed, ownMax(leaf))
}
