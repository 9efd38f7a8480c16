//! Which nodes have changed since somebody looked last.

use lictor_contract::NodeId;

/// The nodes whose room has changed, in the order in which it has: who works something out for all nodes goes on from where he was.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// How many changes there were before the first of these.
    before: u64,
    nodes: Vec<NodeId>,
}

impl Changes {
    /// So many are kept at most.
    const MOST: usize = 1 << 16;

    /// The room of a node has changed.
    pub(super) fn add(&mut self, node: NodeId) {
        if self.nodes.len() >= Changes::MOST {
            self.before = self.count();
            self.nodes.clear();
        }
        self.nodes.push(node);
    }

    /// How many changes there were.
    pub(super) fn count(&self) -> u64 {
        self.before.saturating_add(u64::try_from(self.nodes.len()).unwrap_or(u64::MAX))
    }

    /// The changes after so many; none where these are not kept any more.
    pub(super) fn since(&self, count: u64) -> Option<&[NodeId]> {
        self.nodes.get(usize::try_from(count.checked_sub(self.before)?).ok()?..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_looks_again_is_told_what_has_changed_or_that_it_is_too_long_ago() {
        let mut changes = Changes::default();
        changes.add(7);
        let seen = changes.count();
        changes.add(8);
        assert_eq!(changes.since(seen), Some([8].as_slice()));
        (0..Changes::MOST).for_each(|_| changes.add(9));
        assert_eq!(changes.since(seen), None);
        assert_eq!(changes.since(changes.count()), Some([].as_slice()));
    }
}
