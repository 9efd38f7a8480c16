//! # What it demands
//!
//! Every gang of the group has a PodGroup, or pods that say what it needs, and at least its minimum of members. Bound members
//! count. Members that are being deleted do not count. Members that have ended count only where they succeeded and their system
//! counts them; members with scheduling gates only where their system counts them.
//!
//! It is asked at PreFilter, and at Permit where nothing describes the gang any more: its PodGroup was deleted while its pods waited.
//!
//! # Example
//!
//! A gang needs 3 pods. Two exist: both are refused. When the third is created, all three may be tried.
//!
//! # Why
//!
//! A gang that cannot become complete would hold room until its timeout. No eviction can help, so none is tried. A gang that
//! needs to be complete only once, and was, is exempt: its later pods are tried one by one.
//!
//! # Source
//!
//! Seed 20200116 (coscheduling), Pre-Filter 1: "less than minAvailable". Koordinator checks it in PreEnqueue and BeforePreFilter:
//! <https://github.com/koordinator-sh/koordinator/blob/a7a1b76b/pkg/scheduler/plugins/coscheduling/core/core.go>. Volcano: the
//! gang plugin, JobValid. scheduler-plugins does not count gated members. At Permit, Koordinator and scheduler-plugins refuse a gang
//! that is not described: PodGroupNotFound.
//!
//! # Options
//!
//! `min-available` labels and annotations, or `minMember` of the PodGroup. The match policy `once-satisfied` exempts a gang that
//! was complete.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "gang-has-its-members",
        sentence: "every gang of the group is described and has as many pods as it needs",
        templates: &[
            (
                "pods",
                "gang `{gang}` has {have} pods of the {need} it needs: less than minAvailable (gang child pod not collect enough)",
            ),
            ("undeclared", "no PodGroup describes the gang `{gang}`, and no pod says what it needs"),
        ],
        file: page!("gang_has_its_members.rs"),
    },
    holds,
)
.retry_after(&[
    ChangeKind::PodUpserted,
    // The pod whose annotation demands the most may be the one that is removed.
    ChangeKind::PodRemoved,
    ChangeKind::ObjectUpserted,
    ChangeKind::ObjectRemoved,
]);

/// Checks whether all gangs that must be complete together can be complete.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let cluster = case.cluster;
    let Some((asking, job)) = case.preemptor.job.and_then(|ix| Some((ix, cluster.job(ix)?))) else { return Ok(()) };
    let undeclared = |member| Denial::UndescribedGang { job: asking, member };
    let Some(gang) = job.gang() else { return Err(undeclared(None)) };
    let alone = std::slice::from_ref(&job.key);
    let group = if gang.group.is_empty() { alone } else { gang.group.as_slice() };
    for (place, key) in group.iter().enumerate() {
        let described = cluster.job_named(key).and_then(|ix| Some((ix, cluster.job(ix)?)));
        let described = described.and_then(|(ix, job)| Some((ix, job, job.gang()?)));
        let (ix, job, gang) = described.ok_or_else(|| undeclared(Some(place)))?;
        if cluster.is_once_satisfied(job) {
            continue;
        }
        let have = cluster.existing_members(job);
        if have < usize::try_from(gang.minimum).unwrap_or(usize::MAX) {
            return Err(Denial::Incomplete { job: ix, case: "pods", have, need: gang.minimum });
        }
    }
    Ok(())
}
