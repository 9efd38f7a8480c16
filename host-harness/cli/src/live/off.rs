//! The errors where living clusters are not built in.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use lictor_contract::Interests;
use lictor_serve::Report;

use super::{Access, Asked, Order};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::screen::TextOrJson;

/// Reads a cluster.
pub(crate) fn cluster(_: &Access, _: &Interests) -> Result<String, Failure> {
    Err(Failure::NoClusters)
}

/// Serves health and metrics.
pub(crate) fn listen<R>(_: SocketAddr, _: (&str, &str), _: String, _: R) -> Result<Arc<dyn Report>, Failure> {
    Err(Failure::Useless("this build of lictor serves no metrics (`--listen`): build it with `--features live`"))
}

/// Asks a running process.
pub(crate) fn explain(_: &Path, _: &str, _: TextOrJson) -> Result<Exit, Failure> {
    Err(Failure::NoClusters)
}

/// Orders the replacement of a running process's policy.
pub(crate) fn upgrade(_: &Order<'_>) -> Result<Exit, Failure> {
    Err(Failure::NoClusters)
}

/// Decides in a living cluster.
pub(crate) fn run(_: &Asked) -> Result<Exit, Failure> {
    Err(Failure::NoClusters)
}
