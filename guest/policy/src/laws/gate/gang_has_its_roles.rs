//! # What it demands
//!
//! For each role that the gang names, the gang has as many pods as it needs. This counts only where the minimum of the gang
//! covers the sum of the roles; otherwise the minimum alone decides.
//!
//! # Example
//!
//! A gang needs 3 pods: 1 `ps` and 2 `worker`. With three workers and no `ps` it is not tried.
//!
//! # Why
//!
//! A job without its parameter server cannot run. A gang that lacks a role is not tried, and no pod is evicted for it.
//!
//! # Source
//!
//! Volcano api/job_info.go, CheckTaskValid.
//!
//! # Options
//!
//! `minTaskMember` of the PodGroup.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "gang-has-its-roles",
        sentence: "a gang has as many pods of each role as it needs",
        templates: &[("", "the gang lacks pods of a role that it needs (minTaskMember)")],
        file: page!("gang_has_its_roles.rs"),
    },
    holds,
)
.retry_after(&[ChangeKind::PodUpserted, ChangeKind::ObjectUpserted, ChangeKind::ObjectRemoved]);

/// Checks whether the job of the preemptor has the pods that each role needs.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    match case.cluster.missing_if_all_placed(case.preemptor.pod).has_all_roles() {
        true => Ok(()),
        false => Err(Denial::Case("")),
    }
}
