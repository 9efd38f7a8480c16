//! The schedule of sweeps over interned values. A sweep drops the values that are not in use any more.

/// Unused interned values to tolerate beyond the number of used ones before a sweep.
pub(crate) const UNUSED_TOLERANCE: usize = 1024;

/// The schedule of the sweeps of interned values. Sweeps are so rare that they cost little per added value, and so frequent that at most twice as
/// many values are kept as were in use, plus `UNUSED_TOLERANCE`.
#[derive(Debug, Default)]
pub(crate) struct SweepThreshold {
    /// The number of values in use at the last sweep.
    used: usize,
}

impl SweepThreshold {
    /// Returns whether a sweep of this many values is due.
    pub(crate) fn is_due(&self, values: usize) -> bool {
        values > self.used.saturating_mul(2).saturating_add(UNUSED_TOLERANCE)
    }

    /// Records how many values a sweep has left.
    pub(crate) fn done(&mut self, kept: usize) {
        self.used = kept;
    }
}
