//! Pods, and what is placed like a pod.

mod controller;
mod requirements;
mod state;
mod times;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::contract::PodTemplate;

use super::{BudgetIx, JobIx, NameId, NodeIx, PodIx, QueueIx, ResourceRequest};
pub use controller::{NO_CONTROLLER, PodController};
pub use requirements::PodRequirements;
pub use state::{PodLocation, PodState};
pub use times::PodTimes;

/// No pods.
pub static NO_PODS: BTreeSet<PodIx> = BTreeSet::new();

/// The kind of a placed object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PodKind {
    /// A pod.
    Pod,
    /// A reservation that is placed as if it were a pod.
    Reservation,
}

/// The name of a pod; its order breaks every tie between pods. The ranks of the pods have it, too, so a copy shares its texts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PodName {
    /// The kind of the named object.
    pub kind: PodKind,
    /// The namespace.
    pub namespace: Arc<str>,
    /// The name within it.
    pub name: Arc<str>,
}

impl fmt::Display for PodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            PodKind::Pod => write!(f, "{}/{}", self.namespace, self.name),
            PodKind::Reservation => write!(f, "Reservation/{}", self.name),
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
    /// Its times.
    pub times: PodTimes,
    /// Its requirements: the demands on the node that it runs on.
    pub requirements: PodRequirements,
    /// The part that the pod shares with the other pods of its controller, as the host sent it.
    pub template: Arc<PodTemplate>,
    /// Its controller.
    pub controller: PodController,
    /// The number of evictions of its job, as far as the policy knows.
    pub past_evictions: u32,
    /// Its state.
    pub state: PodState,
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

    /// Returns the amounts that the pod requests.
    pub fn request(&self) -> &ResourceRequest {
        &self.requirements.request
    }

    /// Returns the node whose capacity the pod uses. `None`: it uses none.
    pub fn node(&self) -> Option<NodeIx> {
        self.state.location.node()
    }

    /// Returns the name of the controller of the pod: namespace, kind and name. `None`: it has none.
    pub fn controller_name(&self) -> Option<[&str; 3]> {
        let owner = self.template.owner.as_ref()?;
        Some([&self.template.namespace, &owner.kind, &owner.name])
    }

    /// Checks whether the pod is beyond the minimum of its elastic job. Such pods are the preemptible ones in a system of elastic jobs.
    pub fn is_preemptible(&self) -> bool {
        self.attributes.preemptibility == Preemptibility::Preemptible
    }

    /// Returns the moment before which the pod must not be evicted, in nanoseconds since 1970. `None`: the pod has no such protection.
    pub fn protected_until(&self) -> Option<i64> {
        let (placed, cooldown) = self.times.scheduled.zip(self.attributes.task.cooldown)?;
        Some(placed.saturating_add(cooldown))
    }

    /// Checks whether the pod uses its node only until it is gone: it is being deleted, or is marked for deletion.
    pub fn is_leaving(&self) -> bool {
        self.state.terminating || self.attributes.marked_for_eviction
    }

    /// Returns the node that is kept for this pod of a DaemonSet, which may run nowhere else. `None`: no node is kept for it.
    pub fn pinned_daemon_node(&self) -> Option<NodeIx> {
        self.requirements.required_node.filter(|_| self.controller.is_daemon_set)
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
        self.state.location == PodLocation::Pending && !self.state.terminating
    }

    /// Checks whether the policy may decide about the pod now: it has no scheduling gate, and is no other scheduler's pod.
    pub fn is_ungated_and_own(&self) -> bool {
        !self.state.gated && !self.state.foreign
    }

    /// Checks whether the pod waits for a node and may be given one.
    pub fn is_schedulable(&self) -> bool {
        self.is_pending() && self.is_ungated_and_own()
    }
}
