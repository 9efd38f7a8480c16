//! The source of a snapshot.

use std::path::{Path, PathBuf};

use clap::Args;
use lictor_conformance::each_item_in;
use lictor_decide::ClusterSnapshot;
use lictor_host::cluster::InputError;
use lictor_host::cluster::load::SourceItem;

/// The dumps that a command reads.
#[derive(Debug, Args)]
pub(super) struct Files {
    /// The output of `kubectl get nodes,pods,... -A -o yaml` (or json); `-` is the standard input
    #[arg(value_name = "SNAPSHOT", required = true)]
    snapshots: Vec<PathBuf>,
}

impl Files {
    pub(super) fn source(&self) -> SnapshotSource {
        SnapshotSource::Files(self.snapshots.clone())
    }

    /// Returns the files as the user named them.
    #[cfg(feature = "page")]
    pub(super) fn files(&self) -> &[PathBuf] {
        &self.snapshots
    }
}

/// The source of a cluster.
#[derive(Debug, Clone)]
pub(super) enum SnapshotSource {
    /// Files; `-` is the standard input.
    Files(Vec<PathBuf>),
    /// A text, with its name in messages.
    Text(&'static str, String),
}

impl SnapshotSource {
    pub(super) fn read(&self) -> Result<ClusterSnapshot, lictor_decide::DecideError> {
        match self {
            SnapshotSource::Files(files) => {
                ClusterSnapshot::read(self.names(), files.iter().map(|file| items_in(file)))
            }
            SnapshotSource::Text(name, text) => ClusterSnapshot::from_text(name, text.clone()),
        }
    }

    pub(super) fn names(&self) -> Vec<String> {
        match self {
            SnapshotSource::Files(files) => names(files),
            SnapshotSource::Text(name, _) => vec![(*name).to_owned()],
        }
    }
}

fn items_in(
    file: &Path,
) -> impl FnOnce(&mut dyn FnMut(SourceItem) -> Result<(), InputError>) -> Result<(), InputError> {
    move |sink| each_item_in(file, sink)
}

/// Returns the names of files for messages.
fn names<P: AsRef<Path>>(files: &[P]) -> Vec<String> {
    let name = |path: &Path| match path.to_str() {
        Some("-") => "standard input".to_owned(),
        _ => path.display().to_string(),
    };
    files.iter().map(|file| name(file.as_ref())).collect()
}
