//! When what is kept is looked through for what nothing has any more.

/// With fewer entries than this, none is looked for.
pub const FEW: usize = 1024;

/// The moments at which entries are looked through: so rarely that each that is added costs little, and so often that no more are kept than
/// twice as many as were in use, and some.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sweep {
    /// How many entries the last sweep has left.
    left: usize,
}

impl Sweep {
    /// Returns whether there may be as many entries out of use as others.
    pub fn is_due(&self, entries: usize) -> bool {
        entries > self.left.saturating_mul(2).max(FEW)
    }

    /// Notes how many entries a sweep has left.
    pub fn done(&mut self, left: usize) {
        self.left = left;
    }
}
