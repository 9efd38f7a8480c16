//! Others make way only for a gang that is short of its minimum.
//!
//! Pods above the minimum wait for idle room: two jobs that run would otherwise evict each other in turn.

use crate::laws::{Case, Denial, Law, Question};

/// See the module.
pub const LAW: Law = Law {
    name: "gang-is-short",
    question: Question::Gate,
    sentence: "others make way only for a gang that is short of its minimum",
    file: include_str!("gang_is_short.rs"),
};

/// Whether the asker's job lacks members that hold a node.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    match case.cluster.shortage(case.preemptor.pod).is_over() {
        true => Err(Denial::Fact("its gang has its minimum; further pods wait for idle room")),
        false => Ok(()),
    }
}
