//! What the engine of the page answers about the fixtures, held against the same code run natively.

use std::fs;
use std::path::{Path, PathBuf};

use lictor_web::{OpenInput, PageEngine};
use serde_json::{Value, json};

pub(crate) fn fixtures(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(below)
}

pub(crate) fn told(path: &Path) -> OpenInput {
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    OpenInput { name, text: fs::read_to_string(path).unwrap(), ..OpenInput::default() }
}

/// Returns the files of all scenarios, in order.
pub(crate) fn scenarios() -> Vec<PathBuf> {
    let systems = fs::read_dir(fixtures("scenarios")).unwrap().map(|entry| entry.unwrap().path());
    let files = systems.filter(|it| it.is_dir()).flat_map(|system| fs::read_dir(system).unwrap());
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 700, "{} scenarios", files.len());
    files
}

/// Returns the questions about a scenario: it is opened, and played without and with explanations.
pub(crate) fn questions(file: &Path) -> [Value; 3] {
    [json!(["open", told(file)]), json!(["play", false]), json!(["play", true])]
}

/// Checks that the three answers are those of the same code run natively.
pub(crate) fn are_as_natively(file: &Path, answers: &[Value]) {
    let mut engine = PageEngine::default();
    engine.open(told(file)).unwrap();
    let mut answers = answers.iter();
    let opened = answers.next().unwrap();
    assert!(opened.get("error").is_none_or(Value::is_null), "{}: {opened}", file.display());
    for (answer, explained) in answers.zip([false, true]) {
        let report = engine.play(explained).unwrap();
        assert!(report.passed, "{}", file.display());
        let played = answer.get("value").unwrap_or(&Value::Null);
        same(file, "what is played", played, serde_json::to_value(&report).unwrap());
    }
}

pub(crate) fn same(file: &Path, what: &str, page: &Value, native: Value) {
    assert!(as_javascript(page.clone()) == as_javascript(native), "{}: {what} differs", file.display());
}

/// Rounds the numbers in a value as JavaScript does: one without an exact form there becomes the nearest one that has.
fn as_javascript(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(near) if near.fract() == 0.0 && near.abs() > 9_007_199_254_740_991.0 => json!(near),
            _ => Value::Number(number),
        },
        Value::Array(items) => items.into_iter().map(as_javascript).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, as_javascript(value))).collect(),
        other => other,
    }
}
