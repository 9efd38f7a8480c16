//! `wit/answers.wit`: what several interfaces answer with.

use serde::{Deserialize, Serialize};

use super::{NodeId, PodId, Reason};

/// A sum is larger than 64 bits can count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overflow {
    /// The event that could not be applied: its index in the list of this call. The events before it hold; this one and those
    /// after it do not.
    pub event: u32,
    /// The object of that event, as `Kind/namespace/name` or `Kind/name`.
    pub object: String,
    /// The name of the resource.
    pub resource: String,
}

/// An event names something by a number that was not announced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unannounced {
    /// The event that could not be applied: its index in the list of this call. The events before it hold; this one and those
    /// after it do not.
    pub event: u32,
    /// What the number should name: `resource`, `shape`, `topology`, `inter-pod`, `template`, or `node` or `pod` where the number is
    /// beyond what any host gives.
    pub what: String,
    /// The number.
    pub number: u32,
}

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
    /// A sum is larger than 64 bits can count.
    Overflow(Overflow),
    /// An event names something by a number that was not announced.
    Unannounced(Unannounced),
    /// The configured system does not decide at this extension point.
    Unsupported(String),
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The object, or a part of it, could not be used; what was known of it before still holds.
    Error,
    /// Something was read in another way than its author may think.
    Warning,
}

/// Something an object's author should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
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

/// A pod and a node for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Placement {
    /// The pod.
    pub pod: PodId,
    /// The node.
    pub node: NodeId,
}

/// A hint when to ask again about something that was refused. A host may ask at any time, and asks when the pod itself changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Retry {
    /// From this moment on time alone may have changed the answer; none: time changes nothing.
    pub at: Option<i64>,
    /// The kinds of change after which the answer may be another, each a [`ChangeKind`](super::ChangeKind); `/Kind` follows those of
    /// objects. Empty: not known.
    pub after: Vec<String>,
}

/// The effects of a decision on other pods than the pod that was tried.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Effects {
    /// Pods held at permit that lose their node: the host unreserves them. A plan of the same answer may nominate them.
    pub releases: Vec<PodId>,
    /// Pods held at permit that may be bound now.
    pub admits: Vec<PodId>,
    /// Pods that lose their nomination.
    pub withdrawn: Vec<PodId>,
    /// The order of the queue has changed: the host asks for the keys of the pods that are left before it takes the next one.
    pub reorder: bool,
}

/// A way to evict a victim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Eviction {
    /// The host marks the victim; another component deletes it.
    Soft,
    /// The host deletes the victim.
    Delete,
}

/// A pod that is evicted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Victim {
    /// The pod.
    pub pod: PodId,
    /// How it leaves. A pod held at permit is unreserved instead.
    pub eviction: Eviction,
}

/// The part of a pod in which a mark is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum MarkPlace {
    /// metadata.labels
    Label,
    /// metadata.annotations
    Annotation,
}

/// Something to write on a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
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
    /// The pods that are evicted.
    pub victims: Vec<Victim>,
    /// What to write on every victim.
    pub marks: Vec<Mark>,
    /// Why it was made.
    pub reason: Reason,
}
