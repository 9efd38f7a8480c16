//! Finds scenarios in files and directories.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::format::Scenario;
use super::read::read;
use crate::cluster::InputError;
use crate::cluster::load::{Document, each_in};

/// How files of a directory end that may hold a scenario.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// Reads the scenarios in files and, with everything below them, in directories, in the order of their paths.
///
/// # Errors
/// All mistakes of all files: what cannot be read, what is no scenario, a file that is not named after its scenario, a
/// directory without any.
pub fn load<P: AsRef<Path>>(paths: &[P]) -> Result<Vec<Scenario>, Vec<InputError>> {
    let mut scenarios = Vec::new();
    let mut mistakes = Vec::new();
    for path in paths {
        let mut files = Vec::new();
        match find(path.as_ref(), &mut files) {
            Ok(()) if files.is_empty() => {
                mistakes.push(mistake(path.as_ref(), "holds no scenario", "name a directory with .yaml files in it"));
            }
            Ok(()) => {}
            Err(error) => mistakes.push(error),
        }
        for file in files {
            match load_file(&file) {
                Ok(scenario) => scenarios.push(scenario),
                Err(error) => mistakes.push(error),
            }
        }
    }
    if mistakes.is_empty() { Ok(scenarios) } else { Err(mistakes) }
}

/// The files that a path names.
fn find(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), InputError> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let unreadable =
        |error: std::io::Error| mistake(path, &format!("cannot be read: {error}"), "name a directory that may be read");
    let entries = std::fs::read_dir(path).map_err(unreadable)?;
    let mut below = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    below.sort();
    for path in below {
        let ending = path.extension().and_then(|ending| ending.to_str());
        if path.is_dir() || ending.is_some_and(|ending| ENDINGS.contains(&ending)) {
            find(&path, files)?;
        }
    }
    Ok(())
}

/// Reads the scenario of a file.
fn load_file(path: &Path) -> Result<Scenario, InputError> {
    let mut documents: Vec<Document> = Vec::new();
    each_in(path, &mut |document| {
        documents.push(document);
        Ok(())
    })?;
    let scenario = match (documents.pop(), documents.first()) {
        (Some(document), None) => read(document)?,
        (None, _) => return Err(mistake(path, "is empty", "write a scenario into it")),
        (Some(second), Some(_)) => {
            return Err(second.origin.mistake("", "a second document in the file", "give every scenario its own file"));
        }
    };
    match path.file_stem().and_then(|stem| stem.to_str()) {
        Some(stem) if stem != scenario.name => {
            let message = format!("the scenario `{}` stands in a file named `{stem}`", scenario.name);
            Err(scenario.origin.mistake("/metadata/name", message, "name the file after the scenario"))
        }
        _ => Ok(scenario),
    }
}

/// A mistake of a whole file.
fn mistake(path: &Path, message: &str, remedy: &str) -> InputError {
    InputError {
        file: Arc::from(path.display().to_string()),
        line: 0,
        message: message.to_owned(),
        remedy: remedy.to_owned(),
    }
}
