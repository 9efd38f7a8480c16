//! A cycle that a system runs itself, step by step, and the laws of its steps.

use super::{ActiveLaw, LawCheck, PodComparator, QueueCompareFn, VictimCompareFn, VictimFilter};

/// A step of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Gangs get their nodes, all of their minimum or nothing; then single pods.
    Allocate,
    /// Jobs of other queues are evicted for gangs that wait.
    Reclaim,
    /// Jobs of the same queue are evicted for gangs that wait.
    Preempt,
    /// Elastic jobs grow.
    Elastic,
    /// Pods that request nothing get a node.
    Backfill,
}

/// The table of a cycle.
#[derive(Debug, Clone)]
pub struct CycleLaws {
    /// The steps, in order.
    pub actions: Vec<Action>,
    /// The order in which queues are served.
    pub queues: (ActiveLaw, QueueCompareFn),
    /// The order in which jobs of a queue are served, by comparing a pod of each.
    pub jobs: PodComparator,
    /// The order in which pods of a job are served. The last one is evicted first.
    pub tasks: PodComparator,
    /// The laws that must hold before a normal pod or its gang is tried.
    pub admission: Vec<LawCheck>,
    /// The laws that must hold for each normal pod, its request counted in.
    pub normal: Vec<LawCheck>,
    /// The laws that must hold before an elastic job grows.
    pub growth: Vec<LawCheck>,
    /// The laws that must hold for each elastic pod, its request counted in.
    pub elastic: Vec<LawCheck>,
    /// The law that must hold for an elastic job that grew.
    pub size: LawCheck,
    /// The laws of evictions across queues.
    pub reclaim: ReclaimRules,
    /// The laws of evictions within a queue.
    pub preempt: ReclaimRules,
}

/// The laws by which pods are evicted for a gang.
#[derive(Debug, Clone)]
pub struct ReclaimRules {
    /// Whether pods that request nothing but a place on a node are served, too.
    pub serves_best_effort: bool,
    /// The laws that must hold for a pod of the gang before others are evicted for it.
    pub preemption_preconditions: Vec<LawCheck>,
    /// The laws that must hold for the gang together with all running pods. Otherwise, only pods of its own queue are evicted.
    pub cross_queue_preconditions: Vec<LawCheck>,
    /// The guards of each candidate, checked with the victims so far gone.
    pub victim_filters: Vec<VictimFilter>,
    /// The guards of a candidate that is evicted without its gang, in addition.
    pub single_victim_filters: Vec<VictimFilter>,
    /// The guards of each victim, in addition, for the resources that would be short with only this victim back on its node.
    pub lone_victim_filters: Vec<VictimFilter>,
    /// The laws that must hold with the plan carried out.
    pub plan_invariants: Vec<LawCheck>,
    /// The order in which pods are evicted.
    pub order: (ActiveLaw, VictimCompareFn),
}
