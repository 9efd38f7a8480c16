//! `wit/decision.wit`: plans, and what is done with their victims.

use serde::Serialize;

use super::{Placement, PodId, Reason};

/// How a victim leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Eviction {
    /// It is marked, for somebody else to delete.
    Soft,
    /// The host deletes it.
    Delete,
}

/// A pod that must make way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Victim {
    /// The pod.
    pub pod: PodId,
    /// How it leaves. A pod held at permit is unreserved instead.
    pub eviction: Eviction,
}

/// Where a mark is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MarkPlace {
    /// metadata.labels
    Label,
    /// metadata.annotations
    Annotation,
}

/// Something to write on every victim of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mark {
    /// Where.
    pub place: MarkPlace,
    /// Under which key.
    pub key: String,
    /// What.
    pub value: String,
}

/// A preemption: all of it is carried out, or nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// Names the plan; never used again by this instance.
    pub id: u64,
    /// The pod whose attempt made it, or the first of the job it is for.
    pub preemptor: PodId,
    /// Pods and the nodes they will have when the victims are gone.
    pub nominations: Vec<Placement>,
    /// Who must make way.
    pub victims: Vec<Victim>,
    /// What to write on them.
    pub marks: Vec<Mark>,
    /// The moment at which the plan is void even where victims are left; none: never.
    pub expires: Option<i64>,
    /// Why it was made.
    pub reason: Reason,
}

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

/// One step of a cycle that the policy runs itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Actions {
    /// The name of the step, such as `allocate`.
    pub name: String,
    /// Pods to bind, in this order. They all are, or none.
    pub bindings: Vec<Placement>,
    /// Preemptions.
    pub plans: Plans,
    /// The cycle has a next step: call `act` again when this one is carried out.
    pub more: bool,
}
