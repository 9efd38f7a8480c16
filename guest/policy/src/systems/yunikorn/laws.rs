//! The table: which laws are in force, in which order, and where they come from. A line is a law: its place in the table, its code, its
//! file and its source; and which preemptors it does not apply to.

use crate::laws::{
    Laws, MaxEnforcementLaws, PINNED_DAEMON_PODS, PINNED_PODS_WITHOUT_APPLICATION, PlanOrders, Preconditions,
    QueueRules, SearchKind, VictimGroupLaws, gate, guard, laws, limit, order,
};

laws! { "yunikorn":
    LastResort OPTED_OUT_LAST = "1", order::opted_out_last::LAW, "seed, law 1; reference A6, A8, D16";
    Gate NO_QUEUE_FALLS_BELOW_GUARANTEE = "2", limit::no_queue_falls_below_guarantee::LAW, "seed, law 2; reference D1, D2", exempt PINNED_DAEMON_PODS;
    Guard VICTIM_IS_OF_ANOTHER_JOB = "3", guard::victim_is_of_another_job::LAW, "seed, law 3; reference D21", exempt PINNED_PODS_WITHOUT_APPLICATION;
    Gate QUEUE_IS_UNDER_GUARANTEE = "4", gate::queue_is_under_guarantee::LAW, "seed, law 4; reference D7, D9, D22", exempt PINNED_DAEMON_PODS;
    Guard VICTIM_IS_OF_THE_GUARANTEED = "4", gate::queue_is_under_guarantee::OF_VICTIM, "seed, law 4; reference D7, D9, D22", exempt PINNED_DAEMON_PODS;
    Gate QUEUE_ENDS_WITHIN_GUARANTEE = "4", gate::queue_is_under_guarantee::OF_PLAN, "seed, law 4; reference D7, D9, D22", exempt PINNED_DAEMON_PODS;
    Guard VICTIM_QUEUE_IS_OVER_GUARANTEE = "5", guard::victim_queue_is_over_guarantee::LAW, "seed, law 5; reference A5, D18", exempt PINNED_DAEMON_PODS;
    Guard VICTIM_RANKS_NO_HIGHER = "6", guard::victim_ranks_no_higher::LAW, "seed, law 6; reference A4";
    Guard VICTIM_IS_INSIDE_THE_FENCE = "7", guard::victim_is_inside_the_fence::LAW, "seed, law 7 and Preemption Fence", exempt PINNED_DAEMON_PODS;
    Gate QUEUE_IS_KNOWN = "queue-is-known", gate::queue_is_known::LAW, "upstream placement rules; reference A2";
    Gate POD_DEMANDS_ARE_KNOWN = "pod-demands-are-known", gate::pod_demands_are_known::LAW, "upstream gang scheduling; reference D27";
    Gate TAKER_ENDS_NO_LARGER_THAN_GIVER = "shared-guarantee", limit::taker_ends_no_larger_than_giver::LAW, "seed, The Laws of Preemption (no follow-up preemption) and Preemption Loop Prevention; reference D18", exempt PINNED_DAEMON_PODS;
    Gate FITS_MAX = "max-of-ancestors", limit::fits_max_of_ancestors::LAW, "seed, The Laws of Preemption (maximum quotas); reference A4, D4";
    Gate NOT_AGAIN = "not-again", gate::its_victims_have_left::LAW, "upstream CheckPreconditions; reference D19";
    Gate MAY_PREEMPT = "may-preempt", gate::may_preempt::LAW, "seed, Application Settings; preemptionPolicy";
    Gate PREEMPTION_IS_ON = "switch", gate::preemption_is_on::LAW, "upstream partition preemption.enabled; reference A1", exempt PINNED_DAEMON_PODS;
    Gate DELAY = "delay", gate::pending_for_the_delay::LAW, "seed, Queue Configuration; reference D10, D12, D20", exempt PINNED_DAEMON_PODS;
    Guard VICTIM_HAS_A_QUEUE = "victim-has-a-queue", guard::victim_has_a_queue::LAW, "upstream handleForeignAllocation";
    Guard VICTIM_IS_OF_NO_DAEMON_SET = "victim-is-of-no-daemon-set", guard::victim_is_of_no_daemon_set::LAW, "seed, law 1; upstream required_node_preemptor.go";
    Guard VICTIM_QUEUE_IS_NOT_SPARED = "victim-queue-is-not-spared", guard::victim_queue_is_not_spared::LAW, "seed, Queue Configuration (disabled); reference D13", exempt PINNED_DAEMON_PODS;
    PendingByCompare QUEUE = "fair-queues-first", order::fair_queues_first::LAW, "upstream sorters.go; reference A7";
    SurplusGate QUEUE_GIVES_BACK = "quota-switch", gate::queue_gives_back::LAW, "upstream partition.go and queue.go; reference A9, Q1";
    SurplusGate OVER_MAX_FOR_THE_DELAY = "quota-delay", gate::over_max_for_the_delay::LAW, "upstream queue.go; reference A9, Q2";
    SurplusGuard GIVER_IS_OF_NO_DAEMON_SET = "giver-is-of-no-daemon-set", guard::giver_is_of_no_daemon_set::LAW, "upstream quota_preemptor.go; reference A9";
    SurplusGuard GIVER_HOLDS_WHAT_IS_OVER = "giver-holds-what-is-over", guard::giver_holds_what_is_over::LAW, "upstream quota_preemptor.go; reference A9";
    SurplusGate STOPS_AT_MAX = "stops-at-max", limit::stops_at_max::LAW, "upstream quota_preemptor.go; reference A9, Q3";
    SurplusGate GIVER_KEEPS_GUARANTEE = "giver-keeps-guarantee", limit::giver_keeps_guarantee::LAW, "upstream quota_preemptor.go; reference A9, D1";
    SurplusOrder GIVES_FIRST = "ordinary-pod-gives-first", order::ordinary_pod_gives_first::LAW, "upstream preemption_utilities.go; reference A9, Q5";
    Order REPRIEVE = "important-first", order::important_first::LAW, "seed silent; least harm, then the name";
    NodeChoice NODE = "smallest-group-first", order::smallest_group_first::LAW, "seed, Preemption Logic (the choice is an implementation detail); upstream score";
}

/// Returns the laws in force.
pub fn table() -> Laws {
    Laws {
        queue_order: QUEUE,
        preconditions: Preconditions {
            unresolvable: vec![QUEUE_IS_KNOWN, POD_DEMANDS_ARE_KNOWN],
            resolvable: vec![FITS_MAX],
            in_flight: vec![NOT_AGAIN],
            preemption: vec![MAY_PREEMPT, PREEMPTION_IS_ON, DELAY, QUEUE_IS_UNDER_GUARANTEE],
            permit: Vec::new(),
        },
        victim_filters: vec![
            VICTIM_HAS_A_QUEUE,
            VICTIM_IS_OF_NO_DAEMON_SET,
            VICTIM_IS_OF_ANOTHER_JOB,
            VICTIM_IS_INSIDE_THE_FENCE,
            VICTIM_QUEUE_IS_NOT_SPARED,
            VICTIM_RANKS_NO_HIGHER,
            VICTIM_IS_OF_THE_GUARANTEED,
            VICTIM_QUEUE_IS_OVER_GUARANTEE,
        ],
        bound_victim_filters: Vec::new(),
        plan_invariants: vec![FITS_MAX, QUEUE_ENDS_WITHIN_GUARANTEE],
        plan_orders: PlanOrders { reprieve: REPRIEVE, nodes: NODE },
        search: SearchKind::SmallestGroupOnNode(VictimGroupLaws {
            anti_monotone_invariants: vec![NO_QUEUE_FALLS_BELOW_GUARANTEE, TAKER_ENDS_NO_LARGER_THAN_GIVER],
            last_resort: OPTED_OUT_LAST,
        }),
        queue_rules: QueueRules { checks_ancestors: true, reclaims_within_min: false },
        least_harm: None,
        nomination_laws: None,
        cycle: None,
        enforcement: Some(MaxEnforcementLaws {
            preconditions: vec![QUEUE_GIVES_BACK, OVER_MAX_FOR_THE_DELAY],
            victim_filters: vec![GIVER_IS_OF_NO_DAEMON_SET, GIVER_HOLDS_WHAT_IS_OVER],
            plan_invariants: vec![STOPS_AT_MAX, GIVER_KEEPS_GUARANTEE],
            order: GIVES_FIRST,
        }),
    }
}
