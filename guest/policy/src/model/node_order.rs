//! The nodes in the order of their names, kept between searches.

use super::index::Table;
use super::{NodeInfo, NodeIx};

/// The nodes in the order of their ranks.
#[derive(Debug, Clone, Default)]
pub struct NodeOrder {
    nodes: Vec<NodeIx>,
    is_fresh: bool,
}

impl NodeOrder {
    /// Marks the order as outdated, because a node was added, removed or renamed.
    pub fn mark_stale(&mut self) {
        self.is_fresh = false;
    }

    /// Puts the nodes in order, where something has changed.
    pub fn refresh(&mut self, nodes: &Table<NodeIx, NodeInfo>) {
        if self.is_fresh {
            return;
        }
        let mut ranked: Vec<(u64, NodeIx)> = nodes.iter().map(|(ix, node)| (node.rank, ix)).collect();
        ranked.sort_unstable();
        self.nodes = ranked.into_iter().map(|(_, ix)| ix).collect();
        self.is_fresh = true;
    }

    /// Returns the nodes in order. [`NodeOrder::refresh`] must be called first.
    pub fn nodes(&self) -> &[NodeIx] {
        &self.nodes
    }
}
