//! Whole dumps at once, and what their author should know.

use std::collections::BTreeSet;

use lictor_contract::{Phase, PodId};

use super::Mirror;
use super::objects::StoredObjectKey;
use super::pods::PodEntry;
use crate::cluster::InputError;
use crate::cluster::inter_pod::PodDemands;
use crate::cluster::object::{Body, KubernetesObject, SourceLocation};

/// The remedy for a pod whose devices are allocated by claims.
const OTHERS: &str = "leave the pod to a scheduler that allocates resource claims, by its `schedulerName`";

/// The objects of one load. Pods are stored by number, which is faster to look up.
#[derive(Default)]
struct LoadedObjects {
    pods: BTreeSet<PodId>,
    others: BTreeSet<StoredObjectKey>,
}

impl Mirror {
    /// Creates or replaces objects that were read together. The later one of two objects with the same key holds, with a warning.
    pub fn load_objects(&mut self, objects: impl IntoIterator<Item = KubernetesObject>) {
        let mut seen = LoadedObjects::default();
        for object in objects {
            self.load_one(object, &mut seen);
        }
    }

    fn load_one(&mut self, object: KubernetesObject, seen: &mut LoadedObjects) {
        match object {
            KubernetesObject { id, place, body: Body::Pod(facts) } => {
                let (pod, before) = self.upsert_pod(*facts, place.clone());
                if before.is_some_and(|before| seen.pods.contains(&before)) {
                    self.note_twice(&id.key(), &place);
                }
                seen.pods.insert(pod);
            }
            object => {
                if self.mirrors(&object) && !seen.others.insert(StoredObjectKey::of(&object.id)) {
                    self.note_twice(&object.key(), &object.place);
                }
                self.upsert(object);
            }
        }
    }

    fn note_twice(&mut self, object: &str, place: &SourceLocation) {
        let message = format!("`{object}` is there for the second time; the first is replaced");
        self.replaced.push(place.remark(message, "remove one of the two"));
    }

    /// Returns the warnings about the dump: objects that occur twice, and pods whose node, class, claim or namespaces are missing or not judged.
    pub fn warnings(&self) -> Vec<InputError> {
        let mut warnings = self.replaced.clone();
        for pod in self.pods.all() {
            warnings.extend(self.lost_node(pod));
            warnings.extend(self.lost_class(pod));
            warnings.extend(self.lost_claim(pod));
            warnings.extend(self.unjudged_claims(pod));
        }
        warnings.extend(self.lost_namespaces());
        warnings
    }

    fn label(&self, pod: &PodEntry) -> &str {
        self.pod_name(pod.record.id).unwrap_or_default()
    }

    fn lost_node(&self, pod: &PodEntry) -> Option<InputError> {
        let name = pod.stated.node.as_deref()?;
        let ended = matches!(pod.record.phase, Phase::Succeeded | Phase::Failed);
        if ended || pod.record.node.is_some() {
            return None;
        }
        let message =
            format!("`{}` runs on node `{name}`, which is not there; it counts as running on none", self.label(pod));
        Some(pod.place.remark(message, "add the node"))
    }

    /// Returns the warning about a pending pod whose claim is missing. A dump of pods and nodes alone has no claims.
    fn lost_claim(&self, pod: &PodEntry) -> Option<InputError> {
        let is_lost =
            |claim: &&String| !self.volumes.contains("PersistentVolumeClaim", &pod.record.template.namespace, claim);
        let claim = pod.stated.volumes.claims.iter().find(is_lost).filter(|_| waits(pod))?;
        let message = format!("`{}` names claim `{claim}`, which is not there: no node takes the pod", self.label(pod));
        Some(pod.place.remark(message, "add persistentvolumeclaims, persistentvolumes, storageclasses, csinodes, csidrivers and csistoragecapacities to the dump"))
    }

    /// Returns the warning about a pending pod that requests devices which claims allocate. No node takes a pod with a claim.
    fn unjudged_claims(&self, pod: &PodEntry) -> Option<InputError> {
        let constraints = self.shapes.constraints(pod.record.shape).filter(|_| waits(pod))?;
        if let Some(claim) = constraints.resource_claims.first() {
            let message = format!(
                "`{}` has the resource claim `{claim}`, which is not judged: no node takes the pod",
                self.label(pod)
            );
            return Some(pod.place.remark(message, OTHERS));
        }
        let requested = |resource: &str| {
            let at = self.resources.all().iter().position(|known| known.name == resource);
            pod.record.template.requests.iter().any(|amount| Some(amount.resource as usize) == at && amount.value > 0)
        };
        let (class, resource) = self.volumes.devices.iter().find(|(_, resource)| requested(resource))?;
        let message = format!(
            "`{}` requests `{resource}`, which device class `{class}` allocates by claims: only nodes that list it take the pod",
            self.label(pod)
        );
        Some(pod.place.remark(message, OTHERS))
    }

    /// Returns the warning about the first pod that chooses namespaces by label where the dump has no Namespace.
    fn lost_namespaces(&self) -> Option<InputError> {
        let asks = |demands: &PodDemands| {
            let terms = demands.affinity.iter().chain(&demands.anti_affinity);
            terms.into_iter().any(|term| term.pods.asks_for_labels())
        };
        let ended = |pod: &PodEntry| matches!(pod.record.phase, Phase::Succeeded | Phase::Failed);
        let mut pods = self.pods.all().filter(|pod| pod.stated.demands.as_deref().is_some_and(asks));
        let first = pods.find(|pod| !ended(pod))?;
        let message = format!(
            "`{}` chooses namespaces by label, and no Namespace is there: its anti-affinity counts every namespace in, its affinity \
             only those that it names",
            self.label(first)
        );
        let remedy = "add the namespaces to the dump (`kubectl get namespaces`)";
        self.inter_pods.namespaces.is_empty().then(|| first.place.remark(message, remedy))
    }

    fn lost_class(&self, pod: &PodEntry) -> Option<InputError> {
        let class = &pod.record.template.priority_class;
        if pod.stated.priority.is_some() || class.is_empty() || self.classes.get(class).is_some() {
            return None;
        }
        let message = format!("`{}` names priority class `{class}`, which is not there", self.label(pod));
        Some(pod.place.remark(message, "add the class, or write the priority"))
    }
}

/// Returns whether a pod is pending and names no node.
fn waits(pod: &PodEntry) -> bool {
    pod.record.phase == Phase::Pending && pod.stated.node.is_none()
}
