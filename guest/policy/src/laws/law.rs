//! A law as its file has it: one value that binds its page, its sentence, its templates and its function.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;

use super::harm::{GangLoss, gang_loss};
use super::{Case, Denial, LeastVictims, NodeCost, NodeVictims};
use crate::contract::{ChangeKind, KeyBuilder};
use crate::model::{Cluster, Job, Pod, PodIx, QueueIx};

/// Which question a law answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// A precondition, asked of the preemptor: may it?
    Gate,
    /// A victim filter, asked of the preemptor and one candidate: may the candidate be evicted?
    Guard,
    /// A plan invariant, asked of the plan as a whole: does this still hold when it is carried out?
    Limit,
    /// A comparator, asked of two alternatives: which first?
    Order,
    /// No law: what the engine finds under whatever laws.
    Engine,
}

impl fmt::Display for Question {
    /// Its word, which is the folder of its laws, too.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Question::Gate => "gate",
            Question::Guard => "guard",
            Question::Limit => "limit",
            Question::Order => "order",
            Question::Engine => "engine",
        })
    }
}

/// The answer of a gate or a limit.
pub type Holds = fn(&Case<'_>) -> Result<(), Denial>;

/// The answer of a guard: whether a candidate may be evicted.
pub type Admits = fn(&Case<'_>, PodIx, &Pod) -> Result<(), Denial>;

/// Which of two pods comes first.
pub type Compare = fn(&Cluster, &Pod, &Pod) -> Ordering;

/// An order of pods by a key: which of two comes first depends on these two and on their jobs alone. Names break ties.
#[derive(Debug, Clone, Copy)]
pub struct SortBy {
    /// The first part of the key of a pod. It may depend on what else waits, as of the last question about the queue, so it says nothing about the pods
    /// of one job: a decision does not depend on what was asked before it.
    pub first: fn(&Cluster, &Pod) -> KeyBuilder,
    /// The part of the key of a pod before that of its job.
    pub before: fn(&Pod, KeyBuilder) -> KeyBuilder,
    /// The part that the pods of a job have in common; of a pod alone, what stands for it.
    pub job: fn(&Cluster, &Pod, KeyBuilder) -> KeyBuilder,
    /// The part after that.
    pub after: fn(&Pod, KeyBuilder) -> KeyBuilder,
    /// What keys take from a job: when that changes, the keys of its pods do.
    pub of_job: fn(&Job) -> Option<i64>,
}

impl SortBy {
    /// Returns the key of a pod.
    pub fn key(&self, cluster: &Cluster, pod: &Pod) -> KeyBuilder {
        let key = (self.before)(pod, (self.first)(cluster, pod));
        (self.after)(pod, (self.job)(cluster, pod, key))
    }

    /// Returns the key of a pod among those of its job.
    pub fn key_in_job(&self, pod: &Pod) -> KeyBuilder {
        (self.after)(pod, (self.before)(pod, KeyBuilder::new()))
    }
}

/// Which of two queues comes first.
pub type CompareQueues = fn(&Cluster, QueueIx, QueueIx) -> Ordering;

/// Which of two pods, each the first victim of its job, is evicted first for a preemptor of a queue.
pub type CompareVictims = fn(&Cluster, Option<QueueIx>, &Pod, &Pod) -> Ordering;

/// What a plan costs on a node.
pub type Loss = fn(&NodeVictims<'_>) -> NodeCost;

/// An order of nodes by what plans cost there.
#[derive(Debug, Clone, Copy)]
pub struct Weigh {
    /// What a plan costs.
    pub loss: Loss,
    /// What no plan costs less than, where so much is known of its victims.
    pub least: fn(&dyn LeastVictims) -> NodeCost,
    /// Whether the victims on a node with these candidates are chosen by the cost, too. If not, the order of reprieve alone chooses them.
    pub seeks: fn(&Cluster, &[PodIx]) -> bool,
    /// Whether a pod of a gang that is too small already costs nothing.
    pub short_gangs_are_free: bool,
    /// Whether what several pods of one size cost follows from their number and, in each criterion, from the worst of them.
    pub is_of_the_worst: bool,
}

impl Weigh {
    /// Returns whether evicting a pod after earlier evictions costs nothing, because its gang is too small already.
    pub fn is_free(&self, cluster: &Cluster, pod: &Pod, earlier: &BTreeSet<PodIx>) -> bool {
        self.short_gangs_are_free && gang_loss(cluster, pod, earlier) == GangLoss::Nothing
    }
}

/// The sum of the reasons to spare a pod, 0 where there is none: [`WEIGHTY_REASON`] for the weightier reason, 1 for the lighter one. The
/// sum over victims counts both reasons, the weightier one first.
pub type Reluctance = fn(&Case<'_>, PodIx, &Pod) -> i64;

/// The weightier of two reasons to spare a pod: more than the lighter reasons of all pods of a node together.
pub const WEIGHTY_REASON: i64 = 1 << 32;

/// A sentence of a law: the case it is for, which is empty where there is one only, and the template. `wit/core.wit` says how it is
/// written; `@queue`, `@guaranteed`, `@deserved` and `@max` stand for the words of the system.
pub type CaseText = (&'static str, &'static str);

/// What is said of a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// Its name, the name of its file.
    pub name: &'static str,
    /// The sentence that must hold.
    pub sentence: &'static str,
    /// What is said where it does not hold.
    pub templates: &'static [CaseText],
    /// The text of its file; the documentation on top is the manual page. Empty in the component, which shows no pages.
    pub file: &'static str,
}

/// What is known of a law without asking it.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// The question it answers.
    pub question: Question,
    /// What is said of it.
    pub text: Text,
    /// After which changes it may hold where it did not; a change of the preemptor itself is not said.
    pub retry_after: &'static [ChangeKind],
    /// As a guard, it asks about the name or the times of a candidate: pods that are alike otherwise may be judged differently. As a
    /// precondition, it asks what each pod demands by itself: the other pods of a gang are planned without one that is refused.
    pub asks_each_pod: bool,
    /// Of which imagined preemptors it is asked.
    pub asked_of: Imagined,
}

/// Preemptors that are not in the cluster: those that might come for a running pod. A law is asked of them as far as it says something about
/// the running pod, or about what the cluster has, and nothing about the preemptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Imagined {
    /// None: the law is about the preemptor, its job, or the plan.
    None,
    /// Those of the queue of the running pod: the law is about what the queue of the preemptor uses.
    OfTheSameQueue,
    /// All.
    All,
}

/// A law.
#[derive(Debug)]
pub struct Law<F> {
    /// What is known of it.
    pub about: About,
    /// The law itself.
    pub function: F,
}

/// After which changes a law may hold where nothing else is said of it: laws are about pods, and about what objects say.
const PODS_AND_OBJECTS: &[ChangeKind] =
    &[ChangeKind::PodUpserted, ChangeKind::PodRemoved, ChangeKind::ObjectUpserted, ChangeKind::ObjectRemoved];

impl Law<Holds> {
    /// A precondition.
    pub const fn gate(text: Text, function: Holds) -> Law<Holds> {
        Law::of(Question::Gate, text, function)
    }

    /// A plan invariant.
    pub const fn limit(text: Text, function: Holds) -> Law<Holds> {
        Law::of(Question::Limit, text, function)
    }
}

impl Law<Admits> {
    /// A victim filter.
    pub const fn guard(text: Text, function: Admits) -> Law<Admits> {
        Law::of(Question::Guard, text, function)
    }
}

impl<F> Law<F> {
    pub(super) const fn of(question: Question, text: Text, function: F) -> Law<F>
    where
        F: Copy,
    {
        let asked_of = if matches!(question, Question::Guard) { Imagined::All } else { Imagined::None };
        let about = About { question, text, retry_after: PODS_AND_OBJECTS, asks_each_pod: false, asked_of };
        Law { about, function }
    }

    /// A comparator.
    pub const fn order(text: Text, function: F) -> Law<F>
    where
        F: Copy,
    {
        Law::of(Question::Order, text, function).retry_after(&[])
    }

    /// The same law, of which it is known that only these changes matter.
    pub const fn retry_after(self, changes: &'static [ChangeKind]) -> Law<F>
    where
        F: Copy,
    {
        Law { about: About { retry_after: changes, ..self.about }, function: self.function }
    }

    /// Returns the same law, which is asked of these preemptors that are not in the cluster.
    pub const fn asked_of(self, asked_of: Imagined) -> Law<F>
    where
        F: Copy,
    {
        Law { about: About { asked_of, ..self.about }, function: self.function }
    }

    /// Returns the same law, which asks about each pod by itself ([`About::asks_each_pod`]).
    pub const fn asks_each_pod(self) -> Law<F>
    where
        F: Copy,
    {
        Law { about: About { asks_each_pod: true, ..self.about }, function: self.function }
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
