//! The log of nodes whose load has changed, from which a cache learns the nodes to update.

use lictor_contract::NodeId;

/// A log of the nodes whose load has changed, in order. A cache for all nodes updates only the nodes since its last update.
#[derive(Debug, Default)]
pub(super) struct NodeChangeLog {
    /// The number of changes before the first one in the log.
    before: u64,
    nodes: Vec<NodeId>,
}

impl NodeChangeLog {
    /// The maximum length of the log. Beyond it the log is cleared.
    const MOST: usize = 1 << 16;

    /// Adds a node whose load has changed.
    pub(super) fn add(&mut self, node: NodeId) {
        if self.nodes.len() >= NodeChangeLog::MOST {
            self.before = self.count();
            self.nodes.clear();
        }
        self.nodes.push(node);
    }

    /// Returns the number of changes so far.
    pub(super) fn count(&self) -> u64 {
        self.before.saturating_add(u64::try_from(self.nodes.len()).unwrap_or(u64::MAX))
    }

    /// Returns the changes after this number of changes. `None`: the log does not reach back so far.
    pub(super) fn since(&self, count: u64) -> Option<&[NodeId]> {
        self.nodes.get(usize::try_from(count.checked_sub(self.before)?).ok()?..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_looks_again_is_told_what_has_changed_or_that_it_is_too_long_ago() {
        let mut changes = NodeChangeLog::default();
        changes.add(7);
        let seen = changes.count();
        changes.add(8);
        assert_eq!(changes.since(seen), Some([8].as_slice()));
        (0..NodeChangeLog::MOST).for_each(|_| changes.add(9));
        assert_eq!(changes.since(seen), None);
        assert_eq!(changes.since(changes.count()), Some([].as_slice()));
    }
}
