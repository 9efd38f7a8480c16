//! Reads snapshots with the file and line of every object.

use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::origins::Origins;
use clap::Args;
use lictor_conformance::each_item_in;
use lictor_host::cluster::load::{Document, Item, each_item};
use lictor_host::cluster::{InputError, Object};

/// Receives each item.
type Sink<'s> = &'s mut dyn FnMut(Item) -> Result<(), InputError>;

/// Objects and their places.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    /// The objects, in the order of the files.
    pub(super) objects: Vec<Object>,
    /// The place of each object, by `Kind/namespace/name`; the last place of a duplicate object.
    pub(super) origins: Origins,
}

impl Snapshot {
    /// Reads files (`-` is the standard input). Reports all mistakes of all files, but a syntax error ends its file.
    pub(super) fn read(files: &[PathBuf]) -> Result<Snapshot, Failure> {
        let mut snapshot = Snapshot::default();
        let mistakes = files.iter().flat_map(|file| snapshot.take_all(|sink| each_item_in(file, sink))).collect();
        snapshot.unless(mistakes)
    }

    /// Reads a text, which messages call so.
    pub(super) fn told(name: &str, text: &str) -> Result<Snapshot, Failure> {
        let mut snapshot = Snapshot::default();
        let mistakes = snapshot.take_all(|sink| each_item(name, text.to_owned(), sink));
        snapshot.unless(mistakes)
    }

    fn unless(self, mistakes: Vec<InputError>) -> Result<Snapshot, Failure> {
        if mistakes.is_empty() { Ok(self) } else { Err(Failure::Input(mistakes)) }
    }

    /// Takes everything that is read; what is wrong.
    fn take_all(&mut self, read: impl FnOnce(Sink<'_>) -> Result<(), InputError>) -> Vec<InputError> {
        let mut mistakes = Vec::new();
        let read = read(&mut |item| {
            mistakes.extend(self.take(item).err());
            Ok(())
        });
        mistakes.extend(read.err());
        mistakes
    }

    fn take(&mut self, item: Item) -> Result<(), InputError> {
        let (object, origin) = match item {
            Item::Object(object, origin) => (*object, origin),
            Item::Document(document) => {
                let origin = document.origin.clone();
                if is_scenario(&document) {
                    let message = "this is a scenario, not a Kubernetes object";
                    return Err(origin.mistake("/kind", message, "run it with `lictor test`"));
                }
                (Object::from_document(document)?, origin)
            }
        };
        self.origins.add(object.key(), origin);
        self.objects.push(object);
        Ok(())
    }
}

fn is_scenario(document: &Document) -> bool {
    let version = document.value.get("apiVersion").and_then(|version| version.as_str());
    version.is_some_and(|version| version.starts_with("lictor.dev/"))
}

/// The dumps that a command reads.
#[derive(Debug, Args)]
pub(super) struct Files {
    /// The output of `kubectl get nodes,pods,... -A -o yaml` (or json); `-` is the standard input
    #[arg(value_name = "SNAPSHOT", required = true)]
    snapshots: Vec<PathBuf>,
}

impl Files {
    pub(super) fn source(&self) -> Source {
        Source::Files(self.snapshots.clone())
    }
}

/// Where a cluster is read from.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// Files.
    Files(Vec<PathBuf>),
    /// This text, which messages call so.
    Text(&'static str, String),
}

impl Source {
    pub(super) fn read(&self) -> Result<Snapshot, Failure> {
        match self {
            Source::Files(files) => Snapshot::read(files),
            Source::Text(name, text) => Snapshot::told(name, text),
        }
    }

    pub(super) fn names(&self) -> Vec<String> {
        match self {
            Source::Files(files) => names(files),
            Source::Text(name, _) => vec![(*name).to_owned()],
        }
    }
}

/// The files as the user named them.
fn names<P: AsRef<Path>>(files: &[P]) -> Vec<String> {
    let name = |path: &Path| match path.to_str() {
        Some("-") => "standard input".to_owned(),
        _ => path.display().to_string(),
    };
    files.iter().map(|file| name(file.as_ref())).collect()
}
