//! Questions to the running process over a Unix socket: why is this pod in its state? And orders: replace the policy.
//!
//! A question is one line of JSON, and so is the answer; then the connection is closed. Both are bounded, one question is answered at a time, and no
//! client waits longer than [`SOCKET_TIMEOUT`]. The socket belongs to its user alone (mode 0600): an answer names pods of all namespaces.

mod client;
mod server;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::upgrade::{ReplacementProgress, ReplacementRequest};

pub use client::{SocketError, request_explanation, request_upgrade};
pub use server::{ResponseSender, SocketServer};

/// The longest question, in bytes.
pub const MAX_REQUEST_BYTES: u64 = 64 * 1024;
/// The longest answer, in bytes.
pub const MAX_RESPONSE_BYTES: u64 = 8 * 1024 * 1024;
/// How long a question may take to arrive, and an answer to be found or sent.
pub const SOCKET_TIMEOUT: Duration = Duration::from_secs(5);
/// The default path of the socket.
pub const SOCKET: &str = "/run/lictor/explain.sock";

/// A question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExplainRequest {
    /// The pod: `namespace/name`, or `name` where one namespace has it.
    pub explain: String,
}

/// An order about the replacement of the policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum UpgradeCommand {
    /// Replace the policy with this one.
    Upgrade(ReplacementRequest),
    /// Report the progress of the replacement of this number. `None`: of the last one.
    Progress(Option<u64>),
    /// Give the last replacement up.
    GiveUp,
}

/// The answer to a question or an order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SocketResponse {
    /// The answer.
    Answer(Box<LiveExplanation>),
    /// The progress of a replacement.
    Progress(Box<ReplacementProgress>),
    /// There is no answer.
    Error {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
    },
}

/// The state of a pod, with its reasons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveExplanation {
    /// `lictor.dev/v1alpha1`.
    pub api_version: String,
    /// `LiveExplanation`.
    pub kind: String,
    /// The pod.
    pub pod: String,
    /// The system whose laws are in force.
    pub system: String,
    /// The state of the pod.
    pub state: LivePodState,
    /// The node that the pod has, is held for or is nominated to.
    pub node: Option<String>,
    /// When the last attempt for the pod ended, RFC 3339. `None`: no attempt was made.
    pub tried: Option<String>,
    /// The reasons, in the order in which they were given.
    pub said: Vec<StateReason>,
    /// When another attempt is worthwhile, where that is known.
    pub retry: Option<String>,
    /// The preemptor and the plan for which the pod is evicted. `None`: it is not evicted.
    pub evicted_for: Option<String>,
    /// Whether the pod is safe, where it has its node: the pods or queues that may evict it, or the laws that protect it. As `standings` of `lictor
    /// decide` has it.
    #[serde(default)]
    pub standing: Option<Value>,
    /// The last attempt, with its explanation where the process explains.
    pub attempt: Option<Value>,
}

/// The state of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LivePodState {
    /// It is bound, or let go for its node.
    Bound,
    /// It was let go for its node, and kube-scheduler refuses it: its room is taken.
    RoomTaken,
    /// It is being evicted for others.
    Evicted,
    /// It is being deleted.
    Leaving,
    /// It has ended.
    Ended,
    /// It is nominated to its node, and waits until victims have left.
    Nominated,
    /// It has a place and waits for the others of its gang.
    Held,
    /// It has scheduling gates of other controllers.
    Gated,
    /// Another scheduler decides about it.
    OtherScheduler,
    /// It was tried and refused.
    Refused,
    /// It waits for its first attempt.
    Pending,
}

/// A reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateReason {
    /// The code of the law or rule; empty for what nodes say.
    pub law: String,
    /// The sentence.
    pub message: String,
}
