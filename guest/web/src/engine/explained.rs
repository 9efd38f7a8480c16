//! One cycle with explanations. What was decided first has none: they cost more than the decision.

use lictor_decide::explain::{Answer, Names};
use lictor_decide::{Failure, Record};

/// A cycle of a cluster, or a moment of a recording, that was decided once more.
pub(super) struct Explained<C> {
    /// Its number, from 1.
    pub(super) number: usize,
    /// The pods as they were before the decisions.
    pub(super) names: Names,
    pub(super) record: Record,
    /// What it was decided in, after the decisions.
    pub(super) after: C,
}

impl<C> Explained<C> {
    /// Why a pod or job is where it is.
    pub(super) fn tell<T>(&self, name: &str, tell: impl FnOnce(Answer<'_>) -> T) -> Result<T, Failure> {
        let meant = self.names.find(name)?;
        Ok(tell(Answer::of(name, meant, &self.record)))
    }
}

/// The one with this number: the last that was asked about, which is kept, or one that is made.
pub(super) fn kept<C>(
    last: &mut Option<Explained<C>>,
    number: usize,
    make: impl FnOnce() -> Result<Explained<C>, Failure>,
) -> Result<&Explained<C>, Failure> {
    let known = match last.take().filter(|known| known.number == number) {
        Some(known) => known,
        None => make()?,
    };
    Ok(last.insert(known))
}
