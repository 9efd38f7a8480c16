//! The inputs of a comparison: snapshots, scenarios and recordings, each as a recording.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lictor_conformance::{Scenario, each_in, load, run_with};
use lictor_host::cluster::InputError;
use lictor_host::recording::Recorder;
use lictor_host::session::FaultRules;
use serde_json::Value;

use super::super::decide::{DecideRequest, ExplainMode, SnapshotSource, decide};
use super::super::failure::CommandError;
use super::super::recorded::{header, is_recording};
use super::side::ConfiguredPolicy;

/// An input of a comparison.
#[derive(Debug)]
pub(super) enum DiffInput {
    /// A file that `--record` has written.
    Recording(PathBuf),
    /// A scenario.
    Scenario(Box<Scenario>),
    /// A cluster.
    Snapshot(PathBuf),
}

impl DiffInput {
    /// Returns the inputs of a path. A directory contains scenarios.
    pub(super) fn at(path: &Path) -> Result<Vec<DiffInput>, CommandError> {
        if path.is_file() && is_recording(path) {
            return Ok(vec![DiffInput::Recording(path.to_owned())]);
        }
        if path.is_dir() || is_scenario(path)? {
            let scenarios = load(&[path]).map_err(CommandError::from)?;
            return Ok(scenarios.into_iter().map(|scenario| DiffInput::Scenario(Box::new(scenario))).collect());
        }
        Ok(vec![DiffInput::Snapshot(path.to_owned())])
    }

    /// Returns the name of the input for people.
    pub(super) fn name(&self) -> String {
        match self {
            DiffInput::Recording(path) | DiffInput::Snapshot(path) => path.display().to_string(),
            DiffInput::Scenario(scenario) => scenario.origin.file().to_string(),
        }
    }
}

/// Lets a side decide about a cluster. Returns the recording.
pub(super) fn decided(
    path: &Path,
    side: &ConfiguredPolicy,
    cycles: u32,
    schedulers: &[String],
) -> Result<Vec<u8>, CommandError> {
    let (recorder, memory) = Recorder::in_memory();
    let question = DecideRequest {
        snapshots: &SnapshotSource::Files(vec![path.to_owned()]),
        system: side.system(""),
        schedulers,
        cycles,
        explain: ExplainMode::No,
        recorder: Some(&recorder),
    };
    decide(&question, &side.chosen, side.own_arguments()?, |_| Ok(()))?;
    recorder.finish()?;
    Ok(memory.take())
}

/// Lets a side play a scenario. Returns the recording.
pub(super) fn played(scenario: &Scenario, side: &ConfiguredPolicy) -> Result<Vec<u8>, CommandError> {
    let given = Value::Object(scenario.args.clone()).to_string();
    let arguments = side.arguments(&given, &scenario.system)?;
    let args = match serde_json::from_str(&arguments) {
        Ok(Value::Object(args)) => args,
        _ => serde_json::Map::new(),
    };
    let scenario = Scenario { system: side.system(&scenario.system).to_owned(), args, ..scenario.clone() };
    let (recorder, memory) = Recorder::in_memory();
    let source = vec![scenario.origin.file().to_string()];
    let with = (&*scenario.system, &*arguments);
    let header = header(&side.described, &side.chosen, with, &scenario.schedulers, FaultRules::ONCE, source);
    let policy = recorder.observe(side.chosen.start()?, &header);
    let mut opened = false;
    let report = run_with(&scenario, policy, |session| {
        session.set_rails(side.chosen.rails.clone());
        session.record(recorder.clone());
        opened = true;
        Ok(())
    });
    recorder.finish()?;
    match report.error.filter(|_| !opened) {
        Some(error) => Err(CommandError::Scenario { file: report.file, error }),
        None => Ok(memory.take()),
    }
}

/// Returns whether the first document of a file is a scenario.
fn is_scenario(path: &Path) -> Result<bool, CommandError> {
    let mut first = None;
    let enough = || InputError { file: Arc::from(""), line: 0, message: String::new(), remedy: String::new() };
    let read = each_in(path, &mut |document| {
        let version = document.value.get("apiVersion").and_then(Value::as_str);
        first = Some(version.is_some_and(|version| version.starts_with("lictor.dev/")));
        // The first document is enough.
        Err(enough())
    });
    match (first, read) {
        (Some(is_scenario), _) => Ok(is_scenario),
        (None, Err(mistake)) => Err(vec![mistake].into()),
        (None, Ok(())) => Ok(false),
    }
}
