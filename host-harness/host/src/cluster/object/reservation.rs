//! Reads Koordinator's reservations, which are scheduled like pods.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{PodCondition, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use lictor_contract::{Phase, PodKind};
use serde::Deserialize;
use serde_json::Value;

use super::pod::{PodFacts, holds, nanoseconds, preempted};
use super::subject::Subject;
use super::{ports, quantities};
use crate::cluster::InputError;

/// The fields of a reservation that are read.
#[derive(Debug, Deserialize)]
struct Reservation {
    #[serde(default)]
    metadata: ObjectMeta,
    spec: Option<Spec>,
    status: Option<Status>,
}

#[derive(Debug, Default, Deserialize)]
struct Spec {
    template: Option<PodTemplateSpec>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    phase: Option<String>,
    node_name: Option<String>,
    nominated_node_name: Option<String>,
    allocatable: Option<BTreeMap<String, Quantity>>,
    conditions: Option<Vec<PodCondition>>,
}

/// Reads a reservation like a pod.
pub(super) fn read(value: &Value, subject: &Subject<'_>) -> Result<PodFacts, InputError> {
    let mut value = value.clone();
    quantities::as_texts(&mut value);
    let Reservation { metadata, spec, status } = subject.typed(&value, "")?;
    let Some(template) = spec.unwrap_or_default().template else {
        return Err(subject.mistake("/spec/template", "is missing", "write the template of its pods"));
    };
    let spec = template.spec.unwrap_or_default();
    let facts = PodFacts::from_spec(template.metadata.unwrap_or_default(), spec, None, "/spec/template/spec", subject)?;
    let facts = with_metadata(facts, metadata);
    with_status(facts, status.unwrap_or_default(), subject)
}

/// Applies the reservation's own labels and annotations over those of the template. The namespace is that of the template.
fn with_metadata(mut facts: PodFacts, metadata: ObjectMeta) -> PodFacts {
    facts.kind = PodKind::Reservation;
    facts.name = metadata.name.unwrap_or_default();
    facts.uid = metadata.uid.unwrap_or_default();
    facts.created = metadata.creation_timestamp.as_ref().map(nanoseconds);
    facts.terminating = metadata.deletion_timestamp.is_some();
    facts.owner = None;
    facts.labels.extend(metadata.labels.unwrap_or_default());
    facts.annotations.extend(metadata.annotations.unwrap_or_default());
    facts
}

fn with_status(mut facts: PodFacts, status: Status, subject: &Subject<'_>) -> Result<PodFacts, InputError> {
    let node = status.node_name.filter(|name| !name.is_empty());
    (facts.phase, facts.node) = match (status.phase.as_deref().unwrap_or_default(), node) {
        ("" | "Pending", _) => (Phase::Pending, None),
        ("Available", Some(node)) => (Phase::Running, Some(node)),
        ("Available", None) => {
            let remedy = "write the node it is available on";
            return Err(subject.mistake("/status/nodeName", "is missing", remedy));
        }
        ("Waiting", node) => (Phase::Unknown, node),
        ("Succeeded", node) => (Phase::Succeeded, node),
        ("Failed", node) => (Phase::Failed, node),
        (other, _) => {
            let what = format_args!("`{other}` is not a phase").to_string();
            let remedy = "write Pending, Available, Waiting, Succeeded or Failed";
            return Err(subject.mistake("/status/phase", what, remedy));
        }
    };
    if let (Phase::Running, Some(allocatable)) = (facts.phase, &status.allocatable) {
        // The slot among the pods and the ports stay as in the template, because the allocatable does not list them.
        facts.requests.retain(|resource, _| resource == "pods" || ports::everywhere(resource) > 0);
        facts.requests.extend(quantities::read(Some(allocatable), "/status/allocatable", subject)?);
    }
    facts.nominated = status.nominated_node_name.filter(|name| !name.is_empty());
    let conditions = status.conditions.unwrap_or_default();
    let scheduled = conditions.iter().find(|condition| holds(condition, "Scheduled"));
    facts.scheduled = scheduled.and_then(|condition| condition.last_transition_time.as_ref()).map(nanoseconds);
    facts.preempted = preempted(&conditions);
    Ok(facts)
}
