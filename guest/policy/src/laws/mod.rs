//! The laws: named sentences that must hold, each a pure function in a file of its own.
//!
//! A law answers one of four questions, and stands in the folder of that question. Which laws are in force, under which code
//! and from which source, is a system's table (`dialects/<system>/laws.rs`); a law that two systems share is one file because
//! its sentence is the same. The module documentation of a law is its manual page.

pub mod breach;
pub mod cycle;
pub mod gate;
pub mod guard;
pub mod limit;
pub mod order;
pub mod register;
pub mod room;
mod switch;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

pub use breach::Breach;
pub use cycle::{Action, Cycle, Pursuit};
pub use switch::Switch;

use crate::engine::{Asker, Ledger, Sample};
use crate::model::{Amounts, Class, Cluster, Pod, PodIx, Queue, QueueIx, ResourceIx};

/// Which question a law answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// Asked of the preemptor: may it?
    Gate,
    /// Asked of the preemptor and one candidate: may it make way?
    Guard,
    /// Asked of the plan as a whole: does this still hold when it is carried out?
    Limit,
    /// Asked of two alternatives: which first?
    Order,
}

/// A law as it stands in its file.
#[derive(Debug)]
pub struct Law {
    /// Its name, the name of its file.
    pub name: &'static str,
    /// The question it answers.
    pub question: Question,
    /// The sentence that must hold.
    pub sentence: &'static str,
    /// The text of its file; the documentation on top is the manual page.
    pub file: &'static str,
}

/// A law in force in a system.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The code the system's users are shown.
    pub code: &'static str,
    /// Where the system says so: seed and section, or upstream file.
    pub source: &'static str,
    /// The law.
    pub law: &'static Law,
}

/// A law in force: its code, where its system says so, and the law.
pub const fn rule(code: &'static str, source: &'static str, law: &'static Law) -> Rule {
    Rule { code, source, law }
}

/// What a law is asked about.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The cluster, or the cluster as it would be.
    pub cluster: &'a Cluster,
    /// The plans under way.
    pub ledger: &'a Ledger,
    /// Who asks.
    pub asker: &'a Asker,
    /// What the asker's pods ask for in sum, as far as they do not hold it yet.
    pub unplaced: &'a Amounts,
    /// What is promised to pods of other jobs counts as held: nothing is planned that would break an earlier plan.
    pub promises_count: bool,
    /// Who would make way together, where that is asked about.
    pub group: &'a [PodIx],
}

impl Case<'_> {
    /// What those who would make way together hold of a queue.
    pub fn given_up(&self, queue: QueueIx, resource: ResourceIx) -> i64 {
        let pods = self.group.iter().filter_map(|ix| self.cluster.pod(*ix));
        let below = pods.filter(|pod| self.cluster.is_below(pod.queue, queue));
        below.fold(0, |sum: i64, pod| sum.saturating_add(pod.request.get(resource)))
    }

    /// What the pods of a queue and those below it hold, whatever their class.
    pub fn used(&self, queue: &Queue, resource: ResourceIx) -> i64 {
        queue.used.parts(resource).iter().fold(0, |sum: i64, part| sum.saturating_add(*part))
    }

    /// What is promised to waiting pods of other jobs that count against a queue, of one class and resource.
    pub fn promised(&self, queue: QueueIx, class: Class, resource: ResourceIx) -> i64 {
        if !self.promises_count {
            return 0;
        }
        self.cluster.promised_below(queue, class, resource, |pod| !self.asker.pods.contains(&pod))
    }
}

/// A gate or a limit in force.
#[derive(Debug, Clone, Copy)]
pub struct Gate {
    /// The law.
    pub rule: Rule,
    /// Whether it holds.
    pub holds: fn(&Case<'_>) -> Result<(), Breach>,
}

/// A guard in force.
#[derive(Debug, Clone, Copy)]
pub struct Guard {
    /// The law.
    pub rule: Rule,
    /// Whether this pod may make way.
    pub admits: fn(&Case<'_>, PodIx, &Pod) -> Result<(), Breach>,
}

/// An order of pods in force.
#[derive(Debug, Clone, Copy)]
pub struct Order {
    /// The law.
    pub rule: Rule,
    /// Which of two pods comes first.
    pub compare: fn(&Cluster, &Pod, &Pod) -> Ordering,
}

/// What is lost on a node when a plan is carried out there.
#[derive(Debug, Clone, Copy)]
pub struct Lost<'a> {
    /// The cluster.
    pub cluster: &'a Cluster,
    /// Who makes way.
    pub victims: &'a [PodIx],
    /// How many of them against their disruption budgets.
    pub violations: usize,
    /// All the reasons there were to spare some of them (see [`LastResort`]).
    pub reasons: u8,
}

impl Lost<'_> {
    /// Those who make way.
    pub fn pods(&self) -> impl Iterator<Item = &Pod> {
        self.victims.iter().filter_map(|ix| self.cluster.pod(*ix))
    }

    /// The priority of the most important of them; lower than any where nobody makes way.
    pub fn highest(&self) -> i128 {
        self.pods().map(|pod| i128::from(pod.priority())).max().unwrap_or(i128::MIN)
    }

    /// How many they are.
    pub fn count(&self) -> i128 {
        count(self.victims.len())
    }
}

/// A number of pods as a criterion of loss.
pub fn count(pods: usize) -> i128 {
    i128::try_from(pods).unwrap_or(i128::MAX)
}

/// A loss, criterion by criterion; the first that differs decides, and less is better.
pub type Loss = [i128; 5];

/// An order of nodes in force: the name decides between equal losses.
#[derive(Debug, Clone, Copy)]
pub struct NodeChoice {
    /// The law.
    pub rule: Rule,
    /// How much is lost.
    pub loss: fn(&Lost<'_>) -> Loss,
}

/// How a system looks for a plan.
#[derive(Debug, Clone)]
pub enum Search {
    /// Take everybody away who may make way, place the whole job, put back whom one can.
    RemoveAllPutBack,
    /// Node by node: take everybody away who may make way, put back whom one can; then choose a node.
    NodeByNode(Sample),
    /// Bundles of victims, job by job; within the system's own cycle.
    Bundles,
    /// Node by node: gather the smallest group whose going makes the room, sparing whom one can.
    GroupOnOneNode(Group),
}

/// What a group of victims is gathered by.
#[derive(Debug, Clone)]
pub struct Group {
    /// Hold of a group if they hold of a larger one: the more go, the sooner they are broken.
    pub floors: Vec<Gate>,
    /// Which victims are taken only where others do not suffice.
    pub last_resort: LastResort,
}

/// An order by reluctance in force.
#[derive(Debug, Clone, Copy)]
pub struct LastResort {
    /// The law.
    pub rule: Rule,
    /// How reluctantly a pod is taken: one bit for each reason to spare it, the higher the weightier; below 4.
    pub reasons: fn(&Case<'_>, PodIx, &Pod) -> u8,
}

/// The table of a system: the laws in force, by the question and the moment at which it is asked.
#[derive(Debug, Clone)]
pub struct Laws {
    /// Which pending pod is tried first.
    pub queue_order: Order,
    /// Asked at PreFilter; no preemption helps against these.
    pub final_gates: Vec<Gate>,
    /// Asked at PreFilter; a preemption may help.
    pub gates: Vec<Gate>,
    /// Asked at PostFilter first: where one is broken, what was planned before is awaited and kept.
    pub under_way: Vec<Gate>,
    /// Asked at PostFilter then, before anything is planned.
    pub trigger: Vec<Gate>,
    /// Asked of each candidate.
    pub guards: Vec<Guard>,
    /// Must hold with the plan carried out.
    pub limits: Vec<Gate>,
    /// Must hold for a reserved pod to be bound.
    pub permit: Vec<Gate>,
    /// Which candidate is put back first.
    pub put_back: Order,
    /// Which node a pod is planned onto.
    pub node_choice: NodeChoice,
    /// How a plan is looked for.
    pub search: Search,
    /// The ancestors of a queue bound its pods, too.
    pub parents_bind: bool,
    /// The cycle of the system's own, where it has one.
    pub cycle: Option<Cycle>,
}

impl Laws {
    /// Room that is promised to a pod is kept from everybody, whatever their priority.
    pub fn promises_are_firm(&self) -> bool {
        matches!(self.search, Search::GroupOnOneNode(_))
    }
}
