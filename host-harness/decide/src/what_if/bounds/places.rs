//! The places of the bounds of quotas.

use std::collections::BTreeMap;
use std::sync::Arc;

use lictor_host::cluster::load::read;
use lictor_host::cluster::{KubernetesObject, step};
use serde_json::Value;

/// The key under which a ConfigMap of YuniKorn has its queues.
const QUEUES: &str = "queues.yaml";

/// A bound of a quota or queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BoundLocation {
    /// The index of the object that has it.
    pub(crate) object: usize,
    /// The name of the quota; the whole path of a queue.
    pub(crate) queue: String,
    /// The bound, such as `max`.
    pub(crate) bound: String,
    /// The amounts by resource, as they are written.
    pub(crate) amounts: BTreeMap<String, String>,
    /// The JSON pointer of the amounts, within the document of queues where there is one.
    pointer: String,
    is_nested: bool,
}

impl BoundLocation {
    /// Returns the object with these amounts. `None`: the object does not have this bound.
    pub(crate) fn with(&self, object: &KubernetesObject, amounts: &[(&str, String)]) -> Option<KubernetesObject> {
        let mut value: Value = serde_json::from_str(&object.json()).ok()?;
        if self.is_nested {
            let text = value.pointer_mut("/data")?.get_mut(QUEUES)?;
            let mut queues = queues(text.as_str()?)?;
            set(queues.pointer_mut(&self.pointer)?, amounts)?;
            *text = Value::String(queues.to_string());
        } else {
            set(value.pointer_mut(&self.pointer)?, amounts)?;
        }
        KubernetesObject::from_json(value, &Arc::from("what if")).ok()
    }
}

fn set(at: &mut Value, amounts: &[(&str, String)]) -> Option<()> {
    let fields = at.as_object_mut()?;
    for (resource, amount) in amounts {
        fields.insert((*resource).to_owned(), Value::String(amount.clone()));
    }
    Some(())
}

/// Returns every bound in these objects, in their order.
pub(crate) fn bound_locations<'o>(objects: impl IntoIterator<Item = &'o KubernetesObject>) -> Vec<BoundLocation> {
    let mut places = Vec::new();
    for (object, it) in objects.into_iter().enumerate() {
        let key = it.key();
        let kind = key.split('/').next().unwrap_or_default();
        if !matches!(kind, "ElasticQuota" | "Queue" | "ConfigMap") {
            continue;
        }
        let Ok(value) = serde_json::from_str::<Value>(&it.json()) else { continue };
        let queue = value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut add = |queue: &str, bound: &str, pointer: String, root: &Value, is_nested| {
            let amounts = root.pointer(&pointer).and_then(Value::as_object);
            let written = |(name, amount): (&String, &Value)| {
                let text = amount.as_str().map_or_else(|| amount.to_string(), str::to_owned);
                (name.clone(), text)
            };
            let amounts: Option<BTreeMap<String, String>> =
                amounts.map(|amounts| amounts.iter().map(written).collect());
            places.extend(amounts.map(|amounts| BoundLocation {
                object,
                queue: queue.to_owned(),
                bound: bound.to_owned(),
                amounts,
                pointer,
                is_nested,
            }));
        };
        match kind {
            "ElasticQuota" => {
                ["min", "max"].iter().for_each(|bound| add(&queue, bound, format!("/spec/{bound}"), &value, false));
            }
            "Queue" => {
                for (bound, pointer) in
                    [("capability", "capability"), ("deserved", "deserved"), ("guarantee", "guarantee/resource")]
                {
                    add(&queue, bound, format!("/spec/{pointer}"), &value, false);
                }
            }
            _ => {
                let text = value.get("data").and_then(|data| data.get(QUEUES)).and_then(Value::as_str);
                let Some(queues) = text.and_then(queues) else { continue };
                each_queue(&queues, &mut |path, pointer| {
                    for bound in ["guaranteed", "max"] {
                        add(path, bound, format!("{pointer}/resources/{bound}"), &queues, true);
                    }
                });
            }
        }
    }
    places
}

/// Reads the document of queues. `None`: it is not valid.
fn queues(text: &str) -> Option<Value> {
    read(QUEUES, text).ok()?.into_iter().next().map(|document| document.value)
}

/// Passes the path and the JSON pointer of every queue to `tell`.
fn each_queue(queues: &Value, tell: &mut dyn FnMut(&str, &str)) {
    let partitions = queues.get("partitions").and_then(Value::as_array);
    for (number, partition) in partitions.into_iter().flatten().enumerate() {
        below(partition, "", &format!("/partitions/{number}"), tell);
    }
}

fn below(parent: &Value, path: &str, pointer: &str, tell: &mut dyn FnMut(&str, &str)) {
    let queues = parent.get("queues").and_then(Value::as_array);
    for (number, queue) in queues.into_iter().flatten().enumerate() {
        let name = queue.get("name").and_then(Value::as_str).unwrap_or_default();
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let pointer = format!("{pointer}{}{}", step("queues"), step(&number.to_string()));
        tell(&path, &pointer);
        below(queue, &path, &pointer, tell);
    }
}
