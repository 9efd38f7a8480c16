//! Sets of nodes as bits.

/// A set of small numbers, one bit each, in the format of the contract.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NodeBitSet(Vec<u64>);

impl NodeBitSet {
    /// Adds or removes a number. Returns whether the set has changed.
    pub(crate) fn set(&mut self, number: u32, member: bool) -> bool {
        let (index, bit) = bit_position(number);
        if member && self.0.len() <= index {
            self.0.resize(index.saturating_add(1), 0);
        }
        let Some(word) = self.0.get_mut(index) else { return false };
        let before = *word;
        *word = if member { before | bit } else { before & !bit };
        *word != before
    }

    /// Returns whether a number is in the set.
    pub(crate) fn contains(&self, number: u32) -> bool {
        let (index, bit) = bit_position(number);
        self.0.get(index).is_some_and(|word| word & bit != 0)
    }

    /// Returns the words of the set without trailing zero words. The lowest bit of the first word is number 0.
    pub(crate) fn words(&self) -> Vec<u64> {
        let end = self.0.iter().rposition(|word| *word != 0).map_or(0, |last| last.saturating_add(1));
        self.0.iter().take(end).copied().collect()
    }
}

fn bit_position(number: u32) -> (usize, u64) {
    ((number / 64) as usize, 1_u64.rotate_left(number % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_numbers_across_words() {
        let mut bits = NodeBitSet::default();
        assert!(bits.set(0, true));
        assert!(bits.set(65, true));
        assert!(!bits.set(65, true));
        assert_eq!(bits.words(), [1, 2]);
        assert!(bits.contains(65) && !bits.contains(1) && !bits.contains(1000));
        assert!(bits.set(65, false));
        assert!(!bits.set(1000, false));
        assert_eq!(bits.words(), [1]);
    }
}
