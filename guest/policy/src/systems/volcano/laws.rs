//! The table: which laws are in force, in which order, and where they come from.
//!
//! Seed: *Elastic scheduling based on AI scenarios*. Upstream is Volcano after 1.15.

use super::args::{Args, Mode};
use crate::laws::{
    Cycle, Gate, Guard, Laws, NodeChoice, Order, ReclaimRules, Rule, Search, gate, guard, limit, order, rule,
};

const QUEUE_TAKES_PODS: Gate = Gate {
    rule: rule(
        "volcano/queue-takes-pods",
        "upstream capacity plugin, AddAllocatableFn and leaf queues",
        &gate::queue_takes_pods::LAW,
    ),
    holds: gate::queue_takes_pods::holds,
};
const GANG_HAS_ITS_MEMBERS: Gate = Gate {
    rule: rule("volcano/gang-has-its-members", "upstream gang plugin, JobValid", &gate::gang_has_its_members::LAW),
    holds: gate::gang_has_its_members::holds,
};
const GANG_HAS_ITS_ROLES: Gate = Gate {
    rule: rule("volcano/gang-has-its-roles", "upstream api/job_info.go CheckTaskValid", &gate::gang_has_its_roles::LAW),
    holds: gate::gang_has_its_roles::holds,
};
const GROWS_BY_STEPS: Gate = Gate {
    rule: rule(
        "volcano/elastic-pods-grow-by-steps",
        "seed, Main process: elastic tasks are handed over to the elastic action, which follows the scaling strategy",
        &gate::elastic_pods_grow_by_steps::LAW,
    ),
    holds: gate::elastic_pods_grow_by_steps::holds,
};
const GANG_IS_SHORT: Gate = Gate {
    rule: rule("volcano/gang-is-short", "upstream gang plugin, jobStarvingFn; issue 3869", &gate::gang_is_short::LAW),
    holds: gate::gang_is_short::holds,
};
const GANG_RUNS: Gate = Gate {
    rule: rule("volcano/gang-runs", "seed, Proposal: the elastic action comes last", &gate::gang_runs::LAW),
    holds: gate::gang_runs::holds,
};
const INTERVAL_IS_OVER: Gate = Gate {
    rule: rule(
        "volcano/scaling-interval-is-over",
        "seed, API design: elastic-cooldown-time",
        &gate::scaling_interval_is_over::LAW,
    ),
    holds: gate::scaling_interval_is_over::holds,
};
const MAY_PREEMPT: Gate = Gate {
    rule: rule("volcano/may-preempt", "upstream reclaim.go, preemptionPolicy (issue 3642)", &gate::may_preempt::LAW),
    holds: gate::may_preempt::holds,
};
const FITS_CAPABILITY: Gate = Gate {
    rule: rule(
        "volcano/queue-fits-capability",
        "upstream capacity plugin, AddAllocatableFn",
        &limit::queue_fits_capability::LAW,
    ),
    holds: limit::queue_fits_capability::holds,
};
const FITS_DESERVED: Gate = Gate {
    rule: rule(
        "volcano/normal-pods-fit-deserved",
        "seed, Proposal: normal tasks will not exceed Deserved",
        &limit::normal_pods_fit_deserved::LAW,
    ),
    holds: limit::normal_pods_fit_deserved::holds,
};
const STAYS_WITHIN_DESERVED: Gate = Gate {
    rule: rule(
        "volcano/reclaimer-stays-within-deserved",
        "upstream capacity plugin, PreemptiveFn",
        &limit::reclaimer_stays_within_deserved::LAW,
    ),
    holds: limit::reclaimer_stays_within_deserved::holds,
};
const SIZE_IS_LEGAL: Gate = Gate {
    rule: rule(
        "volcano/elastic-size-is-legal",
        "seed, API design: power-of-two and factor; issue 4666",
        &limit::elastic_size_is_legal::LAW,
    ),
    holds: limit::elastic_size_is_legal::holds,
};
const GANG_IS_COMPLETE: Gate = Gate {
    rule: rule("volcano/gang-is-complete", "upstream gang plugin, JobReady", &limit::gang_is_complete::LAW),
    holds: limit::gang_is_complete::holds,
};

const VICTIM_IS_BOUND: Guard = Guard {
    rule: rule("volcano/victim-is-bound", "upstream reclaim.go: running pods", &guard::victim_is_bound::LAW),
    admits: guard::victim_is_bound::admits,
};
const OF_ANOTHER_JOB: Guard = Guard {
    rule: rule(
        "volcano/victim-is-of-another-job",
        "upstream reclaim.go and preempt.go",
        &guard::victim_is_of_another_job::LAW,
    ),
    admits: guard::victim_is_of_another_job::admits,
};
const NOT_OPTED_OUT: Guard = Guard {
    rule: rule(
        "volcano/victim-did-not-opt-out",
        "upstream api/pod_info.go GetPodPreemptable",
        &guard::victim_did_not_opt_out::LAW,
    ),
    admits: guard::victim_did_not_opt_out::admits,
};
const NO_SYSTEM_POD: Guard = Guard {
    rule: rule("volcano/victim-is-no-system-pod", "upstream conformance plugin", &guard::victim_is_no_system_pod::LAW),
    admits: guard::victim_is_no_system_pod::admits,
};
const PAST_COOLDOWN: Guard = Guard {
    rule: rule(
        "volcano/victim-is-past-its-cooldown",
        "seed, API design: cooldown-time; upstream cdp plugin",
        &guard::victim_is_past_its_cooldown::LAW,
    ),
    admits: guard::victim_is_past_its_cooldown::admits,
};
const FREES_WHAT_IS_ASKED: Guard = Guard {
    rule: rule(
        "volcano/victim-frees-what-is-asked",
        "upstream capacity plugin, ReclaimableFn",
        &guard::victim_frees_what_is_asked::LAW,
    ),
    admits: guard::victim_frees_what_is_asked::admits,
};
const QUEUE_IS_RECLAIMABLE: Guard = Guard {
    rule: rule(
        "volcano/victim-queue-is-reclaimable",
        "Queue spec.reclaimable",
        &guard::victim_queue_is_reclaimable::LAW,
    ),
    admits: guard::victim_queue_is_reclaimable::admits,
};
const IS_ELASTIC: Guard = Guard {
    rule: rule(
        "volcano/victim-is-elastic",
        "seed, Main process: elastic mode only supports preemption of elastic tasks",
        &guard::victim_is_elastic::LAW,
    ),
    admits: guard::victim_is_elastic::admits,
};
const OF_ANOTHER_QUEUE: Guard = Guard {
    rule: rule(
        "volcano/normal-victim-is-of-another-queue",
        "upstream reclaim.go",
        &guard::normal_victim_is_of_another_queue::LAW,
    ),
    admits: guard::normal_victim_is_of_another_queue::admits,
};
const ABOVE_DESERVED: Guard = Guard {
    rule: rule(
        "volcano/normal-victim-queue-is-above-deserved",
        "upstream capacity plugin, ReclaimableFn",
        &guard::normal_victim_queue_is_above_deserved::LAW,
    ),
    admits: guard::normal_victim_queue_is_above_deserved::admits,
};
const LEAVES_GUARANTEE: Guard = Guard {
    rule: rule(
        "volcano/normal-victim-leaves-guarantee",
        "upstream capacity plugin, checkGuaranteeConstraint",
        &guard::normal_victim_leaves_guarantee::LAW,
    ),
    admits: guard::normal_victim_leaves_guarantee::admits,
};
const OF_THE_SAME_QUEUE: Guard = Guard {
    rule: rule("volcano/victim-is-of-the-same-queue", "upstream preempt.go", &guard::victim_is_of_the_same_queue::LAW),
    admits: guard::victim_is_of_the_same_queue::admits,
};
const JOB_RANKS_LOWER: Guard = Guard {
    rule: rule("volcano/victim-job-ranks-lower", "upstream priority plugin", &guard::victim_job_ranks_lower::LAW),
    admits: guard::victim_job_ranks_lower::admits,
};
const ABOVE_MINIMUM: Guard = Guard {
    rule: rule(
        "volcano/victim-is-above-gang-minimum",
        "upstream gang plugin; bundle.go: safe bundles",
        &guard::victim_is_above_gang_minimum::LAW,
    ),
    admits: guard::victim_is_above_gang_minimum::admits,
};

const TASKS: Order = Order {
    rule: rule("volcano/earlier-task-first", "upstream TaskOrderFn", &order::earlier_task_first::LAW),
    compare: order::earlier_task_first::compare,
};
const JOBS: Order = Order {
    rule: rule("volcano/waiting-gang-first", "upstream JobOrderFn: priority, gang", &order::waiting_gang_first::LAW),
    compare: order::waiting_gang_first::compare,
};
const QUEUES: Rule =
    rule("volcano/higher-queue-first", "upstream capacity plugin, QueueOrderFn", &order::higher_queue_first::LAW);
const VICTIMS: Rule = rule(
    "volcano/lesser-job-gives-first",
    "seed, Main process, Reclaim: by job; upstream BuildVictimsPriorityQueue; issue 4607",
    &order::lesser_job_gives_first::LAW,
);

/// The laws in force under these arguments.
pub fn table(args: &Args) -> Laws {
    Laws {
        queue_order: Order {
            rule: rule(
                "volcano/queue-then-job-then-task",
                "upstream allocate.go: queue by queue, job by job",
                &order::queue_then_job_then_task::LAW,
            ),
            compare: order::queue_then_job_then_task::compare,
        },
        final_gates: vec![QUEUE_TAKES_PODS, GANG_HAS_ITS_MEMBERS, GANG_HAS_ITS_ROLES, GROWS_BY_STEPS],
        gates: normal(args),
        under_way: Vec::new(),
        trigger: vec![GANG_IS_SHORT, MAY_PREEMPT],
        guards: Vec::new(),
        limits: Vec::new(),
        permit: vec![GANG_IS_COMPLETE],
        put_back: TASKS,
        // Bundles are of jobs, not of nodes: the rule is named where there is no plan, what is lost on a node is never asked.
        node_choice: NodeChoice { rule: VICTIMS, loss: order::cheapest_node_first::loss },
        search: Search::Bundles,
        parents_bind: true,
        cycle: Some(cycle(args)),
    }
}

fn cycle(args: &Args) -> Cycle {
    let order = (VICTIMS, order::lesser_job_gives_first::compare as crate::laws::CompareVictims);
    let everywhere = vec![VICTIM_IS_BOUND, OF_ANOTHER_JOB, NOT_OPTED_OUT, NO_SYSTEM_POD, PAST_COOLDOWN];
    let across = vec![FREES_WHAT_IS_ASKED, QUEUE_IS_RECLAIMABLE];
    let of_queues = match args.mode {
        Mode::Elastic => vec![IS_ELASTIC],
        Mode::Reclaim => vec![OF_ANOTHER_QUEUE, ABOVE_DESERVED, LEAVES_GUARANTEE],
    };
    let claim = match args.mode {
        Mode::Elastic => Vec::new(),
        Mode::Reclaim => vec![STAYS_WITHIN_DESERVED],
    };
    Cycle {
        actions: args.actions.clone(),
        queues: (QUEUES, order::higher_queue_first::compare),
        jobs: JOBS,
        tasks: TASKS,
        admission: vec![QUEUE_TAKES_PODS, GANG_HAS_ITS_MEMBERS, GANG_HAS_ITS_ROLES],
        normal: normal(args),
        growth: vec![QUEUE_TAKES_PODS, GANG_HAS_ITS_MEMBERS, GANG_RUNS, INTERVAL_IS_OVER],
        elastic: vec![FITS_CAPABILITY],
        size: SIZE_IS_LEGAL,
        reclaim: ReclaimRules {
            trigger: vec![GANG_IS_SHORT, MAY_PREEMPT],
            claim,
            guards: [everywhere.clone(), across, of_queues].concat(),
            single: vec![ABOVE_MINIMUM],
            limits: normal(args),
            order,
        },
        preempt: ReclaimRules {
            trigger: vec![GANG_IS_SHORT, MAY_PREEMPT],
            claim: Vec::new(),
            guards: [everywhere, vec![FREES_WHAT_IS_ASKED, OF_THE_SAME_QUEUE, JOB_RANKS_LOWER]].concat(),
            single: vec![ABOVE_MINIMUM],
            limits: normal(args),
            order,
        },
    }
}

/// What a normal pod must stay within.
fn normal(args: &Args) -> Vec<Gate> {
    match args.mode {
        Mode::Elastic => vec![FITS_CAPABILITY, FITS_DESERVED],
        Mode::Reclaim => vec![FITS_CAPABILITY],
    }
}
