//! What the nodes say of a pod that none takes.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

/// The number of nodes that do not take a pod, by obstacle.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NodeSummary {
    /// The number of nodes in the cluster.
    pub nodes: usize,
    /// The number of nodes by obstacle.
    pub obstacles: BTreeMap<String, usize>,
}

impl NodeSummary {
    /// Counts so many more nodes with this obstacle.
    pub(in crate::session) fn count(&mut self, obstacle: String, nodes: usize) {
        let count = self.obstacles.entry(obstacle).or_insert(0);
        *count = count.saturating_add(nodes);
    }
}

impl fmt::Display for NodeSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0/{} nodes are available", self.nodes)?;
        let mut counted: Vec<(&String, &usize)> = self.obstacles.iter().collect();
        counted.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        for (place, (obstacle, count)) in counted.into_iter().enumerate() {
            write!(f, "{} {count} {obstacle}", if place == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}
