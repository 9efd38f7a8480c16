//! Koordinator: compares an attempt, and names the rulings by which the system `koordinator` departs from it.

use crate::departure::{Attempt, Departure, Ending, Verdict};
use crate::trial::{Ask, TrialError};

/// Returns the rulings by which the system `koordinator` departs from Koordinator.
pub(crate) fn departures() -> impl Iterator<Item = Departure> {
    std::iter::empty()
}

/// Compares an attempt.
///
/// # Errors
/// The judge has no answer.
pub(crate) fn judge(_: &Attempt<'_>, _: &mut Ask<'_>) -> Result<Verdict, TrialError> {
    Ok(Verdict { situations: Vec::new(), ending: Ending::NotCompared("the comparison is not built") })
}
