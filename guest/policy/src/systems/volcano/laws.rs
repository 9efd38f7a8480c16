//! The table: which laws are in force, in which order, and where they come from. A line is a law: its place in the table, its code, its
//! file and its source; and which preemptors it does not apply to.
//!
//! Seed: *Elastic scheduling based on AI scenarios*. Upstream is Volcano after 1.15.

use super::args::{ReclaimMode, VolcanoArgs};
use crate::laws::{
    CycleLaws, LawCheck, Laws, NodeChoice, PlanOrders, Preconditions, QueueRules, ReclaimRules, SearchKind, gate,
    guard, laws, limit, order,
};

laws! { "volcano":
    Gate QUEUE_TAKES_PODS = "queue-takes-pods", gate::queue_takes_pods::LAW, "upstream capacity plugin, AddAllocatableFn and leaf queues";
    Gate GANG_HAS_ITS_MEMBERS = "gang-has-its-members", gate::gang_has_its_members::LAW, "upstream gang plugin, JobValid";
    Gate POD_DEMANDS_ARE_KNOWN = "pod-demands-are-known", gate::pod_demands_are_known::LAW, "upstream plugins numaaware, deviceshare and nodegroup; rulings 2.16 and 2.17";
    Gate GANG_DEMANDS_ARE_KNOWN = "gang-demands-are-known", gate::gang_demands_are_known::LAW, "scheduling.k8s.io/v1beta1 PodGroup";
    Gate GANG_HAS_ITS_ROLES = "gang-has-its-roles", gate::gang_has_its_roles::LAW, "upstream api/job_info.go CheckTaskValid";
    Gate GROWS_BY_STEPS = "elastic-pods-grow-by-steps", gate::elastic_pods_grow_by_steps::LAW, "seed, Main process: elastic tasks are handed over to the elastic action, which follows the scaling strategy";
    Gate GANG_IS_SHORT = "gang-is-short", gate::gang_is_short::LAW, "upstream gang plugin, jobStarvingFn; issue 3869";
    Gate GANG_RUNS = "gang-runs", gate::gang_runs::LAW, "seed, Proposal: the elastic action comes last";
    Gate INTERVAL_IS_OVER = "scaling-interval-is-over", gate::scaling_interval_is_over::LAW, "seed, API design: elastic-cooldown-time";
    Gate MAY_PREEMPT = "may-preempt", gate::may_preempt::LAW, "upstream reclaim.go, preemptionPolicy (issue 3642)";
    Gate FITS_CAPABILITY = "queue-fits-capability", limit::queue_fits_capability::LAW, "upstream capacity plugin, AddAllocatableFn";
    Gate LEFT_FREE = "guarantees-are-left-free", limit::guarantees_are_left_free::LAW, "Queue guarantee; upstream issues 4995 and 4996";
    Gate FITS_DESERVED = "normal-pods-fit-deserved", limit::normal_pods_fit_deserved::LAW, "seed, Proposal: normal tasks will not exceed Deserved";
    Gate STAYS_WITHIN_DESERVED = "reclaimer-stays-within-deserved", limit::reclaimer_stays_within_deserved::LAW, "upstream capacity plugin, PreemptiveFn";
    Gate SIZE_IS_LEGAL = "elastic-size-is-legal", limit::elastic_size_is_legal::LAW, "seed, API design: power-of-two and factor; issue 4666";
    Gate GANG_IS_COMPLETE = "gang-is-complete", limit::gang_is_complete::LAW, "upstream gang plugin, JobReady";
    Guard VICTIM_IS_BOUND = "victim-is-bound", guard::victim_is_bound::LAW, "upstream reclaim.go: running pods";
    Guard OF_ANOTHER_JOB = "victim-is-of-another-job", guard::victim_is_of_another_job::LAW, "upstream reclaim.go and preempt.go";
    Guard NOT_OPTED_OUT = "victim-did-not-opt-out", guard::victim_did_not_opt_out::LAW, "upstream api/pod_info.go GetPodPreemptable";
    Guard NO_SYSTEM_POD = "victim-is-no-system-pod", guard::victim_is_no_system_pod::LAW, "upstream conformance plugin";
    Guard PAST_COOLDOWN = "victim-is-past-its-cooldown", guard::victim_is_past_its_cooldown::LAW, "seed, API design: cooldown-time; upstream cdp plugin";
    Guard FREES_WHAT_IS_ASKED = "victim-frees-what-is-asked", guard::victim_frees_what_is_asked::LAW, "upstream capacity plugin, ReclaimableFn";
    Guard BEST_EFFORT_ALIKE = "best-effort-preempts-best-effort", guard::best_effort_preempts_best_effort::LAW, "upstream preempt.go, the filter of victims";
    Guard QUEUE_IS_RECLAIMABLE = "victim-queue-is-reclaimable", guard::victim_queue_is_reclaimable::LAW, "Queue spec.reclaimable";
    Guard IS_ELASTIC = "victim-is-elastic", guard::victim_is_elastic::LAW, "seed, Main process: elastic mode only supports preemption of elastic tasks";
    Guard OF_ANOTHER_QUEUE = "normal-victim-is-of-another-queue", guard::normal_victim_is_of_another_queue::LAW, "upstream reclaim.go";
    Guard FREES_WHAT_IS_OWED = "victim-frees-what-is-owed", guard::victim_frees_what_is_owed::LAW, "reference 2.5b; upstream issues 561, 4947, 4949";
    Guard ABOVE_DESERVED = "normal-victim-queue-is-above-deserved", guard::normal_victim_queue_is_above_deserved::LAW, "upstream capacity plugin, ReclaimableFn";
    Guard OUTSIDE_THE_CLAIM = "normal-victim-is-outside-the-claim", guard::normal_victim_is_outside_the_claim::LAW, "upstream capacity plugin, ReclaimableFn (sharesAnyNonRootAncestorWithinLevel); reference 3.5f";
    Guard LEAVES_GUARANTEE = "normal-victim-leaves-guarantee", guard::normal_victim_leaves_guarantee::LAW, "upstream capacity plugin, checkGuaranteeConstraint";
    Guard OF_THE_SAME_QUEUE = "victim-is-of-the-same-queue", guard::victim_is_of_the_same_queue::LAW, "upstream preempt.go";
    Guard JOB_RANKS_LOWER = "victim-job-ranks-lower", guard::victim_job_ranks_lower::LAW, "upstream priority plugin";
    Guard ABOVE_MINIMUM = "victim-is-above-gang-minimum", guard::victim_is_above_gang_minimum::LAW, "upstream gang plugin; bundle.go: safe bundles";
    Order TASKS = "earlier-task-first", order::earlier_task_first::LAW, "upstream TaskOrderFn";
    Order JOBS = "waiting-gang-first", order::waiting_gang_first::LAW, "upstream JobOrderFn: priority, gang";
    QueueOrder QUEUES = "higher-queue-first", order::higher_queue_first::LAW, "upstream capacity plugin, QueueOrderFn";
    VictimOrder VICTIMS = "lesser-job-gives-first", order::lesser_job_gives_first::LAW, "seed, Main process, Reclaim: by job; upstream BuildVictimsPriorityQueue; issue 4607";
    PendingByCompare QUEUE_ORDER = "queue-then-job-then-task", order::queue_then_job_then_task::LAW, "upstream allocate.go: queue by queue, job by job";
}

/// Returns the laws in force under these arguments.
pub fn table(args: &VolcanoArgs) -> Laws {
    Laws {
        queue_order: QUEUE_ORDER,
        preconditions: Preconditions {
            unresolvable: vec![
                QUEUE_TAKES_PODS,
                GANG_HAS_ITS_MEMBERS,
                GANG_DEMANDS_ARE_KNOWN,
                POD_DEMANDS_ARE_KNOWN,
                GANG_HAS_ITS_ROLES,
                GROWS_BY_STEPS,
            ],
            resolvable: normal(args),
            in_flight: Vec::new(),
            preemption: vec![GANG_IS_SHORT, MAY_PREEMPT],
            permit: vec![GANG_IS_COMPLETE],
        },
        victim_filters: Vec::new(),
        bound_victim_filters: Vec::new(),
        plan_invariants: Vec::new(),
        plan_orders: PlanOrders {
            reprieve: TASKS,
            // Bundles are of jobs, not of nodes. The rule is named where there is no plan, and the cost on a node is never computed.
            nodes: NodeChoice { rule: VICTIMS.0, by: order::cheapest_node_first::LAW.function },
        },
        search: SearchKind::JobBundles,
        queue_rules: QueueRules { checks_ancestors: true, reclaims_within_min: false },
        least_harm: None,
        nomination_laws: None,
        cycle: Some(cycle(args)),
        enforcement: None,
    }
}

fn cycle(args: &VolcanoArgs) -> CycleLaws {
    let everywhere = vec![VICTIM_IS_BOUND, OF_ANOTHER_JOB, NOT_OPTED_OUT, NO_SYSTEM_POD, PAST_COOLDOWN];
    let across = vec![FREES_WHAT_IS_ASKED, QUEUE_IS_RECLAIMABLE];
    let of_queues = match args.mode {
        ReclaimMode::Elastic => vec![IS_ELASTIC],
        ReclaimMode::Reclaim => {
            vec![OF_ANOTHER_QUEUE, FREES_WHAT_IS_OWED, OUTSIDE_THE_CLAIM, ABOVE_DESERVED, LEAVES_GUARANTEE]
        }
    };
    let alone = match args.mode {
        ReclaimMode::Elastic => Vec::new(),
        ReclaimMode::Reclaim => vec![FREES_WHAT_IS_OWED],
    };
    let claim = match args.mode {
        ReclaimMode::Elastic => Vec::new(),
        ReclaimMode::Reclaim => vec![STAYS_WITHIN_DESERVED],
    };
    CycleLaws {
        actions: args.actions.clone(),
        queues: QUEUES,
        jobs: JOBS,
        tasks: TASKS,
        admission: vec![
            QUEUE_TAKES_PODS,
            GANG_HAS_ITS_MEMBERS,
            GANG_DEMANDS_ARE_KNOWN,
            POD_DEMANDS_ARE_KNOWN,
            GANG_HAS_ITS_ROLES,
        ],
        normal: normal(args),
        growth: vec![QUEUE_TAKES_PODS, GANG_HAS_ITS_MEMBERS, POD_DEMANDS_ARE_KNOWN, GANG_RUNS, INTERVAL_IS_OVER],
        elastic: vec![FITS_CAPABILITY, LEFT_FREE],
        size: SIZE_IS_LEGAL,
        reclaim: ReclaimRules {
            serves_best_effort: false,
            preemption_preconditions: vec![GANG_IS_SHORT, MAY_PREEMPT],
            cross_queue_preconditions: claim,
            victim_filters: [everywhere.clone(), across, of_queues].concat(),
            single_victim_filters: vec![ABOVE_MINIMUM],
            lone_victim_filters: alone,
            plan_invariants: normal(args),
            order: VICTIMS,
        },
        preempt: ReclaimRules {
            serves_best_effort: true,
            preemption_preconditions: vec![GANG_IS_SHORT, MAY_PREEMPT],
            cross_queue_preconditions: Vec::new(),
            victim_filters: [everywhere, vec![BEST_EFFORT_ALIKE, OF_THE_SAME_QUEUE, JOB_RANKS_LOWER]].concat(),
            single_victim_filters: vec![ABOVE_MINIMUM],
            lone_victim_filters: Vec::new(),
            plan_invariants: normal(args),
            order: VICTIMS,
        },
    }
}

/// Returns the limits of a normal pod.
fn normal(args: &VolcanoArgs) -> Vec<LawCheck> {
    match args.mode {
        ReclaimMode::Elastic => vec![FITS_CAPABILITY, LEFT_FREE, FITS_DESERVED],
        ReclaimMode::Reclaim => vec![FITS_CAPABILITY, LEFT_FREE],
    }
}
