//! The payloads of frames.

use lictor_host::session::{CommandId, CommandOutcome, ObjectRef, RetryHint};
use serde::{Deserialize, Serialize};

/// The first message of a client: its identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// The version of the protocol.
    pub version: u32,
    /// Its name and version, in words.
    pub client: String,
    /// The names of schedulers (`spec.schedulerName`) whose pods it asks about.
    pub schedulers: Vec<String>,
}

/// The first message of the host: its identity, and what it needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Welcome {
    /// The version of the protocol.
    pub version: u32,
    /// The host and its version.
    pub host: String,
    /// The policy and its version.
    pub policy: String,
    /// The system in force.
    pub system: String,
    /// The extension points at which it decides.
    pub points: Vec<String>,
    /// The kinds of objects that the host must receive: those that it reads itself and those that the policy reads.
    pub kinds: Vec<KindName>,
    /// The labels of pods that the policy reads.
    pub labels: Vec<String>,
    /// The annotations of pods that the policy reads.
    pub annotations: Vec<String>,
}

/// A kind of objects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KindName {
    /// Its API group; empty for the core group.
    pub group: String,
    /// Its name.
    pub kind: String,
    /// Whether its objects are placed on nodes like pods.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub placed: bool,
}

/// The objects that a question names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RequestBody {
    /// The pod, `namespace/name`.
    pub pod: String,
    /// The node.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub node: String,
    /// The pods, where the question is about several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pods: Vec<String>,
}

/// The head of an answer. The answer to a try has the bytes of the nodes after it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResponseHeader {
    /// `pass`, `refused` (a plan may help) or `final`; `planned` or `none`; `allow`, `wait` or `reject`; else empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub verdict: String,
    /// The reason.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The node to which the pod was nominated.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub node: String,
    /// The longest time that the pod waits, in nanoseconds.
    #[serde(skip_serializing_if = "is_zero")]
    pub wait: i64,
    /// The meanings of the bytes: n is the n-th.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub obstacles: Vec<String>,
    /// How many of the bytes, at their end, are scores: one a node, by its number.
    #[serde(skip_serializing_if = "has_none")]
    pub scores: usize,
    /// When the answer may differ.
    #[serde(skip_serializing_if = "RetryConditions::is_empty")]
    pub again: RetryConditions,
    /// The epoch of the keys.
    #[serde(skip_serializing_if = "is_nothing")]
    pub epoch: u64,
    /// The keys by pod, in hexadecimal.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<(String, String)>,
}

/// The conditions under which an answer may differ.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetryConditions {
    /// From this moment on, nanoseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// The same time in nanoseconds from the answer on: the clocks of both sides may differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<i64>,
    /// After these kinds of change, such as `pod-removed`. Empty, and no time is given: after any change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
}

impl RetryConditions {
    /// Returns the times and changes of a hint at this time, in nanoseconds since 1970.
    pub fn of(hint: RetryHint, now: i64) -> RetryConditions {
        let wait = hint.retry_at.map(|at| at.saturating_sub(now).max(0));
        RetryConditions { at: hint.retry_at, wait, after: hint.retry_after.into_iter().collect() }
    }

    fn is_empty(&self) -> bool {
        self.at.is_none() && self.after.is_empty()
    }
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}

fn has_none(count: &usize) -> bool {
    *count == 0
}

fn is_nothing(number: &u64) -> bool {
    *number == 0
}

/// The instructions for the scheduler.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Commands {
    /// The commands, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<CommandMessage>,
    /// The pods that have lost the node that was reserved for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub released: Vec<ReleaseMessage>,
    /// Whether another policy decides from now on: earlier refusals of pods are void.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub anew: bool,
}

/// A command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandMessage {
    /// Its number.
    pub id: CommandId,
    /// `bind` (the pod may be bound), `nominate` (without a node: the nomination is taken back), `evict` or `confirm`.
    pub action: String,
    /// The object.
    pub object: ObjectRef,
    /// The node.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub node: String,
    /// Whether a victim is deleted; otherwise it is only marked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub delete: bool,
    /// The plan of an eviction.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub plan: u64,
    /// The marks to write on the object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<MarkMessage>,
}

/// A label or an annotation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkMessage {
    /// `label` or `annotation`.
    pub place: String,
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: String,
}

/// A pod that has lost its node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleaseMessage {
    /// The pod, `namespace/name`.
    pub pod: String,
    /// Why: `timeout`, `released`, `preempted`, `removed` or `failed`.
    pub cause: String,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorMessage {
    /// The sentence.
    pub message: String,
}

/// The outcomes of commands, by their numbers.
pub type Outcomes = Vec<(CommandId, CommandOutcome)>;
