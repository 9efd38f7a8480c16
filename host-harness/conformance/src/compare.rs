//! Whether two policies did the same.

use super::actual::Actual;
use super::report::Report;

/// Returns whether the actual outcomes of two runs of a scenario are the same, byte by byte as JSON. Expectations do not count.
pub fn same(one: &Report, other: &Report) -> bool {
    let outcomes = |report: &Report| {
        let actual: Vec<&Actual> = report.steps.iter().map(|step| &step.actual).collect();
        serde_json::to_vec(&(&report.scenario, report.error.is_some(), actual)).ok()
    };
    outcomes(one).is_some() && outcomes(one) == outcomes(other)
}
