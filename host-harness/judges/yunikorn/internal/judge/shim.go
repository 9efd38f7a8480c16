package judge

import (
	"errors"

	"github.com/apache/yunikorn-core/pkg/rmproxy/rmevent"
	"github.com/apache/yunikorn-scheduler-interface/lib/go/si"
)

// A shim is what the core calls in place of yunikorn-k8shim during an attempt.
type shim struct {
	// asked is the pod that is tried; nil: none is. core has its node by the core's name of it.
	asked *pod
	core  *core
	// victims are the keys of the pods that the core has evicted.
	victims []string
}

var errUnknownNode = errors.New("no such node")

// HandleEvent receives what the core tells the shim.
func (s *shim) HandleEvent(event any) {
	released, isReleased := event.(*rmevent.RMReleaseAllocationEvent)
	if !isReleased {
		return
	}
	for _, it := range released.ReleasedAllocations {
		if it.TerminationType == si.TerminationType_PREEMPTED_BY_SCHEDULER {
			s.victims = append(s.victims, it.AllocationKey)
		}
	}
	if released.Channel != nil {
		// The core waits for the result after this call.
		go func() { released.Channel <- &rmevent.Result{Succeeded: true} }()
	}
}

// Predicates checks whether the pod may run on a node.
func (s *shim) Predicates(args *si.PredicatesArgs) error {
	node := s.core.objects[args.NodeID]
	if node == nil || s.asked == nil {
		return errUnknownNode
	}
	return filter(s.asked.object, node)
}

// PreemptionPredicates checks the same of a node that pods are evicted on: none of the filters depends on them.
func (s *shim) PreemptionPredicates(args *si.PreemptionPredicatesArgs) *si.PreemptionPredicatesResponse {
	err := s.Predicates(&si.PredicatesArgs{NodeID: args.NodeID})
	return &si.PreemptionPredicatesResponse{Success: err == nil, Index: args.StartIndex}
}

func (s *shim) UpdateApplication(*si.ApplicationResponse) error { return nil }
func (s *shim) UpdateAllocation(*si.AllocationResponse) error   { return nil }
func (s *shim) UpdateNode(*si.NodeResponse) error               { return nil }
func (s *shim) SendEvent([]*si.EventRecord)                     {}
func (s *shim) UpdateContainerSchedulingState(*si.UpdateContainerSchedulingStateRequest) {
}
