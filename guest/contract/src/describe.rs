//! `wit/decision.wit`: who the policy is, and what it can be configured with.

use serde::Serialize;

use super::Template;

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
pub struct SystemInfo {
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
    /// The laws it knows; the first is the default.
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
    /// No such set of laws; these are known.
    UnknownLaws(Vec<String>),
    /// The set of laws takes no such argument.
    UnknownArgument(String),
    /// An argument is not of its kind.
    BadArgument(BadArgument),
    /// The arguments are not a JSON object.
    Malformed(String),
}
