//! Pods, and what is placed like a pod.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::contract::PodTemplate;

use super::{BudgetIx, ClassIx, InterPodIx, JobIx, NameId, NodeIx, PodIx, QueueIx, ResourceRequest, ShapeIx};

/// No pods.
pub static NO_PODS: BTreeSet<PodIx> = BTreeSet::new();

/// The controller hash of a pod without a controller.
pub const NO_CONTROLLER: u32 = 0;

/// The kind of a placed object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PodKind {
    /// A pod.
    Pod,
    /// A reservation that is placed as if it were a pod.
    Reservation,
}

/// The name of a pod; its order breaks every tie between pods.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PodName {
    /// The kind of the named object.
    pub kind: PodKind,
    /// The namespace.
    pub namespace: String,
    /// The name within it.
    pub name: String,
}

impl fmt::Display for PodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            PodKind::Pod => write!(f, "{}/{}", self.namespace, self.name),
            PodKind::Reservation => write!(f, "Reservation/{}", self.name),
        }
    }
}

/// The place of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PodLocation {
    /// The pod waits for a node and uses nothing.
    Pending,
    /// The pod has this node reserved and is not bound yet.
    Reserved(NodeIx),
    /// The pod is bound to this node.
    Bound(NodeIx),
    /// The pod has ended and uses nothing.
    Finished,
    /// A trial evicts the pod. It uses nothing, does not wait for a node, and its nomination does not count. Outside of a trial no pod is in this
    /// state.
    Evicted,
}

impl PodLocation {
    /// Returns the node whose capacity the pod uses. `None`: it uses none.
    pub fn node(self) -> Option<NodeIx> {
        match self {
            PodLocation::Reserved(node) | PodLocation::Bound(node) => Some(node),
            PodLocation::Pending | PodLocation::Finished | PodLocation::Evicted => None,
        }
    }
}

/// A class of pods: those that may be evicted or those that may not. The class decides how a pod counts against its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preemptibility {
    /// The pod may be preempted. Its queue may use it beyond the guarantee.
    Preemptible,
    /// The pod may not be preempted. It must fit into the guarantee of its queue.
    NonPreemptible,
}

impl Preemptibility {
    /// Both kinds.
    pub const ALL: [Preemptibility; 2] = [Preemptibility::Preemptible, Preemptibility::NonPreemptible];
}

/// The attributes that a system reads from the labels, annotations and fields of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodAttributes {
    /// The priority; the highest is the most important.
    pub priority: i32,
    /// The queue that the pod names, even if there is no such queue.
    pub queue_name: Option<NameId>,
    /// The job of the pod. `None`: the pod is a job of its own.
    pub job: Option<JobIx>,
    /// Whether the pod may be a victim, and so how it counts against its queue.
    pub preemptibility: Preemptibility,
    /// Whether others may be preempted for the pod.
    pub may_preempt: bool,
    /// Whether the pod declares that it may not be a victim.
    pub opted_out: bool,
    /// The name of the reservation that the pod uses.
    pub reservation: Option<NameId>,
    /// The disruption budgets that cover it.
    pub budgets: Vec<BudgetIx>,
    /// Whether the pod is marked for deletion by a label.
    pub marked_for_eviction: bool,
    /// A label or an annotation, as a JSON pointer, that demands a placement which no law judges.
    pub unsupported_field: Option<&'static str>,
    /// The role of the pod within its job.
    pub task: TaskAttributes,
}

/// The role of a pod within its job, where its system distinguishes tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskAttributes {
    /// The role. `None`: it has none.
    pub role: Option<NameId>,
    /// The index of the pod within its role.
    pub index: Option<u32>,
    /// The time for which the pod must not be evicted after it was placed, in nanoseconds.
    pub cooldown: Option<i64>,
    /// Whether the cluster itself depends on the pod, so that it must not be evicted.
    pub critical: bool,
    /// Whether the pod has ended well, so that it counts for its gang forever.
    pub succeeded: bool,
}

/// A pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodInfo {
    /// Its name.
    pub name: PodName,
    /// Its uid; may be empty.
    pub uid: String,
    /// The position of its name among the names of all pods.
    pub rank: u64,
    /// Its namespace.
    pub namespace: NameId,
    /// When it was created, nanoseconds since 1970.
    pub created: i64,
    /// The time when the pod became known, in nanoseconds since 1970.
    pub entered: i64,
    /// The time when the pod started, in nanoseconds since 1970.
    pub started: Option<i64>,
    /// The time when the pod was placed, in nanoseconds since 1970.
    pub scheduled: Option<i64>,
    /// The amounts that the pod requests.
    pub request: ResourceRequest,
    /// The shape: which nodes the pod may run on.
    pub shape: ShapeIx,
    /// The constraints between the pod and others. `None`: there are none.
    pub inter_pod: Option<InterPodIx>,
    /// The class of pods with the same request, nodes and constraints between pods.
    pub class: ClassIx,
    /// The part that the pod shares with the other pods of its controller, as the host sent it.
    pub template: Arc<PodTemplate>,
    /// The hash of the name of its controller, [`NO_CONTROLLER`] without one. Pods of a controller are found by it.
    pub controller_hash: u32,
    /// The number of evictions of its job, as far as the policy knows.
    pub past_evictions: u32,
    /// Whether the pod belongs to a DaemonSet.
    pub daemon: bool,
    /// The one node that the pod may run on, if it demands one.
    pub required_node: Option<NodeIx>,
    /// The place of the pod.
    pub location: PodLocation,
    /// The node that the pod is to get once victims have left.
    pub nominated: Option<NodeIx>,
    /// Whether the pod is being deleted.
    pub terminating: bool,
    /// Whether the pod is being deleted because a scheduler preempted it.
    pub preempted: bool,
    /// Whether another scheduler decides about the pod.
    pub foreign: bool,
    /// Whether the pod has scheduling gates.
    pub gated: bool,
    /// The attributes that its system reads.
    pub attributes: PodAttributes,
    /// The queue that the pod counts against.
    pub queue: Option<QueueIx>,
}

impl PodInfo {
    /// Returns the priority; the highest is the most important.
    pub fn priority(&self) -> i32 {
        self.attributes.priority
    }

    /// Returns the controller of the pod: namespace, kind and name. `None`: it has none.
    pub fn controller(&self) -> Option<[&str; 3]> {
        let owner = self.template.owner.as_ref()?;
        Some([&self.template.namespace, &owner.kind, &owner.name])
    }

    /// Checks whether the pod is beyond the minimum of its elastic job. Such pods are the preemptible ones in a system of elastic jobs.
    pub fn is_preemptible(&self) -> bool {
        self.attributes.preemptibility == Preemptibility::Preemptible
    }

    /// Returns the moment before which the pod must not be evicted, in nanoseconds since 1970. `None`: the pod has no such protection.
    pub fn protected_until(&self) -> Option<i64> {
        let (placed, cooldown) = self.scheduled.zip(self.attributes.task.cooldown)?;
        Some(placed.saturating_add(cooldown))
    }

    /// Checks whether the pod uses its node only until it is gone: it is being deleted, or is marked for deletion.
    pub fn is_leaving(&self) -> bool {
        self.terminating || self.attributes.marked_for_eviction
    }

    /// Returns the node that is kept for this pod of a DaemonSet, which may run nowhere else. `None`: no node is kept for it.
    pub fn pinned_daemon_node(&self) -> Option<NodeIx> {
        self.required_node.filter(|_| self.daemon)
    }

    /// Returns whether no other pod stops with the pod: it is no reservation, and is of no job.
    pub fn is_alone(&self) -> bool {
        self.name.kind == PodKind::Pod && self.attributes.job.is_none()
    }

    /// Returns whether the eviction of the pod frees what it requests: it is no reservation, and is inside none.
    pub fn frees_its_request(&self) -> bool {
        self.name.kind == PodKind::Pod && self.attributes.reservation.is_none()
    }

    /// Checks whether the pod waits for a node.
    pub fn is_pending(&self) -> bool {
        self.location == PodLocation::Pending && !self.terminating
    }

    /// Checks whether the policy may decide about the pod now: it has no scheduling gate, and is no other scheduler's pod.
    pub fn is_ungated_and_own(&self) -> bool {
        !self.gated && !self.foreign
    }

    /// Checks whether the pod waits for a node and may be given one.
    pub fn is_schedulable(&self) -> bool {
        self.is_pending() && self.is_ungated_and_own()
    }
}
