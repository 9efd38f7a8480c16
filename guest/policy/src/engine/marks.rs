//! Marks: what is written on a pod that gets a node.

use crate::contract::*;
use crate::model::{NodeIx, PodIx};

use super::Engine;

impl Engine {
    /// Implements `marks.marks`: returns what the host writes on a pod that gets this node, such as the reservation that the pod uses there.
    pub fn marks(&self, pod: PodId, node: NodeId) -> Result<Vec<Mark>, PolicyError> {
        let system = self.system.as_ref().ok_or(PolicyError::NotConfigured)?;
        let (ix, node) = (PodIx(pod), NodeIx(node));
        let known = self.cluster.pod(ix).ok_or(PolicyError::UnknownPod(pod))?;
        self.cluster.node(node).ok_or(PolicyError::UnknownNode(node.0))?;
        if known.attributes.reservation.is_some() {
            return Ok(Vec::new());
        }
        let reservation_allocation = self.cluster.reservation_allocation(ix, node);
        Ok(reservation_allocation
            .map(|reservation_allocation| system.reservation_marks(&self.cluster, reservation_allocation.reservation))
            .unwrap_or_default())
    }
}
