//! Reads pods: the attributes that their labels and annotations set.

use serde_json::Value;

use super::keys;
use super::reported::ReportedFindings;
use crate::contract::{self, Phase};
use crate::model::{Cluster, PodAttributes, Preemptibility, ResourceIx, TaskAttributes};
use crate::systems::arguments::duration;
use crate::systems::demands::first_unsupported;
use crate::systems::document::{annotation_path, label_path, look_up};
use crate::systems::{Findings, ParsedObject};

/// The labels and annotations of one pod.
pub struct VolcanoPodMetadata<'a>(pub &'a contract::Pod);

impl<'a> VolcanoPodMetadata<'a> {
    /// Returns the value of a label. The key must be one of [`keys::POD_LABELS`].
    pub fn label(&self, key: &str) -> Option<&'a str> {
        look_up(&keys::POD_LABELS, &self.0.template.labels, key)
    }

    /// Returns the value of an annotation. The key must be one of [`keys::POD_ANNOTATIONS`].
    pub fn annotation(&self, key: &str) -> Option<&'a str> {
        look_up(&keys::POD_ANNOTATIONS, &self.0.template.annotations, key)
    }

    /// Returns the value of the annotation, else of the label.
    pub fn either(&self, key: &str) -> Option<&'a str> {
        self.annotation(key).or_else(|| self.label(key))
    }

    /// Checks whether the label marks the pod as elastic. The label has an effect only if the job is elastic.
    pub fn is_labelled_elastic(&self) -> bool {
        self.label(keys::ELASTIC) == Some("true")
    }
}

/// Warns that a pending pod without requests stays pending: only the action `backfill` places such pods.
pub fn warn_of_backfill(
    cluster: &Cluster,
    pod: &contract::Pod,
    reported: &mut ReportedFindings,
    findings: &mut Findings,
) {
    let is_request = |amount: &contract::Amount| cluster.resource_name(ResourceIx(amount.resource)) != "pods";
    if pod.node.is_none() && pod.template.scheduler == keys::SCHEDULER && !pod.template.requests.iter().any(is_request)
    {
        let message = "the pod requests nothing and action `backfill` is off: the pod stays pending".to_owned();
        let remedy = "add a resource request, or add `backfill` to the argument `actions`";
        let object = ParsedObject::named("Pod", &pod.template.namespace, &pod.name);
        reported.warn(&object, "/spec/containers", message, remedy, findings);
    }
}

/// Reads a pod. The caller sets its job and class.
pub fn read(
    cluster: &mut Cluster,
    pod: &contract::Pod,
    reported: &mut ReportedFindings,
    findings: &mut Findings,
) -> PodAttributes {
    let metadata = VolcanoPodMetadata(pod);
    let object = ParsedObject::named("Pod", &pod.template.namespace, &pod.name);
    let mut warn = |path: String, text: &str, consequence: &str, remedy: &str| {
        reported.warn(&object, &path, format!("`{text}` {consequence}"), remedy, findings);
    };
    let path = |key: &str, by_label: bool| if by_label { label_path(key) } else { annotation_path(key) };
    let own = metadata.annotation(keys::TASK_PRIORITY);
    let parsed = own.and_then(|text| text.parse().ok());
    if let (Some(text), None) = (own, parsed) {
        let consequence = "is not a priority; the priority of the pod is used";
        warn(annotation_path(keys::TASK_PRIORITY), text, consequence, "write a whole number of at most 32 bits");
    }
    let by_label = metadata.label(keys::COOLDOWN);
    let cooldown = by_label.or_else(|| metadata.annotation(keys::COOLDOWN));
    let length = cooldown.and_then(|text| duration(&Value::from(text)));
    if let (Some(text), None) = (cooldown, length) {
        let consequence = "is not a duration; the pod may be evicted at any time";
        warn(path(keys::COOLDOWN, by_label.is_some()), text, consequence, "write a duration such as `10m`");
    }
    let preemptable = metadata.either(keys::PREEMPTABLE);
    let opted_out = preemptable.is_some_and(|text| truth(text) != Some(true));
    if let Some(text) = preemptable.filter(|text| truth(text).is_none()) {
        let is_label = metadata.annotation(keys::PREEMPTABLE).is_none();
        let consequence = "is neither true nor false; the pod is not evicted";
        warn(path(keys::PREEMPTABLE, is_label), text, consequence, "write `\"true\"` or `\"false\"`");
    }
    let index = metadata.either(keys::INDEX);
    let number = index.and_then(|text| text.parse().ok());
    if let (Some(text), None) = (index, number) {
        let is_label = metadata.annotation(keys::INDEX).is_none();
        let consequence = "is not an index; the pod comes after pods with an index";
        warn(path(keys::INDEX, is_label), text, consequence, "write a whole number of 0 or more");
    }
    if let Some(text) = metadata.label(keys::ELASTIC).filter(|text| *text != "true" && *text != "false") {
        let consequence = "is neither `true` nor `false`; it is ignored";
        warn(label_path(keys::ELASTIC), text, consequence, "write `\"true\"` or `\"false\"`");
    }
    let role = cluster.intern(metadata.either(keys::ROLE).unwrap_or_default());
    PodAttributes {
        priority: parsed.or(pod.template.priority).unwrap_or(1),
        queue_name: None,
        job: None,
        preemptibility: Preemptibility::NonPreemptible,
        may_preempt: !pod.template.never_preempts,
        opted_out,
        reservation: None,
        budgets: Vec::new(),
        marked_for_eviction: false,
        unsupported_field: first_unsupported(&keys::DEMANDS, |key| metadata.annotation(key)),
        task: TaskAttributes {
            role: Some(role),
            index: number,
            cooldown: length,
            critical: is_critical(pod),
            succeeded: pod.phase == Phase::Succeeded,
        },
    }
}

fn is_critical(pod: &contract::Pod) -> bool {
    let class = pod.template.priority_class.as_str();
    pod.template.namespace == "kube-system" || ["system-cluster-critical", "system-node-critical"].contains(&class)
}

/// Parses a truth value as Go's `strconv.ParseBool` does. `None`: it is none.
pub fn truth(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}
