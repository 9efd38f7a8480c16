//! The objects of a cluster as they are written.

use std::collections::BTreeMap;

use serde_json::Value;

/// Pods by `namespace/name`, each with the name of its node.
pub type NodeByPod = BTreeMap<String, String>;

/// The objects of a cluster, by kind and by `namespace/name`, or by the name where they have no namespace.
#[derive(Debug, Default)]
pub struct ObjectIndex<'v>(BTreeMap<&'v str, BTreeMap<String, &'v Value>>);

impl<'v> ObjectIndex<'v> {
    /// Builds the cluster from these objects.
    pub fn of(objects: impl IntoIterator<Item = &'v Value>) -> ObjectIndex<'v> {
        let mut dump = ObjectIndex::default();
        for object in objects {
            dump.0.entry(object["kind"].as_str().unwrap_or_default()).or_default().insert(key(object), object);
        }
        dump
    }

    /// Returns an object by its kind and key. `None`: the cluster has no such object.
    pub fn find(&self, kind: &str, key: &str) -> Option<&'v Value> {
        self.0.get(kind)?.get(key).copied()
    }

    /// Returns all objects of a kind, each with its key.
    pub fn all(&self, kind: &str) -> impl Iterator<Item = (&String, &'v Value)> {
        self.0.get(kind).into_iter().flatten().map(|(key, object)| (key, *object))
    }

    /// Returns the node of each pod whose spec names one. Pods that succeeded or failed hold no node.
    pub fn node_by_pod(&self) -> NodeByPod {
        let holds = |pod: &Value| !matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed"));
        let on = |(key, pod): (&String, &Value)| Some((key.clone(), pod["spec"]["nodeName"].as_str()?.to_owned()));
        self.all("Pod").filter(|(_, pod)| holds(pod)).filter_map(on).collect()
    }

    /// Returns the pods of `places` whose pod and node are both in the cluster: the key, the pod and the node of each.
    pub(crate) fn placed_pods<'d>(
        &'d self,
        places: &'d NodeByPod,
    ) -> impl Iterator<Item = (&'d String, &'v Value, &'v Value)> {
        places.iter().filter_map(|(pod, node)| Some((pod, self.find("Pod", pod)?, self.find("Node", node)?)))
    }
}

/// Returns the key of an object: `namespace/name`, or the name alone for an object without a namespace.
pub(super) fn key(object: &Value) -> String {
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    object["metadata"]["namespace"].as_str().map_or_else(|| name.to_owned(), |namespace| format!("{namespace}/{name}"))
}

/// Returns the items of a list; empty where the value is no list.
pub(super) fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// Returns the namespace of a pod; `default` if the pod names none.
pub(super) fn namespace(pod: &Value) -> &str {
    pod["metadata"]["namespace"].as_str().unwrap_or("default")
}
