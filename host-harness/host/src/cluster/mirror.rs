//! The authoritative picture of the cluster, from which the policy is told what changes.

mod assumed;
mod attributes;
mod change;
mod classes;
mod events;
mod inter_pod;
mod ledger;
mod load;
mod nodes;
mod objects;
mod parts;
mod placed;
mod pods;
mod removal;
mod resolve;
mod resources;
mod shared;
mod upsert;
mod volumes;

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::*;

use super::eligibility::Shapes;
use super::volumes::Volumes;
use super::{Ineligible, InputError};
use assumed::Assumed;
use attributes::{Fields, Filter};
use classes::Classes;
use inter_pod::InterPods;
use nodes::Nodes;
use objects::Objects;
use placed::PlacedKinds;
use pods::Pods;
use resources::Resources;
use shared::Shared;
use volumes::VolumeBooks;

pub use assumed::Shown;
pub use change::Change;
pub(crate) use inter_pod::{ALL_NODES, Between};
pub(crate) use parts::{Part, Reached};
pub use placed::Unread;

/// The cluster as the host knows it.
#[derive(Debug)]
pub struct Mirror {
    labels: Filter,
    /// The numbers of those labels that mean that a pod is leaving.
    leaving_labels: BTreeSet<u32>,
    annotations: Filter,
    /// The fields of pods that the policy reads: JSON pointers.
    pod_fields: Fields,
    node_labels: Filter,
    /// The schedulers whose pods the policy decides about; none: all.
    schedulers: Option<BTreeSet<String>>,
    clock: i64,
    /// The time that the policy was told.
    told_clock: i64,
    resources: Resources,
    nodes: Nodes,
    shapes: Shapes,
    pods: Pods,
    label_sets: Shared<BTreeMap<String, String>>,
    /// The pods of which more is assumed than the cluster shows.
    assumed: BTreeMap<PodId, Assumed>,
    seen_again: BTreeSet<PodId>,
    classes: Classes,
    placed: PlacedKinds,
    volumes: Volumes,
    volume_books: VolumeBooks,
    /// Pods whose volumes are to be looked at.
    unresolved: BTreeSet<PodId>,
    inter_pods: InterPods,
    objects: Objects,
    /// Objects of placed kinds that could not be read.
    unread: Vec<Unread>,
    ignored: BTreeMap<String, usize>,
    replaced: Vec<InputError>,
}

impl Mirror {
    /// An empty cluster, for a policy that wants to be told this much. The clock stands at 0.
    pub fn new(interests: Interests) -> Mirror {
        Mirror {
            labels: Filter::new(&interests.labels, true),
            leaving_labels: leaving(&interests),
            annotations: Filter::new(&interests.annotations, false),
            placed: PlacedKinds::new(&interests),
            objects: Objects::new(&interests),
            unread: Vec::new(),
            pod_fields: Fields::new(interests.pod_fields),
            node_labels: Filter::new(&interests.node_labels, false),
            schedulers: None,
            clock: 0,
            told_clock: 0,
            resources: Resources::new(),
            nodes: Nodes::default(),
            shapes: Shapes::default(),
            pods: Pods::default(),
            label_sets: Shared::default(),
            assumed: BTreeMap::new(),
            seen_again: BTreeSet::new(),
            classes: Classes::new(),
            volumes: Volumes::default(),
            volume_books: VolumeBooks::default(),
            unresolved: BTreeSet::new(),
            inter_pods: InterPods::default(),
            ignored: BTreeMap::new(),
            replaced: Vec::new(),
        }
    }

    /// From here on the policy decides about the pods of these schedulers (`spec.schedulerName`), and of no other. Before, it decides
    /// about all pods.
    pub fn set_schedulers(&mut self, names: impl IntoIterator<Item = String>) {
        self.schedulers = Some(names.into_iter().collect());
        let pods: Vec<PodId> = self.pods.all().map(|entry| entry.record.id).collect();
        for pod in pods {
            self.pods.change(pod, |entry| entry.resolve_scheduler(self.schedulers.as_ref()));
        }
    }

    /// Whether a pod has volumes that say where it can run.
    pub fn has_claims(&self, pod: PodId) -> bool {
        self.pods.get(pod).is_some_and(volumes::has_volumes)
    }

    /// Returns whether a pod is nominated, also where the node that is named is gone.
    pub fn is_nominated(&self, pod: PodId) -> bool {
        self.pods.get(pod).is_some_and(|entry| entry.stated.nominated.is_some())
    }

    /// The scheduling gates of a pod, by name.
    pub fn gates(&self, pod: PodId) -> &[String] {
        self.pods.get(pod).map(|entry| entry.stated.gates.as_slice()).unwrap_or_default()
    }

    /// The time.
    pub fn now(&self) -> i64 {
        self.clock
    }

    /// Moves the clock forward; an earlier time changes nothing.
    pub fn set_clock(&mut self, now: i64) {
        self.clock = self.clock.max(now);
    }

    /// The number of the pod of this name: `namespace/name`, or `Kind/name` or `Kind/namespace/name` of what is placed like one.
    pub fn pod_id(&self, name: &str) -> Option<PodId> {
        self.pods.id(name)
    }

    /// The name of a pod, as `pod_id` takes it; also of one that is gone.
    pub fn pod_name(&self, pod: PodId) -> Option<&str> {
        self.pods.name(pod)
    }

    /// The number of the node of this name.
    pub fn node_id(&self, name: &str) -> Option<NodeId> {
        self.nodes.id(name)
    }

    /// A pod as the policy is told of it.
    pub fn pod(&self, pod: PodId) -> Option<&Pod> {
        self.pods.get(pod).map(|entry| &entry.record)
    }

    /// Whether a pod has a label that means, in this system, that somebody was asked to evict it.
    pub fn is_marked(&self, pod: &Pod) -> bool {
        !self.leaving_labels.is_empty()
            && pod.template.labels.iter().any(|label| self.leaving_labels.contains(&label.key))
    }

    /// Returns whether a label can mean, in this system, that somebody was asked to evict its pod.
    pub fn has_leaving_labels(&self) -> bool {
        !self.leaving_labels.is_empty()
    }

    /// A node as the policy is told of it.
    pub fn node(&self, node: NodeId) -> Option<&Node> {
        self.nodes.get(node).map(|entry| &entry.record)
    }

    /// All pods, by number.
    pub fn pods(&self) -> impl Iterator<Item = &Pod> {
        self.pods.all().map(|entry| &entry.record)
    }

    /// All nodes, by number.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.all().map(|entry| &entry.record)
    }

    /// How many numbers of nodes were given, also of nodes that are gone.
    pub fn node_numbers(&self) -> usize {
        self.nodes.numbers()
    }

    /// The resources that amounts name, by number.
    pub fn resources(&self) -> &[Resource] {
        self.resources.all()
    }

    /// Whether a pod may run on a node as far as that depends on no other pod. The reason is in kube-scheduler's words.
    pub fn eligible(&self, pod: PodId, node: NodeId) -> Result<(), Ineligible> {
        let unknown = Ineligible::Unknown;
        let pod = self.pods.get(pod).ok_or_else(|| unknown("pod"))?;
        let node = self.nodes.get(node).ok_or_else(|| unknown("node"))?;
        if self.shapes.takes(pod.record.shape, node.record.id) {
            return Ok(());
        }
        let constraints = self.shapes.constraints(pod.record.shape).ok_or_else(|| unknown("shape"))?;
        constraints.judge(&node.terrain)
    }

    /// How many objects were not mirrored since the policy declared no interest in their kind, by `apps/v1 Deployment`.
    pub fn ignored(&self) -> &BTreeMap<String, usize> {
        &self.ignored
    }
}

/// The numbers of the labels that mean that a pod is leaving. All labels together have one number, which means nothing.
fn leaving(interests: &Interests) -> BTreeSet<u32> {
    let means = |label: &String| label != "*" && interests.leaving_labels.contains(label);
    (0..).zip(&interests.labels).filter(|(_, label)| means(label)).map(|(number, _)| number).collect()
}

#[cfg(test)]
mod tests;
