//! Questions to the running process over a Unix socket: why is this pod where it is? And orders: replace the policy.
//!
//! One line of JSON is a question, one line the answer; then the connection is closed. Both are bounded, one question is answered at a time,
//! and nobody waits longer than [`PATIENCE`]. The socket belongs to its user alone (mode 0600): an answer names pods of all namespaces.

mod client;
mod server;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::upgrade::{Progress, Wish};

pub use client::{AskError, ask, order};
pub use server::{Reply, Server};

/// The longest question, in bytes.
pub const LONGEST_QUESTION: u64 = 64 * 1024;
/// The longest answer, in bytes.
pub const LONGEST_ANSWER: u64 = 8 * 1024 * 1024;
/// How long a question may take to come, and an answer to be found or sent.
pub const PATIENCE: Duration = Duration::from_secs(5);
/// The socket, where nothing else is said.
pub const SOCKET: &str = "/run/lictor/explain.sock";

/// A question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The pod: `namespace/name`, or `name` where one namespace has it.
    pub explain: String,
}

/// Something about the replacement of the policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Order {
    /// This one is wanted.
    Upgrade(Wish),
    /// How does the replacement of this number stand? Of none: the last one.
    Progress(Option<u64>),
    /// The last one is given up.
    GiveUp,
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Answered {
    /// The answer.
    Answer(Box<Answer>),
    /// How a replacement stands.
    Progress(Box<Progress>),
    /// Why there is none, and what to do.
    Error {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
    },
}

/// Where a pod is, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// `lictor.dev/v1alpha1`.
    pub api_version: String,
    /// `LiveExplanation`.
    pub kind: String,
    /// The pod.
    pub pod: String,
    /// The system whose laws are in force.
    pub system: String,
    /// Where it is.
    pub state: State,
    /// The node that it has, is held for or nominated to.
    pub node: Option<String>,
    /// When the last attempt for it ended, RFC 3339; none where there was none.
    pub tried: Option<String>,
    /// What was said of it, in the order in which it was said.
    pub said: Vec<Said>,
    /// When it is worth trying again, where that is known.
    pub retry: Option<String>,
    /// For whom it is evicted, and by which plan, where it is.
    pub evicted_for: Option<String>,
    /// Whether it is safe, where it has its node: who may evict it, or the laws that protect it. As `standings` of `lictor decide` has it.
    #[serde(default)]
    pub standing: Option<Value>,
    /// The last attempt, with its explanation where the process explains.
    pub attempt: Option<Value>,
}

/// Where a pod is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum State {
    /// It is bound, or let go for its node.
    Bound,
    /// It was let go for its node, and kube-scheduler refuses it: its room is taken.
    RoomTaken,
    /// It must leave its node for others.
    Evicted,
    /// It is being deleted.
    Leaving,
    /// It has ended.
    Ended,
    /// It gets its node when victims have left.
    Nominated,
    /// It has a node and waits for the others of its gang.
    Held,
    /// It has scheduling gates of somebody else.
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
pub struct Said {
    /// The code of the law or rule; empty for what nodes say.
    pub law: String,
    /// The sentence.
    pub message: String,
}
