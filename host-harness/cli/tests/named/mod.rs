//! Scenario files as named tests: `<kind>::<system>/<scenario>`, one for each file.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use libtest_mimic::Failed;
use lictor_conformance::{Scenario, load};

/// Where the scenarios of the repository stand.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/scenarios");

/// A scenario file. It is read once, by the first test that needs it.
pub struct File {
    /// Where it stands.
    pub path: PathBuf,
    /// The folder.
    pub system: String,
    /// The file name without its ending.
    pub name: String,
    read: OnceLock<Result<Scenario, String>>,
}

impl File {
    fn at(path: PathBuf) -> Option<Arc<File>> {
        let name = path.file_stem()?.to_str()?.to_owned();
        let system = path.parent()?.file_name()?.to_str()?.to_owned();
        Some(Arc::new(File { path, system, name, read: OnceLock::new() }))
    }

    /// Reads the scenario, once.
    pub fn scenario(&self) -> Result<&Scenario, Failed> {
        self.read.get_or_init(|| read(&self.path)).as_ref().map_err(Failed::from)
    }

    /// Returns the name of a test of this file.
    pub fn test_name(&self, kind: &str) -> String {
        format!("{kind}::{}/{}", self.system, self.name)
    }
}

fn read(path: &Path) -> Result<Scenario, String> {
    let mistakes = |mistakes: Vec<_>| mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    load(&[path]).map_err(mistakes)?.pop().ok_or_else(|| "the file holds no scenario".to_owned())
}

/// Returns all scenario files, by folder.
pub fn files() -> Result<Vec<Arc<File>>, std::io::Error> {
    let mut files = Vec::new();
    for folder in below(Path::new(FOLDER))?.iter().filter(|path| path.is_dir()) {
        files.extend(below(folder)?.into_iter().filter_map(File::at));
    }
    Ok(files)
}

/// Returns the entries of a folder, by name.
fn below(folder: &Path) -> Result<Vec<PathBuf>, std::io::Error> {
    let mut paths =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    paths.sort();
    Ok(paths)
}

/// Fails the test with the mistakes, if there are any.
pub fn nothing(wrong: impl Iterator<Item = String>) -> Result<(), Failed> {
    let wrong: Vec<String> = wrong.collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}
