//! Cases that are compared with upstream's own code.

use std::path::Path;

use lictor_conformance::fuzz::{self, StopReason, attempt, attempt_comparing};
use lictor_host::policy::Policy;
use lictor_judges::{CaseComparison, ComparisonCounts, Program, ProgramError, TrialError, dead, departures, section};
use lictor_oracle::{FuzzCase, SystemKind};

use crate::failure::CommandError;
use crate::page::{TextPage, table};

/// A judge, and the counts of its answers.
pub(super) struct JudgeTally {
    program: Program,
    /// The counts of the run.
    tally: ComparisonCounts,
    /// The counts of the last case.
    last: ComparisonCounts,
}

/// Starts the judge of a system.
pub(super) fn start(system: SystemKind, path: &Path) -> Result<Program, CommandError> {
    Program::start(system, path).map_err(|error| {
        let remedy = match error {
            ProgramError::NotCompared(_) => "leave `--judge` out",
            _ => "name the program whose path `build.sh` in the folder of the judge prints",
        };
        CommandError::NoJudge { message: error.to_string(), remedy }
    })
}

impl JudgeTally {
    /// Starts the judge of a system.
    pub(super) fn start(system: SystemKind, path: &Path) -> Result<JudgeTally, CommandError> {
        let program = start(system, path)?;
        Ok(JudgeTally { program, tally: ComparisonCounts::default(), last: ComparisonCounts::default() })
    }

    /// Plays a case, and compares each attempt.
    pub(super) fn attempt(
        &mut self,
        case: &FuzzCase,
        one: Box<dyn Policy>,
        other: Option<Box<dyn Policy>>,
    ) -> (lictor_oracle::RunCounts, Option<fuzz::FuzzFailure>) {
        let mut trial = match CaseComparison::of(case) {
            Ok(trial) => trial,
            // A case that cannot be read fails without a judge, too.
            Err(_) => return attempt(case, one, other),
        };
        let program = &mut self.program;
        let played = attempt_comparing(case, one, other, |step, outcome| {
            trial.step(step, outcome, |question| program.request(question)).map_err(|error| match error {
                TrialError::Difference(difference) => StopReason { law: difference.kind, text: difference.text },
                TrialError::Judge(error) => StopReason { law: "upstream/answers", text: error.to_string() },
                TrialError::Answer(text) => StopReason { law: "upstream/answers", text },
                TrialError::Read(error) => StopReason { law: "can-be-read", text: error.to_string() },
            })
        });
        self.last = trial.tally;
        played
    }

    /// Counts the last case. Cases that are played while one is made smaller do not count.
    pub(super) fn count(&mut self) {
        self.tally.add(&std::mem::take(&mut self.last));
    }

    /// Returns the rulings that explain no difference. Empty: the run is too short for that statement, or every ruling explains one.
    pub(super) fn unused_rulings(&self, system: SystemKind) -> Vec<&'static str> {
        dead(system, &self.tally)
    }

    /// Returns what was compared in these cases as a section of `DIFFERENCES.md`.
    pub(super) fn section(&self, system: SystemKind, cases: (u64, u64)) -> String {
        section(system, &self.tally, cases)
    }

    /// Writes what was compared.
    pub(super) fn write(&self, system: SystemKind, page: &mut TextPage) {
        let tally = &self.tally;
        let mut rows = table(["COMPARED WITH UPSTREAM", "COUNT"]);
        rows.add_row(["attempts".to_owned(), tally.attempts.to_string()]);
        rows.add_row(["decided alike".to_owned(), tally.same.to_string()]);
        for departure in departures(system) {
            let count = tally.departures.get(departure.id).copied().unwrap_or(0);
            rows.add_row([format!("ruling {}: {}", departure.id, departure.policy), count.to_string()]);
        }
        for (reason, count) in &tally.not_compared {
            rows.add_row([format!("not compared: {reason}"), count.to_string()]);
        }
        page.table(0, rows);
        for id in self.unused_rulings(system) {
            let dead = page.strong("DEAD");
            page.paragraph(
                &format!("{dead} "),
                2,
                &format!("ruling {id} explains no difference: take it off the list"),
            );
        }
    }
}
