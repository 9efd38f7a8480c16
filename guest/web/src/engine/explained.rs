//! One cycle with explanations. The first decision has none: they cost more than the decision.

use lictor_decide::explain::{ExplanationReport, NameIndex};
use lictor_decide::{DecideError, DecisionReport};

/// The most cycles that are decided with explanations to reach another one. Beyond that, beginning anew is cheaper.
const FEW: usize = 16;

/// A cycle of a cluster, or a moment of a recording, that was repeated with explanations.
pub(super) struct ExplainedCycle<C> {
    /// Its number, from 1.
    pub(super) number: usize,
    /// The pods that are explained.
    pub(super) subject: ExplainedSubject,
    /// The pods as they were before the decisions.
    pub(super) names: NameIndex,
    pub(super) record: DecisionReport,
    /// The cluster or recording after the decisions.
    pub(super) after: C,
}

/// The pods of a cycle that are explained.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ExplainedSubject {
    None,
    All,
    /// The pod or job of this name.
    Named(String),
}

impl ExplainedSubject {
    /// Returns whether what is explained includes the pod or job of this name. `None`: nothing needs to be explained.
    fn includes(&self, name: Option<&str>) -> bool {
        match (self, name) {
            (_, None) | (ExplainedSubject::All, _) => true,
            (ExplainedSubject::Named(own), Some(name)) => own == name,
            (ExplainedSubject::None, Some(_)) => false,
        }
    }
}

impl<C> ExplainedCycle<C> {
    /// Returns whether the cycle with this number is at most [`FEW`] cycles after this one.
    pub(super) fn leads_to(&self, number: usize) -> bool {
        number.checked_sub(self.number).is_some_and(|ahead| (1..=FEW).contains(&ahead))
    }

    /// Passes the reasons for the state of a pod or job to `tell`.
    ///
    /// # Errors
    /// No pod or job has the name, or several have it.
    pub(super) fn with_answer<T>(
        &self,
        name: &str,
        tell: impl FnOnce(ExplanationReport<'_>) -> T,
    ) -> Result<T, DecideError> {
        let meant = self.names.find(name)?;
        Ok(tell(ExplanationReport::of(name, meant, &self.record)))
    }
}

/// Returns the cycle with this number, with explanations of a pod or job where one is named. The last one is reused if it is that. Otherwise `make` makes the cycle, from the last one
/// where that is not far before it.
pub(super) fn cached_or_decide<'a, C>(
    last: &'a mut Option<ExplainedCycle<C>>,
    (number, name): (usize, Option<&str>),
    make: impl FnOnce(Option<ExplainedCycle<C>>) -> Result<ExplainedCycle<C>, DecideError>,
) -> Result<&'a ExplainedCycle<C>, DecideError> {
    let known = match last.take() {
        Some(known) if known.number == number && known.subject.includes(name) => known,
        other => make(other.filter(|other| other.leads_to(number)))?,
    };
    Ok(last.insert(known))
}
