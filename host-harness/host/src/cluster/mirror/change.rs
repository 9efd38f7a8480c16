//! What the scheduler does to one pod of the cluster.

use std::sync::Arc;

use k8s_openapi::jiff::Timestamp;
use lictor_contract::{Amount, Mark, MarkPlace, Phase, PlacedKind, Pod, is_of_host};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Mirror;
use super::pods::PodEntry;
use crate::cluster::object::placed::running_word;

/// A change of one pod, or of an object that is placed like a pod. Nodes are given by name: a change can outlive the node that it names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PodChange {
    /// The pod is bound to the node (`spec.nodeName`), loses its nomination and starts to run there at once. An object that is placed like a pod gets
    /// the first phase that means running.
    Bind {
        /// The node.
        node: String,
        /// The time, in nanoseconds since 1970.
        at: i64,
        /// Labels and annotations that are written with the binding.
        #[serde(with = "marks")]
        marks: Vec<Mark>,
    },
    /// The pod is nominated to the node, or loses its nomination (`None`). The field is `status.nominatedNodeName`.
    Nominate(Option<String>),
    /// Labels and annotations are written on the pod.
    Mark(#[serde(with = "marks")] Vec<Mark>),
    /// Labels and annotations are written on the pod. With a time, the pod is also being deleted because a scheduler preempted it
    /// (`deletionTimestamp`, condition `DisruptionTarget`).
    Evict {
        /// The time of the deletion, in nanoseconds since 1970. `None`: another system deletes the pod.
        deleted: Option<i64>,
        /// Labels and annotations.
        #[serde(with = "marks")]
        marks: Vec<Mark>,
    },
}

impl PodChange {
    /// Returns whether the change sets or clears the nomination of its pod.
    pub(crate) fn decides_nomination(&self) -> bool {
        matches!(self, PodChange::Bind { .. } | PodChange::Nominate(_))
    }

    fn marks(&self) -> &[Mark] {
        match self {
            PodChange::Bind { marks, .. } | PodChange::Mark(marks) | PodChange::Evict { marks, .. } => marks,
            PodChange::Nominate(_) => &[],
        }
    }
}

impl Mirror {
    /// Applies a change to a pod. A pod that has ended stays as the cluster shows it: a change that a session learns late has happened before the
    /// end.
    pub(super) fn change_entry(&self, entry: &mut PodEntry, change: &PodChange) {
        if has_ended(entry.declared.phase) {
            return;
        }
        match change {
            PodChange::Bind { node, at, .. } => {
                entry.declared.node = Some(node.clone());
                entry.declared.nominated = None;
                entry.declared.phase = Phase::Running;
                entry.record.started.get_or_insert(*at);
                entry.record.scheduled.get_or_insert(*at);
            }
            PodChange::Nominate(node) => entry.declared.nominated.clone_from(node),
            PodChange::Evict { deleted: Some(_), .. } => {
                entry.record.terminating = true;
                entry.record.preempted = true;
            }
            PodChange::Evict { deleted: None, .. } | PodChange::Mark(_) => {}
        }
        for Mark { place, key, value } in change.marks() {
            match place {
                MarkPlace::Label => {
                    self.scope.labels.set(&mut entry.record.template_mut().labels, key, value);
                    Arc::make_mut(&mut entry.declared.labels).insert(key.clone(), value.clone());
                }
                MarkPlace::Annotation => {
                    self.scope.annotations.set(&mut entry.record.template_mut().annotations, key, value)
                }
            }
        }
        entry.resolve_nodes(&self.nodes);
    }

    /// Applies a change to the JSON of an object that is placed like a pod, unless the object has ended. Does nothing for a pod.
    pub(super) fn change_json(&self, json: &mut Value, pod: &Pod, change: &PodChange) {
        let Some(kind) = self.scope.placed.get(pod.kind).filter(|_| !has_ended(pod.phase)) else { return };
        match change {
            PodChange::Bind { node, .. } => {
                set_at(json, &kind.phase, running_word(kind).into());
                set_at(json, &kind.node, node.clone().into());
                if let Some(amounts) = &kind.amounts {
                    let held = pod.template.requests.iter().filter_map(|amount| self.quantity(amount)).collect();
                    set_at(json, amounts, Value::Object(held));
                }
                set_at(json, &kind.nominated, Value::Null);
            }
            PodChange::Nominate(node) => set_at(json, &kind.nominated, node.clone().into()),
            PodChange::Evict { deleted: Some(at), .. } => terminate(json, kind, *at),
            PodChange::Evict { deleted: None, .. } | PodChange::Mark(_) => {}
        }
        for Mark { place, key, value } in change.marks() {
            let field = match place {
                MarkPlace::Label => "labels",
                MarkPlace::Annotation => "annotations",
            };
            set(json, &["metadata", field, key], value.clone().into());
        }
    }

    /// Returns an amount in the notation of Kubernetes. `None`: the amount is not a quantity of an object (`pods`, or a resource of the host).
    fn quantity(&self, amount: &Amount) -> Option<(String, Value)> {
        let resource = self.resources().get(amount.resource as usize)?;
        match &*resource.name {
            "pods" => None,
            name if is_of_host(name) => None,
            "cpu" => Some((resource.name.clone(), format!("{}m", amount.value).into())),
            name => Some((name.to_owned(), amount.value.to_string().into())),
        }
    }
}

/// Returns whether a pod has ended. No change applies to a pod that has ended.
pub(super) fn has_ended(phase: Phase) -> bool {
    matches!(phase, Phase::Succeeded | Phase::Failed)
}

/// Writes on an object that it is being deleted since `at`, in nanoseconds since 1970.
fn terminate(json: &mut Value, kind: &PlacedKind, at: i64) {
    let now = Timestamp::from_nanosecond(at.into()).unwrap_or_default().to_string();
    set(json, &["metadata", "deletionTimestamp"], now.into());
    let condition = json!({"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"});
    let mut conditions = match json.pointer_mut(&kind.conditions).map(Value::take) {
        Some(Value::Array(conditions)) => conditions,
        _ => Vec::new(),
    };
    conditions.push(condition);
    set_at(json, &kind.conditions, Value::Array(conditions));
}

/// Sets the value at a JSON pointer; null removes the value.
fn set_at(json: &mut Value, pointer: &str, to: Value) {
    let keys: Vec<String> = pointer.split('/').skip(1).map(|key| key.replace("~1", "/").replace("~0", "~")).collect();
    set(json, &keys.iter().map(String::as_str).collect::<Vec<_>>(), to);
}

/// Sets the value under these keys; null removes the value.
fn set(json: &mut Value, keys: &[&str], to: Value) {
    if !json.is_object() {
        *json = Value::Object(Map::new());
    }
    let (Value::Object(entries), Some((key, rest))) = (json, keys.split_first()) else { return };
    match rest {
        [] if to.is_null() => {
            entries.remove(*key);
        }
        [] => {
            entries.insert((*key).to_owned(), to);
        }
        _ => set(entries.entry(*key).or_insert(Value::Null), rest, to),
    }
}

/// The form of marks in a checkpoint: whether the mark is an annotation, the key, the value.
mod marks {
    use lictor_contract::{Mark, MarkPlace};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(marks: &[Mark], to: S) -> Result<S::Ok, S::Error> {
        let plain = |mark: &Mark| (mark.place == MarkPlace::Annotation, mark.key.clone(), mark.value.clone());
        marks.iter().map(plain).collect::<Vec<_>>().serialize(to)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<Mark>, D::Error> {
        let mark = |(annotation, key, value): (bool, String, String)| {
            let place = if annotation { MarkPlace::Annotation } else { MarkPlace::Label };
            Mark { place, key, value }
        };
        Ok(Vec::<(bool, String, String)>::deserialize(from)?.into_iter().map(mark).collect())
    }
}
