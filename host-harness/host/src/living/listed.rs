//! What is listed before a session begins.

use std::collections::BTreeMap;

use crate::cluster::KubernetesObject;

/// The objects of the first listing, each once. A later copy of an object replaces the earlier one.
#[derive(Debug, Default)]
pub struct InitialObjects(BTreeMap<String, KubernetesObject>);

impl InitialObjects {
    /// Adds or replaces an object.
    pub fn upsert(&mut self, object: KubernetesObject) {
        self.0.insert(object.full_key(), object);
    }

    /// Removes an object, named as `Kind.group/namespace/name`; an empty group or namespace is left out. A placed object may be named without its
    /// group.
    pub fn remove(&mut self, key: &str) {
        if self.0.remove(key).is_none() {
            self.0.retain(|_, object| object.key() != key);
        }
    }

    /// Returns the objects, ordered by key.
    pub fn into_objects(self) -> impl Iterator<Item = KubernetesObject> {
        self.0.into_values()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(api: &str, kind: &str) -> KubernetesObject {
        let value = json!({"apiVersion": api, "kind": kind, "metadata": {"name": "a", "namespace": "b"}});
        KubernetesObject::from_json(value, &"test".into()).unwrap()
    }

    fn keys(listed: InitialObjects) -> Vec<String> {
        listed.into_objects().map(|object| object.full_key()).collect()
    }

    #[test]
    fn objects_of_two_groups_may_share_kind_and_name() {
        let mut listed = InitialObjects::default();
        for api in ["scheduling.x-k8s.io/v1alpha1", "scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1beta1"] {
            listed.upsert(object(api, "PodGroup"));
        }
        listed.remove("PodGroup.scheduling.k8s.io/b/a");
        assert_eq!(keys(listed), ["PodGroup.scheduling.x-k8s.io/b/a"]);
    }

    #[test]
    fn what_is_placed_like_a_pod_is_gone_by_its_kind() {
        let mut listed = InitialObjects::default();
        listed.upsert(object("scheduling.koordinator.sh/v1alpha1", "Reservation"));
        listed.remove("Reservation/b/a");
        assert_eq!(keys(listed), [""; 0]);
    }
}
