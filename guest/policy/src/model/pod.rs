//! Pods, and what is placed like a pod.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::contract::PodTemplate;

use super::{BudgetIx, ClassIx, InterPodIx, JobIx, NodeIx, PodIx, QueueIx, Request, ShapeIx, Symbol};

/// No pods.
pub static NO_PODS: BTreeSet<PodIx> = BTreeSet::new();

/// The hash of the controller of a pod that has none.
pub const NO_CONTROLLER: u32 = 0;

/// What an entry stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// A pod.
    Pod,
    /// A reservation that is placed as if it were a pod.
    Reservation,
}

/// The name of a pod; its order breaks every tie between pods.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PodName {
    /// What it names.
    pub kind: Kind,
    /// The namespace.
    pub namespace: String,
    /// The name within it.
    pub name: String,
}

impl fmt::Display for PodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Pod => write!(f, "{}/{}", self.namespace, self.name),
            Kind::Reservation => write!(f, "Reservation/{}", self.name),
        }
    }
}

/// Where a pod is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It waits for a node and holds nothing.
    Pending,
    /// It has been reserved this node and is not bound yet.
    Reserved(NodeIx),
    /// It is bound to this node.
    Bound(NodeIx),
    /// It has ended and holds nothing.
    Finished,
    /// A plan under trial evicts it. It holds nothing, does not wait for a node, and no nomination of it counts. Outside of a trial no
    /// pod is here.
    Evicted,
}

impl Place {
    /// The node whose room it holds.
    pub fn node(self) -> Option<NodeIx> {
        match self {
            Place::Reserved(node) | Place::Bound(node) => Some(node),
            Place::Pending | Place::Finished | Place::Evicted => None,
        }
    }
}

/// Whether a pod may be evicted, and so how it counts against its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preemptibility {
    /// It may be preempted; its queue may hold it beyond what is guaranteed.
    Preemptible,
    /// It may not be preempted and is held within what is guaranteed.
    NonPreemptible,
}

impl Preemptibility {
    /// Both.
    pub const ALL: [Preemptibility; 2] = [Preemptibility::Preemptible, Preemptibility::NonPreemptible];
}

/// What a system reads off a pod's labels, annotations and fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodAttributes {
    /// How important it is; more is more.
    pub priority: i32,
    /// The queue that the pod names itself, whether there is such a queue or not.
    pub queue_name: Option<Symbol>,
    /// The job it belongs to; none: a job of its own.
    pub job: Option<JobIx>,
    /// How it counts against its queue, and whether it may be a victim.
    pub preemptibility: Preemptibility,
    /// Whether others may be preempted for it.
    pub may_preempt: bool,
    /// It said that it is not to be a victim.
    pub opted_out: bool,
    /// The name of the reservation whose room it uses.
    pub inside: Option<Symbol>,
    /// The disruption budgets that cover it.
    pub budgets: Vec<BudgetIx>,
    /// Somebody was asked to delete it.
    pub marked: bool,
    /// A label or an annotation by which the pod demands a placement that no law judges, a JSON pointer.
    pub unjudged: Option<&'static str>,
    /// What it is within its job.
    pub task: Task,
}

/// What a pod is within its job, where its system tells tasks apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Task {
    /// Its role; none where it has none.
    pub role: Option<Symbol>,
    /// Its number within its role.
    pub index: Option<u32>,
    /// How long nobody may evict it after it was placed, in nanoseconds.
    pub cooldown: Option<i64>,
    /// The cluster itself depends on it: nobody may evict it.
    pub critical: bool,
    /// It has ended well and counts for its gang forever.
    pub succeeded: bool,
}

/// A pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pod {
    /// Its name.
    pub name: PodName,
    /// Its uid; may be empty.
    pub uid: String,
    /// Its place among the names of all pods.
    pub rank: u64,
    /// Its namespace.
    pub namespace: Symbol,
    /// When it was created, nanoseconds since 1970.
    pub created: i64,
    /// When it became known, nanoseconds since 1970.
    pub entered: i64,
    /// When it started, nanoseconds since 1970.
    pub started: Option<i64>,
    /// When it was placed, nanoseconds since 1970.
    pub scheduled: Option<i64>,
    /// What it asks for.
    pub request: Request,
    /// Which nodes it may run on.
    pub shape: ShapeIx,
    /// What stands between it and other pods; none where nothing does.
    pub inter_pod: Option<InterPodIx>,
    /// The class of pods that ask for the same, may run on the same nodes and have the same between them and others.
    pub class: ClassIx,
    /// What it has in common with the other pods of its controller, as the host gave it.
    pub template: Arc<PodTemplate>,
    /// The hash of the name of its controller, [`NO_CONTROLLER`] where it has none: pods of a controller are looked for by it.
    pub controller_hash: u32,
    /// How often its job was evicted, as far as the policy knows.
    pub past_evictions: u32,
    /// It belongs to a DaemonSet.
    pub daemon: bool,
    /// The one node it may run on, where it says so.
    pub required_node: Option<NodeIx>,
    /// Where it is.
    pub place: Place,
    /// Where it is to be once victims have left.
    pub nominated: Option<NodeIx>,
    /// It is being deleted.
    pub terminating: bool,
    /// It is being deleted because a scheduler preempted it.
    pub preempted: bool,
    /// Another scheduler decides about it.
    pub foreign: bool,
    /// It has scheduling gates.
    pub gated: bool,
    /// What its system says of it.
    pub attributes: PodAttributes,
    /// The queue it counts against.
    pub queue: Option<QueueIx>,
}

impl Pod {
    /// How important it is; more is more.
    pub fn priority(&self) -> i32 {
        self.attributes.priority
    }

    /// Returns its controller: namespace, kind and name.
    pub fn controller(&self) -> Option<[&str; 3]> {
        let owner = self.template.owner.as_ref()?;
        Some([&self.template.namespace, &owner.kind, &owner.name])
    }

    /// It is beyond the minimum of its job, in a system of elastic jobs: such pods are what is preemptible there.
    pub fn is_elastic(&self) -> bool {
        self.attributes.preemptibility == Preemptibility::Preemptible
    }

    /// Nobody may evict it before this moment, nanoseconds since 1970.
    pub fn protected_until(&self) -> Option<i64> {
        let (placed, cooldown) = self.scheduled.zip(self.attributes.task.cooldown)?;
        Some(placed.saturating_add(cooldown))
    }

    /// It holds its node only until it is gone: it is being deleted, or somebody was asked to delete it.
    pub fn is_leaving(&self) -> bool {
        self.terminating || self.attributes.marked
    }

    /// The node that is kept for it alone: that of a DaemonSet's pod which may run nowhere else.
    pub fn required_node_reservation(&self) -> Option<NodeIx> {
        self.required_node.filter(|_| self.daemon)
    }

    /// Returns whether nothing stops with it: it is a pod, and of no job.
    pub fn is_alone(&self) -> bool {
        self.name.kind == Kind::Pod && self.attributes.job.is_none()
    }

    /// Returns whether its eviction frees what it requests: it is no reservation, and runs in none.
    pub fn frees_its_request(&self) -> bool {
        self.name.kind == Kind::Pod && self.attributes.inside.is_none()
    }

    /// It waits for a node.
    pub fn is_pending(&self) -> bool {
        self.place == Place::Pending && !self.terminating
    }

    /// The policy decides about it now: it has no scheduling gate, and it is no other scheduler's.
    pub fn may_be_tried(&self) -> bool {
        !self.gated && !self.foreign
    }

    /// It waits for a node and may be given one.
    pub fn is_schedulable(&self) -> bool {
        self.is_pending() && self.may_be_tried()
    }
}
