//! The table: which laws are in force, in which order, and where they come from. A line is a law: its place in the table, its code, its
//! file and its source; and which preemptors it does not apply to.
//!
//! Seed: *Support Job Level Preemption* (proposal 20240115). Where a seed section is named it is one of its sections.

use super::args::KoordinatorArgs;
use crate::laws::{
    Laws, NominationLaws, PlanOrders, Preconditions, QueueRules, SearchKind, gate, guard, laws, limit, order,
};

laws! { "koordinator":
    Gate GANG_HAS_ITS_MEMBERS = "gang-has-its-members", gate::gang_has_its_members::LAW, "upstream coscheduling/core/core.go PreEnqueue, BeforePreFilter";
    Gate GANG_DEMANDS_ARE_KNOWN = "gang-demands-are-known", gate::gang_demands_are_known::LAW, "scheduling.k8s.io/v1beta1 PodGroup; rulings C26 and C31";
    Gate GANG_HAS_NOT_FAILED = "gang-has-not-failed", gate::gang_has_not_failed::LAW, "upstream coscheduling/core/core.go BeforePreFilter, rejectGangGroup; ruling C27";
    Gate GANG_GROUP_IS_SERVED_FIRST = "gang-group-is-served-first", gate::gang_group_is_served_first::LAW, "upstream issue 872; ruling C28";
    Gate POD_DEMANDS_ARE_KNOWN = "pod-demands-are-known", gate::pod_demands_are_known::LAW, "upstream apis/extension and pkg/scheduler/plugins/deviceshare; issue 1136; rulings C32, C52 and C53";
    Gate NP_FITS_MIN = "non-preemptible-job-fits-min", gate::non_preemptible_fits_guaranteed::LAW, "seed, PreFilter and PostFilter 1";
    Gate NP_FITS_MAX = "non-preemptible-job-fits-max", limit::non_preemptible_fits_max::LAW, "seed, PreFilter and PostFilter 3";
    Gate P_LEAVES_MIN = "preemptible-job-leaves-min", limit::preemptible_leaves_guaranteed::LAW, "seed, PreFilter and PostFilter 1";
    Gate LAST_PLAN_IS_DONE = "last-plan-is-done", gate::last_plan_is_done::LAW, "seed, PostFilter 7";
    Gate ITS_ROOM_IS_NOT_HELD = "its-room-is-not-held-at-permit", gate::its_room_is_not_held_at_permit::LAW, "seed, PostFilter 7; ruling C23";
    Gate MAY_PREEMPT = "may-preempt", gate::may_preempt::LAW, "seed, Key Concept 2 and PostFilter 1";
    Gate GANG_IS_COMPLETE = "gang-is-complete", limit::gang_is_complete::LAW, "upstream coscheduling/core/core.go Permit";
    Guard VICTIM_IS_BOUND = "victim-is-bound", guard::victim_is_bound::LAW, "seed, PostFilter 3";
    Guard VICTIM_IS_OF_THE_SAME_KIND = "victim-is-of-the-same-kind", guard::victim_is_of_the_same_kind::LAW, "seed 20240201 (reservations), Preemption Rule 2 and Story 2";
    Guard VICTIM_IS_OUTSIDE_RESERVATIONS = "victim-is-outside-reservations", guard::victim_is_outside_reservations::LAW, "upstream issues 1187 and 1405; test/e2e/scheduling/preemption.go";
    Guard VICTIM_IS_OF_ANOTHER_JOB = "victim-is-of-another-job", guard::victim_is_of_another_job::LAW, "seed, Key Concept 3";
    Guard VICTIM_RANKS_LOWER = "victim-ranks-lower", guard::victim_ranks_lower::LAW, "seed, Key Concept 2";
    Guard VICTIM_IS_PREEMPTIBLE = "victim-is-preemptible", guard::victim_is_preemptible::LAW, "seed, Key Concept 1; upstream apis/extension IsPodNonPreemptible, disable-preemptible";
    Guard VICTIM_OUTSIDE_DEFAULT_QUOTA = "victim-outside-default-quota", guard::victim_outside_default_queue::LAW, "upstream elasticquota/preempt.go canPreempt, argument disableDefaultQuotaPreemption";
    Guard VICTIM_FREES_THE_BOUND = "victim-frees-the-bound", guard::victim_frees_the_bound::LAW, "seed, Motivation and PostFilter 3; ruling C34";
    PendingByKey QUEUE = "higher-priority-first", order::higher_priority_first::LAW, "kube-scheduler PrioritySort";
    Order REPRIEVE = "important-first", order::costlier_eviction_first::LAW, "seed, PostFilter 5 and Key Concept 3; ruling C33";
    NodeChoice NODE = "cheapest-node-first", order::cheapest_node_first::LAW, "seed silent, but for Key Concept 3; ruling C33";
}

/// Returns the laws in force under these arguments.
pub fn table(args: &KoordinatorArgs) -> Laws {
    let mut guards = vec![
        VICTIM_IS_BOUND,
        VICTIM_IS_OF_THE_SAME_KIND,
        VICTIM_IS_OUTSIDE_RESERVATIONS,
        VICTIM_IS_OF_ANOTHER_JOB,
        VICTIM_RANKS_LOWER,
        VICTIM_IS_PREEMPTIBLE,
    ];
    let mut promise_guards = vec![VICTIM_IS_OF_THE_SAME_KIND, VICTIM_IS_PREEMPTIBLE];
    if args.default_quota_protected {
        guards.push(VICTIM_OUTSIDE_DEFAULT_QUOTA);
        promise_guards.push(VICTIM_OUTSIDE_DEFAULT_QUOTA);
    }
    Laws {
        queue_order: QUEUE,
        preconditions: Preconditions {
            unresolvable: vec![
                GANG_HAS_ITS_MEMBERS,
                GANG_DEMANDS_ARE_KNOWN,
                GANG_GROUP_IS_SERVED_FIRST,
                POD_DEMANDS_ARE_KNOWN,
                GANG_HAS_NOT_FAILED,
            ],
            resolvable: vec![NP_FITS_MIN, NP_FITS_MAX, P_LEAVES_MIN],
            in_flight: vec![LAST_PLAN_IS_DONE, ITS_ROOM_IS_NOT_HELD],
            preemption: vec![MAY_PREEMPT, NP_FITS_MIN, P_LEAVES_MIN],
            permit: vec![GANG_IS_COMPLETE],
        },
        victim_filters: guards,
        bound_victim_filters: vec![VICTIM_FREES_THE_BOUND],
        plan_invariants: vec![NP_FITS_MAX, P_LEAVES_MIN],
        plan_orders: PlanOrders { reprieve: REPRIEVE, nodes: NODE },
        search: SearchKind::RemoveAllThenReprieve,
        queue_rules: QueueRules { checks_ancestors: args.checks_ancestors, reclaims_within_min: false },
        least_harm: None,
        nomination_laws: Some(NominationLaws { preconditions: vec![MAY_PREEMPT], victim_filters: promise_guards }),
        cycle: None,
        enforcement: None,
    }
}
