//! Sets of dense numbers, one bit each.

/// The count of numbers that one word holds.
pub const WORD: usize = 64;

/// A set of numbers.
#[derive(Debug, Clone, Default)]
pub struct BitSet(Vec<u64>);

impl BitSet {
    /// Creates a set from its words, the lowest numbers first.
    pub fn of_words(words: Vec<u64>) -> BitSet {
        BitSet(words)
    }

    /// Returns the words of the set, the lowest numbers first.
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// Checks whether a number is in the set.
    pub fn has(&self, at: usize) -> bool {
        self.word(at / WORD) & bit(at) != 0
    }

    /// Returns a word of the set by its index; 0 beyond the last word.
    #[inline]
    pub fn word(&self, at: usize) -> u64 {
        self.0.get(at).copied().unwrap_or(0)
    }

    /// Puts a number into the set; whether it was not in it.
    pub fn insert(&mut self, at: usize) -> bool {
        let is_new = !self.has(at);
        self.set(at, true);
        is_new
    }

    /// Adds a number to the set, or removes it.
    pub fn set(&mut self, at: usize, is_in: bool) {
        let word = self.word(at / WORD);
        set_growing(&mut self.0, at / WORD, if is_in { word | bit(at) } else { word & !bit(at) });
    }
}

fn bit(at: usize) -> u64 {
    1 << (at % WORD)
}

/// Sets an entry of a list, and lengthens the list as far as needed.
pub fn set_growing<T: Default + Clone>(list: &mut Vec<T>, at: usize, entry: T) {
    if at >= list.len() {
        list.resize(at.saturating_add(1), T::default());
    }
    if let Some(slot) = list.get_mut(at) {
        *slot = entry;
    }
}
