//! What came of a scenario.

use std::fmt;
use std::path::Path;

use lictor_contract::Finding;
use lictor_host::cluster::InputError;
use serde::Serialize;

use super::actual::StepOutcome;
use super::failure::ExpectationFailure;

/// The report of one scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Report"))]
#[serde(rename_all = "camelCase")]
pub struct ScenarioReport {
    /// The scenario.
    pub scenario: String,
    /// The file of the scenario.
    pub file: String,
    /// The system: the name of the laws in force.
    pub laws: String,
    /// Whether every step was taken and every expectation holds.
    pub passed: bool,
    /// Why the scenario could not be run to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub error: Option<String>,
    /// The reports of its steps, up to the end of the run.
    pub steps: Vec<StepReport>,
    /// The findings of the policy in the objects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub findings: Vec<Finding>,
}

/// The report of one step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StepReport {
    /// The number of the step, from 1.
    pub step: usize,
    /// The line on which the step begins.
    pub line: u32,
    /// The action, in a few words.
    pub action: String,
    /// The outcome.
    pub actual: StepOutcome,
    /// The expectations that do not hold.
    pub failures: Vec<ExpectationFailure>,
}

impl ScenarioReport {
    /// Returns the report of a file without a runnable scenario, because of this mistake. The report is named after the file.
    pub fn not_runnable(mistake: &InputError) -> ScenarioReport {
        let InputError { file, line, message, remedy } = mistake;
        let line = if *line > 0 { format!("line {line}: ") } else { String::new() };
        let stem = Path::new(&**file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        ScenarioReport {
            scenario: stem.unwrap_or_else(|| file.to_string()),
            file: file.to_string(),
            laws: String::new(),
            passed: false,
            error: Some(format!("{line}{message}; {remedy}")),
            steps: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// Returns the error, or the first expectation that does not hold. `None`: the scenario passed.
    pub fn first_failure(&self) -> Option<String> {
        let first = self.steps.iter().flat_map(|step| &step.failures).map(ToString::to_string).next();
        self.error.clone().or(first)
    }
}

impl fmt::Display for ScenarioReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {} ({})", if self.passed { "PASS" } else { "FAIL" }, self.scenario, self.file)?;
        for step in self.steps.iter().filter(|step| !step.failures.is_empty()) {
            writeln!(f, "  line {}, step {}: {}", step.line, step.step, step.action)?;
            for failure in &step.failures {
                writeln!(f, "    {failure}")?;
            }
            if let Some(reason) = &step.actual.reason {
                writeln!(f, "    reason: {reason}")?;
            }
        }
        if let Some(error) = &self.error {
            writeln!(f, "  {error}")?;
        }
        Ok(())
    }
}

/// The reports of all scenarios.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScenarioReports {
    /// The number of passed scenarios.
    pub passed: usize,
    /// The number of failed scenarios.
    pub failed: usize,
    /// The reports.
    pub reports: Vec<ScenarioReport>,
}

impl ScenarioReports {
    /// Counts the reports.
    pub fn of(reports: Vec<ScenarioReport>) -> ScenarioReports {
        let passed = reports.iter().filter(|report| report.passed).count();
        ScenarioReports { passed, failed: reports.len().saturating_sub(passed), reports }
    }
}

impl fmt::Display for ScenarioReports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for report in &self.reports {
            write!(f, "{report}")?;
        }
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}
