//! `wit/core.wit`: who the policy is, how it is configured, what happens in the cluster.

use serde::Serialize;

use super::{Finding, Template};

/// A kind of objects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KindInterest {
    /// API group; empty for the core group.
    pub group: String,
    /// Kind.
    pub kind: String,
}

/// What a policy reads; the host sends nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Interests {
    /// Keys of pod labels; `*` means every label, as `key=value`.
    pub labels: Vec<String>,
    /// Keys of pod annotations.
    pub annotations: Vec<String>,
    /// Fields of a pod: JSON pointers into the object as Kubernetes has it, such as `/spec/runtimeClassName`. So a policy can
    /// read a field that [`Pod`](crate::Pod) does not have.
    pub pod_fields: Vec<String>,
    /// Keys of node labels.
    pub node_labels: Vec<String>,
    /// Kinds of objects other than pods and nodes.
    pub kinds: Vec<KindInterest>,
}

/// An argument that a system takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
pub struct SystemInfo {
    /// Its name, such as `koordinator`.
    pub name: String,
    /// What it is, in a sentence.
    pub about: String,
    /// The extension points it decides at: names of [`ExtensionPoint`](crate::ExtensionPoint)s.
    pub extension_points: Vec<String>,
    /// The schedulers that it stands for: the names in `spec.schedulerName` of the pods that it decides about, unless a host is
    /// told others.
    pub schedulers: Vec<String>,
    /// What it reads.
    pub interests: Interests,
    /// The arguments it takes.
    pub arguments: Vec<Argument>,
    /// The sentences of its reasons. A reason without one is shown as the list of its facts.
    pub templates: Vec<Template>,
}

/// Who the policy is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Description {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The systems it knows; the first is the default.
    pub systems: Vec<SystemInfo>,
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
