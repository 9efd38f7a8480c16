//! `wit/cycle.wit`: cycles that the policy runs itself.

use serde::Serialize;

use super::{Placement, PodId, Reason, Retry, Victim};

/// A plan in `plans`: its parts are slices of the lists there, from the end of the plan before to the given end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanSlice {
    /// Names the plan; never used again by this instance.
    pub id: u64,
    /// The first pod of the job it is for.
    pub preemptor: PodId,
    /// End of its nominations.
    pub nominations_end: u32,
    /// End of its victims.
    pub victims_end: u32,
    /// Why it was made, as an index into `plans.reasons`.
    pub reason: u32,
}

/// Several plans, flat.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Plans {
    /// The plans.
    pub slices: Vec<PlanSlice>,
    /// Their nominations.
    pub nominations: Vec<Placement>,
    /// Their victims.
    pub victims: Vec<Victim>,
    /// Their reasons.
    pub reasons: Vec<Reason>,
}

/// The reason why pods of one job that the cycle leaves pending wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The pods.
    pub pods: Vec<PodId>,
    /// Why.
    pub reason: Reason,
    /// Where the reason is what most nodes lack: how many of them.
    pub nodes: Option<u32>,
}

/// One step of a cycle that the policy runs itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Actions {
    /// The name of the step, such as `allocate`.
    pub name: String,
    /// Pods to bind, in this order. They all are, or none.
    pub bindings: Vec<Placement>,
    /// Preemptions.
    pub plans: Plans,
    /// When to run a cycle again for the pods that wait on.
    pub retry: Retry,
    /// Why the pods wait that the cycle leaves pending, in its last step.
    pub refusals: Vec<Refusal>,
    /// The cycle has a next step: call `act` again when this one is carried out.
    pub more: bool,
}
