//! What came of a scenario.

use std::fmt;
use std::path::Path;

use lictor_contract::Finding;
use lictor_host::cluster::InputError;
use serde::Serialize;

use super::actual::Actual;
use super::failure::Failure;

/// What came of one scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The scenario.
    pub scenario: String,
    /// The file it stands in.
    pub file: String,
    /// The laws in force.
    pub laws: String,
    /// Every step was taken and every expectation holds.
    pub passed: bool,
    /// Why it could not be run to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub error: Option<String>,
    /// What came of its steps, as far as it got.
    pub steps: Vec<StepReport>,
    /// What the policy found in the objects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub findings: Vec<Finding>,
}

/// What came of one step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StepReport {
    /// Its place, from 1.
    pub step: usize,
    /// The line it begins at.
    pub line: u32,
    /// What happened, in a few words.
    pub action: String,
    /// What came of it.
    pub actual: Actual,
    /// The expectations that do not hold.
    pub failures: Vec<Failure>,
}

impl Report {
    /// The report of a file that holds no scenario that can be run, because of this mistake. It is named after the file.
    pub fn unread(mistake: &InputError) -> Report {
        let InputError { file, line, message, remedy } = mistake;
        let line = if *line > 0 { format!("line {line}: ") } else { String::new() };
        let stem = Path::new(&**file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        Report {
            scenario: stem.unwrap_or_else(|| file.to_string()),
            file: file.to_string(),
            laws: String::new(),
            passed: false,
            error: Some(format!("{line}{message}; {remedy}")),
            steps: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// Why it failed, or the first expectation that does not hold.
    pub fn first_failure(&self) -> Option<String> {
        let first = self.steps.iter().flat_map(|step| &step.failures).map(ToString::to_string).next();
        self.error.clone().or(first)
    }
}

impl fmt::Display for Report {
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

/// What came of all scenarios.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// How many passed.
    pub passed: usize,
    /// How many failed.
    pub failed: usize,
    /// One by one.
    pub reports: Vec<Report>,
}

impl Summary {
    /// Counts the reports.
    pub fn of(reports: Vec<Report>) -> Summary {
        let passed = reports.iter().filter(|report| report.passed).count();
        Summary { passed, failed: reports.len().saturating_sub(passed), reports }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for report in &self.reports {
            write!(f, "{report}")?;
        }
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}
