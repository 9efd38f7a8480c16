//! One cycle with explanations. What was decided first has none: they cost more than the decision.

use lictor_decide::explain::{Answer, Names};
use lictor_decide::{Failure, Record};

/// How many cycles are decided with explanations to come to another one. To begin anew costs less than to explain many.
const FEW: usize = 16;

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
    /// Whether the one with this number is soon behind it.
    pub(super) fn leads_to(&self, number: usize) -> bool {
        number.checked_sub(self.number).is_some_and(|ahead| (1..=FEW).contains(&ahead))
    }

    /// Why a pod or job is where it is.
    pub(super) fn tell<T>(&self, name: &str, tell: impl FnOnce(Answer<'_>) -> T) -> Result<T, Failure> {
        let meant = self.names.find(name)?;
        Ok(tell(Answer::of(name, meant, &self.record)))
    }
}

/// The one with this number: the last that was asked about, which is kept, or one that is made, of that one where it leads there.
pub(super) fn kept<C>(
    last: &mut Option<Explained<C>>,
    number: usize,
    make: impl FnOnce(Option<Explained<C>>) -> Result<Explained<C>, Failure>,
) -> Result<&Explained<C>, Failure> {
    let known = match last.take() {
        Some(known) if known.number == number => known,
        other => make(other.filter(|other| other.leads_to(number)))?,
    };
    Ok(last.insert(known))
}
