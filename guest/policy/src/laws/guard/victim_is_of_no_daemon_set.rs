//! A pod of a DaemonSet is no victim.
//!
//! Not even of a pod of another DaemonSet, and whatever its priority: it belongs on its node as much.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-is-of-no-daemon-set",
    question: Question::Guard,
    sentence: "a pod of a DaemonSet is no victim",
    file: include_str!("victim_is_of_no_daemon_set.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(_: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    match candidate.daemon {
        true => Err(Denial::Fact("it belongs to a DaemonSet")),
        false => Ok(()),
    }
}
