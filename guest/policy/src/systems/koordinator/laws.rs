//! The table: which laws are in force, in which order, and where they come from.
//!
//! Seed: *Support Job Level Preemption* (proposal 20240115). Where a seed section is named it is one of its sections.

use super::args::Args;
use crate::laws::{Gate, Guard, Laws, NodeChoice, Order, Search, gate, guard, limit, order, rule};

const GANG_HAS_ITS_MEMBERS: Gate = Gate {
    rule: rule(
        "koordinator/gang-has-its-members",
        "upstream coscheduling/core/core.go PreEnqueue, BeforePreFilter",
        &gate::gang_has_its_members::LAW,
    ),
    holds: gate::gang_has_its_members::holds,
};
const NP_FITS_MIN: Gate = Gate {
    rule: rule(
        "koordinator/non-preemptible-job-fits-min",
        "seed, PreFilter and PostFilter 1",
        &gate::non_preemptible_fits_guaranteed::LAW,
    ),
    holds: gate::non_preemptible_fits_guaranteed::holds,
};
const NP_FITS_MAX: Gate = Gate {
    rule: rule(
        "koordinator/non-preemptible-job-fits-max",
        "seed, PreFilter and PostFilter 3",
        &limit::non_preemptible_fits_max::LAW,
    ),
    holds: limit::non_preemptible_fits_max::holds,
};
const P_LEAVES_MIN: Gate = Gate {
    rule: rule(
        "koordinator/preemptible-job-leaves-min",
        "seed, PreFilter and PostFilter 1",
        &limit::preemptible_leaves_guaranteed::LAW,
    ),
    holds: limit::preemptible_leaves_guaranteed::holds,
};
const LAST_PLAN_IS_DONE: Gate = Gate {
    rule: rule("koordinator/last-plan-is-done", "seed, PostFilter 7", &gate::last_plan_is_done::LAW),
    holds: gate::last_plan_is_done::holds,
};
const ITS_ROOM_IS_NOT_HELD: Gate = Gate {
    rule: rule(
        "koordinator/its-room-is-not-held-at-permit",
        "seed, PostFilter 7; ruling C23",
        &gate::its_room_is_not_held_at_permit::LAW,
    ),
    holds: gate::its_room_is_not_held_at_permit::holds,
};
const MAY_PREEMPT: Gate = Gate {
    rule: rule("koordinator/may-preempt", "seed, Key Concept 2 and PostFilter 1", &gate::may_preempt::LAW),
    holds: gate::may_preempt::holds,
};
const GANG_IS_COMPLETE: Gate = Gate {
    rule: rule(
        "koordinator/gang-is-complete",
        "upstream coscheduling/core/core.go Permit",
        &limit::gang_is_complete::LAW,
    ),
    holds: limit::gang_is_complete::holds,
};

const VICTIM_IS_BOUND: Guard = Guard {
    rule: rule("koordinator/victim-is-bound", "seed, PostFilter 3", &guard::victim_is_bound::LAW),
    admits: guard::victim_is_bound::admits,
};
const VICTIM_IS_OF_THE_SAME_KIND: Guard = Guard {
    rule: rule(
        "koordinator/victim-is-of-the-same-kind",
        "seed 20240201 (reservations), Preemption Rule 2 and Story 2",
        &guard::victim_is_of_the_same_kind::LAW,
    ),
    admits: guard::victim_is_of_the_same_kind::admits,
};
const VICTIM_IS_OUTSIDE_RESERVATIONS: Guard = Guard {
    rule: rule(
        "koordinator/victim-is-outside-reservations",
        "upstream issues 1187 and 1405; test/e2e/scheduling/preemption.go",
        &guard::victim_is_outside_reservations::LAW,
    ),
    admits: guard::victim_is_outside_reservations::admits,
};
const VICTIM_IS_OF_ANOTHER_JOB: Guard = Guard {
    rule: rule("koordinator/victim-is-of-another-job", "seed, Key Concept 3", &guard::victim_is_of_another_job::LAW),
    admits: guard::victim_is_of_another_job::admits,
};
const VICTIM_RANKS_LOWER: Guard = Guard {
    rule: rule("koordinator/victim-ranks-lower", "seed, Key Concept 2", &guard::victim_ranks_lower::LAW),
    admits: guard::victim_ranks_lower::admits,
};
const VICTIM_IS_PREEMPTIBLE: Guard = Guard {
    rule: rule(
        "koordinator/victim-is-preemptible",
        "seed, Key Concept 1; upstream apis/extension IsPodNonPreemptible, disable-preemptible",
        &guard::victim_is_preemptible::LAW,
    ),
    admits: guard::victim_is_preemptible::admits,
};
const VICTIM_OUTSIDE_DEFAULT_QUOTA: Guard = Guard {
    rule: rule(
        "koordinator/victim-outside-default-quota",
        "upstream elasticquota/preempt.go canPreempt, argument disableDefaultQuotaPreemption",
        &guard::victim_outside_default_queue::LAW,
    ),
    admits: guard::victim_outside_default_queue::admits,
};

/// The laws in force under these arguments.
pub fn table(args: &Args) -> Laws {
    let mut guards = vec![
        VICTIM_IS_BOUND,
        VICTIM_IS_OF_THE_SAME_KIND,
        VICTIM_IS_OUTSIDE_RESERVATIONS,
        VICTIM_IS_OF_ANOTHER_JOB,
        VICTIM_RANKS_LOWER,
        VICTIM_IS_PREEMPTIBLE,
    ];
    if args.protects_default_quota {
        guards.push(VICTIM_OUTSIDE_DEFAULT_QUOTA);
    }
    Laws {
        queue_order: Order {
            rule: rule(
                "koordinator/higher-priority-first",
                "kube-scheduler PrioritySort",
                &order::higher_priority_first::LAW,
            ),
            compare: order::higher_priority_first::compare,
        },
        final_gates: vec![GANG_HAS_ITS_MEMBERS],
        gates: vec![NP_FITS_MIN, NP_FITS_MAX, P_LEAVES_MIN],
        under_way: vec![LAST_PLAN_IS_DONE, ITS_ROOM_IS_NOT_HELD],
        trigger: vec![MAY_PREEMPT, NP_FITS_MIN, P_LEAVES_MIN],
        guards,
        limits: vec![NP_FITS_MAX, P_LEAVES_MIN],
        permit: vec![GANG_IS_COMPLETE],
        put_back: Order {
            rule: rule(
                "koordinator/important-first",
                "seed, PostFilter 5; upstream MoreImportantPod",
                &order::important_first::LAW,
            ),
            compare: order::important_first::compare,
        },
        node_choice: NodeChoice {
            rule: rule(
                "koordinator/cheapest-node-first",
                "seed silent; least harm, then the name",
                &order::cheapest_node_first::LAW,
            ),
            loss: order::cheapest_node_first::loss,
        },
        search: Search::RemoveAllPutBack,
        parents_bind: args.parents_bind,
        cycle: None,
    }
}
