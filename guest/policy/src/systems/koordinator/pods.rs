//! Pods: what their labels and annotations come to.

use serde_json::Value;

use super::args::Args;
use super::gangs::Annotated;
use super::keys;
use super::said::PodMetadata;
use crate::contract::{self, PodKind};
use crate::model::{Class, Cluster, PodAttributes, Task};
use crate::systems::document::{annotation_path, label_path};
use crate::systems::{Document, Findings};

/// Reads a pod, or a reservation that is placed like one.
pub fn read(
    args: &Args,
    gangs: &mut Annotated,
    cluster: &mut Cluster,
    pod: &contract::Pod,
    findings: &mut Findings,
) -> PodAttributes {
    let said = PodMetadata::by(pod);
    let is_reservation = pod.kind == PodKind::Reservation;
    let class = match said.label(keys::PREEMPTIBLE) {
        _ if is_reservation => Class::Preemptible,
        Some("false") => Class::NonPreemptible,
        None if !args.unlabelled_is_preemptible => Class::NonPreemptible,
        Some(_) | None => Class::Preemptible,
    };
    PodAttributes {
        priority: if is_reservation { reservation_priority(&said, findings) } else { pod.priority.unwrap_or(0) },
        queue_name: said.label(keys::QUOTA).filter(|name| !name.is_empty()).map(|name| cluster.intern(name)),
        job: gangs.read_pod(args, cluster, &said, findings),
        class,
        may_preempt: if is_reservation { reservation_may_preempt(&said) } else { may_preempt(args, &said) },
        opted_out: said.label(keys::DISABLE_PREEMPTIBLE) == Some("true"),
        inside: said
            .annotation(keys::ALLOCATED)
            .and_then(|text| inside(text, pod, findings))
            .map(|name| cluster.intern(&name)),
        budgets: Vec::new(),
        marked: said.label(keys::SOFT_EVICTION).is_some(),
        task: Task::default(),
    }
}

/// A pod may preempt unless its policy is `Never` or its label says "false"; without the label, where the arguments let its policy
/// decide.
fn may_preempt(args: &Args, said: &PodMetadata<'_>) -> bool {
    let labelled = said.label(keys::CAN_PREEMPT).map(|label| label == "true");
    !said.pod().never_preempts && labelled.unwrap_or(args.policy_triggers)
}

/// A reservation may preempt only where its own label says so: its template may carry a preemptionPolicy for other reasons (seed
/// 20240201, Implementation Details and Preemption Rule 1).
fn reservation_may_preempt(said: &PodMetadata<'_>) -> bool {
    !said.pod().never_preempts && said.label(keys::RESERVATION_CAN_PREEMPT) == Some("true")
}

/// The priority of a reservation: its label, else that of its template, else the highest there is, which nobody preempts.
fn reservation_priority(said: &PodMetadata<'_>, findings: &mut Findings) -> i32 {
    let from_template = said.pod().priority.unwrap_or(i32::MAX);
    let Some(text) = said.label(keys::RESERVATION_PRIORITY) else { return from_template };
    text.parse().unwrap_or_else(|_| {
        let object = Document::named("Reservation", "", &said.pod().name);
        let path = label_path(keys::RESERVATION_PRIORITY);
        findings.push(object.warning(&path, format!("`{text}` is not a priority"), "write a whole number of 32 bits"));
        from_template
    })
}

/// The name of the reservation a pod says it uses.
fn inside(text: &str, pod: &contract::Pod, findings: &mut Findings) -> Option<String> {
    let value: Option<Value> = serde_json::from_str(text).ok();
    let name = value.as_ref().and_then(|value| value.get("name")?.as_str());
    if name.is_none() {
        let object = Document::named("Pod", &pod.namespace, &pod.name);
        let message = format!("`{text}` does not name a reservation; the pod counts as outside of all");
        let remedy = r#"write it as `{"name": "...", "uid": "..."}`"#;
        findings.push(object.warning(&annotation_path(keys::ALLOCATED), message, remedy));
    }
    name.map(str::to_owned)
}
