//! The types of the package: a program that uses every method, and real answers written as constants of their types, pass the compiler.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lictor_decide::CycleInterval;
use lictor_web::{OpenInput, PageEngine};
use serde_json::{Value, json};

use super::common::{fixtures, scenarios, told};
use super::not_run::not_run;
use super::{here, installed};

/// The answers about one scenario of so many are checked.
const TYPED: usize = 5;

/// What the script says where the compiler is not installed.
const NOT_INSTALLED: i32 = 77;

/// Answers as constants of their types, in TypeScript.
#[derive(Default)]
struct Constants {
    types: Vec<&'static str>,
    text: String,
}

impl Constants {
    fn add(&mut self, of: &'static str, answer: &Value) {
        self.types.push(of);
        writeln!(self.text, "export const _{}: {of} = {answer};", self.types.len()).unwrap();
    }

    fn source(mut self) -> String {
        self.types.sort_unstable();
        self.types.dedup();
        let named = self.types.iter().map(|of| of.trim_end_matches("[]"));
        let names: Vec<&str> = named.collect();
        format!("import type {{ {} }} from \"lictor-web\";\n{}", names.join(", "), self.text)
    }

    /// Adds the answers about a snapshot.
    fn of_snapshot(&mut self, told: OpenInput) {
        let mut engine = PageEngine::default();
        self.add("Summary", &json!(engine.open(told).unwrap()));
        self.add("Bound[]", &json!(engine.bounds().unwrap()));
        self.add("Picture", &json!(engine.picture().unwrap()));
        let first = json!(engine.cycle(CycleInterval::default()).unwrap().unwrap());
        self.add("Moment", &first);
        let attempts = first["record"]["cycles"][0]["attempts"].as_array().unwrap();
        let victims = first["record"]["cycles"][0]["victims"].as_object().unwrap();
        let tried = attempts.iter().map(|attempt| attempt["pod"].as_str().unwrap());
        for pod in tried.chain(victims.keys().map(String::as_str)) {
            self.add("Explanation", &engine.explain(pod, None, |why| json!(why)).unwrap());
        }
        let next = engine.cycle(CycleInterval { victims_leave: true, seconds: 60 }).unwrap().unwrap();
        self.add("Moment", &json!(next));
        let node = first["picture"]["nodes"][0]["name"].as_str().unwrap();
        self.add("Placed[]", &json!(engine.pods_on(node, None).unwrap()));
        let waits = next_of(&first);
        self.add("WhatIf", &json!(engine.what_if(&waits).unwrap()));
        self.add("Written", &json!(engine.scenario().unwrap()));
        self.add("Told", &json!(engine.masked().unwrap()));
        self.add("Decisions", &json!(engine.decide(1, true).unwrap()));
    }
}

/// Returns a pod that found no node.
fn next_of(moment: &Value) -> String {
    let attempts = moment["record"]["cycles"][0]["attempts"].as_array().unwrap();
    let refused =
        attempts.iter().find(|attempt| attempt["result"] == "Rejected" || attempt["result"] == "Unschedulable");
    refused.unwrap()["pod"].as_str().unwrap().to_owned()
}

fn answers() -> String {
    let mut constants = Constants::default();
    constants.add("System[]", &json!(PageEngine::systems()));
    constants.add("Law[]", &json!(PageEngine::laws()));
    constants.add("Problem[]", &json!(PageEngine::default().bounds().unwrap_err()));
    for (snapshot, system) in [("four-teams", "koordinator"), ("three-zones", "kubernetes")] {
        let file = fixtures(&format!("snapshots/{snapshot}.yaml"));
        constants.of_snapshot(OpenInput { system: system.to_owned(), ..told(&file) });
    }
    for file in scenarios().iter().step_by(TYPED) {
        let mut engine = PageEngine::default();
        constants.add("Summary", &json!(engine.open(told(file)).unwrap()));
        constants.add("Report", &json!(engine.play(true).unwrap()));
        constants.add("Decisions", &json!(engine.decide(2, true).unwrap()));
    }
    constants.source()
}

/// Returns the names of the methods of the class.
fn methods(declared: &str) -> Vec<&str> {
    let class = declared.split("export class Lictor {").nth(1).and_then(|rest| rest.split("\n}").next()).unwrap();
    let declared = class.lines().filter_map(|line| line.strip_prefix("  ")?.split_once('(')).map(|(name, _)| name);
    declared.filter(|name| !name.contains([' ', '[', '*']) && *name != "constructor").collect()
}

#[test]
fn what_the_class_takes_and_answers_is_declared() {
    let sources = [include_str!("../../../../guest/web/src/lib.rs"), include_str!("../../../../guest/web/src/live.rs")];
    let (declared, class) = (lictor_web::declarations().unwrap(), sources.concat());
    let types = class.split("unchecked_").skip(1).filter_map(|rest| rest.split('"').nth(1));
    let names = types
        .map(|of| of.trim_end_matches(" | null").trim_end_matches("[]"))
        .filter(|of| !["number", "string"].contains(of));
    let names: Vec<&str> = names.collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        assert!(declared.contains(&format!("\nexport type {name} = ")), "{name} is not declared");
    }
}

fn check(folder: &Path, files: &[PathBuf]) -> Option<std::process::Output> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("typescript.sh");
    let mut compiler = Command::new("bash");
    compiler.arg(script).args(["run", "--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom"]);
    compiler.args(["--module", "nodenext", "--exactOptionalPropertyTypes", "--pretty", "false"]).args(files);
    let output = compiler.current_dir(folder).output().unwrap();
    if output.status.code() == Some(NOT_INSTALLED) {
        not_run("the compiler of TypeScript is not installed (bash host-harness/page/typescript.sh install)");
        return None;
    }
    Some(output)
}

#[test]
fn the_types_are_those_of_the_answers() {
    let Some(folder) = installed("types") else { return };
    let declared = fs::read_to_string(folder.join("node_modules/lictor-web/lictor-web.d.ts")).unwrap();
    let consumer = fs::read_to_string(here("consumer.ts")).unwrap();
    let methods = methods(&declared);
    assert!(methods.len() > 15, "{methods:?}");
    for name in methods {
        assert!(consumer.contains(&format!("lictor.{name}(")), "consumer.ts does not use {name}");
    }
    let files = ["consumer.ts", "answers.ts"].map(|name| folder.join(name));
    fs::write(&files[0], consumer).unwrap();
    fs::write(&files[1], answers()).unwrap();
    let Some(checked) = check(&folder, &files) else { return };
    let said = String::from_utf8_lossy(&checked.stdout);
    let shown: String = said.lines().take(20).map(|line| line.chars().take(400).collect::<String>() + "\n").collect();
    assert!(checked.status.success(), "{shown}{}", String::from_utf8_lossy(&checked.stderr));
}
