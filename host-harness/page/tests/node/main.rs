//! The engine of the page in node: it opens, decides, explains and plays as the same code does natively, which is what the command does.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/not_run.rs"]
mod not_run;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{are_as_natively, fixtures, questions, same, scenarios, told};
use lictor_web::{OpenInput, PageEngine};
use not_run::not_run;
use serde_json::{Value, json};

/// Returns the answers of the engine of the page to these questions. `None`: the machine has no Node.js.
fn asked(name: &str, questions: &[Value]) -> Option<Vec<Value>> {
    if Command::new("node").arg("--version").output().is_err() {
        not_run("there is no node");
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = |ending: &str| folder.join(format!("{name}.{ending}"));
    fs::write(file("html"), lictor_page::page(None).unwrap()).unwrap();
    fs::write(file("questions.json"), Value::from(questions.to_vec()).to_string()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/node/play.mjs");
    let mut node = Command::new("node");
    node.arg(script).args([file("html"), file("questions.json"), file("answers.json")]);
    assert!(node.status().unwrap().success(), "{node:?}");
    let answers: Vec<Value> = serde_json::from_str(&fs::read_to_string(file("answers.json")).unwrap()).unwrap();
    assert_eq!(answers.len(), questions.len());
    Some(answers)
}

#[test]
fn every_scenario_is_played_alike() {
    let files = scenarios();
    let all: Vec<Value> = files.iter().flat_map(|file| questions(file)).collect();
    let Some(answers) = asked("scenarios", &all) else { return };
    files.iter().zip(answers.chunks(3)).for_each(|(file, answers)| are_as_natively(file, answers));
}

#[test]
fn the_snapshots_are_decided_about_alike() {
    let files = ["snapshots/four-teams.yaml", "snapshots/three-zones.yaml"].map(fixtures);
    let systems = ["koordinator", "kubernetes"];
    let with = |(file, system): (&PathBuf, &str)| OpenInput { system: system.to_owned(), ..told(file) };
    let questions: Vec<Value> =
        files.iter().zip(systems).flat_map(|told| [json!(["open", with(told)]), json!(["decide", 2, false])]).collect();
    let Some(answers) = asked("snapshots", &questions) else { return };
    for ((file, system), answers) in files.iter().zip(systems).zip(answers.chunks(2)) {
        let mut engine = PageEngine::default();
        let summary = engine.open(with((file, system))).unwrap();
        same(file, "what is open", &answers[0]["value"], serde_json::to_value(&summary).unwrap());
        let record = serde_json::to_value(engine.decide(2, false).unwrap()).unwrap();
        assert!(record["cycles"][0]["attempts"].as_array().is_some_and(|attempts| attempts.len() > 5), "{record}");
        same(file, "what is decided", &answers[1]["value"], record);
    }
}
