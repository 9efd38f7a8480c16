//! A set of nodes, one bit each.

use super::NodeIx;
use super::bits::{BitSet, WORD};
use super::index::TableIndex;

/// A set of nodes.
#[derive(Debug, Clone, Default)]
pub struct NodeSet(BitSet);

impl NodeSet {
    /// Creates a set from its words, one bit a node, the first nodes first.
    pub fn of_words(words: impl Iterator<Item = u64>) -> NodeSet {
        NodeSet(BitSet::of_words(words.collect()))
    }

    /// Checks whether a node is in the set.
    pub fn has(&self, node: NodeIx) -> bool {
        self.0.has(node.position())
    }

    /// Takes a node out of the set.
    pub fn remove(&mut self, node: NodeIx) {
        self.0.set(node.position(), false);
    }

    /// Returns the number of nodes in the set.
    pub fn len(&self) -> usize {
        let ones = |word: &u64| usize::try_from(word.count_ones()).unwrap_or(usize::MAX);
        self.0.words().iter().map(ones).fold(0, usize::saturating_add)
    }

    /// Returns the nodes in the set, by number.
    pub fn iter(&self) -> impl Iterator<Item = NodeIx> + '_ {
        self.0.words().iter().enumerate().flat_map(|(at, word)| {
            let mut bits = *word;
            std::iter::from_fn(move || {
                let bit = usize::try_from(bits.trailing_zeros()).ok()?;
                bits &= bits.checked_sub(1)?;
                NodeIx::from_position(at.saturating_mul(WORD).saturating_add(bit))
            })
        })
    }
}
