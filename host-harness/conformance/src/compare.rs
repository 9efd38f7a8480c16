//! Whether two policies did the same.

use super::actual::StepOutcome;
use super::report::ScenarioReport;

/// Returns whether the actual outcomes of two runs of a scenario are the same, byte by byte as JSON. Expectations do not count.
pub fn same(one: &ScenarioReport, other: &ScenarioReport) -> bool {
    let outcomes = |report: &ScenarioReport| {
        let actual: Vec<&StepOutcome> = report.steps.iter().map(|step| &step.actual).collect();
        serde_json::to_vec(&(&report.scenario, report.error.is_some(), actual)).ok()
    };
    outcomes(one).is_some() && outcomes(one) == outcomes(other)
}
