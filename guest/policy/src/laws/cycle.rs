//! A cycle that a system runs itself, step by step, and the laws of its steps.

use super::{CompareQueues, CompareVictims, Gate, Guard, Order, Rule};

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
    /// Pods that ask for nothing get a node.
    Backfill,
}

/// The table of a cycle.
#[derive(Debug, Clone)]
pub struct Cycle {
    /// The steps, in order.
    pub actions: Vec<Action>,
    /// Which queue is served first.
    pub queues: (Rule, CompareQueues),
    /// Which job of a queue is served first; asked of a pod of each.
    pub jobs: Order,
    /// Which pod of a job is served first. The last one is evicted first.
    pub tasks: Order,
    /// Must hold for a normal pod or its gang to be tried.
    pub admission: Vec<Gate>,
    /// Must hold for each normal pod, what it asks for counted in.
    pub normal: Vec<Gate>,
    /// Must hold for an elastic job to grow.
    pub growth: Vec<Gate>,
    /// Must hold for each elastic pod, what it asks for counted in.
    pub elastic: Vec<Gate>,
    /// Must hold of an elastic job that grew.
    pub size: Gate,
    /// How pods are evicted across queues.
    pub reclaim: ReclaimRules,
    /// How pods are evicted within a queue.
    pub preempt: ReclaimRules,
}

/// How pods are evicted for a gang.
#[derive(Debug, Clone)]
pub struct ReclaimRules {
    /// Pods that request nothing but a place on a node are served, too.
    pub for_places: bool,
    /// Must hold for a pod of the gang that wants it.
    pub trigger: Vec<Gate>,
    /// Must hold with the gang beside all that run, or else only pods of its own queue are evicted.
    pub claim: Vec<Gate>,
    /// Asked of each candidate, with those evicted so far gone.
    pub guards: Vec<Guard>,
    /// Asked, too, of a candidate that is evicted without its gang.
    pub single: Vec<Guard>,
    /// Judge each victim, too, for what would be short with this victim alone on its node again.
    pub alone: Vec<Guard>,
    /// Must hold with the plan carried out.
    pub limits: Vec<Gate>,
    /// Which pod is evicted first.
    pub order: (Rule, CompareVictims),
}
