//! The table: which laws are in force, in which order, and where they come from.

use crate::laws::{Gate, Guard, Laws, NodeChoice, Order, Sample, Search, gate, guard, order, rule};

const MAY_PREEMPT: Gate = Gate {
    rule: rule(
        "kubernetes/may-preempt",
        "upstream plugins/defaultpreemption PodEligibleToPreemptOthers; preemptionPolicy",
        &gate::may_preempt::LAW,
    ),
    holds: gate::may_preempt::holds,
};
const NO_VICTIM_IS_LEAVING: Gate = Gate {
    rule: rule(
        "kubernetes/no-victim-is-leaving",
        "upstream plugins/defaultpreemption PodEligibleToPreemptOthers; issue 92600",
        &gate::no_victim_is_leaving::LAW,
    ),
    holds: gate::no_victim_is_leaving::holds,
};
const VICTIM_RANKS_LOWER: Guard = Guard {
    rule: rule(
        "kubernetes/victim-ranks-lower",
        "upstream plugins/defaultpreemption SelectVictimsOnNode",
        &guard::victim_ranks_lower::LAW,
    ),
    admits: guard::victim_ranks_lower::admits,
};
const VICTIM_IS_OF_ANOTHER_JOB: Guard = Guard {
    rule: rule(
        "kubernetes/victim-is-of-another-job",
        "workload-aware preemption (KEP 5710): a group does not preempt itself",
        &guard::victim_is_of_another_job::LAW,
    ),
    admits: guard::victim_is_of_another_job::admits,
};

/// The laws in force when so many nodes are looked at.
pub fn table(sample: Sample) -> Laws {
    Laws {
        queue_order: Order {
            rule: rule(
                "kubernetes/higher-priority-first",
                "upstream plugins/queuesort PrioritySort",
                &order::higher_priority_first::LAW,
            ),
            compare: order::higher_priority_first::compare,
        },
        final_gates: Vec::new(),
        gates: Vec::new(),
        under_way: vec![NO_VICTIM_IS_LEAVING],
        trigger: vec![MAY_PREEMPT],
        guards: vec![VICTIM_IS_OF_ANOTHER_JOB, VICTIM_RANKS_LOWER],
        limits: Vec::new(),
        permit: Vec::new(),
        put_back: Order {
            rule: rule(
                "kubernetes/important-first",
                "upstream scheduler/util MoreImportantPod",
                &order::important_first::LAW,
            ),
            compare: order::important_first::compare,
        },
        node_choice: NodeChoice {
            rule: rule(
                "kubernetes/fewest-violations-first",
                "upstream framework/preemption pickOneNodeForPreemption",
                &order::fewest_violations_first::LAW,
            ),
            loss: order::fewest_violations_first::loss,
        },
        search: Search::NodeByNode(sample),
        parents_bind: false,
        cycle: None,
    }
}
