//! Reports as JUnit XML, a test suite for the scenarios of each system.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::report::{Report, Summary};

/// The reports as JUnit XML.
pub fn junit(summary: &Summary) -> String {
    let mut suites: BTreeMap<&str, Vec<&Report>> = BTreeMap::new();
    for report in &summary.reports {
        suites.entry(&report.laws).or_default().push(report);
    }
    let tests = summary.reports.len();
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"lictor\" tests=\"{tests}\" failures=\"{}\">\n",
        summary.failed
    );
    for (laws, reports) in suites {
        let failed = reports.iter().filter(|report| !report.passed).count();
        let (name, tests) = (escaped(laws), reports.len());
        // Writing to a string cannot fail.
        let _ = writeln!(xml, "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failed}\">");
        for report in reports {
            case(&mut xml, report);
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

/// One scenario.
fn case(xml: &mut String, report: &Report) {
    let (name, class, file) = (escaped(&report.scenario), escaped(&report.laws), escaped(&report.file));
    let _ = write!(xml, "    <testcase name=\"{name}\" classname=\"{class}\" file=\"{file}\"");
    if report.passed {
        xml.push_str("/>\n");
        return;
    }
    let first = report.steps.iter().flat_map(|step| &step.failures).map(ToString::to_string).next();
    let message = escaped(&report.error.clone().or(first).unwrap_or_default());
    let _ = writeln!(xml, ">\n      <failure message=\"{message}\">{}</failure>", escaped(&report.to_string()));
    xml.push_str("    </testcase>\n");
}

/// Text as XML takes it; characters that XML has no place for are left out.
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

    fn report(scenario: &str, error: Option<&str>) -> Report {
        Report {
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
        let xml = junit(&Summary::of(vec![report("good", None), report("bad", Some("`a` < \"b\" & c\u{1}"))]));
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
}
