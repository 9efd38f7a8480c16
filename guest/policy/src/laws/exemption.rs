//! Exemptions: which preemptors a law does not apply to. They are said in the table of a system, once for each law, and not in the laws.

use super::Case;

/// Which preemptors a law does not apply to.
#[derive(Debug)]
pub struct Exemption {
    /// The exempt preemptors, in a few words.
    pub sentence: &'static str,
    /// Whether the preemptor is one of them.
    pub applies: fn(&Case<'_>) -> bool,
}

/// Pods of a DaemonSet that may run on one node only: that node is theirs, whatever their queue may hold.
pub const REQUIRED_NODE_PODS: Exemption = Exemption {
    sentence: "a preemptor of a DaemonSet that may run on one node only",
    applies: |case| case.preemptor.required_node_reservation.is_some(),
};

/// The same pods, where they name no application: their job is then all pods of the namespace that name none, which nobody asked for.
pub const NAMELESS_REQUIRED_NODE_PODS: Exemption = Exemption {
    sentence: "a preemptor of a DaemonSet that may run on one node only and names no application",
    applies: |case| {
        (REQUIRED_NODE_PODS.applies)(case) && case.preemptor.job.is_some_and(|job| case.cluster.is_by_default(job))
    },
};

/// Pods within the minimum of the quota of their namespace: what they take back is theirs, whatever the priority of the pods there.
pub const TAKES_BACK: Exemption =
    Exemption { sentence: "a preemptor within the minimum of its quota", applies: |case| case.preemptor.takes_back };
