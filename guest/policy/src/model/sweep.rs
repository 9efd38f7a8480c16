//! When what is kept is looked through for what nothing has any more.

/// The number of entries below which no sweep runs.
pub const FEW: usize = 1024;

/// The schedule of sweeps, which remove unused entries. Sweeps are so rare that each added entry costs little. They are so frequent that at most
/// about twice as many entries are kept as were in use.
#[derive(Debug, Clone, Copy, Default)]
pub struct SweepSchedule {
    /// The number of entries that the last sweep left.
    left: usize,
}

impl SweepSchedule {
    /// Returns whether there may be as many unused entries as used ones.
    pub fn is_due(&self, entries: usize) -> bool {
        entries > self.left.saturating_mul(2).max(FEW)
    }

    /// Records how many entries a sweep has left.
    pub fn done(&mut self, left: usize) {
        self.left = left;
    }
}
