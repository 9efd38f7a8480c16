//! What came of the checks.

use std::fmt;

use serde::Serialize;

use super::check::Check;

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// It holds.
    Passed,
    /// It does not.
    Failed,
    /// The component does not export the interface.
    NotExported,
    /// Nothing came up that it could be held against: no system decides there, or no cluster led there.
    NotMet,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Passed => "ok",
            Outcome::Failed => "FAILED",
            Outcome::NotExported => "not exported",
            Outcome::NotMet => "not met",
        })
    }
}

/// Where a check does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Flaw {
    /// The system.
    pub system: String,
    /// The cluster: a random one by its number, or that of a scenario by its name.
    pub cluster: String,
    /// What is wrong: the export, and what it answered.
    pub found: String,
}

/// What came of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// The check.
    pub check: &'static str,
    /// What it demands.
    pub demands: &'static str,
    /// What came of it.
    pub outcome: Outcome,
    /// How many answers were looked at.
    pub answers: usize,
    /// Where it does not hold, the first place for each system.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flaws: Vec<Flaw>,
    /// Where the rule stands.
    pub rule: &'static str,
    /// What to mend where it does not hold.
    pub remedy: &'static str,
}

impl CheckReport {
    /// What came of a check on which nothing was looked at yet.
    pub(super) fn of(check: &Check, outcome: Outcome) -> CheckReport {
        let Check { id, demands, rule, remedy, .. } = *check;
        CheckReport { check: id, demands, outcome, answers: 0, flaws: Vec::new(), rule, remedy }
    }

    /// The lines that say what to mend: one for each flaw.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.flaws.iter().map(|Flaw { system, cluster, found }| {
            let CheckReport { check, rule, remedy, .. } = self;
            format!("{check} ({system}, {cluster}): {found}; {remedy} ({rule})")
        })
    }
}

/// What came of all checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Conformance {
    /// How many hold.
    pub passed: usize,
    /// How many do not.
    pub failed: usize,
    /// How many are about interfaces that the component does not export.
    pub not_exported: usize,
    /// How many nothing came up for.
    pub not_met: usize,
    /// One by one.
    pub checks: Vec<CheckReport>,
}

impl Conformance {
    /// Counts the outcomes.
    pub(super) fn of(checks: Vec<CheckReport>) -> Conformance {
        let count = |outcome| checks.iter().filter(|check| check.outcome == outcome).count();
        Conformance {
            passed: count(Outcome::Passed),
            failed: count(Outcome::Failed),
            not_exported: count(Outcome::NotExported),
            not_met: count(Outcome::NotMet),
            checks,
        }
    }
}
