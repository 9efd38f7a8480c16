//! The statement of a conformance run: which component, by which suite, with which results. Its bytes depend on nothing else, and it has
//! the layout of an in-toto statement, so that what signs artifacts can sign it.

use std::collections::BTreeMap;

use lictor_contract::Description;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::interface::{Conformance, sources};
use super::report::ScenarioReports;

/// The version of the suite: of its checks and of the layout of this statement.
const VERSION: &str = "1";

/// The value of `predicateType`.
const PREDICATE: &str = "https://lictor.dev/conformance/v1";

/// The subject of a statement.
#[derive(Debug, Clone, Copy)]
pub struct Tested<'a> {
    /// The file name of the component.
    pub file: &'a str,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub sha256: &'a str,
    /// The version of the contract that it exports.
    pub contract: Option<&'a str>,
    /// The description that the policy gives of itself.
    pub description: &'a Description,
    /// The version of the command that tested it.
    pub tool: &'a str,
}

/// A statement: an in-toto statement (`in-toto.io/Statement/v1`) with a predicate of our own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Statement {
    #[serde(rename = "_type")]
    kind: &'static str,
    subject: Vec<ResourceDescriptor>,
    predicate_type: &'static str,
    predicate: Predicate,
}

/// A file with its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct ResourceDescriptor {
    name: String,
    digest: DigestSet,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct DigestSet {
    sha256: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Predicate {
    result: &'static str,
    passed: usize,
    failed: usize,
    contract: Option<String>,
    policy: NamedVersion,
    systems: Vec<String>,
    suite: Suite,
    tool: NamedVersion,
    interface: Conformance,
    system: Systems,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct NamedVersion {
    name: String,
    version: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Suite {
    version: &'static str,
    digest: DigestSet,
}

/// The results of the scenarios.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Systems {
    passed: usize,
    failed: usize,
    /// Scenarios of systems that the component does not describe.
    not_described: usize,
    scenarios: Vec<ScenarioResult>,
}

/// The result of one scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct ScenarioResult {
    scenario: String,
    system: String,
    digest: DigestSet,
    passed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

impl Statement {
    /// Creates the statement about both parts. `files` has the bytes of the scenarios by the name of their file, as the reports have it.
    pub fn of(
        tested: &Tested<'_>,
        interface: &Conformance,
        system: &ScenarioReports,
        not_described: usize,
        files: &BTreeMap<String, Vec<u8>>,
    ) -> Statement {
        let digest_of = |file: &str| sha256(files.get(file).map(Vec::as_slice).unwrap_or_default());
        let played = system.reports.iter().map(|report| ScenarioResult {
            scenario: report.scenario.clone(),
            system: report.laws.clone(),
            digest: digest_of(&report.file),
            passed: report.passed,
            failure: report.first_failure(),
        });
        let scenarios: Vec<ScenarioResult> = played.collect();
        let (passed, failed) =
            (interface.passed.saturating_add(system.passed), interface.failed.saturating_add(system.failed));
        let named = |name: &str, version: &str| NamedVersion { name: name.to_owned(), version: version.to_owned() };
        let Description { name, version, systems } = tested.description;
        let mut digests: Vec<&String> = scenarios.iter().map(|played| &played.digest.sha256).collect();
        digests.sort();
        Statement {
            kind: "https://in-toto.io/Statement/v1",
            subject: vec![ResourceDescriptor {
                name: tested.file.to_owned(),
                digest: DigestSet { sha256: tested.sha256.to_owned() },
            }],
            predicate_type: PREDICATE,
            predicate: Predicate {
                result: if failed == 0 { "PASSED" } else { "FAILED" },
                passed,
                failed,
                contract: tested.contract.map(str::to_owned),
                policy: named(name, version),
                systems: systems.iter().map(|system| system.name.clone()).collect(),
                suite: Suite { version: VERSION, digest: suite(sources(), &digests) },
                tool: named("lictor", tested.tool),
                interface: interface.clone(),
                system: Systems { passed: system.passed, failed: system.failed, not_described, scenarios },
            },
        }
    }
}

/// Computes the digest of a suite from its version, the sources of its checks, and its scenarios.
fn suite(sources: &[&str], scenarios: &[&String]) -> DigestSet {
    let mut hash = Sha256::new();
    let parts =
        [VERSION].into_iter().chain(sources.iter().copied()).chain(scenarios.iter().map(|digest| digest.as_str()));
    for part in parts {
        // The length comes first, so that no two lists of parts have the same bytes.
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part.as_bytes());
    }
    DigestSet { sha256: format!("{:x}", hash.finalize()) }
}

fn sha256(bytes: &[u8]) -> DigestSet {
    DigestSet { sha256: format!("{:x}", Sha256::digest(bytes)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::ScenarioReport;

    fn summary() -> ScenarioReports {
        let report = |name: &str| ScenarioReport {
            scenario: name.to_owned(),
            file: format!("{name}.yaml"),
            laws: "first".to_owned(),
            passed: true,
            error: None,
            steps: Vec::new(),
            findings: Vec::new(),
        };
        ScenarioReports::of(vec![report("one"), report("two")])
    }

    fn interface() -> Conformance {
        Conformance { passed: 3, failed: 0, not_exported: 1, not_met: 0, checks: Vec::new() }
    }

    /// Returns the statement about a component of this digest, with this text as one of its scenarios.
    fn statement(sha256: &str, scenario: &str) -> serde_json::Value {
        let description = Description { name: "p".to_owned(), version: "1".to_owned(), systems: Vec::new() };
        let tested =
            Tested { file: "p.wasm", sha256, contract: Some("0.1.0"), description: &description, tool: "0.1.0" };
        let files = [("one.yaml".to_owned(), scenario.into()), ("two.yaml".to_owned(), b"b".to_vec())].into();
        serde_json::to_value(Statement::of(&tested, &interface(), &summary(), 7, &files)).unwrap()
    }

    fn digest_of_suite(statement: &serde_json::Value) -> String {
        statement["predicate"]["suite"]["digest"]["sha256"].as_str().unwrap().to_owned()
    }

    #[test]
    fn it_is_an_in_toto_statement_about_the_component() {
        let statement = statement("ab", "a");
        assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
        assert_eq!(statement["subject"], serde_json::json!([{"name": "p.wasm", "digest": {"sha256": "ab"}}]));
        assert_eq!(
            (&statement["predicate"]["passed"], &statement["predicate"]["result"]),
            (&5.into(), &"PASSED".into())
        );
        let system = &statement["predicate"]["system"];
        assert_eq!((&system["notDescribed"], system["scenarios"].as_array().unwrap().len()), (&7.into(), 2));
        // The SHA-256 of the one letter `b`.
        let b = "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d";
        assert_eq!(system["scenarios"][1]["digest"]["sha256"], b);
    }

    #[test]
    fn the_same_run_has_the_same_bytes_and_another_component_or_suite_has_others() {
        let (one, again) = (statement("ab", "a"), statement("ab", "a"));
        assert_eq!(one.to_string(), again.to_string());
        assert_ne!(one["subject"], statement("cd", "a")["subject"]);
        assert_eq!(digest_of_suite(&one), digest_of_suite(&statement("cd", "a")));
        assert_ne!(digest_of_suite(&one), digest_of_suite(&statement("ab", "another text")));
    }

    #[test]
    fn the_digest_of_a_suite_depends_on_every_source_of_a_check() {
        let all = suite(sources(), &[]);
        for (place, source) in sources().iter().enumerate() {
            let (mut without, mut changed) = (sources().to_vec(), sources().to_vec());
            without.remove(place);
            let text = format!("{source} ");
            changed[place] = &text;
            assert_ne!(suite(&without, &[]), all);
            assert_ne!(suite(&changed, &[]), all);
        }
        assert_ne!(suite(&["ab", "c"], &[]), suite(&["a", "bc"], &[]));
    }
}
