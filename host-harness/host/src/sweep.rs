//! When values that are shared are looked through for those that nobody shares any more.

/// How many values there may be that nobody has any more, beside as many as there are others.
pub(crate) const SPARE: usize = 1024;

/// Looks through values so rarely that it costs little for each that is added, and so often that no more are kept than twice as many as
/// were in use, and some.
#[derive(Debug, Default)]
pub(crate) struct Sweep {
    /// How many were in use the last time.
    kept: usize,
}

impl Sweep {
    /// Whether so many values are to be looked through.
    pub(crate) fn is_due(&self, values: usize) -> bool {
        values > self.kept.saturating_mul(2).saturating_add(SPARE)
    }

    /// So many were in use.
    pub(crate) fn done(&mut self, kept: usize) {
        self.kept = kept;
    }
}
