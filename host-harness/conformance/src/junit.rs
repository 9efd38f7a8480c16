//! Reports as JUnit XML, a test suite for the scenarios of each system, and for the checks of each interface.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::interface::{CheckOutcome, Conformance};
use super::report::ScenarioReports;

/// Returns the reports as JUnit XML.
pub fn junit(summary: &ScenarioReports) -> String {
    document(&of_systems(summary))
}

/// Returns the checks of the interfaces, a suite for each interface, and the reports, as JUnit XML.
pub fn conformance_junit(conformance: &Conformance, summary: &ScenarioReports) -> String {
    let mut suites: BTreeMap<String, Vec<JunitTestCase<'_>>> = BTreeMap::new();
    for report in &conformance.checks {
        let section = report.check.split('/').next().unwrap_or_default();
        let lines: Vec<String> = report.lines().collect();
        let result = match report.outcome {
            CheckOutcome::Passed => CaseResult::Passed,
            CheckOutcome::Failed => CaseResult::Failed(lines.first().cloned().unwrap_or_default(), lines.join("\n")),
            skipped => CaseResult::Skipped(skipped.to_string()),
        };
        suites.entry(format!("interface/{section}")).or_default().push(JunitTestCase {
            name: report.check,
            file: None,
            result,
        });
    }
    suites.extend(of_systems(summary));
    document(&suites)
}

/// A scenario or a check.
struct JunitTestCase<'a> {
    name: &'a str,
    file: Option<&'a str>,
    result: CaseResult,
}

/// The result of a case.
enum CaseResult {
    Passed,
    /// The failure, in short and in full.
    Failed(String, String),
    /// Why the case was skipped.
    Skipped(String),
}

/// Returns the scenarios as cases, by system.
fn of_systems(summary: &ScenarioReports) -> BTreeMap<String, Vec<JunitTestCase<'_>>> {
    let mut suites: BTreeMap<String, Vec<JunitTestCase<'_>>> = BTreeMap::new();
    for report in &summary.reports {
        let result = match report.passed {
            true => CaseResult::Passed,
            false => CaseResult::Failed(report.first_failure().unwrap_or_default(), report.to_string()),
        };
        let case = JunitTestCase { name: &report.scenario, file: Some(&report.file), result };
        suites.entry(report.laws.clone()).or_default().push(case);
    }
    suites
}

fn failures<'a>(cases: impl IntoIterator<Item = &'a JunitTestCase<'a>>) -> usize {
    cases.into_iter().filter(|case| matches!(case.result, CaseResult::Failed(..))).count()
}

fn document(suites: &BTreeMap<String, Vec<JunitTestCase<'_>>>) -> String {
    let all = || suites.values().flatten();
    let (tests, failed) = (all().count(), failures(all()));
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"lictor\" tests=\"{tests}\" failures=\"{failed}\">\n"
    );
    for (suite, cases) in suites {
        let (name, tests, failed) = (escaped(suite), cases.len(), failures(cases));
        // Writing to a string cannot fail.
        let _ = writeln!(xml, "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failed}\">");
        for case in cases {
            write_case(&mut xml, suite, case);
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn write_case(xml: &mut String, suite: &str, case: &JunitTestCase<'_>) {
    let (name, class) = (escaped(case.name), escaped(suite));
    let file = case.file.map(|file| format!(" file=\"{}\"", escaped(file))).unwrap_or_default();
    let _ = write!(xml, "    <testcase name=\"{name}\" classname=\"{class}\"{file}");
    let _ = match &case.result {
        CaseResult::Passed => writeln!(xml, "/>"),
        CaseResult::Failed(short, whole) => {
            let (short, whole) = (escaped(short), escaped(whole));
            writeln!(xml, ">\n      <failure message=\"{short}\">{whole}</failure>\n    </testcase>")
        }
        CaseResult::Skipped(why) => writeln!(xml, ">\n      <skipped message=\"{}\"/>\n    </testcase>", escaped(why)),
    };
}

/// Escapes text for XML. Control characters that XML does not allow are left out.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(character),
            control if control.is_control() => {}
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interface::{CheckFailure, CheckReport};
    use crate::report::ScenarioReport;

    fn report(scenario: &str, error: Option<&str>) -> ScenarioReport {
        ScenarioReport {
            scenario: scenario.to_owned(),
            file: format!("{scenario}.yaml"),
            laws: "kubernetes".to_owned(),
            passed: error.is_none(),
            error: error.map(str::to_owned),
            steps: Vec::new(),
            findings: Vec::new(),
        }
    }

    #[test]
    fn a_failure_is_an_element_with_what_xml_minds_escaped() {
        let xml = junit(&ScenarioReports::of(vec![report("good", None), report("bad", Some("`a` < \"b\" & c\u{1}"))]));
        assert_eq!(
            xml,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <testsuites name=\"lictor\" tests=\"2\" failures=\"1\">\n\
             \x20 <testsuite name=\"kubernetes\" tests=\"2\" failures=\"1\">\n\
             \x20   <testcase name=\"good\" classname=\"kubernetes\" file=\"good.yaml\"/>\n\
             \x20   <testcase name=\"bad\" classname=\"kubernetes\" file=\"bad.yaml\">\n\
             \x20     <failure message=\"`a` &lt; &quot;b&quot; &amp; c\">FAIL bad (bad.yaml)\n  \
             `a` &lt; &quot;b&quot; &amp; c\n</failure>\n\
             \x20   </testcase>\n\
             \x20 </testsuite>\n\
             </testsuites>\n"
        );
    }

    #[test]
    fn checks_stand_before_scenarios_and_say_why_they_were_not_tried() {
        let check = |check, outcome, flaws| {
            let (demands, rule, remedy) = ("it holds", "wit/queue.wit", "mend it");
            CheckReport { check, demands, outcome, answers: 1, flaws, rule, remedy }
        };
        let flaw = CheckFailure { system: "s".to_owned(), cluster: "cluster 1".to_owned(), found: "wrong".to_owned() };
        let checks = vec![
            check("queue/a", CheckOutcome::Failed, vec![flaw]),
            check("queue/b", CheckOutcome::NotExported, vec![]),
        ];
        let conformance = Conformance { passed: 0, failed: 1, not_exported: 1, not_met: 0, checks };
        assert_eq!(
            conformance_junit(&conformance, &ScenarioReports::of(vec![report("good", None)])),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <testsuites name=\"lictor\" tests=\"3\" failures=\"1\">\n\
             \x20 <testsuite name=\"interface/queue\" tests=\"2\" failures=\"1\">\n\
             \x20   <testcase name=\"queue/a\" classname=\"interface/queue\">\n\
             \x20     <failure message=\"queue/a (s, cluster 1): wrong; mend it (wit/queue.wit)\">\
             queue/a (s, cluster 1): wrong; mend it (wit/queue.wit)</failure>\n\
             \x20   </testcase>\n\
             \x20   <testcase name=\"queue/b\" classname=\"interface/queue\">\n\
             \x20     <skipped message=\"not exported\"/>\n\
             \x20   </testcase>\n\
             \x20 </testsuite>\n\
             \x20 <testsuite name=\"kubernetes\" tests=\"1\" failures=\"0\">\n\
             \x20   <testcase name=\"good\" classname=\"kubernetes\" file=\"good.yaml\"/>\n\
             \x20 </testsuite>\n\
             </testsuites>\n"
        );
    }
}
