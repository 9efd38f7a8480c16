//! The open input as a file: a snapshot with its changes, or a scenario that expects the decisions.

use lictor_conformance::{read_scenario, run};
use lictor_host::cluster::load;
use lictor_host::policy::Policy;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::between::{CycleInterval, SECOND};
use super::problem::Problem;
use super::record::CycleReport;
use super::snapshot::ClusterSnapshot;

/// A file to be saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Written"))]
pub struct ExportedFile {
    /// The name of the file.
    pub name: String,
    /// The text of the file.
    pub text: String,
}

/// The parts of a scenario.
pub struct ScenarioContents<'a> {
    /// The name of the file that was opened.
    pub file: &'a str,
    /// The cluster before any decision.
    pub snapshot: &'a ClusterSnapshot,
    /// The newest time in the cluster, in nanoseconds since 1970.
    pub newest: i64,
    /// The name of the system.
    pub system: &'a str,
    /// The arguments of the system.
    pub arguments: &'a Map<String, Value>,
    /// The schedulers whose pods are decided about; empty: those that the system stands for.
    pub schedulers: &'a [String],
    /// The decisions, cycle by cycle, with the events before each.
    pub cycles: &'a [(CycleInterval, CycleReport)],
}

/// Returns a snapshot as a file: one document for each object.
pub fn snapshot(file: &str, snapshot: &ClusterSnapshot) -> ExportedFile {
    let documents: Vec<String> = snapshot.objects.iter().map(|object| object.json() + "\n").collect();
    ExportedFile { name: format!("{}.yaml", name(file)), text: documents.join("---\n") }
}

/// Returns the decisions as a scenario that passes: it is played once before it is returned.
///
/// # Errors
/// The scenario does not end as it was decided.
pub fn scenario(decided: &ScenarioContents<'_>, policy: Box<dyn Policy>) -> Result<ExportedFile, Vec<Problem>> {
    let name = name(decided.file);
    let written = ExportedFile { name: format!("{name}.yaml"), text: text(decided, &name) };
    let documents = load::read(&written.name, &written.text).map_err(|mistake| vec![Problem::from(&mistake)])?;
    let document = documents.into_iter().next().ok_or_else(|| vec![Problem::error("nothing was written")])?;
    let scenario = read_scenario(document).map_err(|mistake| vec![Problem::from(&mistake)])?;
    let report = run(&scenario, policy);
    if report.passed {
        return Ok(written);
    }
    Err(vec![
        Problem::error(format!("played as a scenario, this ends otherwise: {report}")).remedy("save the snapshot"),
    ])
}

/// Returns the text of a scenario: one object a line, so that two of them can be compared.
fn text(decided: &ScenarioContents<'_>, name: &str) -> String {
    let ScenarioContents { file, snapshot, newest, system, arguments, schedulers, cycles } = decided;
    let policy = json!({ "laws": system, "args": arguments, "schedulers": schedulers });
    let description = format!("What was decided about {file}.");
    let mut lines = vec![
        "apiVersion: lictor.dev/v1alpha1".to_owned(),
        "kind: Scenario".to_owned(),
        format!("metadata: {}", json!({ "name": name })),
        "spec:".to_owned(),
        format!("  description: {}", json!(description)),
        format!("  source: {}", json!(file)),
        format!("  policy: {policy}"),
        "  cluster:".to_owned(),
    ];
    lines.extend(snapshot.objects.iter().map(|object| format!("  - {}", object.json())));
    lines.push("  steps:".to_owned());
    lines.extend(steps(*newest, cycles).iter().map(|step| format!("  - {step}")));
    lines.join("\n") + "\n"
}

/// Returns the steps of a scenario. First the clock moves to the newest time in the cluster, as it does before a decision. Then come the cycles.
fn steps(newest: i64, cycles: &[(CycleInterval, CycleReport)]) -> Vec<Value> {
    let advance = (newest > 0).then(|| advanced(newest));
    let of_cycle = |(between, cycle): &(CycleInterval, CycleReport)| {
        let left = between.victims_leave.then(|| json!({ "evictionsComplete": true }));
        let advance = (between.seconds > 0).then(|| advanced(between.nanoseconds()));
        let happened = &cycle.happened;
        let (victims, waiting): (Vec<&String>, Vec<&String>) =
            (happened.victims.keys().collect(), cycle.waiting.keys().collect());
        let expect = json!({
            "bound": happened.bound, "nominated": happened.nominated, "victims": victims, "waiting": waiting,
        });
        let decided = json!({ "cycle": 1, "expect": expect });
        left.into_iter().chain(advance).chain([decided]).collect::<Vec<Value>>()
    };
    advance.into_iter().chain(cycles.iter().flat_map(of_cycle)).collect()
}

/// Returns the step that moves the clock on by this number of nanoseconds.
fn advanced(nanoseconds: i64) -> Value {
    let (seconds, rest) = (nanoseconds.div_euclid(SECOND), nanoseconds.rem_euclid(SECOND));
    json!({ "advance": format!("{seconds}s{rest}ns") })
}

/// Returns the name of a file without its ending, in lower case, with hyphens.
fn name(file: &str) -> String {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { ' ' };
    let words: String = stem.chars().map(plain).collect();
    let words: Vec<&str> = words.split_whitespace().collect();
    if words.is_empty() { "cluster".to_owned() } else { words.join("-") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_in_lower_case_with_hyphens() {
        assert_eq!(name("Four Teams_2.yaml"), "four-teams-2");
        assert_eq!((name("pasted text").as_str(), name("../.yaml").as_str()), ("pasted-text", "cluster"));
    }
}
