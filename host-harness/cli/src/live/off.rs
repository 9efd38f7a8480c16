//! What is said where living clusters are not built in.

use std::path::Path;

use lictor_contract::Interests;

use super::{Access, Asked, Order};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::screen::TextOrJson;

/// Reads a cluster.
pub(crate) fn cluster(_: &Access, _: &Interests) -> Result<String, Failure> {
    Err(Failure::NoClusters)
}

/// Asks a running process.
pub(crate) fn explain(_: &Path, _: &str, _: TextOrJson) -> Result<Exit, Failure> {
    Err(Failure::NoClusters)
}

/// Has the policy of a running process replaced.
pub(crate) fn upgrade(_: &Order<'_>) -> Result<Exit, Failure> {
    Err(Failure::NoClusters)
}

/// Decides in a living cluster.
pub(crate) fn run(_: &Asked) -> Result<Exit, Failure> {
    Err(Failure::NoClusters)
}
