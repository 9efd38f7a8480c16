//! Exemptions: which preemptors a law does not apply to. They are said in the table of a system, once for each law, and not in the laws.

use super::LawContext;

/// The preemptors that a law does not apply to.
#[derive(Debug)]
pub struct Exemption {
    /// The exempt preemptors, in a few words.
    pub sentence: &'static str,
    /// Whether a preemptor is exempt.
    pub applies: fn(&LawContext<'_>) -> bool,
}

/// Pods of a DaemonSet that may run on one node only: the node is kept for them, whatever their queue may use.
pub const PINNED_DAEMON_PODS: Exemption = Exemption {
    sentence: "a preemptor of a DaemonSet that may run on one node only",
    applies: |case| case.preemptor.required_node_reservation.is_some(),
};

/// The same pods, where they name no application. Their job is then all pods of the namespace without one, which no author intended.
pub const PINNED_PODS_WITHOUT_APPLICATION: Exemption = Exemption {
    sentence: "a preemptor of a DaemonSet that may run on one node only and names no application",
    applies: |case| {
        (PINNED_DAEMON_PODS.applies)(case)
            && case.preemptor.job.is_some_and(|job| case.cluster.is_generated_application(job))
    },
};

/// Pods within the minimum of the quota of their namespace: they take back what the quota has lent, whatever the priority of the pods there.
pub const WITHIN_MIN: Exemption =
    Exemption { sentence: "a preemptor within the minimum of its quota", applies: |case| case.preemptor.is_within_min };
