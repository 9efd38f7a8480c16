package judge

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	v1 "k8s.io/api/core/v1"

	"github.com/apache/yunikorn-core/pkg/common/configs"
	"github.com/apache/yunikorn-core/pkg/common/security"
	"github.com/apache/yunikorn-core/pkg/plugins"
	"github.com/apache/yunikorn-core/pkg/scheduler"
	"github.com/apache/yunikorn-core/pkg/scheduler/objects"
	"github.com/apache/yunikorn-core/pkg/scheduler/ugm"
	siCommon "github.com/apache/yunikorn-scheduler-interface/lib/go/common"
	"github.com/apache/yunikorn-scheduler-interface/lib/go/si"
)

const (
	rm            = "judge"
	partitionName = "[judge]default"
)

// user owns all applications: the judge reads no users.
var user = security.UserGroup{User: "nobody"}

// A core is a partition of yunikorn-core with the pods and the nodes of a cluster. It is used for one attempt.
type core struct {
	partition *scheduler.PartitionContext
	shim      *shim
	// ids are the core's names of the nodes, and names and objects the nodes by them. The core breaks ties by name.
	ids     map[string]string
	names   map[string]string
	objects map[string]*v1.Node
	// refused is why applications were refused.
	refused map[string]error
	// unreserved are nominated pods that the core keeps no node for.
	unreserved []string
}

// newCore builds a partition and has the pods run in it that have a node. Ties are broken in this order.
func (c *cluster) newCore(config configs.PartitionConfig, order order, createdAt func(*pod) int64) (*core, error) {
	// What the core keeps of the users of earlier partitions.
	users := ugm.GetUserManager()
	users.ClearUserTrackers()
	users.ClearGroupTrackers()
	users.ClearConfigLimits()
	config.Name = partitionName
	partition, err := newPartition(config, rm, nil, false)
	if err != nil {
		return nil, fmt.Errorf("the queues: %w", err)
	}
	built := &core{
		partition: partition, ids: order.nodeIDs(c.nodes), names: map[string]string{}, objects: map[string]*v1.Node{},
		refused: map[string]error{},
	}
	built.shim = &shim{core: built}
	plugins.RegisterSchedulerPlugin(built.shim)
	for _, object := range c.nodes {
		id := built.ids[object.Name]
		built.names[id], built.objects[id] = object.Name, object
		node := objects.NewNode(&si.NodeInfo{
			NodeID: id, SchedulableResource: quantities(amountsOf(object.Status.Allocatable)),
			Attributes: map[string]string{siCommon.NodePartition: partitionName},
		})
		node.SetSchedulable(!object.Spec.Unschedulable)
		if err := partition.AddNode(node); err != nil {
			return nil, fmt.Errorf("node %s: %w", object.Name, err)
		}
	}
	built.addApplications(c.pods)
	for _, p := range c.pods {
		if p.node != "" && built.ids[p.node] != "" {
			if err := built.run(p, createdAt(p)); err != nil {
				return nil, fmt.Errorf("pod %s: %w", p.key, err)
			}
		}
	}
	return built, nil
}

// stop ends the timers of the applications. A timer that waits for placeholders keeps the core in memory, and fails when its time has come.
func (c *core) stop() {
	partition := c.partition
	for _, app := range slices.Concat(partition.GetApplications(), partition.GetCompletedApplications(), partition.GetRejectedApplications()) {
		app.RemoveAllAllocations()
	}
}

// addApplications adds the application of each pod. The first pod of an application names its queue.
func (c *core) addApplications(pods []*pod) {
	known := map[string]bool{}
	for _, p := range pods {
		if !p.isOurs || known[p.app] {
			continue
		}
		known[p.app] = true
		if err := c.partition.AddApplication(c.application(p, p.app)); err != nil {
			c.refused[p.app] = err
		}
	}
}

func (c *core) application(p *pod, id string) *objects.Application {
	return objects.NewApplication(&si.AddApplicationRequest{
		ApplicationID: id, QueueName: p.queue, PartitionName: partitionName,
		Tags: map[string]string{"namespace": p.object.Namespace},
	}, user, c.shim, rm)
}

// run has a pod run on its node. A pod of another scheduler, or of an application without a queue, only uses the node.
func (c *core) run(p *pod, created int64) error {
	allocation := c.allocation(p, created)
	allocation.NodeID = c.ids[p.node]
	if !p.isOurs || c.refused[p.app] != nil {
		allocation.ApplicationID = ""
		allocation.AllocationTags[siCommon.Foreign] = siCommon.AllocTypeDefault
	}
	running := objects.NewAllocationFromSI(allocation)
	if _, _, err := c.partition.UpdateAllocation(running); err != nil {
		return err
	}
	if p.isLeaving && allocation.ApplicationID != "" {
		// As after a preemption, until the pod is gone.
		if err := running.MarkPreempted(); err != nil {
			return err
		}
		c.partition.GetApplication(p.app).GetQueue().IncPreemptingResource(running.GetAllocatedResource())
	}
	return nil
}

// nominate reserves the node of a pod that is nominated to one, as its preemption did. The pod is not tried.
func (c *core) nominate(p *pod) {
	node := c.partition.GetNode(c.ids[p.nominated])
	if node == nil || !p.isOurs || c.refused[p.app] != nil {
		return
	}
	// An application of its own: the one of the pod would try the pod before the pod that is asked about.
	application := c.application(p, p.app+" for "+p.key)
	application.SetQueue(c.partition.GetApplication(p.app).GetQueue())
	allocation := c.allocation(p, longAgo)
	allocation.ApplicationID = application.ApplicationID
	ask := objects.NewAllocationFromSI(allocation)
	ask.MarkTriggeredPreemption()
	err := application.AddAllocationAsk(ask)
	if err == nil {
		err = application.Reserve(node, ask)
	}
	if err != nil {
		c.unreserved = append(c.unreserved, p.key)
	}
}

// ask adds a pod as an ask, with the reservation that it has.
func (c *core) ask(p *pod, created int64, isRetried bool) (*objects.Allocation, error) {
	ask := objects.NewAllocationFromSI(c.allocation(p, created))
	if _, _, err := c.partition.UpdateAllocation(ask); err != nil {
		return nil, err
	}
	if node := c.partition.GetNode(c.ids[p.nominated]); node != nil {
		if err := c.reserve(p, node, ask); err != nil {
			c.unreserved = append(c.unreserved, p.key)
		}
		if !isRetried {
			ask.MarkTriggeredPreemption()
		}
	}
	return ask, nil
}

func (c *core) reserve(p *pod, node *objects.Node, ask *objects.Allocation) error {
	application := c.partition.GetApplication(p.app)
	if err := application.Reserve(node, ask); err != nil {
		return err
	}
	application.GetQueue().Reserve(p.app)
	return nil
}

func (c *core) allocation(p *pod, created int64) *si.Allocation {
	tags := map[string]string{siCommon.CreationTime: strconv.FormatInt(created, 10)}
	if p.required != "" {
		// A node that is not there has no name of the core.
		id, isThere := c.ids[p.required]
		if !isThere {
			id = "missing " + p.required
		}
		tags[siCommon.DomainYuniKorn+siCommon.KeyRequiredNode] = id
	}
	return &si.Allocation{
		AllocationKey: p.key, ApplicationID: p.app, PartitionName: partitionName, AllocationTags: tags,
		ResourcePerAlloc: quantities(p.amounts), Priority: p.priority, Originator: p.isOriginator,
		PreemptionPolicy: &si.PreemptionPolicy{AllowPreemptSelf: p.isPreemptible, AllowPreemptOther: p.mayPreempt},
	}
}

// legalNodes returns the nodes on which the core can place an ask that its queue has room for, sorted by name.
func (c *core) legalNodes(p *pod, ask *objects.Allocation) []string {
	var legal []string
	for id, name := range c.names {
		node := c.partition.GetNode(id)
		held := node.GetReservationKeys()
		if p.required != "" {
			// The core cancels reservations by pods of no DaemonSet.
			held = nil
		}
		isOthers := slices.ContainsFunc(held, func(key string) bool { return key != p.key })
		if (p.required == "" && node.IsSchedulable() || p.required == name) && !isOthers &&
			node.CanAllocate(ask.GetAllocatedResource()) && filter(p.object, c.objects[id]) == nil {
			legal = append(legal, name)
		}
	}
	slices.Sort(legal)
	return legal
}

func quantities(amounts Amounts) *si.Resource {
	out := &si.Resource{Resources: make(map[string]*si.Quantity, len(amounts))}
	for name, value := range maps.All(amounts) {
		out.Resources[name] = &si.Quantity{Value: value}
	}
	return out
}
