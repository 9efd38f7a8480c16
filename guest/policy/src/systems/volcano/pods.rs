//! What a pod says of itself by labels and annotations.

use serde_json::Value;

use super::keys;
use super::told::Told;
use crate::contract::{self, Phase};
use crate::model::{Class, Cluster, PodAttributes, ResourceIx, Task};
use crate::systems::arguments::duration;
use crate::systems::document::{annotation_path, label_path};
use crate::systems::{Document, Findings};

/// The labels and annotations of one pod.
pub struct PodMetadata<'a>(pub &'a contract::Pod);

impl<'a> PodMetadata<'a> {
    /// A label that is one of [`keys::POD_LABELS`].
    pub fn label(&self, key: &str) -> Option<&'a str> {
        look_up(&keys::POD_LABELS, &self.0.labels, key)
    }

    /// An annotation that is one of [`keys::POD_ANNOTATIONS`].
    pub fn annotation(&self, key: &str) -> Option<&'a str> {
        look_up(&keys::POD_ANNOTATIONS, &self.0.annotations, key)
    }

    /// The annotation, else the label.
    pub fn either(&self, key: &str) -> Option<&'a str> {
        self.annotation(key).or_else(|| self.label(key))
    }

    /// It counts as beyond the minimum of its job, if its job is elastic.
    pub fn is_labelled_elastic(&self) -> bool {
        self.label(keys::ELASTIC) == Some("true")
    }
}

fn look_up<'a>(keys: &[&str], attributes: &'a [contract::Attribute], key: &str) -> Option<&'a str> {
    let at = keys.iter().position(|known| *known == key)?;
    let attribute = attributes.iter().find(|attribute| usize::try_from(attribute.key) == Ok(at))?;
    Some(attribute.value.as_str())
}

/// Warns that a pod which waits stays pending, where it asks for nothing: nothing but the action `backfill` places it.
pub fn warn_of_backfill(cluster: &Cluster, pod: &contract::Pod, told: &mut Told, findings: &mut Findings) {
    let asks = |amount: &contract::Amount| cluster.resource_name(ResourceIx(amount.resource)) != "pods";
    if pod.node.is_none() && pod.scheduler == keys::SCHEDULER && !pod.requests.iter().any(asks) {
        let message = "it requests nothing, and `backfill` is not among the actions: it stays pending".to_owned();
        let remedy = "let it request something, or add `backfill` to the argument `actions`";
        let object = Document::named("Pod", &pod.namespace, &pod.name);
        told.warn(&object, "/spec/containers", message, remedy, findings);
    }
}

/// Reads a pod. Its job and class are filled in by whoever knows its group.
pub fn read(cluster: &mut Cluster, pod: &contract::Pod, told: &mut Told, findings: &mut Findings) -> PodAttributes {
    let said = PodMetadata(pod);
    let object = Document::named("Pod", &pod.namespace, &pod.name);
    let mut warn = |path: String, text: &str, read_as: &str, remedy: &str| {
        told.warn(&object, &path, format!("`{text}` {read_as}"), remedy, findings);
    };
    let path = |key: &str, by_label: bool| if by_label { label_path(key) } else { annotation_path(key) };
    let own = said.annotation(keys::TASK_PRIORITY);
    let parsed = own.and_then(|text| text.parse().ok());
    if let (Some(text), None) = (own, parsed) {
        let read_as = "is not a priority; that of the pod counts";
        warn(annotation_path(keys::TASK_PRIORITY), text, read_as, "write a whole number of 32 bits");
    }
    let by_label = said.label(keys::COOLDOWN);
    let cooldown = by_label.or_else(|| said.annotation(keys::COOLDOWN));
    let length = cooldown.and_then(|text| duration(&Value::from(text)));
    if let (Some(text), None) = (cooldown, length) {
        let read_as = "is not a duration; the pod may be evicted at any time";
        warn(path(keys::COOLDOWN, by_label.is_some()), text, read_as, "write a duration such as `10m`");
    }
    let preemptable = said.either(keys::PREEMPTABLE);
    let opted_out = preemptable.is_some_and(|text| truth(text) != Some(true));
    if let Some(text) = preemptable.filter(|text| truth(text).is_none()) {
        let is_label = said.annotation(keys::PREEMPTABLE).is_none();
        let read_as = "is neither true nor false; the pod is not evicted";
        warn(path(keys::PREEMPTABLE, is_label), text, read_as, "write `\"true\"` or `\"false\"`");
    }
    let index = said.either(keys::INDEX);
    let number = index.and_then(|text| text.parse().ok());
    if let (Some(text), None) = (index, number) {
        let is_label = said.annotation(keys::INDEX).is_none();
        let read_as = "is not an index; the pod comes after those that have one";
        warn(path(keys::INDEX, is_label), text, read_as, "write a whole number of 0 or more");
    }
    if let Some(text) = said.label(keys::ELASTIC).filter(|text| *text != "true" && *text != "false") {
        let read_as = "is neither `true` nor `false`, and counts as not set";
        warn(label_path(keys::ELASTIC), text, read_as, "write `\"true\"` or `\"false\"`");
    }
    let role = cluster.intern(said.either(keys::ROLE).unwrap_or_default());
    PodAttributes {
        priority: parsed.or(pod.priority).unwrap_or(1),
        queue_name: None,
        job: None,
        class: Class::NonPreemptible,
        may_preempt: !pod.never_preempts,
        opted_out,
        inside: None,
        budgets: Vec::new(),
        marked: false,
        task: Task {
            role: Some(role),
            index: number,
            protected_until: length.zip(pod.scheduled).map(|(length, at)| at.saturating_add(length)),
            critical: is_critical(pod),
            succeeded: pod.phase == Phase::Succeeded,
        },
    }
}

fn is_critical(pod: &contract::Pod) -> bool {
    let class = pod.priority_class.as_str();
    pod.namespace == "kube-system" || ["system-cluster-critical", "system-node-critical"].contains(&class)
}

/// A truth value as Go's `strconv.ParseBool` reads it.
pub fn truth(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}
