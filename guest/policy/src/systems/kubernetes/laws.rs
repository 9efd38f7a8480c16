//! The table: which laws are in force, in which order, and where they come from. A line is a law: its place in the table, its code, its
//! file and its source.

use crate::laws::{
    Laws, MinCandidateNodes, PlanOrders, Preconditions, QueueRules, SearchKind, gate, guard, laws, limit, order,
};

laws! { "kubernetes":
    Gate MAY_PREEMPT = "may-preempt", gate::may_preempt::LAW, "upstream plugins/defaultpreemption PodEligibleToPreemptOthers; preemptionPolicy";
    Gate NO_VICTIM_IS_LEAVING = "no-victim-is-leaving", gate::no_victim_is_leaving::LAW, "upstream plugins/defaultpreemption PodEligibleToPreemptOthers; issue 92600";
    Gate ITS_ROOM_IS_NOT_HELD = "its-room-is-not-held-at-permit", gate::its_room_is_not_held_at_permit::LAW, "upstream schedule_one_podgroup.go: half a group holds no room; ruling K22";
    Gate GANG_HAS_ITS_MEMBERS = "gang-has-its-members", gate::gang_has_its_members::LAW, "upstream plugins/gangscheduling, PreEnqueue; ruling K16";
    Gate GANG_DEMANDS_ARE_KNOWN = "gang-demands-are-known", gate::gang_demands_are_known::LAW, "scheduling.k8s.io/v1beta1 PodGroup; ruling K21";
    Gate GANG_HAS_NOT_FAILED = "gang-has-not-failed", gate::gang_has_not_failed::LAW, "upstream schedule_one_podgroup.go: a group is placed as a whole or holds nothing; ruling K24";
    Gate GANG_CAN_START = "gang-can-start", gate::gang_can_start::LAW, "upstream plugins/gangscheduling, PlacementFeasible; ruling K17";
    Gate GANG_IS_COMPLETE = "gang-is-complete", limit::gang_is_complete::LAW, "upstream plugins/gangscheduling, PlacementFeasible; ruling K17";
    Guard VICTIM_RANKS_LOWER = "victim-ranks-lower", guard::victim_ranks_lower::LAW, "upstream plugins/defaultpreemption SelectVictimsOnNode";
    Guard VICTIM_IS_OF_ANOTHER_JOB = "victim-is-of-another-job", guard::victim_is_of_another_job::LAW, "workload-aware preemption (KEP 5710): a group does not preempt itself";
    PendingByKey QUEUE = "higher-priority-first", order::higher_priority_first::LAW, "upstream plugins/queuesort PrioritySort";
    Order REPRIEVE = "important-first", order::important_first::LAW, "upstream scheduler/util MoreImportantPod";
    NodeChoice NODE = "fewest-violations-first", order::fewest_violations_first::LAW, "upstream framework/preemption pickOneNodeForPreemption";
}

/// Returns the laws in force. `sample` is the number of nodes with a plan that ends a search.
pub fn table(sample: MinCandidateNodes) -> Laws {
    Laws {
        queue_order: QUEUE,
        preconditions: Preconditions {
            unresolvable: vec![GANG_HAS_ITS_MEMBERS, GANG_DEMANDS_ARE_KNOWN, GANG_HAS_NOT_FAILED],
            resolvable: Vec::new(),
            in_flight: vec![NO_VICTIM_IS_LEAVING, ITS_ROOM_IS_NOT_HELD],
            preemption: vec![MAY_PREEMPT, GANG_CAN_START],
            permit: vec![GANG_IS_COMPLETE],
        },
        victim_filters: vec![VICTIM_IS_OF_ANOTHER_JOB, VICTIM_RANKS_LOWER],
        bound_victim_filters: Vec::new(),
        plan_invariants: Vec::new(),
        plan_orders: PlanOrders { reprieve: REPRIEVE, nodes: NODE },
        search: SearchKind::NodeByNode(sample),
        queue_rules: QueueRules { checks_ancestors: false, reclaims_within_min: false },
        least_harm: None,
        nomination_laws: None,
        cycle: None,
        enforcement: None,
    }
}
