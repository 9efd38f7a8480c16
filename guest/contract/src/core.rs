//! `wit/core.wit`: the description of the policy, its configuration, and the events of the cluster.

use serde::Serialize;

use super::{Finding, Phase, Template};

/// A kind of objects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct KindInterest {
    /// API group; empty for the core group.
    pub group: String,
    /// Kind.
    pub kind: String,
}

/// A phase of a placed kind and its meaning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PlacedPhase {
    /// The phase as the object has it.
    pub word: String,
    /// What it means. `Pending`: it has no node, whatever the object says. `Running`: it holds the node that the object names, and
    /// must name one. `Unknown`: it holds the node that the object names, if it names one, and waits for none. `Succeeded` and
    /// `Failed`: it holds nothing.
    pub phase: Phase,
}

/// The annotation by which a pod says that it uses the room of a placed object instead of room of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RoomUse {
    /// The annotation of the pod. It must be one of [`Interests::annotations`]; else every pod counts in full.
    pub annotation: String,
    /// Where the name of the object is in the value of the annotation: a JSON pointer into the value, which is JSON. None where
    /// the value is the name.
    pub name: Option<String>,
}

/// A kind of objects that take a place on a node like pods, such as a reservation of room for pods to come. The host places each
/// object like a pod, counts the room that it takes, and tells it as a [`Pod`](crate::Pod) and as an [`Object`](crate::Object).
///
/// Each part is found at a JSON pointer into the object. Name, labels and the rest of the metadata are those of the object; its
/// labels and annotations are added to those of the template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PlacedKind {
    /// API group; empty for the core group.
    pub group: String,
    /// Kind. No other placed kind has the same.
    pub kind: String,
    /// Its objects have a namespace. Where they have none, the namespace of the pod is that of the template.
    pub namespaced: bool,
    /// The pod template: an object with the metadata and spec of a pod.
    pub template: String,
    /// The name of the node.
    pub node: String,
    /// The name of the node that it is nominated to.
    pub nominated: String,
    /// The phase. Absent or empty, it is pending.
    pub phase: String,
    /// The phases that it may have; the host writes the first that means `Running` when it binds the object.
    pub phases: Vec<PlacedPhase>,
    /// Amounts that replace the requests of the template, except those of `pods` and of host ports, while it is running. The host
    /// writes them when it binds the object. None where there are no such amounts.
    pub amounts: Option<String>,
    /// The conditions: a list as pods have it. `DisruptionTarget` with reason `PreemptionByScheduler` means what it means for pods.
    pub conditions: String,
    /// The type of the condition that says when it was placed.
    pub scheduled: String,
    /// How a pod says that it uses the room of such an object; none where no pod does. These pods together take the larger of what
    /// the object holds and what they request, and they leave with the object.
    pub room_use: Option<RoomUse>,
}

/// The data that a policy reads; the host sends nothing else. The default adds nothing to the data that the host sends to every policy.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Interests {
    /// Keys of pod labels; `*` means every label, as `key=value`.
    pub labels: Vec<String>,
    /// Those of `labels` that mean that a pod is leaving, whatever their value: another component was asked to evict the pod. Where a plan
    /// nominates, the host counts such a pod as gone, like a pod that is being deleted. But a victim of a plan that the host knows leaves
    /// as long as that plan stands. A key that is not one of `labels` means nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub leaving_labels: Vec<String>,
    /// Keys of pod annotations.
    pub annotations: Vec<String>,
    /// Fields of a pod: JSON pointers into the object as Kubernetes has it, such as `/spec/runtimeClassName`. So a policy can
    /// read a field that [`Pod`](crate::Pod) does not have.
    pub pod_fields: Vec<String>,
    /// Keys of node labels.
    pub node_labels: Vec<String>,
    /// Kinds of objects other than pods and nodes.
    pub kinds: Vec<KindInterest>,
    /// Kinds of objects that are placed like pods; they need not stand in `kinds`.
    pub placed_kinds: Vec<PlacedKind>,
}

/// An argument that a system takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Argument {
    /// The name as the system that it comes from spells it.
    pub name: String,
    /// What it may be: the name of an [`ArgumentKind`](crate::ArgumentKind).
    pub kind: String,
    /// What holds where it is not given, as JSON.
    pub default: String,
    /// What it does, in a sentence.
    pub about: String,
}

/// A system that the policy can be configured with: a system, and how its objects are read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "System"))]
pub struct SystemInfo {
    /// Its name, such as `koordinator`.
    pub name: String,
    /// What it is, in a sentence.
    pub about: String,
    /// The extension points it decides at: names of [`ExtensionPoint`](crate::ExtensionPoint)s.
    pub extension_points: Vec<String>,
    /// What its `filter` says covers where a pod may run, room, and room promised to others. Where this is false, the host adds its own
    /// verdict: of the nodes that `filter` passes, it takes those to which it can bind the pod. So a policy can filter by one rule.
    pub judges_room: bool,
    /// Whether its rules may evict a pod of a higher `priority` than the preemptor: a queue takes back what it is guaranteed, or another
    /// priority counts, as that of a job. A host accepts such a plan only where this is true and the operator agrees.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub evicts_higher_priority: bool,
    /// The schedulers that the system stands for: the names in `spec.schedulerName` of the pods that it decides about, unless a host is
    /// configured with other names.
    pub schedulers: Vec<String>,
    /// What it reads.
    pub interests: Interests,
    /// The arguments it takes.
    pub arguments: Vec<Argument>,
    /// The sentences of its reasons. A reason without one is shown as the list of its facts.
    pub templates: Vec<Template>,
}

/// The description of a policy: its name, its version and its systems.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Description {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The systems it knows; the first is the default.
    pub systems: Vec<SystemInfo>,
}

impl Description {
    /// Returns the system of this name; for an empty name, the first one. `None`: there is no such system.
    pub fn system(&self, name: &str) -> Option<&SystemInfo> {
        self.systems.iter().find(|system| name.is_empty() || system.name == name)
    }
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
    /// No such system; these are known.
    UnknownSystem(Vec<String>),
    /// The system takes no such argument.
    UnknownArgument(String),
    /// An argument is not of its kind.
    BadArgument(BadArgument),
    /// The arguments are not a JSON object.
    Malformed(String),
}

/// Events were applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Applied {
    /// What the authors of the objects should know.
    pub findings: Vec<Finding>,
}
