//! `wit/cluster.wit`: what the host tells.

mod inter_pod;

use serde::Serialize;

pub use inter_pod::{InterPod, PodAffinity, Topology, TopologySpread, TopologyTerm};

/// Names a node.
pub type NodeId = u32;

/// Names a pod, or an object that is placed like one (see [`PlacedKind`](crate::PlacedKind)).
pub type PodId = u32;

/// Names a shape: all pods of one shape may run on the same nodes.
pub type ShapeId = u32;

/// Names a set of pods, chosen by namespaces and labels. Which pods are in it is said by [`InterPod::selected_by`].
pub type SelectorId = u32;

/// Names a topology: a division of the nodes into domains.
pub type TopologyId = u32;

/// Names what stands between a pod and others: all pods of one are selected by the same and demand the same (see [`InterPod`]).
pub type InterPodId = u32;

/// Names a resource: the index at which `event.resources` announced it.
pub type ResourceId = u32;

/// A resource that requests and allocatable amounts may name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Resource {
    /// The name as Kubernetes writes it, or `hostport/...` for a port of the node, which the host counts as a resource.
    pub name: String,
    /// The amount of every node that does not name the resource itself; 0 but for host ports.
    pub everywhere: i64,
}

/// An amount of one resource.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Amount {
    /// The resource.
    pub resource: ResourceId,
    /// How much of it; never negative.
    pub value: i64,
}

/// A label, an annotation or a field that the policy declared an interest in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attribute {
    /// The key, as its index in the list of interests that named it.
    pub key: u32,
    /// The value as the object has it.
    pub value: String,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Node {
    /// Its number.
    pub id: NodeId,
    /// Its name; unique.
    pub name: String,
    /// What pods may request in sum.
    pub allocatable: Vec<Amount>,
    /// Labels of declared interest (`interests.node-labels`).
    pub labels: Vec<Attribute>,
}

/// Where a pod is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Not running yet.
    Pending,
    /// Running, or about to on its node.
    Running,
    /// Ended well; holds nothing.
    Succeeded,
    /// Ended badly; holds nothing.
    Failed,
    /// Not known; counted as running.
    Unknown,
}

/// The controller that owns a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Owner {
    /// Its kind, such as `ReplicaSet` or `DaemonSet`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
}

/// A pod, or an object that is placed like one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pod {
    /// Its number.
    pub id: PodId,
    /// None for a pod. For an object that is placed like one: its kind, as the index in
    /// [`Interests::placed_kinds`](crate::Interests). The object itself comes as an [`Object`], too.
    pub kind: Option<u32>,
    /// Its namespace.
    pub namespace: String,
    /// Its name; unique with kind and namespace.
    pub name: String,
    /// Its uid; may be empty.
    pub uid: String,
    /// `spec.priority`, or the value of its priority class; none where neither is given.
    pub priority: Option<i32>,
    /// The name of its priority class; may be empty.
    pub priority_class: String,
    /// True where `preemptionPolicy` is `Never`.
    pub never_preempts: bool,
    /// The scheduler it asks for; `default-scheduler` where it names none.
    pub scheduler: String,
    /// Another scheduler decides about it (see [`SystemInfo::schedulers`](crate::SystemInfo::schedulers)): it is not tried, and no
    /// pod is evicted for it. What it holds it holds, and where it is nominated the room is promised to it.
    pub foreign: bool,
    /// It has scheduling gates: it is not tried, and no pod is evicted for it, until they are gone.
    pub gated: bool,
    /// Where it is in its life.
    pub phase: Phase,
    /// The node it is bound to.
    pub node: Option<NodeId>,
    /// The node that an earlier plan nominated it to.
    pub nominated: Option<NodeId>,
    /// The one node that a required node affinity by `metadata.name` allows.
    pub required_node: Option<NodeId>,
    /// It is being deleted.
    pub terminating: bool,
    /// A scheduler preempted it (condition `DisruptionTarget`, reason `PreemptionByScheduler`).
    pub preempted: bool,
    /// When it was created.
    pub created: i64,
    /// When it became known to this host; how long it has been pending counts from here.
    pub entered: i64,
    /// When it started.
    pub started: Option<i64>,
    /// When it was placed (condition `PodScheduled`).
    pub scheduled: Option<i64>,
    /// What it requests, containers, init containers and overhead combined, one `pods` included.
    pub requests: Vec<Amount>,
    /// Its shape.
    pub shape: ShapeId,
    /// What stands between it and other pods; none where no selector selects it and it demands nothing of others.
    pub inter_pod: Option<InterPodId>,
    /// Its controller.
    pub owner: Option<Owner>,
    /// Labels of declared interest (`interests.labels`).
    pub labels: Vec<Attribute>,
    /// Annotations of declared interest (`interests.annotations`).
    pub annotations: Vec<Attribute>,
    /// Fields of declared interest (`interests.pod-fields`) that the object has, each as JSON. They are as the object was last
    /// read: what the host does with the pod itself, such as binding it, shows in the other parts of this record only.
    pub fields: Vec<Attribute>,
}

/// The parts of a pod that change when it is nominated, bound or evicted, and while it runs. They mean what they mean in [`Pod`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PodStatus {
    /// The number of the pod.
    pub id: PodId,
    /// Where it is in its life.
    pub phase: Phase,
    /// The node it is bound to.
    pub node: Option<NodeId>,
    /// The node that an earlier plan nominated it to.
    pub nominated: Option<NodeId>,
    /// It is being deleted.
    pub terminating: bool,
    /// A scheduler preempted it.
    pub preempted: bool,
    /// When it started.
    pub started: Option<i64>,
    /// When it was placed.
    pub scheduled: Option<i64>,
}

impl Pod {
    /// The parts that change while the pod lives.
    pub fn status(&self) -> PodStatus {
        PodStatus {
            id: self.id,
            phase: self.phase,
            node: self.node,
            nominated: self.nominated,
            terminating: self.terminating,
            preempted: self.preempted,
            started: self.started,
            scheduled: self.scheduled,
        }
    }

    /// Replaces these parts; the number stays.
    pub fn set_status(&mut self, status: &PodStatus) {
        let PodStatus { id: _, phase, node, nominated, terminating, preempted, started, scheduled } = *status;
        (self.phase, self.node, self.nominated) = (phase, node, nominated);
        (self.terminating, self.preempted) = (terminating, preempted);
        (self.started, self.scheduled) = (started, scheduled);
    }
}

/// The nodes a shape may run on as far as that depends on no other pod: node name, selector, affinity, taints,
/// unschedulable. Holds until the next event for the shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Eligibility {
    /// The shape.
    pub shape: ShapeId,
    /// One bit a node, by number, lowest bit of the first word first; a missing bit is 0: not eligible.
    pub nodes: Vec<u64>,
}

/// An object other than a pod or a node, of a kind the policy declared an interest in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Object {
    /// API group; empty for the core group.
    pub group: String,
    /// Kind.
    pub kind: String,
    /// Namespace; empty where the kind has none.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// The whole object as JSON.
    pub json: String,
}

/// Names an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ObjectKey {
    /// API group; empty for the core group.
    pub group: String,
    /// Kind.
    pub kind: String,
    /// Namespace; empty where the kind has none.
    pub namespace: String,
    /// Name.
    pub name: String,
}

/// Something that happened in the cluster, or to a plan of the policy.
#[cfg_attr(
    target_pointer_width = "64",
    expect(clippy::large_enum_variant, reason = "nearly every event is a pod: a box would cost each an allocation")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// Announces resources; they take the next free numbers in this order.
    Resources(Vec<Resource>),
    /// A node is new or has changed.
    NodeUpserted(Node),
    /// A node is gone. No pod is bound to it any more.
    NodeRemoved(NodeId),
    /// A pod is new or has changed.
    PodUpserted(Pod),
    /// Only these parts of a pod have changed; all others are as they were told. A pod that loses its node comes as
    /// [`PodUpserted`](Event::PodUpserted): what matters only of pods without a node may be forgotten when a pod gets one.
    PodStatus(PodStatus),
    /// A pod is gone.
    PodRemoved(PodId),
    /// The nodes of a shape are known or have changed.
    Eligibility(Eligibility),
    /// The domains of a topology are known or have changed.
    Topology(Topology),
    /// What stands between some pods and others is known or has changed.
    InterPod(InterPod),
    /// An object is new or has changed.
    ObjectUpserted(Object),
    /// An object is gone.
    ObjectRemoved(ObjectKey),
    /// The time is now this. It never runs backwards.
    Clock(i64),
    /// The plan was found sound and is being carried out.
    PlanAccepted(u64),
    /// The plan will not be carried out: whatever it promised is void.
    PlanRefused(u64),
}
