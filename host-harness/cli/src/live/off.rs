//! What is said where living clusters are not built in.

use super::Asked;
use crate::exit::Exit;
use crate::failure::Failure;

/// Decides in a living cluster.
pub(crate) fn run(_: &Asked) -> Result<Exit, Failure> {
    Err(Failure::NoClusters)
}
