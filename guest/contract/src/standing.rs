//! `wit/standing.wit`: which running pods may be evicted, and by which preemptors.

use serde::Serialize;

use super::Reason;

/// A kind of preemptors, and what they may do to a running pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Threat {
    /// The kind, one of the words of [`by`].
    pub by: String,
    /// The least priority of such a preemptor that may evict the pod. `None` where the priority does not matter or the pod is spared.
    pub priority: Option<i32>,
    /// The law that protects the pod from each of them. `None`: they may evict the pod.
    pub spared: Option<Reason>,
}

/// The kinds of preemptors.
pub mod by {
    /// Any pod: the system has no queues.
    pub const POD: &str = "pod";
    /// A pod of the queue of the running pod.
    pub const SAME_QUEUE: &str = "same-queue";
    /// A pod of another queue.
    pub const OTHER_QUEUE: &str = "other-queue";
    /// A pod of a DaemonSet that may run on the node of the running pod only.
    pub const DAEMON_SET: &str = "daemon-set";
    /// A reservation. It evicts reservations only, and the pods inside leave with them.
    pub const RESERVATION: &str = "reservation";
    /// The queue of the running pod, which holds more than its maximum.
    pub const OVER_MAX: &str = "over-max";
}
