//! The result of a replacement.

use serde::Serialize;

use super::Question;
use super::drive::Driven;
use lictor_decide::record::Source;
use lictor_host::replace::{self, State, Terms, Totals, Transition};

/// The result of a replacement.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report<'a> {
    pub(super) old: &'a Source,
    pub(super) new: &'a Source,
    /// The system of the old policy.
    pub(super) system: &'a str,
    pub(super) terms: Terms,
    /// The state in the end.
    pub(super) state: State,
    /// The transitions that led there.
    pub(super) transitions: &'a [Transition],
    /// The totals over all answers.
    pub(super) totals: Totals,
    #[serde(flatten)]
    pub(super) compared: &'a replace::Report,
    /// Inputs that could not be served.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) failed: &'a [String],
}

impl<'a> Report<'a> {
    pub(super) fn new(question: &'a Question<'_>, driven: &'a Driven) -> Report<'a> {
        static NOTHING: replace::Report = replace::Report::new();
        let progress = driven.session.session().replacement();
        let compared = progress.map_or(&NOTHING, |progress| progress.report);
        Report {
            old: &question.old.source,
            new: &question.new.source,
            system: &driven.system,
            terms: question.terms,
            state: progress.map_or(State::Loading, |progress| progress.state),
            transitions: progress.map_or(&[], |progress| progress.history),
            totals: compared.totals(),
            compared,
            failed: &driven.failed,
        }
    }
}
