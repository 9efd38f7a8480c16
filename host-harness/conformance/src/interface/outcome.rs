//! What came of the checks.

use std::fmt;

use serde::Serialize;

use super::check::Check;

/// The outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum CheckOutcome {
    /// The rule holds.
    Passed,
    /// The rule does not hold.
    Failed,
    /// The component does not export the interface.
    NotExported,
    /// Nothing could be checked: no system decides there, or no cluster led there.
    NotMet,
}

impl fmt::Display for CheckOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CheckOutcome::Passed => "ok",
            CheckOutcome::Failed => "FAILED",
            CheckOutcome::NotExported => "not exported",
            CheckOutcome::NotMet => "not met",
        })
    }
}

/// A place where a check does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckFailure {
    /// The system.
    pub system: String,
    /// The cluster: a random one by its number, or that of a scenario by its name.
    pub cluster: String,
    /// What is wrong: the export, and its answer.
    pub found: String,
}

/// The report of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// The check.
    pub check: &'static str,
    /// The demand of the check.
    pub demands: &'static str,
    /// The outcome.
    pub outcome: CheckOutcome,
    /// The number of examined answers.
    pub answers: usize,
    /// The flaws: the first one of each system.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flaws: Vec<CheckFailure>,
    /// The place of the rule in the contract.
    pub rule: &'static str,
    /// What to change in a policy that breaks the rule.
    pub remedy: &'static str,
}

impl CheckReport {
    /// Creates the report of a check before anything was examined.
    pub(super) fn of(check: &Check, outcome: CheckOutcome) -> CheckReport {
        let Check { id, demands, rule, remedy, .. } = *check;
        CheckReport { check: id, demands, outcome, answers: 0, flaws: Vec::new(), rule, remedy }
    }

    /// Returns a line for each flaw, with the remedy and the place of the rule.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.flaws.iter().map(|CheckFailure { system, cluster, found }| {
            let CheckReport { check, rule, remedy, .. } = self;
            format!("{check} ({system}, {cluster}): {found}; {remedy} ({rule})")
        })
    }
}

/// The report of all checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Conformance {
    /// The number of checks that hold.
    pub passed: usize,
    /// The number of checks that do not hold.
    pub failed: usize,
    /// The number of checks of interfaces that the component does not export.
    pub not_exported: usize,
    /// The number of checks that nothing could be checked for.
    pub not_met: usize,
    /// The reports of the checks.
    pub checks: Vec<CheckReport>,
}

impl Conformance {
    /// Counts the outcomes.
    pub(super) fn of(checks: Vec<CheckReport>) -> Conformance {
        let count = |outcome| checks.iter().filter(|check| check.outcome == outcome).count();
        Conformance {
            passed: count(CheckOutcome::Passed),
            failed: count(CheckOutcome::Failed),
            not_exported: count(CheckOutcome::NotExported),
            not_met: count(CheckOutcome::NotMet),
            checks,
        }
    }
}
