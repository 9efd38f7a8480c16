//! `wit/decision.wit`: what the policy answers at the extension points. Who it is stands in `describe.rs`, its plans in
//! `plan.rs`, its reasons in `reason.rs`.

use serde::Serialize;

use super::{ExtensionPoint, NodeId, Plan, PodId, Reason};

/// Why a call could not be answered. The policy's state is as before the call, unless it is said otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyError {
    /// `configure` has not been called.
    NotConfigured,
    /// No such pod.
    UnknownPod(PodId),
    /// No such node.
    UnknownNode(NodeId),
    /// The pod is not in a state in which this can be asked.
    WrongState(String),
    /// A sum is too large to be counted. The events up to this one hold.
    Overflow(String),
    /// The configured laws do not decide here.
    Unsupported(ExtensionPoint),
}

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The object, or a part of it, could not be used; what was known of it before still holds.
    Error,
    /// Something was read in another way than its author may think.
    Warning,
}

/// Something an object's author should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How grave it is.
    pub severity: Severity,
    /// The object, as `Kind/namespace/name` or `Kind/name`.
    pub object: String,
    /// Where in the object: a JSON pointer such as `/spec/max/cpu`; may be empty.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

/// Events were applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Applied {
    /// Counts the events applied since the policy was instantiated.
    pub revision: u64,
    /// What their authors should know.
    pub findings: Vec<Finding>,
}

/// A pod and a node for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Placement {
    /// The pod.
    pub pod: PodId,
    /// The node.
    pub node: NodeId,
}

/// What a decision means for pods other than the one it was about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Effects {
    /// Pods held at permit that must give their room up: the host unreserves them.
    pub releases: Vec<PodId>,
    /// Pods held at permit that may be bound now.
    pub admits: Vec<PodId>,
    /// Pods that lose their nomination.
    pub withdrawn: Vec<PodId>,
    /// The queue must be ordered anew before the next pod is taken.
    pub reorder: bool,
}

/// Whether a pod may be tried at all.
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

/// The answer of `post-filter`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PostFiltered {
    /// The plan, if there is one.
    pub plan: Option<Plan>,
    /// Why there is none; with a plan, why it was made.
    pub reason: Reason,
    /// What it means for others.
    pub effects: Effects,
}

/// Why a pod loses the room it held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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

/// Whether a reserved pod may be bound.
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
    /// What it means for others.
    pub effects: Effects,
}
