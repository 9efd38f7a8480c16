package judge

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/apache/yunikorn-core/pkg/common/configs"
	"github.com/apache/yunikorn-core/pkg/log"
	"github.com/apache/yunikorn-core/pkg/scheduler/objects"
)

// reserveAfter is the age at which an ask may reserve a node without preemption.
const reserveAfter = 2 * time.Second

func init() {
	log.InitializeLogger(zap.NewNop(), &zap.Config{Level: zap.NewAtomicLevelAt(zap.FatalLevel)})
	preemptCheckConcurrency = 1
}

// Decide makes the decision of a request. Requests must not be decided at the same time: the core has state of the whole process.
func Decide(request Request) (Answer, error) {
	cluster, err := readCluster(request)
	if err != nil {
		return Answer{}, err
	}
	config, err := cluster.partitionConfig()
	if err != nil {
		return Answer{}, err
	}
	switch {
	case request.Arguments.Queue:
		return cluster.queue(config)
	case request.Pod == "":
		return cluster.giveBack(config)
	}
	asked := cluster.find(request.Pod)
	switch {
	case asked == nil:
		return Answer{}, fmt.Errorf("pod %s is not among the objects", request.Pod)
	case asked.node != "":
		return Answer{}, fmt.Errorf("pod %s runs on %s", request.Pod, asked.node)
	case !asked.isOurs:
		return Answer{}, fmt.Errorf("pod %s is of another scheduler", request.Pod)
	}
	if what := cluster.unread(asked); what != "" {
		return Answer{NotJudged: what}, nil
	}
	answer, err := cluster.attempt(config, request, asked, 0)
	if err == nil && request.Arguments.Candidates {
		answer.Candidates, err = cluster.candidates(config, request, asked)
	}
	if err != nil || answer.Result != resultBound && answer.Result != resultPreempts && answer.Result != resultReserves {
		return answer, err
	}
	for number := range request.Arguments.Alternatives {
		other, err := cluster.attempt(config, request, asked, order(number+1))
		if err != nil {
			return answer, err
		}
		isEqual := func(it Decision) bool { return it.equals(other.Decision) }
		if !isEqual(answer.Decision) && !slices.ContainsFunc(answer.Alternatives, isEqual) {
			answer.Alternatives = append(answer.Alternatives, other.Decision)
		}
	}
	return answer, nil
}

func (d Decision) equals(other Decision) bool {
	return d.Result == other.Result && d.Node == other.Node && slices.Equal(d.Victims, other.Victims)
}

// attempt has a fresh core try the pod once, and breaks ties in this order.
func (c *cluster) attempt(config configs.PartitionConfig, request Request, asked *pod, order order) (Answer, error) {
	core, err := c.newCore(config, order, order.created(c.pods))
	if err != nil {
		return Answer{}, err
	}
	defer core.stop()
	core.shim.asked = asked
	var answer Answer
	refusal := core.refused[asked.app]
	switch {
	case refusal != nil:
		answer.Decision, answer.Why = Decision{Result: resultRefused}, refusal.Error()
	case len(asked.object.Spec.SchedulingGates) > 0:
		answer.Decision, answer.Why = Decision{Result: resultNothing}, "the pod has scheduling gates"
	}
	if answer.Result != "" {
		core.describe(&answer, c.pods)
		return answer, nil
	}
	groups := c.placeholders(asked)
	var ask *objects.Allocation
	for _, p := range c.pods {
		switch {
		case p == asked && len(groups) == 0:
			if ask, err = core.ask(p, core.creation(p, request), request.Arguments.Retry); err != nil {
				answer.Decision, answer.Why = Decision{Result: resultRefused}, err.Error()
			}
		case p != asked && p.node == "" && p.nominated != "":
			core.nominate(p)
		}
	}
	core.describe(&answer, c.pods)
	if answer.Result == "" && len(groups) > 0 {
		if ask, err = core.gang(asked, groups, request); err != nil || ask == nil {
			answer.Decision, answer.Why = Decision{Result: resultNothing}, "placeholders of the application wait"
		}
	}
	if answer.Result != "" {
		return answer, nil
	}
	legal := core.legalNodes(asked, ask)
	answer.Decision = core.try(asked, ask)
	switch answer.Result {
	case resultBound:
		answer.LegalNodes = legal
	case resultNothing, resultReserves:
		answer.Why = reasonsOf(ask)
	}
	return answer, nil
}

// creation returns a time of creation by which the core finds an ask old enough for preemption if it is at `now`, whatever the time of
// day. It sets in the same way whether the ask is old enough for a reservation.
func (c *core) creation(p *pod, request Request) int64 {
	age := time.Duration(float64(request.Now.UnixNano()) - p.entered*float64(time.Second)).Round(time.Microsecond)
	if request.Arguments.Reserve && age > reserveAfter {
		objects.SetReservationDelay(math.MinInt64)
	} else {
		objects.SetReservationDelay(math.MaxInt64)
	}
	if age < c.partition.GetApplication(p.app).GetQueue().GetPreemptionDelay() {
		return inTheFarAfter
	}
	return longAgo
}

// try runs cycles of the core with one ask. After a cycle that only reserves a node there is one more: a pod of a DaemonSet preempts in
// the cycle after the one that reserves its node.
func (c *core) try(asked *pod, ask *objects.Allocation) Decision {
	decision := Decision{Result: resultNothing}
	for range 2 {
		result := c.cycle()
		if victims := slices.Sorted(slices.Values(c.shim.victims)); len(victims) > 0 {
			node := asked.required
			if result != nil {
				node = c.names[result.NodeID]
			}
			return Decision{Result: resultPreempts, Node: node, Victims: victims}
		}
		if result == nil {
			return decision
		}
		if result.ResultType == objects.Allocated || result.ResultType == objects.AllocatedReserved {
			return Decision{Result: resultBound, Node: c.names[result.NodeID]}
		}
		node := c.partition.GetNode(result.NodeID)
		if result.ResultType != objects.Reserved || c.reserve(asked, node, ask) != nil {
			return decision
		}
		decision = Decision{Result: resultReserves, Node: c.names[result.NodeID]}
	}
	return decision
}

// cycle looks at reservations first and at other asks after that, as a cycle of the core does.
func (c *core) cycle() *objects.AllocationResult {
	root := c.partition.GetQueue(configs.RootQueue)
	if result := root.TryReservedAllocate(c.partition.GetNodeIterator); result != nil {
		return result
	}
	return root.TryAllocate(c.partition.GetNodeIterator, c.partition.GetFullNodeIterator, c.partition.GetNode, c.partition.IsPreemptionEnabled())
}

// reasonsOf returns what the core logged for an ask, sorted.
func reasonsOf(ask *objects.Allocation) string {
	var reasons []string
	for _, entry := range ask.GetAllocationLog() {
		reasons = append(reasons, entry.Message)
	}
	slices.Sort(reasons)
	return strings.Join(reasons, "; ")
}
