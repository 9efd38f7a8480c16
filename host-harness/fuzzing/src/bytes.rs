//! Decisions from bytes.

/// Bytes that decide, one after the other. Where they are used up, every decision is the first one.
pub(crate) struct FuzzInput<'a>(&'a [u8]);

impl<'a> FuzzInput<'a> {
    pub(crate) fn new(data: &'a [u8]) -> FuzzInput<'a> {
        FuzzInput(data)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the next byte; 0 after the end.
    pub(crate) fn next(&mut self) -> u8 {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => 0,
        }
    }

    /// Returns a number below this one, which is at most 256.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        u32::from(self.next()).checked_rem(bound).unwrap_or_default()
    }

    /// Returns true about once in so many times.
    pub(crate) fn rarely(&mut self, times: u32) -> bool {
        self.below(times) == times.saturating_sub(1)
    }

    /// Returns one of several values. `None`: the list is empty.
    pub(crate) fn choose<T: Clone>(&mut self, of: &[T]) -> Option<T> {
        let at = self.below(u32::try_from(of.len()).unwrap_or(u32::MAX));
        of.get(usize::try_from(at).ok()?).cloned()
    }

    /// Returns one of several texts; empty for an empty list.
    pub(crate) fn text(&mut self, of: &[&'static str]) -> String {
        self.choose(of).unwrap_or_default().to_owned()
    }

    /// Returns a list of values, fewer than the bound.
    pub(crate) fn list<T>(&mut self, bound: u32, mut one: impl FnMut(&mut FuzzInput<'a>) -> T) -> Vec<T> {
        (0..self.below(bound)).map(|_| one(self)).collect()
    }

    /// Returns a value about every second time, else `None`.
    pub(crate) fn option<T>(&mut self, one: impl FnOnce(&mut FuzzInput<'a>) -> T) -> Option<T> {
        (self.below(2) == 1).then(|| one(self))
    }
}
