//! What a law is asked about when a queue gives back what it holds over its maximum. No pod preempts here.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{ActiveLaw, Denial, Law, LawKind, LawText};
use crate::model::{Amounts, Cluster, Freed, PodInfo, PodIx, QueueIx, ResourceIx, Used};

/// The amounts that some pods use, by each queue that they count against.
#[derive(Debug, Clone, Default)]
pub struct UsageByQueue(BTreeMap<QueueIx, Amounts>);

impl UsageByQueue {
    /// Adds the amounts of a pod, or subtracts them.
    pub fn apply(&mut self, cluster: &Cluster, pod: &PodInfo, by: fn(&mut Amounts, &crate::model::ResourceRequest)) {
        for (ix, _) in cluster.path(pod.queue) {
            by(self.0.entry(ix).or_default(), pod.request());
        }
    }

    /// Returns the amount of a resource of a queue.
    pub fn of(&self, queue: QueueIx, resource: ResourceIx) -> i64 {
        self.0.get(&queue).map_or(0, |amounts| amounts.get(resource))
    }
}

/// The input of a law about giving back: a queue over its maximum, and its victims so far.
#[derive(Debug, Clone, Copy)]
pub struct ExcessContext<'a> {
    /// The cluster.
    pub cluster: &'a Cluster,
    /// The queue.
    pub queue: QueueIx,
    /// The amounts that the queue uses over its maximum, without zero amounts.
    pub excess: &'a Amounts,
    /// The amounts that leaving pods use, or that the queues below it give back.
    pub leaving_usage: &'a UsageByQueue,
    /// The amounts that the victims use.
    pub victims: &'a UsageByQueue,
    /// The queue of the candidate.
    pub victim_queue: QueueIx,
}

/// The function of a gate or a limit about a surplus.
pub type ExcessCheckFn = fn(&ExcessContext<'_>) -> Result<(), Denial>;

/// The function of a guard about a surplus: whether a pod of the queue may be evicted.
pub type ExcessVictimFilterFn = fn(&ExcessContext<'_>, PodIx, &PodInfo) -> Result<(), Denial>;

/// The function of an order about a surplus: which of two pods of the queue is evicted first.
pub type ExcessVictimCompareFn = fn(&ExcessContext<'_>, (PodIx, &PodInfo), (PodIx, &PodInfo)) -> Ordering;

impl Law<ExcessCheckFn> {
    /// Creates a precondition of giving back.
    pub const fn excess_precondition(text: LawText, function: ExcessCheckFn) -> Law<ExcessCheckFn> {
        Law::of(LawKind::Precondition, text, function)
    }

    /// Creates a plan invariant of all that is given back.
    pub const fn excess_invariant(text: LawText, function: ExcessCheckFn) -> Law<ExcessCheckFn> {
        Law::of(LawKind::PlanInvariant, text, function)
    }
}

impl Law<ExcessVictimFilterFn> {
    /// Creates a filter of the pods that are evicted to give back.
    pub const fn excess_victim_filter(text: LawText, function: ExcessVictimFilterFn) -> Law<ExcessVictimFilterFn> {
        Law::of(LawKind::VictimFilter, text, function)
    }
}

impl ExcessContext<'_> {
    /// Returns the amount that a queue uses, without the leaving pods.
    pub fn used(&self, queue: QueueIx, resource: ResourceIx) -> Used {
        let total = self.cluster.queue(queue).map_or(0, |queue| queue.used.total(resource).0);
        Used(total.saturating_sub(self.leaving_usage.of(queue, resource)))
    }

    /// Returns the amount of a queue that the victims use.
    pub fn freed(&self, queue: QueueIx, resource: ResourceIx) -> Freed {
        Freed(self.victims.of(queue, resource))
    }

    /// Returns the first of these laws that does not hold. `None`: all hold.
    pub fn first_failed_check(&self, laws: &[ExcessCheck]) -> Option<(ActiveLaw, Denial)> {
        laws.iter().find_map(|law| Some((law.rule, law.denial(self)?)))
    }
}

/// A gate or a limit of giving back, in force.
#[derive(Debug, Clone, Copy)]
pub struct ExcessCheck {
    /// The law.
    pub rule: ActiveLaw,
    /// The function of the law.
    pub holds: ExcessCheckFn,
}

impl ExcessCheck {
    /// Returns why the law does not hold; `None` where it does.
    pub fn denial(&self, case: &ExcessContext<'_>) -> Option<Denial> {
        (self.holds)(case).err().filter(|denial| !self.rule.mutes(case.cluster, denial))
    }
}

/// A guard of giving back, in force.
#[derive(Debug, Clone, Copy)]
pub struct ExcessVictimFilter {
    /// The law.
    pub rule: ActiveLaw,
    /// The function that says whether a pod may be evicted.
    pub admits: ExcessVictimFilterFn,
}

impl ExcessVictimFilter {
    /// Returns why the law spares a pod; `None` where it does not.
    pub fn denial(&self, case: &ExcessContext<'_>, ix: PodIx, pod: &PodInfo) -> Option<Denial> {
        (self.admits)(case, ix, pod).err().filter(|denial| !self.rule.mutes(case.cluster, denial))
    }
}

/// The laws by which queues give back what they use over their maximum.
#[derive(Debug, Clone)]
pub struct MaxEnforcementLaws {
    /// The laws that must hold before a queue gives back anything.
    pub preconditions: Vec<ExcessCheck>,
    /// The guards of each of its pods.
    pub victim_filters: Vec<ExcessVictimFilter>,
    /// The laws that must hold with the victims gone.
    pub plan_invariants: Vec<ExcessCheck>,
    /// The order in which pods are evicted.
    pub order: (ActiveLaw, ExcessVictimCompareFn),
}
