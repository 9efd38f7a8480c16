//! Objects as JSON, to be kept and read again.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Body, KubernetesObject, NodeFacts};
use crate::cluster::InputError;
use crate::cluster::eligibility::NodeTaint;
use crate::cluster::load::DocumentOrigin;
use lictor_contract::quantity::exact;

impl KubernetesObject {
    /// Returns the object as JSON, from which [`KubernetesObject::from_json`] reads the same object. A node has only the fields that the host reads.
    pub fn json(&self) -> String {
        match &self.body {
            Body::Pod(pod) => pod.json.compact(),
            Body::Node(node) => self.node(node).to_string(),
            Body::PriorityClass(_, value) | Body::Storage(_, value) | Body::Namespace(_, value) => value.to_string(),
            Body::Other(value, _) | Body::UnsupportedVersion(value, _) => value.to_string(),
        }
    }

    /// Reads the JSON that [`KubernetesObject::json`] has written. Mistakes name the file, and no line.
    ///
    /// # Errors
    /// Those of [`KubernetesObject::from_value`].
    pub fn from_json(value: Value, file: &Arc<str>) -> Result<KubernetesObject, InputError> {
        KubernetesObject::from_value(value, &DocumentOrigin::without_lines(file.clone()), "")
    }

    fn node(&self, NodeFacts { allocatable, terrain }: &NodeFacts) -> Value {
        let amount = |(resource, amount): (&String, &i64)| (resource.clone(), Value::String(exact(resource, *amount)));
        let taint =
            |NodeTaint { key, value, effect }: &NodeTaint| json!({"key": key, "value": value, "effect": effect.name()});
        json!({
            "apiVersion": self.id.version,
            "kind": self.id.kind,
            "metadata": {"name": terrain.name, "labels": terrain.labels},
            "spec": {
                "taints": terrain.taints.iter().map(taint).collect::<Vec<_>>(),
                "unschedulable": terrain.unschedulable,
            },
            "status": {"allocatable": allocatable.iter().map(amount).collect::<serde_json::Map<_, _>>()},
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::testing::{node, object, on, pod, slot, with};

    /// Checks that an object that is written and read again has the same facts and the same JSON.
    #[test]
    fn an_object_is_read_as_it_was_written() {
        let taints = json!([
            {"key": "a", "value": "b", "effect": "NoExecute"},
            {"key": "c", "effect": "NoSchedule"},
            {"key": "d", "effect": "PreferNoSchedule"},
        ]);
        let node =
            with(with(node("n1", 4), "", "spec", json!({"taints": taints})), "/spec", "unschedulable", json!(true));
        let node = with(node, "/metadata", "labels", json!({"zone": "z"}));
        let node = with(node, "/status/allocatable", "cpu", json!(1.5));
        let class = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 7});
        let space =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "s", "labels": {"team": "a"}}});
        let volume = json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"},
                            "spec": {"capacity": {"storage": "1Gi"}}});
        let values = [node, pod("p", 2, 3), on("n1", pod("q", 1, 0)), slot("s", 2, None), class, space, volume];
        for value in values {
            let read = object(value);
            let json = read.json();
            let again = KubernetesObject::from_json(serde_json::from_str(&json).unwrap(), &Arc::from("x")).unwrap();
            assert_eq!(again.json(), json);
            assert_eq!(again.key(), read.key());
            if let (Body::Node(read), Body::Node(again)) = (&read.body, &again.body) {
                assert_eq!(read, again);
                assert_eq!(read.allocatable.get("cpu"), Some(&1500));
                assert_eq!(read.terrain.taints.len(), 2);
            }
            if let (Body::Pod(read), Body::Pod(again)) = (&read.body, &again.body) {
                assert_eq!(format!("{read:?}"), format!("{again:?}"));
            }
        }
    }
}
