//! `wit/decision.wit`: what the policy answers.

use serde::Serialize;

use super::{NodeId, PodId};

/// A point of the scheduling cycle at which a policy may decide. What a policy does not implement, the host decides as if
/// every pod passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExtensionPoint {
    /// `queue-order`.
    QueueOrder,
    /// `pre-filter`.
    PreFilter,
    /// `filter`.
    Filter,
    /// `post-filter`.
    PostFilter,
    /// `reserve` and `unreserve`.
    Reserve,
    /// `permit`.
    Permit,
    /// `act`: the policy runs whole cycles of its own in place of the pod by pod one.
    Act,
}

/// A kind of objects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KindInterest {
    /// API group; empty for the core group.
    pub group: String,
    /// Kind.
    pub kind: String,
}

/// What a policy wants to be told; the host sends nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Interests {
    /// Keys of pod labels; `*` means every label, as `key=value`.
    pub labels: Vec<String>,
    /// Keys of pod annotations.
    pub annotations: Vec<String>,
    /// Keys of node labels.
    pub node_labels: Vec<String>,
    /// Kinds of objects other than pods and nodes.
    pub kinds: Vec<KindInterest>,
}

/// What an argument may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentKind {
    /// true or false.
    Boolean,
    /// A whole number.
    Integer,
    /// A length of time as Go writes it, such as `1m30s`; a plain number counts seconds.
    Duration,
    /// Any text.
    Text,
}

/// An argument that a set of laws takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Argument {
    /// The name as the system that it comes from spells it.
    pub name: String,
    /// What it may be.
    pub kind: ArgumentKind,
    /// What holds where it is not given, as JSON.
    pub default: String,
    /// What it does, in a sentence.
    pub about: String,
}

/// A set of laws that the policy can be configured with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LawSet {
    /// Its name, such as `koordinator`.
    pub name: String,
    /// What it is, in a sentence.
    pub about: String,
    /// The extension points it decides at.
    pub extension_points: Vec<ExtensionPoint>,
    /// What it wants to be told.
    pub interests: Interests,
    /// The arguments it takes.
    pub arguments: Vec<Argument>,
}

/// Who the policy is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Description {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The laws it knows; the first is the default.
    pub law_sets: Vec<LawSet>,
}

/// An argument that is not of its kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BadArgument {
    /// The argument.
    pub name: String,
    /// What it must be.
    pub expected: String,
    /// What was found.
    pub found: String,
}

/// Why a configuration is refused. The policy then keeps the one it had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConfigError {
    /// No such set of laws; these are known.
    UnknownLaws(Vec<String>),
    /// The set of laws takes no such argument.
    UnknownArgument(String),
    /// An argument is not of its kind.
    BadArgument(BadArgument),
    /// The arguments are not a JSON object.
    Malformed(String),
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

/// A law and what it says here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The code of the law, such as `koordinator/job-fits-quota`.
    pub law: String,
    /// A sentence with both sides' numbers.
    pub message: String,
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
