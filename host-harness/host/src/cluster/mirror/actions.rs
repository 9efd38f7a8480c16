//! What the scheduler does to the cluster.

use k8s_openapi::jiff::Timestamp;
use lictor_contract::*;
use serde_json::{Map, Value, json};

use super::Mirror;

impl Mirror {
    /// Moves the clock forward; an earlier time changes nothing.
    pub fn set_clock(&mut self, now: i64) {
        self.clock = self.clock.max(now);
    }

    /// The pod is bound to the node (`spec.nodeName`; its nomination is gone) and starts to run there at once. A reservation
    /// becomes available. Nothing happens where there is no such pod or node.
    pub fn bind(&mut self, pod: PodId, node: NodeId) {
        let Some(name) = self.nodes.get(node).map(|entry| entry.record.name.clone()) else { return };
        let now = self.clock;
        self.pods.change(pod, |entry| {
            entry.stated.node = Some(name.clone());
            entry.stated.nominated = None;
            entry.stated.phase = Phase::Running;
            entry.record.started.get_or_insert(now);
            entry.record.scheduled = Some(now);
            entry.resolve_nodes(&self.nodes);
        });
        let Some(record) = self.pod(pod) else { return };
        let allocatable = Value::Object(record.requests.iter().filter_map(|amount| self.quantity(amount)).collect());
        self.edit(pod, |json| {
            set(json, &["status", "phase"], "Available".into());
            set(json, &["status", "nodeName"], name.clone().into());
            set(json, &["status", "allocatable"], allocatable.clone());
            set(json, &["status", "nominatedNodeName"], Value::Null);
        });
    }

    /// The pod is nominated to the node, or to none any more (`status.nominatedNodeName`).
    pub fn nominate(&mut self, pod: PodId, node: Option<NodeId>) {
        let name = node.and_then(|node| self.nodes.get(node)).map(|entry| entry.record.name.clone());
        self.pods.change(pod, |entry| {
            entry.stated.nominated = name.clone();
            entry.resolve_nodes(&self.nodes);
        });
        self.edit(pod, |json| set(json, &["status", "nominatedNodeName"], name.clone().into()));
    }

    /// Writes labels and annotations on the object of the pod.
    pub fn mark(&mut self, pod: PodId, marks: &[Mark]) {
        self.write(pod, marks, true);
    }

    /// Takes labels and annotations off the object of the pod.
    pub fn unmark(&mut self, pod: PodId, marks: &[Mark]) {
        self.write(pod, marks, false);
    }

    fn write(&mut self, pod: PodId, marks: &[Mark], on: bool) {
        let (labels, annotations) = (&self.labels, &self.annotations);
        self.pods.change(pod, |entry| {
            for Mark { place, key, value } in marks {
                let (filter, told) = match place {
                    MarkPlace::Label => (labels, &mut entry.record.labels),
                    MarkPlace::Annotation => (annotations, &mut entry.record.annotations),
                };
                match on {
                    true => filter.set(told, key, value),
                    false => filter.clear(told, key),
                }
            }
        });
        self.edit(pod, |json| {
            for Mark { place, key, value } in marks {
                let field = match place {
                    MarkPlace::Label => "labels",
                    MarkPlace::Annotation => "annotations",
                };
                set(json, &["metadata", field, key], if on { value.clone().into() } else { Value::Null });
            }
        });
    }

    /// The pod is being deleted because a scheduler preempted it (deletionTimestamp, condition DisruptionTarget).
    pub fn terminate(&mut self, pod: PodId) {
        self.pods.change(pod, |entry| {
            entry.record.terminating = true;
            entry.record.preempted = true;
        });
        let now = Timestamp::from_nanosecond(self.clock.into()).unwrap_or_default().to_string();
        self.edit(pod, |json| {
            set(json, &["metadata", "deletionTimestamp"], now.clone().into());
            let condition = json!({"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"});
            let mut conditions = match json.pointer_mut("/status/conditions").map(Value::take) {
                Some(Value::Array(conditions)) => conditions,
                _ => Vec::new(),
            };
            conditions.push(condition);
            set(json, &["status", "conditions"], Value::Array(conditions));
        });
    }

    /// Changes the object behind a record that stands for more than a pod.
    fn edit(&mut self, pod: PodId, change: impl Fn(&mut Value)) {
        let Some(record) = self.pods.get(pod).map(|entry| &entry.record) else { return };
        if record.kind == PodKind::Reservation {
            self.objects.change("Reservation", &record.name, change);
        }
    }

    /// An amount as Kubernetes writes it; none for what is no quantity of an object.
    fn quantity(&self, amount: &Amount) -> Option<(String, Value)> {
        let resource = self.resources().get(amount.resource as usize)?;
        match &*resource.name {
            "pods" => None,
            _ if resource.everywhere > 0 => None,
            "cpu" => Some((resource.name.clone(), format!("{}m", amount.value).into())),
            name => Some((name.to_owned(), amount.value.to_string().into())),
        }
    }
}

/// Sets what stands under these keys; null removes it.
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
