//! The requirements of a pod: what a node must offer to it.

use crate::model::{ClassIx, InterPodIx, NodeIx, ResourceRequest, ShapeIx};

/// The requirements of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodRequirements {
    /// The amounts that the pod requests.
    pub request: ResourceRequest,
    /// The shape: which nodes the pod may run on.
    pub shape: ShapeIx,
    /// The constraints between the pod and others. `None`: there are none.
    pub inter_pod: Option<InterPodIx>,
    /// The class of pods with the same request, nodes and constraints between pods.
    pub class: ClassIx,
    /// The one node that the pod may run on, if it demands one.
    pub required_node: Option<NodeIx>,
}
