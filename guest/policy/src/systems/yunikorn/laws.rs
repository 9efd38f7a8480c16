//! The table: which laws are in force, in which order, and where they come from.

use crate::laws::{
    Gate, Group, Guard, LastResort, Laws, NodeChoice, Order, Rule, Search, gate, guard, limit, order, rule,
};

const OPTED_OUT_LAST: LastResort = LastResort {
    rule: rule("yunikorn/1", "seed, law 1; reference A6, A8, D16", &order::opted_out_last::LAW),
    reasons: order::opted_out_last::reasons,
};
const NO_QUEUE_FALLS_BELOW_GUARANTEE: Gate = Gate {
    rule: rule("yunikorn/2", "seed, law 2; reference D1, D2", &limit::no_queue_falls_below_guarantee::LAW),
    holds: limit::no_queue_falls_below_guarantee::holds,
};
const VICTIM_IS_OF_ANOTHER_JOB: Guard = Guard {
    rule: rule("yunikorn/3", "seed, law 3", &guard::victim_is_of_another_job::LAW),
    admits: guard::victim_is_of_another_job::admits,
};
const UNDER_GUARANTEE: Rule = rule("yunikorn/4", "seed, law 4; reference D7, D9", &gate::queue_is_under_guarantee::LAW);
const QUEUE_IS_UNDER_GUARANTEE: Gate = Gate { rule: UNDER_GUARANTEE, holds: gate::queue_is_under_guarantee::holds };
const VICTIM_IS_OF_THE_GUARANTEED: Guard =
    Guard { rule: UNDER_GUARANTEE, admits: gate::queue_is_under_guarantee::admits };
const QUEUE_ENDS_WITHIN_GUARANTEE: Gate =
    Gate { rule: UNDER_GUARANTEE, holds: gate::queue_is_under_guarantee::suffices };
const VICTIM_QUEUE_IS_OVER_GUARANTEE: Guard = Guard {
    rule: rule("yunikorn/5", "seed, law 5; reference A5, D18", &guard::victim_queue_is_over_guarantee::LAW),
    admits: guard::victim_queue_is_over_guarantee::admits,
};
const VICTIM_RANKS_NO_HIGHER: Guard = Guard {
    rule: rule("yunikorn/6", "seed, law 6; reference A4", &guard::victim_ranks_no_higher::LAW),
    admits: guard::victim_ranks_no_higher::admits,
};
const VICTIM_IS_INSIDE_THE_FENCE: Guard = Guard {
    rule: rule("yunikorn/7", "seed, law 7 and Preemption Fence", &guard::victim_is_inside_the_fence::LAW),
    admits: guard::victim_is_inside_the_fence::admits,
};
const QUEUE_IS_KNOWN: Gate = Gate {
    rule: rule("yunikorn/queue-is-known", "upstream placement rules; reference A2", &gate::queue_is_known::LAW),
    holds: gate::queue_is_known::holds,
};
const TAKER_ENDS_NO_LARGER_THAN_GIVER: Gate = Gate {
    rule: rule(
        "yunikorn/shared-guarantee",
        "seed, The Laws of Preemption (no follow-up preemption) and Preemption Loop Prevention; reference D18",
        &limit::taker_ends_no_larger_than_giver::LAW,
    ),
    holds: limit::taker_ends_no_larger_than_giver::holds,
};
const FITS_MAX: Gate = Gate {
    rule: rule(
        "yunikorn/max-of-ancestors",
        "seed, The Laws of Preemption (maximum quotas); reference A4, D4",
        &limit::fits_max_of_ancestors::LAW,
    ),
    holds: limit::fits_max_of_ancestors::holds,
};
const NOT_AGAIN: Gate = Gate {
    rule: rule("yunikorn/not-again", "upstream CheckPreconditions; reference D19", &gate::its_victims_have_left::LAW),
    holds: gate::its_victims_have_left::holds,
};
const MAY_PREEMPT: Gate = Gate {
    rule: rule("yunikorn/may-preempt", "seed, Application Settings; preemptionPolicy", &gate::may_preempt::LAW),
    holds: gate::may_preempt::holds,
};
const PREEMPTION_IS_ON: Gate = Gate {
    rule: rule("yunikorn/switch", "upstream partition preemption.enabled; reference A1", &gate::preemption_is_on::LAW),
    holds: gate::preemption_is_on::holds,
};
const DELAY: Gate = Gate {
    rule: rule(
        "yunikorn/delay",
        "seed, Queue Configuration; reference D10, D12, D20",
        &gate::pending_for_the_delay::LAW,
    ),
    holds: gate::pending_for_the_delay::holds,
};
const VICTIM_HAS_A_QUEUE: Guard = Guard {
    rule: rule("yunikorn/victim-has-a-queue", "upstream handleForeignAllocation", &guard::victim_has_a_queue::LAW),
    admits: guard::victim_has_a_queue::admits,
};
const VICTIM_IS_OF_NO_DAEMON_SET: Guard = Guard {
    rule: rule(
        "yunikorn/victim-is-of-no-daemon-set",
        "seed, law 1; upstream required_node_preemptor.go",
        &guard::victim_is_of_no_daemon_set::LAW,
    ),
    admits: guard::victim_is_of_no_daemon_set::admits,
};
const VICTIM_IS_OF_ANOTHER_QUEUE: Guard = Guard {
    rule: rule(
        "yunikorn/victim-is-of-another-queue",
        "seed, Non Goals (intra-queue preemption)",
        &guard::victim_is_of_another_queue::LAW,
    ),
    admits: guard::victim_is_of_another_queue::admits,
};
const VICTIM_QUEUE_IS_NOT_SPARED: Guard = Guard {
    rule: rule(
        "yunikorn/victim-queue-is-not-spared",
        "seed, Queue Configuration (disabled); reference D13",
        &guard::victim_queue_is_not_spared::LAW,
    ),
    admits: guard::victim_queue_is_not_spared::admits,
};

/// The laws in force.
pub fn table() -> Laws {
    Laws {
        queue_order: Order {
            rule: rule(
                "yunikorn/fair-queues-first",
                "upstream sorters.go; reference A7",
                &order::fair_queues_first::LAW,
            ),
            compare: order::fair_queues_first::compare,
        },
        final_gates: vec![QUEUE_IS_KNOWN],
        gates: vec![FITS_MAX],
        under_way: vec![NOT_AGAIN],
        trigger: vec![MAY_PREEMPT, PREEMPTION_IS_ON, DELAY, QUEUE_IS_UNDER_GUARANTEE],
        guards: vec![
            VICTIM_HAS_A_QUEUE,
            VICTIM_IS_OF_NO_DAEMON_SET,
            VICTIM_IS_OF_ANOTHER_QUEUE,
            VICTIM_IS_OF_ANOTHER_JOB,
            VICTIM_IS_INSIDE_THE_FENCE,
            VICTIM_QUEUE_IS_NOT_SPARED,
            VICTIM_RANKS_NO_HIGHER,
            VICTIM_IS_OF_THE_GUARANTEED,
            VICTIM_QUEUE_IS_OVER_GUARANTEE,
        ],
        limits: vec![FITS_MAX, QUEUE_ENDS_WITHIN_GUARANTEE],
        permit: Vec::new(),
        put_back: Order {
            rule: rule(
                "yunikorn/important-first",
                "seed silent; least harm, then the name",
                &order::important_first::LAW,
            ),
            compare: order::important_first::compare,
        },
        node_choice: NodeChoice {
            rule: rule(
                "yunikorn/smallest-group-first",
                "seed, Preemption Logic (the choice is an implementation detail); upstream score",
                &order::smallest_group_first::LAW,
            ),
            loss: order::smallest_group_first::loss,
        },
        search: Search::GroupOnOneNode(Group {
            floors: vec![NO_QUEUE_FALLS_BELOW_GUARANTEE, TAKER_ENDS_NO_LARGER_THAN_GIVER],
            last_resort: OPTED_OUT_LAST,
        }),
        parents_bind: true,
        cycle: None,
    }
}
