package judge

import (
	"encoding/json"
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/apache/yunikorn-core/pkg/common/configs"
	"github.com/apache/yunikorn-core/pkg/scheduler/objects"
)

// The annotations about task groups that yunikorn-k8shim reads.
const (
	taskGroups     = "yunikorn.apache.org/task-groups"
	taskGroupName  = "yunikorn.apache.org/task-group-name"
	policyOfGroups = "yunikorn.apache.org/schedulingPolicyParameters"
)

// A taskGroup is what the shim reads of one: it makes this many placeholders of this size.
type taskGroup struct {
	Name        string          `json:"name"`
	MinMember   int             `json:"minMember"`
	MinResource v1.ResourceList `json:"minResource"`
}

// isOfUnreadGroup returns whether what becomes of the pod depends on task groups that the judge does not make placeholders for: those of an
// application that starts in parts when its placeholders time out, and those with members among the pods.
func (p *pod) isOfUnreadGroup() bool {
	if p.object.Annotations[taskGroupName] != "" {
		return true
	}
	isHard := strings.Contains(p.object.Annotations[policyOfGroups], "gangSchedulingStyle=Hard")
	return p.object.Annotations[taskGroups] != "" && !isHard
}

// placeholders returns the groups for which the shim makes placeholders before it tries the pod. Those of the first pod of an application count,
// and only while none of its pods runs. Groups that the shim cannot read are none.
func (c *cluster) placeholders(asked *pod) []taskGroup {
	var groups []taskGroup
	if json.Unmarshal([]byte(asked.object.Annotations[taskGroups]), &groups) != nil {
		return nil
	}
	for _, group := range groups {
		if group.Name == "" || group.MinMember <= 0 {
			return nil
		}
	}
	isFirst := false
	for _, p := range c.pods {
		if !p.isOurs || p.app != asked.app || p.isPlaceholder {
			continue
		}
		if p.node != "" {
			return nil
		}
		if !isFirst && p != asked {
			return nil
		}
		isFirst = true
	}
	return groups
}

// gang adds the pod as an ask beside the placeholders of its application. nil: they are not all placed.
func (c *core) gang(asked *pod, groups []taskGroup, request Request) (*objects.Allocation, error) {
	if isHeld, err := c.hold(asked, groups); err != nil || !isHeld {
		return nil, err
	}
	return c.ask(asked, c.creation(asked, request), request.Arguments.Retry)
}

// hold has the core place the placeholders of groups, without preemption. It returns whether all are placed: the pod is tried only then.
func (c *core) hold(asked *pod, groups []taskGroup) (bool, error) {
	was := c.shim.asked
	defer func() { c.shim.asked = was }()
	// The template of a placeholder selects no nodes.
	c.shim.asked = &pod{object: &v1.Pod{}}
	root := c.partition.GetQueue(configs.RootQueue)
	for _, group := range groups {
		amounts := amountsOf(group.MinResource)
		amounts["pods"] = 1
		for number := range group.MinMember {
			placeholder := pod{key: fmt.Sprintf("%s %s %d", asked.key, group.Name, number), app: asked.app, amounts: amounts, isPreemptible: true}
			allocation := c.allocation(&placeholder, longAgo)
			allocation.Placeholder, allocation.TaskGroupName = true, group.Name
			if _, _, err := c.partition.UpdateAllocation(objects.NewAllocationFromSI(allocation)); err != nil {
				return false, err
			}
			result := root.TryAllocate(c.partition.GetNodeIterator, c.partition.GetFullNodeIterator, c.partition.GetNode, false)
			if result == nil || result.ResultType != objects.Allocated {
				return false, nil
			}
		}
	}
	return true, nil
}
