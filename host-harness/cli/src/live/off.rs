//! The errors where living clusters are not built in.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use lictor_contract::Interests;
use lictor_serve::ConnectionObserver;

use super::{ClusterArgs, RunArgs, UpgradeRequest};
use crate::exit::Exit;
use crate::failure::CommandError;
use crate::screen::TextOrJson;

/// Reads a cluster.
pub(crate) fn cluster(_: &ClusterArgs, _: &Interests) -> Result<String, CommandError> {
    Err(CommandError::NoClusters)
}

/// Serves health and metrics.
pub(crate) fn listen<R>(
    _: SocketAddr,
    _: (&str, &str),
    _: String,
    _: R,
) -> Result<Arc<dyn ConnectionObserver>, CommandError> {
    Err(CommandError::ConflictingOptions(
        "this build of lictor serves no metrics (`--listen`): build it with `--features live`",
    ))
}

/// Asks a running process.
pub(crate) fn explain(_: &Path, _: &str, _: TextOrJson) -> Result<Exit, CommandError> {
    Err(CommandError::NoClusters)
}

/// Orders the replacement of a running process's policy.
pub(crate) fn upgrade(_: &UpgradeRequest<'_>) -> Result<Exit, CommandError> {
    Err(CommandError::NoClusters)
}

/// Decides in a living cluster.
pub(crate) fn run(_: &RunArgs) -> Result<Exit, CommandError> {
    Err(CommandError::NoClusters)
}
