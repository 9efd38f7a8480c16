//! # What it demands
//!
//! The preemptionPolicy and the labels of the preemptor allow it to preempt. `Never` forbids it in every system.
//! A job decides as a job: every pod that is planned must be allowed to, in the gang and in the other gangs of its group.
//!
//! # Example
//!
//! A pod has `preemptionPolicy: Never` and priority 1000. It waits in front of the others, but evicts no pod.
//!
//! # Why
//!
//! The author of a pod decides whether running pods may be evicted for it.
//!
//! # Source
//!
//! kube-scheduler defaultpreemption, PodEligibleToPreemptOthers. Seed 20240115 (Koordinator), Key Concept 2. YuniKorn:
//! <https://github.com/apache/yunikorn-core/blob/be3bb487/pkg/scheduler/objects/application.go>. Volcano:
//! <https://github.com/volcano-sh/volcano/blob/ed72c7c8/pkg/scheduler/actions/reclaim/reclaim.go>.
//!
//! # Options
//!
//! Koordinator: `disableDefaultTriggerPreemption` allows it only for pods with the label `can-preempt: "true"`.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};
use crate::model::PodIx;

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "may-preempt",
        sentence: "the preemptor is allowed to preempt",
        templates: &[("", "not eligible due to preemptionPolicy=Never or its labels")],
        file: page!("may_preempt.rs"),
    },
    holds,
)
.retry_after(&[ChangeKind::PodUpserted, ChangeKind::PodRemoved, ChangeKind::ObjectUpserted, ChangeKind::ObjectRemoved]);

/// Checks whether every planned pod of the job may preempt. The law is checked for every gang that is planned together.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let job = case.preemptor.job;
    let may = |ix: &PodIx| {
        let pod = case.cluster.pod(*ix);
        pod.is_some_and(|pod| pod.attributes.may_preempt || *ix != case.preemptor.pod && pod.attributes.job != job)
    };
    match case.preemptor.pods.iter().chain([&case.preemptor.pod]).all(may) {
        true => Ok(()),
        false => Err(Denial::Case("")),
    }
}
