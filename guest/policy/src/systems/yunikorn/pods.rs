//! What a pod says of itself by labels and annotations, in all the spellings there are.

use super::apps::PodMetadata;
use super::keys;
use crate::contract;
use crate::systems::document::annotation_path;
use crate::systems::{Document, Findings};

/// A label that is one of [`keys::POD_LABELS`].
fn label<'a>(pod: &'a contract::Pod, key: &str) -> Option<&'a str> {
    look_up(&keys::POD_LABELS, &pod.labels, key)
}

/// An annotation that is one of [`keys::POD_ANNOTATIONS`].
fn annotation<'a>(pod: &'a contract::Pod, key: &str) -> Option<&'a str> {
    look_up(&keys::POD_ANNOTATIONS, &pod.annotations, key)
}

fn look_up<'a>(keys: &[&str], attributes: &'a [contract::Attribute], key: &str) -> Option<&'a str> {
    let at = keys.iter().position(|known| *known == key)?;
    let attribute = attributes.iter().find(|attribute| usize::try_from(attribute.key) == Ok(at))?;
    Some(attribute.value.as_str()).filter(|value| !value.is_empty())
}

/// The name of a pod's application; without one it is of the one of its namespace.
pub fn application(pod: &contract::Pod) -> String {
    let named = label(pod, keys::APPLICATION)
        .or_else(|| annotation(pod, keys::APPLICATION))
        .or_else(|| label(pod, keys::APPLICATION_ID))
        .or_else(|| label(pod, keys::SPARK_APPLICATION));
    named.map_or_else(|| format!("yunikorn-{}-autogen", pod.namespace), str::to_owned)
}

/// What a pod says of its application.
pub fn said(pod: &contract::Pod) -> PodMetadata<'_> {
    let queue =
        label(pod, keys::QUEUE).or_else(|| annotation(pod, keys::QUEUE)).or_else(|| label(pod, keys::QUEUE_NAME));
    let placeholder = label(pod, keys::PLACEHOLDER).or_else(|| annotation(pod, keys::PLACEHOLDER));
    PodMetadata { queue, is_placeholder: placeholder == Some("true") }
}

/// Whether a pod itself says that it may be preempted; none where it says nothing that can be read.
pub fn allows_preemption(pod: &contract::Pod, findings: &mut Findings) -> Option<bool> {
    let text = annotation(pod, keys::ALLOW_PREEMPTION)?;
    let object = || Document::named("Pod", &pod.namespace, &pod.name);
    flag(text, object, findings)
}

/// Whether an object says in its annotation that its pods may be preempted.
pub fn flag(text: &str, object: impl Fn() -> Document, findings: &mut Findings) -> Option<bool> {
    match text {
        "true" => Some(true),
        "false" => Some(false),
        _ => {
            let message = format!("`{text}` is neither true nor false; it counts as not said");
            let path = annotation_path(keys::ALLOW_PREEMPTION);
            findings.push(object().warning(&path, message, r#"write "true" or "false""#));
            None
        }
    }
}
