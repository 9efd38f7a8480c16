//! The mirror: the authoritative picture of the cluster, from which the events for the policy are made.

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
mod rails;
mod removal;
mod resolve;
mod resources;
mod shared;
mod upsert;
mod volumes;

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::*;

use super::budgets::EvictionBudgets;
use super::eligibility::Shapes;
use super::volumes::Volumes;
use super::{Ineligible, InputError};
use crate::rails::Rails;
use assumed::Assumed;
use attributes::{AttributeFilter, PodFieldInterests};
use classes::PriorityClassTable;
use inter_pod::InterPodIndex;
use nodes::NodeTable;
use objects::StoredObjects;
use placed::PlacedKinds;
use pods::PodTable;
use resources::ResourceTable;
use shared::ValueInterner;
use volumes::VolumeUsage;

pub use assumed::ChangeVisibility;
pub use change::PodChange;
pub(crate) use inter_pod::{ALL_NODES, InterPodTerms, SpreadTerm};
pub(crate) use parts::{ReplayChunk, ReplayPosition};
pub use placed::InvalidObject;

/// The cluster as the host knows it. Plans in flight are laid over the objects that the cluster shows.
#[derive(Debug)]
pub struct Mirror {
    scope: PolicyScope,
    clock: MirrorClock,
    resources: ResourceTable,
    nodes: NodeTable,
    pods: PodTable,
    shared: SharedPodValues,
    assumed: AssumedChanges,
    preemption: PreemptionObjects,
    volumes: MirroredVolumes,
    inter_pods: InterPodIndex,
    objects: StoredObjects,
    findings: MirrorFindings,
}

/// The objects and fields that the policy reads, and the pods that the policy decides about.
#[derive(Debug)]
struct PolicyScope {
    labels: AttributeFilter,
    /// The numbers of the labels that mean that a pod is being evicted.
    eviction_labels: BTreeSet<u32>,
    annotations: AttributeFilter,
    /// The fields of pods that the policy reads: JSON pointers.
    pod_fields: PodFieldInterests,
    node_labels: AttributeFilter,
    /// The kinds other than pods that take capacity of nodes.
    placed: PlacedKinds,
    /// The schedulers whose pods the policy decides about. `None`: all schedulers.
    schedulers: Option<BTreeSet<String>>,
    rails: Rails,
}

/// The time of the cluster, in nanoseconds since 1970.
#[derive(Debug, Default)]
struct MirrorClock {
    now: i64,
    /// The time that the policy last received.
    sent: i64,
}

/// The objects that say which pods may be evicted for which: priority classes, and PodDisruptionBudgets.
#[derive(Debug, Default)]
struct PreemptionObjects {
    classes: PriorityClassTable,
    budgets: EvictionBudgets,
}

/// The values that many pods share, each stored once.
#[derive(Debug, Default)]
struct SharedPodValues {
    shapes: Shapes,
    label_sets: ValueInterner<BTreeMap<String, String>>,
}

/// The changes that the session has requested, and the cluster may not show yet.
#[derive(Debug, Default)]
struct AssumedChanges {
    /// The pods with changes that are assumed but not yet seen in the cluster.
    by_pod: BTreeMap<PodId, Assumed>,
    reobserved: BTreeSet<PodId>,
}

/// The volumes of the cluster, and the pods that use them.
#[derive(Debug, Default)]
struct MirroredVolumes {
    known: Volumes,
    usage: VolumeUsage,
    /// Pods whose volumes are still to be resolved.
    unresolved: BTreeSet<PodId>,
}

/// The objects that were not taken as they are.
#[derive(Debug, Default)]
struct MirrorFindings {
    /// Objects of placed kinds that could not be read.
    invalid: Vec<InvalidObject>,
    ignored: BTreeMap<String, usize>,
    replaced: Vec<InputError>,
}

impl PolicyScope {
    fn new(interests: Interests) -> PolicyScope {
        PolicyScope {
            labels: AttributeFilter::new(&interests.labels, true),
            eviction_labels: eviction_label_numbers(&interests),
            annotations: AttributeFilter::new(&interests.annotations, false),
            placed: PlacedKinds::new(&interests),
            node_labels: AttributeFilter::new(&interests.node_labels, false),
            schedulers: None,
            rails: Rails::default(),
            pod_fields: PodFieldInterests::new(interests.pod_fields),
        }
    }
}

impl Mirror {
    /// Creates an empty cluster for a policy with these interests. The clock starts at 0.
    pub fn new(interests: Interests) -> Mirror {
        Mirror {
            objects: StoredObjects::new(&interests),
            scope: PolicyScope::new(interests),
            clock: MirrorClock::default(),
            resources: ResourceTable::new(),
            nodes: NodeTable::default(),
            pods: PodTable::default(),
            shared: SharedPodValues::default(),
            assumed: AssumedChanges::default(),
            preemption: PreemptionObjects::default(),
            volumes: MirroredVolumes::default(),
            inter_pods: InterPodIndex::default(),
            findings: MirrorFindings::default(),
        }
    }

    /// Restricts the policy to the pods of these schedulers (`spec.schedulerName`). Before the first call, the policy decides about all pods.
    pub fn set_schedulers(&mut self, names: impl IntoIterator<Item = String>) {
        self.scope.schedulers = Some(names.into_iter().collect());
        let pods: Vec<PodId> = self.pods.all().map(|entry| entry.record.id).collect();
        for pod in pods {
            self.pods.change(pod, |entry| entry.resolve_scheduler(self.scope.schedulers.as_ref()));
        }
    }

    /// Returns whether a pod has volumes that restrict where it can run.
    pub fn has_claims(&self, pod: PodId) -> bool {
        self.pods.get(pod).is_some_and(volumes::has_volumes)
    }

    /// Returns whether a pod is nominated. A pod stays nominated where the nominated node does not exist any more.
    pub fn is_nominated(&self, pod: PodId) -> bool {
        self.pods.get(pod).is_some_and(|entry| entry.declared.nominated.is_some())
    }

    /// Returns the names of the scheduling gates of a pod. Empty: the pod has no gates or does not exist.
    pub fn gates(&self, pod: PodId) -> &[String] {
        self.pods.get(pod).map(|entry| entry.declared.gates.as_slice()).unwrap_or_default()
    }

    /// Returns the time, in nanoseconds since 1970.
    pub fn now(&self) -> i64 {
        self.clock.now
    }

    /// Moves the clock forward. An earlier time changes nothing.
    pub fn set_clock(&mut self, now: i64) {
        self.clock.now = self.clock.now.max(now);
    }

    /// Returns the number of the pod of this name: `namespace/name`. Another placed object has the name `Kind/name` or `Kind/namespace/name`.
    pub fn pod_id(&self, name: &str) -> Option<PodId> {
        self.pods.id(name)
    }

    /// Returns the name of a pod in the format of `pod_id`, also for a deleted pod. `None`: the number was never given.
    pub fn pod_name(&self, pod: PodId) -> Option<&str> {
        self.pods.name(pod)
    }

    /// Returns the number of the node of this name.
    pub fn node_id(&self, name: &str) -> Option<NodeId> {
        self.nodes.id(name)
    }

    /// Returns a pod in the form that the policy receives. `None`: the pod does not exist.
    pub fn pod(&self, pod: PodId) -> Option<&Pod> {
        self.pods.get(pod).map(|entry| &entry.record)
    }

    /// Returns whether a pod has a label that means, in this system, that its eviction was requested.
    pub fn is_marked(&self, pod: &Pod) -> bool {
        !self.scope.eviction_labels.is_empty()
            && pod.template.labels.iter().any(|label| self.scope.eviction_labels.contains(&label.key))
    }

    /// Returns whether this system has labels that mean that the eviction of a pod was requested.
    pub fn has_eviction_labels(&self) -> bool {
        !self.scope.eviction_labels.is_empty()
    }

    /// Returns a node in the form that the policy receives. `None`: the node does not exist.
    pub fn node(&self, node: NodeId) -> Option<&Node> {
        self.nodes.get(node).map(|entry| &entry.record)
    }

    /// Returns the taints of a node that keep pods away, each as `key=value:effect`. Empty where the node does not exist.
    pub fn taints(&self, node: NodeId) -> Vec<String> {
        let taints = self.nodes.get(node).into_iter().flat_map(|entry| &entry.terrain.taints);
        taints.map(ToString::to_string).collect()
    }

    /// Returns all pods, ordered by number.
    pub fn pods(&self) -> impl Iterator<Item = &Pod> {
        self.pods.all().map(|entry| &entry.record)
    }

    /// Returns all nodes, ordered by number.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.all().map(|entry| &entry.record)
    }

    /// Returns how many node numbers were given, including those of deleted nodes.
    pub fn node_numbers(&self) -> usize {
        self.nodes.numbers()
    }

    /// Returns the resources, in the order of the numbers that amounts use.
    pub fn resources(&self) -> &[Resource] {
        self.resources.all()
    }

    /// Checks whether a pod may run on a node, as far as that is independent of other pods.
    ///
    /// # Errors
    /// The first reason that kube-scheduler would find, or `Unknown` where the pod or the node does not exist.
    pub fn eligible(&self, pod: PodId, node: NodeId) -> Result<(), Ineligible> {
        let unknown = Ineligible::Unknown;
        let pod = self.pods.get(pod).ok_or_else(|| unknown("pod"))?;
        let node = self.nodes.get(node).ok_or_else(|| unknown("node"))?;
        if self.shared.shapes.is_eligible(pod.record.shape, node.record.id) {
            return Ok(());
        }
        let constraints = self.shared.shapes.constraints(pod.record.shape).ok_or_else(|| unknown("shape"))?;
        constraints.check(&node.terrain)
    }

    /// Returns how many objects were not mirrored because the policy declared no interest in their kind. A key looks like `apps/v1 Deployment`.
    pub fn ignored(&self) -> &BTreeMap<String, usize> {
        &self.findings.ignored
    }
}

/// Returns the numbers of the labels that mean that a pod is being evicted. The interest `*` (all labels under one number) never means it.
fn eviction_label_numbers(interests: &Interests) -> BTreeSet<u32> {
    let means = |label: &String| label != "*" && interests.leaving_labels.contains(label);
    (0..).zip(&interests.labels).filter(|(_, label)| means(label)).map(|(number, _)| number).collect()
}

#[cfg(test)]
mod tests;
