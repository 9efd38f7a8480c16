//! A law as its file has it: one value that binds its page, its sentence, its templates and its function.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;

use super::harm::{GangLoss, gang_loss};
use super::{Denial, LawContext, NodeCost, NodeVictims, VictimLowerBound};
use crate::contract::{ChangeKind, KeyBuilder};
use crate::model::{Cluster, Job, PodInfo, PodIx, QueueIx};

/// The question that a law answers, which is its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LawKind {
    /// A precondition of the preemptor: may it preempt?
    Precondition,
    /// A victim filter of the preemptor and one candidate: may the candidate be evicted?
    VictimFilter,
    /// A plan invariant of the plan as a whole: does the law still hold when the plan is carried out?
    PlanInvariant,
    /// A comparator of two alternatives: which comes first?
    Comparator,
    /// No law, but a rule of the engine in every system.
    EngineReason,
}

impl fmt::Display for LawKind {
    /// Writes the word of the question, which is also the folder of its laws.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LawKind::Precondition => "gate",
            LawKind::VictimFilter => "guard",
            LawKind::PlanInvariant => "limit",
            LawKind::Comparator => "order",
            LawKind::EngineReason => "engine",
        })
    }
}

/// The function of a gate or a limit.
pub type CheckFn = fn(&LawContext<'_>) -> Result<(), Denial>;

/// The function of a guard: whether a candidate may be evicted.
pub type VictimFilterFn = fn(&LawContext<'_>, PodIx, &PodInfo) -> Result<(), Denial>;

/// The function of an order of pods: which of two comes first.
pub type PodCompareFn = fn(&Cluster, &PodInfo, &PodInfo) -> Ordering;

/// An order of pods by a key. The order of two pods depends on these two and on their jobs alone. Names break ties.
#[derive(Debug, Clone, Copy)]
pub struct QueueSortKey {
    /// The first part of the key of a pod. It may depend on which other pods wait, as of the last request for sort keys. So it must not depend on the
    /// pods of one job: a decision does not depend on earlier requests.
    pub key_start: fn(&Cluster, &PodInfo) -> KeyBuilder,
    /// The part of the key of a pod before that of its job.
    pub key_before_job: fn(&PodInfo, KeyBuilder) -> KeyBuilder,
    /// The part that the pods of a job have in common. For a pod without a job, what replaces it.
    pub key_of_job: fn(&Cluster, &PodInfo, KeyBuilder) -> KeyBuilder,
    /// The part after that.
    pub key_after_job: fn(&PodInfo, KeyBuilder) -> KeyBuilder,
    /// The values of a job that keys contain. If one changes, the keys of its pods change.
    pub job_values: fn(&Job) -> [Option<i64>; 2],
}

impl QueueSortKey {
    /// Returns the key of a pod.
    pub fn key(&self, cluster: &Cluster, pod: &PodInfo) -> KeyBuilder {
        let key = (self.key_before_job)(pod, (self.key_start)(cluster, pod));
        (self.key_after_job)(pod, (self.key_of_job)(cluster, pod, key))
    }

    /// Returns the key of a pod among those of its job.
    pub fn key_in_job(&self, pod: &PodInfo) -> KeyBuilder {
        (self.key_after_job)(pod, (self.key_before_job)(pod, KeyBuilder::new()))
    }
}

/// The function of an order of queues: which of two comes first.
pub type QueueCompareFn = fn(&Cluster, QueueIx, QueueIx) -> Ordering;

/// The function of an order of victims. Of two pods, each the first victim of its job, it returns which is evicted first for a preemptor of a queue.
pub type VictimCompareFn = fn(&Cluster, Option<QueueIx>, &PodInfo, &PodInfo) -> Ordering;

/// The function that computes the cost of a plan on a node.
pub type NodeCostFn = fn(&NodeVictims<'_>) -> NodeCost;

/// An order of nodes by the cost of plans there.
#[derive(Debug, Clone, Copy)]
pub struct NodeCostModel {
    /// The cost of a plan.
    pub cost: NodeCostFn,
    /// A lower bound of the cost of plans, from lower bounds of their victims.
    pub lower_bound: fn(&dyn VictimLowerBound) -> NodeCost,
    /// Whether the victims on a node with these candidates are chosen by the cost, too. If not, the order of reprieve alone chooses them.
    pub searches_by_cost: fn(&Cluster, &[PodIx]) -> bool,
    /// Whether a pod of a gang that is below its minimum already costs nothing.
    pub short_gangs_are_free: bool,
    /// Whether the cost of several pods of one size follows from their number and, for each criterion, from the worst of them.
    pub depends_on_worst_pod: bool,
}

impl NodeCostModel {
    /// Returns whether evicting a pod after earlier evictions costs nothing, because its gang is too small already.
    pub fn is_free(&self, cluster: &Cluster, pod: &PodInfo, earlier: &BTreeSet<PodIx>) -> bool {
        self.short_gangs_are_free && gang_loss(cluster, pod, earlier) == GangLoss::Nothing
    }
}

/// The sum of the reasons to spare a pod, 0 where there is none: [`WEIGHTY_REASON`] for the weightier reason, 1 for the lighter one. The
/// sum over victims counts both reasons, the weightier one first.
pub type EvictionPenaltyFn = fn(&LawContext<'_>, PodIx, &PodInfo) -> i64;

/// The weightier of two reasons to spare a pod: more than the lighter reasons of all pods of a node together.
pub const WEIGHTY_REASON: i64 = 1 << 32;

/// A sentence of a law: its case, which is empty if there is only one, and the template. `wit/core.wit` says how templates are written. `@queue`,
/// `@guaranteed`, `@deserved` and `@max` stand for the words of the system.
pub type MessageTemplate = (&'static str, &'static str);

/// The texts of a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LawText {
    /// Its name, the name of its file.
    pub name: &'static str,
    /// The sentence that must hold.
    pub sentence: &'static str,
    /// The sentences for a law that does not hold.
    pub templates: &'static [MessageTemplate],
    /// The text of its file; the documentation on top is the manual page. Empty in the component, which shows no pages.
    pub file: &'static str,
}

/// The description of a law.
#[derive(Debug, Clone, Copy)]
pub struct LawMetadata {
    /// The question that the law answers.
    pub kind: LawKind,
    /// The texts of the law.
    pub text: LawText,
    /// The changes after which the law may hold where it did not. A change of the preemptor itself is not listed.
    pub retry_after: &'static [ChangeKind],
    /// Whether the law depends on more than a guard or a precondition usually may. A guard may then read the name or the times of a candidate, so
    /// that otherwise equal pods may be judged differently. A precondition then judges each pod by itself, and a gang is planned without the refused
    /// pods.
    pub depends_on_pod_identity: bool,
    /// The imagined preemptors that the law is checked for.
    pub checked_for: ImaginedPreemptors,
}

/// Preemptors that are not in the cluster: those that might come for a running pod. A law is checked for them if it is about the running pod or the
/// cluster, and not about the preemptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImaginedPreemptors {
    /// No preemptors: the law is about the preemptor, its job, or the plan.
    None,
    /// The preemptors of the queue of the running pod: the law is about what the queue of the preemptor uses.
    OfTheSameQueue,
    /// All preemptors.
    All,
}

/// A law.
#[derive(Debug)]
pub struct Law<F> {
    /// The description of the law.
    pub about: LawMetadata,
    /// The function of the law.
    pub function: F,
}

/// The default changes after which a law may hold: those of pods and objects, as laws are about these.
const PODS_AND_OBJECTS: &[ChangeKind] =
    &[ChangeKind::PodUpserted, ChangeKind::PodRemoved, ChangeKind::ObjectUpserted, ChangeKind::ObjectRemoved];

impl Law<CheckFn> {
    /// Creates a precondition.
    pub const fn precondition(text: LawText, function: CheckFn) -> Law<CheckFn> {
        Law::of(LawKind::Precondition, text, function)
    }

    /// Creates a plan invariant.
    pub const fn plan_invariant(text: LawText, function: CheckFn) -> Law<CheckFn> {
        Law::of(LawKind::PlanInvariant, text, function)
    }
}

impl Law<VictimFilterFn> {
    /// Creates a victim filter.
    pub const fn victim_filter(text: LawText, function: VictimFilterFn) -> Law<VictimFilterFn> {
        Law::of(LawKind::VictimFilter, text, function)
    }
}

impl<F> Law<F> {
    pub(super) const fn of(question: LawKind, text: LawText, function: F) -> Law<F>
    where
        F: Copy,
    {
        let asked_of =
            if matches!(question, LawKind::VictimFilter) { ImaginedPreemptors::All } else { ImaginedPreemptors::None };
        let about = LawMetadata {
            kind: question,
            text,
            retry_after: PODS_AND_OBJECTS,
            depends_on_pod_identity: false,
            checked_for: asked_of,
        };
        Law { about, function }
    }

    /// Creates a comparator.
    pub const fn comparator(text: LawText, function: F) -> Law<F>
    where
        F: Copy,
    {
        Law::of(LawKind::Comparator, text, function).retry_after(&[])
    }

    /// Returns the law with only these changes, after which alone it may hold.
    pub const fn retry_after(self, changes: &'static [ChangeKind]) -> Law<F>
    where
        F: Copy,
    {
        Law { about: LawMetadata { retry_after: changes, ..self.about }, function: self.function }
    }

    /// Returns the law with the imagined preemptors that it is checked for.
    pub const fn checked_for(self, asked_of: ImaginedPreemptors) -> Law<F>
    where
        F: Copy,
    {
        Law { about: LawMetadata { checked_for: asked_of, ..self.about }, function: self.function }
    }

    /// Returns the law as one that judges each pod by itself ([`LawMetadata::depends_on_pod_identity`]).
    pub const fn depends_on_pod_identity(self) -> Law<F>
    where
        F: Copy,
    {
        Law { about: LawMetadata { depends_on_pod_identity: true, ..self.about }, function: self.function }
    }
}

/// Reads the file of a law for its manual page; the component shows none, a browser does.
macro_rules! page {
    ($file:literal) => {{
        #[cfg(any(not(target_arch = "wasm32"), feature = "pages"))]
        {
            include_str!($file)
        }
        #[cfg(all(target_arch = "wasm32", not(feature = "pages")))]
        {
            ""
        }
    }};
}
pub(crate) use page;
