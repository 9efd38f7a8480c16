//! Binding: what is written on a pod that gets a node.

use crate::contract::*;
use crate::model::{NodeIx, PodIx};

use super::Engine;

impl Engine {
    /// See `binding.marks`.
    pub fn marks(&self, pod: PodId, node: NodeId) -> Result<Vec<Mark>, PolicyError> {
        let dialect = self.dialect.as_ref().ok_or(PolicyError::NotConfigured)?;
        let (ix, node) = (PodIx(pod), NodeIx(node));
        let known = self.cluster.pod(ix).ok_or(PolicyError::UnknownPod(pod))?;
        self.cluster.node(node).ok_or(PolicyError::UnknownNode(node.0))?;
        if known.traits.inside.is_some() {
            return Ok(Vec::new());
        }
        let lodging = self.cluster.lodging(ix, node).map_err(|over| self.overflow(over))?;
        Ok(lodging.map(|lodging| dialect.lodging_marks(&self.cluster, lodging.reservation)).unwrap_or_default())
    }
}
