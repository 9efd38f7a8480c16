//! # What it demands
//!
//! A pod beyond the minimum of its gang is tried only when every other gang of the gang group is complete. A gang that needs to be
//! complete only once, and was, counts as complete, and its own later pods are tried one by one.
//!
//! # Example
//!
//! Two gangs form a group, each with a minimum of 1. A node has room for 4 pods. The first gang has 4 pods, the second has 1. The
//! first pod of the first gang waits at Permit, the other three are refused. The pod of the second gang gets a node, and both start.
//! The other three are tried afterwards.
//!
//! # Why
//!
//! Pods that no gang needs would take the room that another gang of the group needs. Neither gang would ever start.
//!
//! # Source
//!
//! Koordinator: issue 872, second case. The gangs of a group start together:
//! <https://github.com/koordinator-sh/koordinator/blob/a7a1b76b/pkg/scheduler/plugins/coscheduling/core/core.go>, Permit.
//!
//! # Options
//!
//! Annotation `gang.scheduling.koordinator.sh/groups`.

use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "gang-group-is-served-first",
        sentence: "a pod beyond the minimum of its gang waits until every gang of the group is complete",
        templates: &[(
            "",
            "the pod is beyond the minimum of its gang, and gang `{gang}` of the gang group has {have} of the {need} pods it needs",
        )],
        file: page!("gang_group_is_served_first.rs"),
    },
    holds,
);

/// Checks that no other gang of the group needs the capacity that the preemptor could take.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    match case.preemptor.job.and_then(|job| case.cluster.served_before(job)) {
        Some((job, have, need)) => Err(Denial::Incomplete { job, case: "", have, need }),
        None => Ok(()),
    }
}
