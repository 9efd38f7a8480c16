//! Objects that are gone.

use lictor_contract::{NodeId, PodId};

use super::Mirror;
use super::objects::ObjectName;
use super::pods::PodEntry;

impl Mirror {
    /// Removes the object `Kind/namespace/name`, `Kind/name` or `Kind.group/namespace/name`. A pod without namespace is in `default`. Returns `false`
    /// where the object does not exist, or where objects of several API groups have the name (see [`Mirror::ambiguous`]). Removing a node removes its
    /// bound pods.
    pub fn remove(&mut self, key: &str) -> bool {
        let Some(object) = ObjectName::parse(key) else { return false };
        let ObjectName { kind, namespace, name, .. } = object;
        match kind {
            "Node" => self.nodes.id(name).is_some_and(|id| self.remove_node(id)),
            "Pod" => self.pod_of_key(key).is_some_and(|pod| self.remove_pod(pod).is_some()),
            "PriorityClass" => {
                // Pods keep the priority that the class gave them.
                let known = self.preemption.classes.remove(name);
                self.objects.remove(&object) || known
            }
            "Namespace" => {
                let known = self.set_namespace(name, None);
                self.objects.remove(&object) || known
            }
            _ => {
                let placed = self.pod_of_key(key).is_some_and(|pod| self.remove_pod(pod).is_some());
                let stored = self.volumes.known.remove(kind, namespace, name);
                let budget = object.is_budget() && self.preemption.budgets.remove(namespace, name);
                self.objects.remove(&object) || placed || stored || budget
            }
        }
    }

    /// Returns whether the object `Kind/namespace/name`, `Kind/name` or `Kind.group/namespace/name` exists.
    pub fn contains(&self, key: &str) -> bool {
        let Some(object) = ObjectName::parse(key) else { return false };
        let ObjectName { kind, namespace, name, .. } = object;
        match kind {
            "Node" => self.nodes.id(name).is_some(),
            "Pod" => self.pod_of_key(key).is_some(),
            "PriorityClass" => {
                self.preemption.classes.get(name).is_some_and(|_| !name.is_empty()) || self.objects.contains(&object)
            }
            "Namespace" => self.inter_pods.namespaces.contains(name),
            _ => {
                self.pod_of_key(key).is_some()
                    || self.volumes.known.contains(kind, namespace, name)
                    || object.is_budget() && self.preemption.budgets.contains(namespace, name)
                    || self.objects.contains(&object)
            }
        }
    }

    /// Returns the full keys of the objects that a key without a group names, where they are of several API groups. Else returns nothing.
    pub fn ambiguous(&self, key: &str) -> Vec<String> {
        let keys = ObjectName::parse(key).map(|object| self.objects.full_keys(&object)).unwrap_or_default();
        if keys.len() > 1 { keys } else { Vec::new() }
    }

    fn remove_node(&mut self, id: NodeId) -> bool {
        let Some(entry) = self.nodes.set(id, None) else { return false };
        let name = entry.record.name;
        self.nodes.ledger.record_removed(id);
        self.shared.shapes.update_node(id, &name, None);
        self.inter_pods.update_node(id, None);
        self.volumes.usage.stale = true;
        for pod in self.pods.of_node(&name) {
            // A pod whose binding is only assumed may not be bound in the cluster.
            if self.observed_node(pod) == Some(&name) {
                self.remove_bound(pod);
            } else {
                self.pods.change(pod, |entry| entry.resolve_nodes(&self.nodes));
            }
        }
        true
    }

    /// Removes a pod with its assumed changes.
    pub(super) fn remove_pod(&mut self, pod: PodId) -> Option<PodEntry> {
        self.assumed.by_pod.remove(&pod);
        if let Some(entry) = self.pods.get(pod).cloned() {
            self.mark_volumes_stale(&entry);
        }
        self.pods.remove(pod)
    }

    fn remove_bound(&mut self, pod: PodId) {
        let behind = self.remove_pod(pod).and_then(|entry| self.object_key(&entry.record));
        if let Some(key) = behind {
            self.objects.remove_one(&key);
        }
    }
}
