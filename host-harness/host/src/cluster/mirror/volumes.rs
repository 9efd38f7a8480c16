//! Pods and their volumes: what claims, volumes and classes demand of a node becomes part of the shape of a pod.

use super::Mirror;
use super::pods::PodEntry;
use crate::cluster::eligibility::Constraints;

impl Mirror {
    /// Brings the shapes of pods with claims up to date. A pod that has a node keeps its shape: its volumes are there.
    pub(super) fn resolve_volumes(&mut self) {
        let mut concerned = std::mem::take(&mut self.unresolved);
        if self.volumes.take_changed() {
            let users = self.pods.all().filter(|entry| has_claims(entry)).map(|entry| entry.record.id);
            concerned.extend(users);
            self.inter_pods.unsettled.extend(&concerned);
        }
        for pod in concerned {
            let Some(entry) = self.pods.get(pod).filter(|entry| entry.stated.node.is_none()) else { continue };
            let needs = self.volumes.needs(&entry.record.template.namespace, &entry.stated.claims);
            let Some(constraints) = self.shapes.constraints(entry.record.shape) else { continue };
            if constraints.needs != needs {
                let constraints = Constraints { needs, ..constraints.clone() };
                let shape = self.shape(constraints);
                self.pods.change(pod, |entry| entry.record.shape = shape);
            }
        }
    }

    /// The volumes of a pod are to be looked at before the policy is told of it.
    pub(super) fn note_claims(&mut self, entry: &PodEntry) {
        if has_claims(entry) {
            self.unresolved.insert(entry.record.id);
        }
    }
}

fn has_claims(entry: &PodEntry) -> bool {
    !entry.stated.claims.is_empty()
}
