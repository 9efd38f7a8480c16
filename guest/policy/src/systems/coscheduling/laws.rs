//! The table: kube-scheduler's, with the queue and the gates of the proposal, and the quotas of CapacityScheduling. A line is a law: its place in the
//! table, its code, its file and its source.

use crate::laws::{
    LawCheck, Laws, MinCandidateNodes, PlanOrders, Preconditions, QueueRules, VictimFilter, WITHIN_MIN, gate, guard,
    laws, limit, order,
};
use crate::systems::kubernetes;

laws! { "coscheduling":
    Gate GANG_HAS_ITS_MEMBERS = "gang-has-its-members", gate::gang_has_its_members::LAW, "seed 20200116, Pre-Filter 1";
    Gate GANG_MINIMUM_IS_FREE = "gang-minimum-is-free", gate::gang_minimum_is_free::LAW, "scheduler-plugins, PreFilter and CheckClusterResource; ruling R20";
    Gate ITS_ROOM_IS_NOT_HELD = "its-room-is-not-held-at-permit", gate::its_room_is_not_held_at_permit::LAW, "seed 20200116, UnReserve; upstream plugins/defaultpreemption; ruling R17";
    Gate GANG_HAS_NOT_FAILED = "gang-has-not-failed", gate::gang_has_not_failed::LAW, "seed 20200116, Pre-Filter 2; ruling R25";
    Gate GANG_CAN_START = "gang-can-start", gate::gang_can_start::LAW, "KEP-3521; ruling R18";
    Gate GANG_IS_COMPLETE = "gang-is-complete", limit::gang_is_complete::LAW, "seed 20200116, Permit 3";
    Gate FITS_MAX_OF_QUOTA = "fits-max-of-quota", limit::fits_max_of_quota::LAW, "upstream pkg/capacityscheduling PreFilter; ruling R22";
    Gate FITS_MIN_OF_ALL_QUOTAS = "fits-min-of-all-quotas", limit::fits_min_of_all_quotas::LAW, "upstream pkg/capacityscheduling PreFilter; ruling R22";
    Gate NO_PREEMPTED_POD_IS_LEAVING = "no-preempted-pod-is-leaving", gate::no_preempted_pod_is_leaving::LAW, "upstream pkg/capacityscheduling PodEligibleToPreemptOthers; ruling R50";
    Guard VICTIM_IS_OF_THE_QUOTA_THAT_GIVES = "victim-is-of-the-quota-that-gives", guard::victim_is_of_the_quota_that_gives::LAW, "upstream pkg/capacityscheduling SelectVictimsOnNode; ruling R23";
    Guard VICTIM_IS_NO_PART_OF_A_PLAN = "victim-is-no-part-of-a-plan", guard::victim_is_no_part_of_a_plan::LAW, "upstream pkg/capacityscheduling SelectVictimsOnNode, pod by pod; rulings R38 and R54";
    Guard VICTIM_QUOTA_IS_OVER_MIN = "victim-quota-is-over-min", guard::victim_quota_is_over_min::LAW, "upstream pkg/capacityscheduling SelectVictimsOnNode; ruling R23";
    Guard VICTIM_RANKS_LOWER = "victim-ranks-lower", guard::victim_ranks_lower::LAW, "upstream plugins/defaultpreemption and pkg/capacityscheduling SelectVictimsOnNode", exempt WITHIN_MIN;
    PendingByKey QUEUE = "gang-members-together", order::gang_members_together::LAW, "seed 20200116, QueueSort 1 to 4";
    Order REPRIEVE_BY_HARM = "costlier-eviction-first", order::costlier_eviction_first::LAW, "seed silent; rulings R29 and R30";
    NodeChoice NODE_BY_HARM = "cheapest-node-first", order::cheapest_node_first::LAW, "seed silent; rulings R29 and R30";
}

/// Returns the laws in force. `sample` is the number of nodes with a plan that ends a search.
pub fn table(sample: MinCandidateNodes) -> Laws {
    let base = kubernetes::table(sample);
    let with_own = |law: &LawCheck| match law.rule.code {
        "kubernetes/gang-can-start" => GANG_CAN_START,
        "kubernetes/gang-has-its-members" => GANG_HAS_ITS_MEMBERS,
        "kubernetes/gang-has-not-failed" => GANG_HAS_NOT_FAILED,
        "kubernetes/its-room-is-not-held-at-permit" => ITS_ROOM_IS_NOT_HELD,
        "kubernetes/no-victim-is-leaving" => NO_PREEMPTED_POD_IS_LEAVING,
        _ => *law,
    };
    let trigger = base.preconditions.preemption.iter().map(with_own).collect();
    let final_gates = base.preconditions.unresolvable.iter().map(with_own).chain([GANG_MINIMUM_IS_FREE]).collect();
    let under_way = base.preconditions.in_flight.iter().map(with_own).collect();
    let with_own = |law: &VictimFilter| match law.rule.code {
        "kubernetes/victim-ranks-lower" => VICTIM_RANKS_LOWER,
        _ => *law,
    };
    let guards = [VICTIM_IS_OF_THE_QUOTA_THAT_GIVES].into_iter().chain(base.victim_filters.iter().map(with_own));
    Laws {
        queue_order: QUEUE,
        preconditions: Preconditions {
            unresolvable: final_gates,
            resolvable: vec![FITS_MAX_OF_QUOTA, FITS_MIN_OF_ALL_QUOTAS],
            in_flight: under_way,
            preemption: trigger,
            permit: vec![GANG_IS_COMPLETE],
        },
        victim_filters: guards.chain([VICTIM_IS_NO_PART_OF_A_PLAN, VICTIM_QUOTA_IS_OVER_MIN]).collect(),
        plan_invariants: vec![FITS_MAX_OF_QUOTA, FITS_MIN_OF_ALL_QUOTAS],
        least_harm: Some(PlanOrders { reprieve: REPRIEVE_BY_HARM, nodes: NODE_BY_HARM }),
        queue_rules: QueueRules { reclaims_within_min: true, ..base.queue_rules },
        ..base
    }
}
