//! Reads snapshots with the file and line of every object, for messages about them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lictor_contract::Finding;

use super::failure::Failure;
use super::problem::Problem;
use lictor_conformance::each_in;
use lictor_host::cluster::load::{Document, Origin, each};
use lictor_host::cluster::{InputError, Object};

/// Objects and their places.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    /// The objects, in the order of the files.
    pub(super) objects: Vec<Object>,
    /// The place of each object, by `Kind/namespace/name`; the last place of a duplicate object.
    pub(super) origins: Origins,
}

/// The places of objects.
#[derive(Debug, Default)]
pub(super) struct Origins(BTreeMap<String, Origin>);

impl Snapshot {
    /// Reads files (`-` is the standard input). Reports all mistakes of all files, but a syntax error ends its file.
    pub(super) fn read(files: &[PathBuf]) -> Result<Snapshot, Failure> {
        let mut snapshot = Snapshot::default();
        let mut mistakes: Vec<InputError> = Vec::new();
        for file in files {
            let read = each_in(file, &mut |document| {
                mistakes.extend(snapshot.take(document).err());
                Ok(())
            });
            mistakes.extend(read.err());
        }
        if mistakes.is_empty() { Ok(snapshot) } else { Err(Failure::Input(mistakes)) }
    }

    /// Reads a text, which messages call so.
    pub(super) fn told(name: &str, text: &str) -> Result<Snapshot, Failure> {
        let mut snapshot = Snapshot::default();
        let mut mistakes: Vec<InputError> = Vec::new();
        let read = each(name, text, &mut |document| {
            mistakes.extend(snapshot.take(document).err());
            Ok(())
        });
        mistakes.extend(read.err());
        if mistakes.is_empty() { Ok(snapshot) } else { Err(Failure::Input(mistakes)) }
    }

    fn take(&mut self, document: Document) -> Result<(), InputError> {
        let origin = document.origin.clone();
        if is_scenario(&document) {
            let message = "this is a scenario, not a Kubernetes object";
            return Err(origin.mistake("/kind", message, "run it with `lictor test`"));
        }
        let object = Object::from_document(document)?;
        self.origins.0.insert(object.key(), origin);
        self.objects.push(object);
        Ok(())
    }
}

impl Origins {
    /// The place of an object.
    pub(super) fn of(&self, object: &str) -> Option<&Origin> {
        self.0.get(object)
    }

    /// A finding of the policy with file and line.
    pub(super) fn place(&self, finding: Finding) -> Problem {
        let Finding { severity, object, path, message, remedy } = finding;
        let origin = self.of(&object);
        Problem {
            severity,
            file: origin.map(|origin| origin.file().to_string()),
            line: origin.map(|origin| origin.line(&path)).filter(|line| *line > 0),
            object: Some(object),
            path: Some(path).filter(|path| !path.is_empty()),
            message,
            remedy: Some(remedy).filter(|remedy| !remedy.is_empty()),
        }
    }
}

fn is_scenario(document: &Document) -> bool {
    let version = document.value.get("apiVersion").and_then(|version| version.as_str());
    version.is_some_and(|version| version.starts_with("lictor.dev/"))
}

/// The files as the user named them.
pub(super) fn names<P: AsRef<Path>>(files: &[P]) -> Vec<String> {
    let name = |path: &Path| match path.to_str() {
        Some("-") => "standard input".to_owned(),
        _ => path.display().to_string(),
    };
    files.iter().map(|file| name(file.as_ref())).collect()
}
