//! What the conformance report of a component says.

use std::fmt;

use serde::Deserialize;

/// The result of a report without failures, as `lictor test --report` writes it.
const PASSED: &str = "PASSED";

/// A report: an in-toto statement. Fields that are not read here are left out.
#[derive(Debug, Deserialize)]
struct ReportStatement {
    #[serde(default)]
    subject: Vec<ReportSubject>,
    predicate: Option<ReportPredicate>,
}

#[derive(Debug, Deserialize)]
struct ReportSubject {
    #[serde(default)]
    digest: SubjectDigest,
}

#[derive(Debug, Default, Deserialize)]
struct SubjectDigest {
    sha256: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ReportPredicate {
    result: String,
    passed: u64,
    failed: u64,
}

/// The result of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReportSummary {
    /// Whether nothing failed.
    pub(super) is_passed: bool,
    passed: u64,
    failed: u64,
}

impl ReportSummary {
    /// Reads the report about the component with this SHA-256, in hexadecimal.
    ///
    /// # Errors
    /// The bytes are no report, or the report is about another component. The text says what is wrong.
    pub(super) fn read(bytes: &[u8], sha256: &str) -> Result<ReportSummary, String> {
        let report: ReportStatement =
            serde_json::from_slice(bytes).map_err(|error| format!("it is not JSON of a report: {error}"))?;
        let named: Vec<&str> = report.subject.iter().filter_map(|it| it.digest.sha256.as_deref()).collect();
        match named.as_slice() {
            [] => return Err("it names no component: it has no `subject` with a digest".to_owned()),
            named if named.contains(&sha256) => {}
            named => return Err(format!("it is about the component {}, and this one is {sha256}", named.join(", "))),
        }
        let ReportPredicate { result, passed, failed } =
            report.predicate.ok_or_else(|| "it has no `predicate` with a result".to_owned())?;
        Ok(ReportSummary { is_passed: result == PASSED && failed == 0, passed, failed })
    }
}

impl fmt::Display for ReportSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ReportSummary { passed, failed, .. } = self;
        write!(f, "report: {passed} passed, {failed} failed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(predicate: &str) -> Result<ReportSummary, String> {
        let report =
            format!(r#"{{"subject": [{{"name": "p", "digest": {{"sha256": "ab"}}}}], "predicate": {predicate}}}"#);
        ReportSummary::read(report.as_bytes(), "ab")
    }

    #[test]
    fn a_report_passes_where_its_result_and_its_numbers_say_so() {
        let passed = read(r#"{"result": "PASSED", "passed": 7, "failed": 0}"#).unwrap();
        assert_eq!((passed.is_passed, passed.to_string().as_str()), (true, "report: 7 passed, 0 failed"));
        assert!(!read(r#"{"result": "FAILED", "passed": 7, "failed": 1}"#).unwrap().is_passed);
        assert!(!read(r#"{"result": "PASSED", "passed": 7, "failed": 1}"#).unwrap().is_passed);
        assert_eq!(read("null"), Err("it has no `predicate` with a result".to_owned()));
    }
}
