//! `wit/queue.wit`, `wit/placement.wit` and `wit/permit.wit`: the pods that may be tried, the nodes that take them, and their victims.

use serde::Serialize;

use super::{Effects, Placement, Plan, PodId, Reason, Retry};

/// The places of pods in the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SortKeys {
    /// Keys of one epoch can be compared with each other, those of two epochs cannot. A key holds until its pod has changed or the epoch
    /// has.
    pub epoch: u64,
    /// One key a pod, in the order of the question: the lowest is tried first, of equal ones the first by namespace and name.
    pub keys: Vec<Vec<u8>>,
}

/// The answer whether a pod may be tried at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Admission {
    /// It may.
    Pass,
    /// It may not, but a preemption could change that.
    Refused(Reason),
    /// It may not, and no preemption helps.
    Final(Reason),
}

/// The answer of `pre-filter`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PreFiltered {
    /// Whether the pod may be tried.
    pub admission: Admission,
    /// Where it may not: when to ask again.
    pub retry: Retry,
    /// What it means for others.
    pub effects: Effects,
}

/// Why a node does not take a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Obstacle {
    /// The law and what it says.
    pub reason: Reason,
    /// A preemption could remove it.
    pub resolvable: bool,
}

/// The answer of `filter`, for all nodes at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeVerdicts {
    /// One byte a node, by number: 0 fits; n is `obstacles[n-1]`. A missing byte is no node.
    pub codes: Vec<u8>,
    /// What the codes mean.
    pub obstacles: Vec<Obstacle>,
}

/// The parts of earlier plans for the same pods that the host refused. No later plan may contain one of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Refuted {
    /// Pods and the nodes that they were to have.
    pub placements: Vec<Placement>,
    /// Pods that were to be evicted, and pods that a plan cannot have for the same reason, such as the others of a PodDisruptionBudget that allows
    /// no disruption.
    pub victims: Vec<PodId>,
}

/// The answer of `post-filter`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PostFiltered {
    /// The plan, if there is one.
    pub plan: Option<Plan>,
    /// Why there is none; with a plan, why it was made.
    pub reason: Reason,
    /// Where there is none: when to ask again.
    pub retry: Retry,
    /// What it means for others.
    pub effects: Effects,
}

/// Why a pod loses the room it held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseCause {
    /// Its time at permit was up.
    Timeout,
    /// The policy said so.
    Released,
    /// Another pod preempted it.
    Preempted,
    /// The host could not bind it.
    Failed,
    /// It is gone.
    Removed,
}

/// The answer whether a reserved pod may be bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Permission {
    /// Now.
    Allow,
    /// Not before others have come; when this many nanoseconds have passed the host gives up and unreserves it.
    Wait(i64),
    /// No: the host unreserves it.
    Reject(Reason),
}

/// The answer of `permit`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Permitted {
    /// Whether the pod may be bound.
    pub permission: Permission,
    /// What it is waiting for, or why it may be bound.
    pub reason: Reason,
    /// Where it may not be bound: when that may change.
    pub retry: Retry,
    /// What it means for others.
    pub effects: Effects,
}
