//! The result of a replacement.

use serde::Serialize;

use super::ReplacementSetup;
use super::drive::ReplacedSession;
use lictor_decide::record::PolicySource;
use lictor_host::replace::{self, ComparisonTotals, ReplacementState, ReplacementTerms, Transition};

/// The result of a replacement.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UpgradeReport<'a> {
    pub(super) old: &'a PolicySource,
    pub(super) new: &'a PolicySource,
    /// The system of the old policy.
    pub(super) system: &'a str,
    pub(super) terms: ReplacementTerms,
    /// The state in the end.
    pub(super) state: ReplacementState,
    /// The transitions that led there.
    pub(super) transitions: &'a [Transition],
    /// The totals over all answers.
    pub(super) totals: ComparisonTotals,
    #[serde(flatten)]
    pub(super) compared: &'a replace::ComparisonReport,
    /// Inputs that could not be served.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) failed: &'a [String],
}

impl<'a> UpgradeReport<'a> {
    pub(super) fn new(question: &'a ReplacementSetup<'_>, driven: &'a ReplacedSession) -> UpgradeReport<'a> {
        static NOTHING: replace::ComparisonReport = replace::ComparisonReport::new();
        let progress = driven.session.session().replacement();
        let compared = progress.map_or(&NOTHING, |progress| progress.report);
        UpgradeReport {
            old: &question.old.source,
            new: &question.new.source,
            system: &driven.system,
            terms: question.terms,
            state: progress.map_or(ReplacementState::Loading, |progress| progress.state),
            transitions: progress.map_or(&[], |progress| progress.history),
            totals: compared.totals(),
            compared,
            failed: &driven.failed,
        }
    }
}
