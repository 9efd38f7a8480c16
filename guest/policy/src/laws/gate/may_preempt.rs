//! # What it demands
//!
//! The preemptionPolicy and the labels of the preemptor allow it to preempt. `Never` forbids it in every system.
//! Of gangs that are planned together, each must be allowed to.
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
use crate::laws::{Case, Denial, Holds, Law, Text, page};

/// The law.
pub const LAW: Law<Holds> = Law::gate(
    Text {
        name: "may-preempt",
        sentence: "the preemptor is allowed to preempt",
        templates: &[("", "not eligible due to preemptionPolicy=Never or its labels")],
        file: page!("may_preempt.rs"),
    },
    holds,
)
.retry_after(&[ChangeKind::PodUpserted, ChangeKind::ObjectUpserted, ChangeKind::ObjectRemoved]);

/// Whether the preemptor may preempt.
fn holds(case: &Case<'_>) -> Result<(), Denial> {
    match case.cluster.pod(case.preemptor.pod) {
        Some(pod) if pod.attributes.may_preempt => Ok(()),
        _ => Err(Denial::Case("")),
    }
}
