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
const RESOURCE_CLAIM_REMEDY: &str =
    "leave the pod to a scheduler that allocates resource claims, by its `schedulerName`";

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
            KubernetesObject { id, location: place, body: Body::Pod(facts) } => {
                let (pod, before) = self.upsert_pod(*facts, place.clone());
                if before.is_some_and(|before| seen.pods.contains(&before)) {
                    self.warn_duplicate(&id.key(), &place);
                }
                seen.pods.insert(pod);
            }
            object => {
                if self.is_mirrored(&object) && !seen.others.insert(StoredObjectKey::of(&object.id)) {
                    self.warn_duplicate(&object.key(), &object.location);
                }
                self.upsert(object);
            }
        }
    }

    fn warn_duplicate(&mut self, object: &str, place: &SourceLocation) {
        let message = format!("`{object}` is there for the second time; the first is replaced");
        self.findings.replaced.push(place.warning(message, "remove one of the two"));
    }

    /// Returns the warnings about the dump: objects that occur twice, and pods whose node, class, claim or namespaces are missing or not judged.
    pub fn warnings(&self) -> Vec<InputError> {
        let mut warnings = self.findings.replaced.clone();
        for pod in self.pods.all() {
            warnings.extend(self.missing_node(pod));
            warnings.extend(self.missing_class(pod));
            warnings.extend(self.missing_claim(pod));
            warnings.extend(self.unchecked_resource_claims(pod));
        }
        warnings.extend(self.missing_namespaces());
        warnings
    }

    fn label(&self, pod: &PodEntry) -> &str {
        self.pod_name(pod.record.id).unwrap_or_default()
    }

    fn missing_node(&self, pod: &PodEntry) -> Option<InputError> {
        let name = pod.declared.node.as_deref()?;
        let ended = matches!(pod.record.phase, Phase::Succeeded | Phase::Failed);
        if ended || pod.record.node.is_some() {
            return None;
        }
        let message =
            format!("`{}` runs on node `{name}`, which is not there; it counts as running on none", self.label(pod));
        Some(pod.location.warning(message, "add the node"))
    }

    /// Returns the warning about a pending pod whose claim is missing. A dump of pods and nodes alone has no claims.
    fn missing_claim(&self, pod: &PodEntry) -> Option<InputError> {
        let is_lost = |claim: &&String| {
            !self.volumes.known.contains("PersistentVolumeClaim", &pod.record.template.namespace, claim)
        };
        let claim = pod.declared.volumes.claims.iter().find(is_lost).filter(|_| is_waiting(pod))?;
        let message = format!("`{}` names claim `{claim}`, which is not there: no node takes the pod", self.label(pod));
        Some(pod.location.warning(message, "add persistentvolumeclaims, persistentvolumes, storageclasses, csinodes, csidrivers and csistoragecapacities to the dump"))
    }

    /// Returns the warning about a pending pod that requests devices which claims allocate. No node takes a pod with a claim.
    fn unchecked_resource_claims(&self, pod: &PodEntry) -> Option<InputError> {
        let constraints = self.shared.shapes.constraints(pod.record.shape).filter(|_| is_waiting(pod))?;
        if let Some(claim) = constraints.resource_claims.first() {
            let message = format!(
                "`{}` has the resource claim `{claim}`, which is not judged: no node takes the pod",
                self.label(pod)
            );
            return Some(pod.location.warning(message, RESOURCE_CLAIM_REMEDY));
        }
        let requested = |resource: &str| {
            let at = self.resources.all().iter().position(|known| known.name == resource);
            pod.record.template.requests.iter().any(|amount| Some(amount.resource as usize) == at && amount.value > 0)
        };
        let (class, resource) = self.volumes.known.devices.iter().find(|(_, resource)| requested(resource))?;
        let message = format!(
            "`{}` requests `{resource}`, which device class `{class}` allocates by claims: only nodes that list it take the pod",
            self.label(pod)
        );
        Some(pod.location.warning(message, RESOURCE_CLAIM_REMEDY))
    }

    /// Returns the warning about the first pod that chooses namespaces by label where the dump has no Namespace.
    fn missing_namespaces(&self) -> Option<InputError> {
        let asks = |demands: &PodDemands| {
            let terms = demands.affinity.iter().chain(&demands.anti_affinity);
            terms.into_iter().any(|term| term.pods.reads_namespace_labels())
        };
        let ended = |pod: &PodEntry| matches!(pod.record.phase, Phase::Succeeded | Phase::Failed);
        let mut pods = self.pods.all().filter(|pod| pod.declared.demands.as_deref().is_some_and(asks));
        let first = pods.find(|pod| !ended(pod))?;
        let message = format!(
            "`{}` chooses namespaces by label, and no Namespace is there: its anti-affinity counts every namespace in, its affinity \
             only those that it names",
            self.label(first)
        );
        let remedy = "add the namespaces to the dump (`kubectl get namespaces`)";
        self.inter_pods.namespaces.is_empty().then(|| first.location.warning(message, remedy))
    }

    fn missing_class(&self, pod: &PodEntry) -> Option<InputError> {
        let class = &pod.record.template.priority_class;
        if pod.declared.priority.is_some() || class.is_empty() || self.preemption.classes.get(class).is_some() {
            return None;
        }
        let message = format!("`{}` names priority class `{class}`, which is not there", self.label(pod));
        Some(pod.location.warning(message, "add the class, or write the priority"))
    }
}

/// Returns whether a pod is pending and names no node.
fn is_waiting(pod: &PodEntry) -> bool {
    pod.record.phase == Phase::Pending && pod.declared.node.is_none()
}
