//! # What it demands
//!
//! No pod of the gang group has found neither a node nor a plan in this round of attempts; or, in spite of that, every gang of the
//! group can still reach its minimum in this round. A round ends with the attempt that tries a pod of the group for the second time.
//! After a round that failed, the next one begins when the cluster has changed, or 5 minutes later. What the gang group itself took and
//! gave up is no change. Neither is what other pods took at Permit after the failure and gave up. A gang in NonStrict mode does not
//! fail together: it is exempt. A pod that waits for the other gangs of its group to be complete is not tried, so it does not fail.
//!
//! # Example
//!
//! A gang needs 3 pods, and one node is free. The first pod waits at Permit on that node, the second finds none. The first gives
//! the node up, and the third is not tried until the next round: a pod of lower priority gets the node.
//!
//! # Why
//!
//! The last pod of a gang would take the room again that the others have just given up, and hold it until its timeout. A gang that
//! cannot start would keep all pods behind it from running, without end. No eviction helps, so none is tried. A scheduler tries pods
//! again when a pod loses its node: without a change, the pods of the gang would take turns at Permit.
//!
//! # Source
//!
//! Koordinator: a failure in Strict mode makes the schedule cycle of the gang invalid, and the remaining pods are rejected in
//! PreFilter: <https://github.com/koordinator-sh/koordinator/blob/a7a1b76b/pkg/scheduler/plugins/coscheduling/core/core.go>.
//! kube-scheduler places a PodGroup as a whole or not at all: `schedule_one_podgroup.go`. Seed 20200116 (coscheduling),
//! Pre-Filter 2: pods fail together "if no chance to meet minAvailable".
//!
//! # Options
//!
//! Koordinator: annotation `gang.scheduling.koordinator.sh/mode`.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "gang-has-not-failed",
        sentence: "a gang that cannot be complete in this round of attempts is not tried further",
        templates: &[(
            "",
            "gang `{gang}` has failed in this round: {have} of the {need} pods it needs have a place, and too few of the others can get one",
        )],
        file: page!("gang_has_not_failed.rs"),
    },
    holds,
)
.retry_after(&[
    ChangeKind::NodeUpserted,
    ChangeKind::PodUpserted,
    ChangeKind::PodRemoved,
    ChangeKind::ObjectUpserted,
    ChangeKind::ObjectRemoved,
]);

/// Checks that the round of the gang group is not over.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let Some(ix) = case.preemptor.job else { return Ok(()) };
    let gang = case.cluster.job(ix).filter(|job| job.gang().is_some_and(|gang| gang.releases_on_failure));
    let Some(failure) = gang.and_then(|job| job.round.failure.as_ref()) else { return Ok(()) };
    let Some((job, _, need)) = case.cluster.first_incomplete_in_round(ix) else { return Ok(()) };
    // The amounts are the same for every pod that is refused in the round, so that a host can show these pods together.
    let have = case.cluster.counted_members(job).unwrap_or(0);
    Err(Denial::Failed { job, have, need, until: failure.until })
}
