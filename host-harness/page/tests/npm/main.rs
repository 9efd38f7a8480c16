//! The package for npm as a program has it that installs it: its answers are those of the same code run natively, and its types are
//! those of its answers.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/not_run.rs"]
mod not_run;
mod types;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{are_as_natively, fixtures, questions, same, scenarios, told};
use lictor_web::{OpenInput, PageEngine};
use not_run::not_run;
use serde_json::{Value, json};

/// Returns the path of a file of these tests.
fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/npm").join(name)
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat();
    assert!(output.status.success(), "{command:?}: {said}");
}

/// Makes the folder of a program that has installed the package from its archive. `None`: the machine has no Node.js with npm.
fn installed(name: &str) -> Option<PathBuf> {
    if Command::new("npm").arg("--version").output().is_err() {
        not_run("there is no node with npm");
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("npm").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    lictor_page::npm::write(&folder.join("package")).unwrap();
    fs::write(folder.join("package.json"), r#"{"private": true, "type": "module"}"#).unwrap();
    run(Command::new("npm").args(["pack", "./package"]).current_dir(&folder));
    let archive = format!("./lictor-web-{}.tgz", env!("CARGO_PKG_VERSION"));
    run(Command::new("npm").args(["install", "--offline", "--no-audit", "--no-fund", &archive]).current_dir(&folder));
    Some(folder)
}

/// Returns the answers of the package to these questions. `None`: the machine has no Node.js.
fn asked(name: &str, questions: &[Value]) -> Option<Vec<Value>> {
    let folder = installed(name)?;
    fs::copy(here("ask.mjs"), folder.join("ask.mjs")).unwrap();
    fs::write(folder.join("questions.json"), Value::from(questions.to_vec()).to_string()).unwrap();
    run(Command::new("node").args(["ask.mjs", "questions.json", "answers.json"]).current_dir(&folder));
    let answers: Vec<Value> = serde_json::from_str(&fs::read_to_string(folder.join("answers.json")).unwrap()).unwrap();
    assert_eq!(answers.len(), questions.len());
    Some(answers)
}

/// Returns the snapshot that these tests decide about.
fn four_teams() -> OpenInput {
    OpenInput { system: "koordinator".to_owned(), ..told(&fixtures("snapshots/four-teams.yaml")) }
}

#[test]
fn the_package_answers_as_the_same_code_natively() {
    let told = four_teams();
    let class =
        json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "c"}, "value": 7});
    let edit = json!({"kind": "objects", "objects": [class]});
    let mut all = vec![json!(["open", told]), json!(["decide", 1, false]), json!(["explain", JOB]), json!(["picture"])];
    all.push(json!(["edit", edit, "# none\n"]));
    let Some(answers) = asked("answers", &all) else { return };
    let file = Path::new(&told.name);
    let mut engine = PageEngine::default();
    let summary = engine.open(told.clone()).unwrap();
    same(file, "what is open", &answers[0]["value"], json!(summary));
    let record = json!(engine.decide(1, false).unwrap());
    assert!(record["cycles"][0]["attempts"].as_array().is_some_and(|attempts| attempts.len() > 5), "{record}");
    same(file, "what is decided", &answers[1]["value"], record);
    same(file, "what is explained", &answers[2]["value"], engine.explain(JOB, None, |why| json!(why)).unwrap());
    same(file, "the picture", &answers[3]["value"], json!(engine.picture().unwrap()));
    let edit = serde_json::from_value(edit).unwrap();
    same(file, "a change", &answers[4]["value"], json!(engine.edit(&edit, "# none\n").unwrap()));
}

/// A job of the snapshot that finds no node.
const JOB: &str = "nlp/long-context";

#[test]
fn the_package_plays_scenarios_as_the_same_code_natively() {
    let some: Vec<PathBuf> = scenarios().into_iter().step_by(SAMPLE).collect();
    let all: Vec<Value> = some.iter().flat_map(|file| questions(file)).collect();
    let Some(answers) = asked("scenarios", &all) else { return };
    some.iter().zip(answers.chunks(3)).for_each(|(file, answers)| are_as_natively(file, answers));
}

/// One scenario of so many is played: all of them are, in the tests of the page.
const SAMPLE: usize = 20;

#[test]
fn what_is_wrong_is_thrown_as_problems() {
    let all = [json!(["decide", 1, false]), json!(["open", {"name": "a.yaml", "text": "kind: ["}])];
    let Some(answers) = asked("problems", &all) else { return };
    assert_eq!(answers[0]["error"][0]["message"], "nothing is open");
    assert_eq!(answers[1]["error"][0]["file"], "a.yaml");
}

#[test]
fn the_example_of_the_readme_runs() {
    let Some(folder) = installed("example") else { return };
    let readme = fs::read_to_string(folder.join("node_modules/lictor-web/README.md")).unwrap();
    let example = readme.split("```js\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    fs::write(folder.join("example.mjs"), example).unwrap();
    fs::write(folder.join("cluster.yaml"), four_teams().text).unwrap();
    let output = Command::new("node").arg("example.mjs").current_dir(&folder).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("44 nodes, 29 pods wait"), "{said}");
    assert!(said.contains("search/ranker-xl-4lgmcjn4c-dx6ll Rejected"), "{said}");
    assert!(said.contains("koordinator/non-preemptible-job-fits-min"), "{said}");
}
