package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/apache/yunikorn-core/pkg/common/configs"
	"github.com/apache/yunikorn-core/pkg/common/resources"
	"github.com/apache/yunikorn-core/pkg/common/security"
	"github.com/apache/yunikorn-core/pkg/scheduler/objects"
	siCommon "github.com/apache/yunikorn-scheduler-interface/lib/go/common"
	"github.com/apache/yunikorn-scheduler-interface/lib/go/si"
)

// The pod that is to get room asks for so many vcores, each of which a pod has to leave for.
const asked = 4

type cluster struct {
	root, asking *objects.Queue
	app          *objects.Application
	nodes        []*objects.Node
	running      []*objects.Allocation
}

// ForEachNode makes the cluster a NodeIterator: nodes in the order of their names.
func (c *cluster) ForEachNode(f func(*objects.Node) bool) {
	for _, node := range c.nodes {
		if !f(node) {
			return
		}
	}
}

func build(shape shape) (*cluster, error) {
	apps := objects.NewAppQueueMapping()
	root, err := objects.NewConfiguredQueue(configs.QueueConfig{Name: "root", Parent: true}, nil, false, apps)
	if err != nil {
		return nil, err
	}
	perNode := int64(shape.podsPerNode)
	root.SetMaxResource(resources.NewResourceFromMap(map[string]resources.Quantity{
		siCommon.CPU: resources.Quantity(perNode * int64(shape.nodes) * 1000), "pods": resources.Quantity(110 * shape.nodes),
	}))
	c := &cluster{root: root}
	for number := range shape.nodes {
		c.nodes = append(c.nodes, objects.NewNode(&si.NodeInfo{
			NodeID:              fmt.Sprintf("node-%06d", number),
			SchedulableResource: amounts(perNode*1000, 110),
			Attributes:          map[string]string{},
		}))
	}
	var victims []*objects.Application
	for number := range shape.queues {
		app, _, err := c.queue(fmt.Sprintf("queue-%03d", number), "1", apps)
		if err != nil {
			return nil, err
		}
		victims = append(victims, app)
	}
	if c.app, c.asking, err = c.queue("asking", "1000000", apps); err != nil {
		return nil, err
	}
	for number := range shape.nodes * shape.podsPerNode {
		if err := c.run(number, c.nodes[number%shape.nodes], victims[number%shape.queues]); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// A queue with a guarantee of so many vcores, and its one application.
func (c *cluster) queue(name, guaranteed string, apps *objects.AppQueueMapping) (*objects.Application, *objects.Queue, error) {
	config := configs.QueueConfig{Name: name, Resources: configs.Resources{Guaranteed: map[string]string{siCommon.CPU: guaranteed}}}
	queue, err := objects.NewConfiguredQueue(config, c.root, false, apps)
	if err != nil {
		return nil, nil, err
	}
	app := objects.NewApplication(&si.AddApplicationRequest{
		ApplicationID: "app-" + name, QueueName: queue.QueuePath, PartitionName: "default",
	}, security.UserGroup{User: "user"}, nil, "rm")
	app.SetQueue(queue)
	queue.AddApplication(app)
	apps.AddAppQueueMapping(app.ApplicationID, queue)
	return app, queue, nil
}

// Runs a pod of 1 vcore.
func (c *cluster) run(number int, node *objects.Node, app *objects.Application) error {
	pod := objects.NewAllocationFromSI(&si.Allocation{
		AllocationKey: fmt.Sprintf("pod-%07d", number), ApplicationID: app.ApplicationID, NodeID: node.NodeID,
		ResourcePerAlloc: amounts(1000, 1), AllocationTags: created(number % 86_400),
		PreemptionPolicy: &si.PreemptionPolicy{AllowPreemptSelf: true, AllowPreemptOther: true},
	})
	if !node.TryAddAllocation(pod) {
		return fmt.Errorf("%s has no room for %s", node.NodeID, pod.GetAllocationKey())
	}
	app.AddAllocation(pod)
	app.GetQueue().IncAllocatedResource(pod.GetAllocatedResource(), false)
	c.running = append(c.running, pod)
	return nil
}

// Looks for room for a pod of 4 vcores, and takes everything back. Says how long it took, and how many pods are evicted.
func (c *cluster) preempt(name string) (time.Duration, int, error) {
	ask := objects.NewAllocationFromSI(&si.Allocation{
		// No `pods`: upstream then takes as many victims as the other amounts need.
		AllocationKey: "ask-" + name, ApplicationID: c.app.ApplicationID, AllocationTags: created(3600),
		ResourcePerAlloc: &si.Resource{Resources: map[string]*si.Quantity{siCommon.CPU: {Value: asked * 1000}}},
		PreemptionPolicy: &si.PreemptionPolicy{AllowPreemptSelf: true, AllowPreemptOther: true},
	})
	if err := c.app.AddAllocationAsk(ask); err != nil {
		return 0, 0, err
	}
	begun := time.Now()
	preemptor := objects.NewPreemptor(c.app, c.asking.GetMaxResource(), 30*time.Second, ask, c, true)
	_, found := preemptor.TryPreemption()
	took := time.Since(begun)
	victims := 0
	for _, pod := range c.running {
		if pod.IsPreempted() {
			victims++
			pod.MarkUnPreempted()
			queue := c.asking.GetQueueByAppID(pod.GetApplicationID())
			queue.DecPreemptingResource(pod.GetAllocatedResource())
		}
	}
	c.app.RemoveAllocationAsk(ask.GetAllocationKey())
	if !found || victims != asked {
		return took, victims, fmt.Errorf("%d victims, %d expected", victims, asked)
	}
	return took, victims, nil
}

func amounts(millicores, pods int64) *si.Resource {
	return &si.Resource{Resources: map[string]*si.Quantity{siCommon.CPU: {Value: millicores}, "pods": {Value: pods}}}
}

// A pod that was created so many seconds ago.
func created(ago int) map[string]string {
	at := time.Now().Add(-time.Duration(ago) * time.Second).Unix()
	return map[string]string{siCommon.CreationTime: strconv.FormatInt(at, 10)}
}
