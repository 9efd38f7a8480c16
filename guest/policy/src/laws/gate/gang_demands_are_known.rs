//! # What it demands
//!
//! The PodGroup of the gang, or the annotations that describe it, demand nothing that this policy does not know, and all pods of a
//! PodGroup of Kubernetes name the same scheduler. The same is demanded of the other gangs of a gang group that are not complete yet.
//!
//! # Example
//!
//! A PodGroup demands that all its pods run in one rack. Its pods are not tried, and nothing is evicted for them.
//!
//! # Why
//!
//! A pod that is bound against a constraint of its group runs in the wrong place. A refusal is seen, and says which field it is about.
//! Two schedulers cannot place one group together: each of them would bind its part alone.
//!
//! # Source
//!
//! Kubernetes 1.37, `scheduling.k8s.io/v1beta1` PodGroup: `spec.schedulingConstraints.topology`, `spec.resourceClaims` and
//! `spec.parentCompositePodGroupName`; upstream `schedule_one_podgroup.go`, validatePodGroup: all pods of a group have the same
//! `spec.schedulerName`. Volcano PodGroup: `spec.networkTopology` and `spec.subGroupPolicy` of mode `hard`. Koordinator: annotation
//! `gang.scheduling.koordinator.sh/network-topology-spec` with strategy `MustGather`.
//!
//! # Options
//!
//! The fields and annotations of the PodGroup, `spec.schedulerName` of its pods.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};
use crate::model::{JobIx, SCHEDULER_NAME};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "gang-demands-are-known",
        sentence: "a gang demands nothing that the policy cannot judge",
        templates: &[
            ("", "gang `{gang}` has `{field}`, which is not judged here: its pods are not tried"),
            ("schedulers", "the pods of gang `{gang}` differ in `{field}`: no scheduler can place them together, and none is tried"),
        ],
        file: page!("gang_demands_are_known.rs"),
    },
    holds,
)
.retry_after(&[ChangeKind::ObjectUpserted, ChangeKind::ObjectRemoved]);

/// Checks that the gang of the preemptor, and each gang of its group that is not complete yet, demand only what laws judge.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let cluster = case.cluster;
    let Some(own) = case.preemptor.job else { return Ok(()) };
    let is_asked = |job: &JobIx| *job == own || !cluster.is_complete(*job);
    for job in cluster.gang_group(own).into_iter().filter(is_asked) {
        if let Some(field) = cluster.job(job).and_then(|job| job.gang()?.unsupported_field) {
            let case = if field == SCHEDULER_NAME { "schedulers" } else { "" };
            return Err(Denial::UnsupportedField { job: Some(job), case, field });
        }
    }
    Ok(())
}
