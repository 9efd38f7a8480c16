//! `wit/cluster.wit`: what the host tells.

mod inter_pod;
mod pod;

use std::sync::Arc;

use serde::Serialize;

pub use inter_pod::{InterPod, PodAffinity, Topology, TopologySpread, TopologyTerm};
pub use pod::{NumberedTemplate, Owner, Phase, Pod, PodStatus, PodTemplate};

/// Names a node.
pub type NodeId = u32;

/// Names a pod, or an object that is placed like one (see [`PlacedKind`](crate::PlacedKind)).
pub type PodId = u32;

/// Names a shape: all pods of one shape may run on the same nodes.
pub type ShapeId = u32;

/// Names a pod template.
pub type TemplateId = u32;

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
    /// The name as Kubernetes writes it, or one under which the host counts something else of a node (see [`is_of_host`]).
    pub name: String,
    /// The amount of every node that does not name the resource itself; 0 but for host ports, disks and attachments.
    pub everywhere: i64,
}

/// Returns whether the host counts this as a resource although no container requests it: a host port (`hostport/...`), or what volumes
/// take of a node: attachments of a driver (`volume/attachments/...`), a disk that one pod of a node may write (`volume/disk/...`), free
/// volumes (`volume/free/...`). Only nodes limit them; no quota counts them.
pub fn is_of_host(resource: &str) -> bool {
    resource.starts_with("hostport/") || resource.starts_with("volume/")
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
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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

/// Something that happened in the cluster, or to a plan of the policy. `T` is that of [`Pod`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event<T = Arc<PodTemplate>> {
    /// Announces resources; they take the next free numbers in this order.
    Resources(Vec<Resource>),
    /// A node is new or has changed.
    NodeUpserted(Node),
    /// A node is gone. No pod is bound to it any more.
    NodeRemoved(NodeId),
    /// A pod is new or has changed.
    PodUpserted(Pod<T>),
    /// Only these parts of a pod have changed; all others are as the host last sent them. A pod that loses its node is sent as
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
