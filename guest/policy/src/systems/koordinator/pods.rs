//! Reads pods: the attributes that their labels and annotations set.

use serde_json::Value;

use super::args::KoordinatorArgs;
use super::demands::DEMANDS;
use super::gangs::AnnotatedGangs;
use super::keys;
use super::metadata::KoordinatorPodMetadata;
use crate::contract;
use crate::model::{Cluster, PodAttributes, Preemptibility, TaskAttributes};
use crate::systems::demands::first_unsupported;
use crate::systems::document::{annotation_path, label_path};
use crate::systems::{Findings, ParsedObject};

/// Reads a pod, or a reservation, which is scheduled like a pod.
pub fn read(
    args: &KoordinatorArgs,
    gangs: &mut AnnotatedGangs,
    cluster: &mut Cluster,
    pod: &contract::Pod,
    findings: &mut Findings,
) -> PodAttributes {
    let metadata = KoordinatorPodMetadata::of(pod);
    let is_reservation = pod.kind.is_some();
    let preemptibility = match metadata.label(keys::PREEMPTIBLE) {
        _ if is_reservation => Preemptibility::Preemptible,
        Some("false") => Preemptibility::NonPreemptible,
        None if !args.unlabelled_is_preemptible => Preemptibility::NonPreemptible,
        Some(_) | None => Preemptibility::Preemptible,
    };
    PodAttributes {
        priority: if is_reservation {
            reservation_priority(&metadata, findings)
        } else {
            pod.template.priority.unwrap_or(0)
        },
        queue_name: metadata.label(keys::QUOTA).filter(|name| !name.is_empty()).map(|name| cluster.intern(name)),
        job: gangs.read_pod(args, cluster, &metadata, findings),
        preemptibility,
        may_preempt: if is_reservation { reservation_may_preempt(&metadata) } else { may_preempt(args, &metadata) },
        opted_out: metadata.label(keys::DISABLE_PREEMPTIBLE) == Some("true"),
        reservation: metadata
            .annotation(keys::RESERVATION_ALLOCATED)
            .and_then(|text| allocated_reservation(text, pod, findings))
            .map(|name| cluster.intern(&name)),
        budgets: Vec::new(),
        marked_for_eviction: metadata.label(keys::SOFT_EVICTION).is_some(),
        unsupported_field: first_unsupported(&DEMANDS, |key| metadata.annotation(key)),
        task: TaskAttributes::default(),
    }
}

/// Checks whether a pod may preempt. Policy `Never` forbids it, else the label decides. Without the label, the arguments decide whether the policy is
/// enough.
fn may_preempt(args: &KoordinatorArgs, metadata: &KoordinatorPodMetadata<'_>) -> bool {
    let labelled = metadata.label(keys::CAN_PREEMPT).map(|label| label == "true");
    !metadata.pod().template.never_preempts && labelled.unwrap_or(args.preemption_policy_allows)
}

/// Checks whether a reservation may preempt. Only its own label allows it, because its template may set a preemptionPolicy for other reasons (seed
/// 20240201, Implementation Details and Preemption Rule 1).
fn reservation_may_preempt(metadata: &KoordinatorPodMetadata<'_>) -> bool {
    !metadata.pod().template.never_preempts && metadata.label(keys::RESERVATION_CAN_PREEMPT) == Some("true")
}

/// Returns the priority of a reservation: its label, else that of its template, else the highest value, so that no pod preempts it.
fn reservation_priority(metadata: &KoordinatorPodMetadata<'_>, findings: &mut Findings) -> i32 {
    let from_template = metadata.pod().template.priority.unwrap_or(i32::MAX);
    let Some(text) = metadata.label(keys::RESERVATION_PRIORITY) else { return from_template };
    text.parse().unwrap_or_else(|_| {
        let object = ParsedObject::named("Reservation", "", &metadata.pod().name);
        let path = label_path(keys::RESERVATION_PRIORITY);
        findings.push(object.warning(
            &path,
            format!("`{text}` is not a priority"),
            "write a whole number of at most 32 bits",
        ));
        from_template
    })
}

/// Returns the name of the reservation that the pod allocates from, as its annotation names it. `None`: the annotation is invalid, with a finding.
fn allocated_reservation(text: &str, pod: &contract::Pod, findings: &mut Findings) -> Option<String> {
    let value: Option<Value> = serde_json::from_str(text).ok();
    let name = value.as_ref().and_then(|value| value.get("name")?.as_str());
    if name.is_none() {
        let object = ParsedObject::named("Pod", &pod.template.namespace, &pod.name);
        let message =
            format!("`{text}` does not name a reservation; the pod is treated as outside of every reservation");
        let remedy = r#"write it as `{"name": "...", "uid": "..."}`"#;
        findings.push(object.warning(&annotation_path(keys::RESERVATION_ALLOCATED), message, remedy));
    }
    name.map(str::to_owned)
}
