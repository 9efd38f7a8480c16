//! Reads the labels and annotations of a pod, under all names that YuniKorn accepts.

use super::apps::ApplicationMetadata;
use super::keys;
use crate::contract;
use crate::systems::document::{annotation_path, look_up};
use crate::systems::{Findings, ParsedObject};

/// The prefix of the name of a generated application, before the namespace.
const GENERATED: &str = "yunikorn-";
/// The suffix of the name of a generated application.
const AUTOGEN: &str = "-autogen";

/// Returns the value of a label, unless it is empty. The key must be one of [`keys::POD_LABELS`].
fn label<'a>(pod: &'a contract::Pod, key: &str) -> Option<&'a str> {
    look_up(&keys::POD_LABELS, &pod.template.labels, key).filter(|value| !value.is_empty())
}

/// Returns the value of an annotation, unless it is empty. The key must be one of [`keys::POD_ANNOTATIONS`].
fn annotation<'a>(pod: &'a contract::Pod, key: &str) -> Option<&'a str> {
    look_up(&keys::POD_ANNOTATIONS, &pod.template.annotations, key).filter(|value| !value.is_empty())
}

/// Returns the name of a pod's application. A pod without one belongs to a generated application of its namespace.
pub fn application(pod: &contract::Pod) -> String {
    let named = label(pod, keys::APPLICATION)
        .or_else(|| annotation(pod, keys::APPLICATION))
        .or_else(|| label(pod, keys::APPLICATION_ID))
        .or_else(|| label(pod, keys::SPARK_APPLICATION));
    named.map_or_else(|| format!("{GENERATED}{}{AUTOGEN}", pod.template.namespace), str::to_owned)
}

/// Checks whether an application has a name as generated for a namespace.
pub fn is_generated(application: &str) -> bool {
    application.starts_with(GENERATED) && application.ends_with(AUTOGEN)
}

/// Returns the labels and annotations of a pod that concern its application.
pub fn metadata(pod: &contract::Pod) -> ApplicationMetadata<'_> {
    let queue =
        label(pod, keys::QUEUE).or_else(|| annotation(pod, keys::QUEUE)).or_else(|| label(pod, keys::QUEUE_NAME));
    let placeholder = label(pod, keys::PLACEHOLDER).or_else(|| annotation(pod, keys::PLACEHOLDER));
    ApplicationMetadata { queue, is_placeholder: placeholder == Some("true") }
}

/// Reads whether the annotation of a pod allows its preemption. `None`: the annotation is absent or invalid.
pub fn allows_preemption(pod: &contract::Pod, findings: &mut Findings) -> Option<bool> {
    let text = annotation(pod, keys::ALLOW_PREEMPTION)?;
    let object = || ParsedObject::named("Pod", &pod.template.namespace, &pod.name);
    flag(text, object, findings)
}

/// Returns the annotation by which a pod demands that task groups start together, or not at all. This policy creates no placeholders that reserve
/// their resources. The style `Soft`, the default, lets the application start without them; a placeholder is placed like any pod. `None`: the pod has
/// no such demand.
pub fn unsupported_annotation(pod: &contract::Pod) -> Option<&'static str> {
    let is_hard =
        || annotation(pod, keys::POLICY_PARAMETERS)?.split_whitespace().find(|one| *one == keys::GANG_IS_HARD);
    let has_groups = annotation(pod, keys::TASK_GROUPS).is_some() && !metadata(pod).is_placeholder;
    (has_groups && is_hard().is_some()).then_some(keys::TASK_GROUPS_PATH)
}

/// Parses the annotation that allows preemption. An invalid value is a finding.
pub fn flag(text: &str, object: impl Fn() -> ParsedObject, findings: &mut Findings) -> Option<bool> {
    match text {
        "true" => Some(true),
        "false" => Some(false),
        _ => {
            let message = format!("`{text}` is neither true nor false; it is ignored");
            let path = annotation_path(keys::ALLOW_PREEMPTION);
            findings.push(object().warning(&path, message, r#"write "true" or "false""#));
            None
        }
    }
}
