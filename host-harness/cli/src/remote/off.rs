//! The errors where registries are not built in.

use super::{Fetched, PullAsked, PushAsked, Remote};
use crate::exit::Exit;
use crate::failure::Failure;
use lictor_host::sandbox::Limits;

/// Reads a component of a registry.
pub(super) fn fetch(_: &str, _: &Remote, _: &Limits) -> Result<Fetched, Failure> {
    Err(Failure::NoRegistries)
}

/// Pushes a policy.
pub(crate) fn push(_: &PushAsked) -> Result<Exit, Failure> {
    Err(Failure::NoRegistries)
}

/// Pulls a policy.
pub(crate) fn pull(_: &PullAsked) -> Result<Exit, Failure> {
    Err(Failure::NoRegistries)
}
