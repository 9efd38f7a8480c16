//! The errors where registries are not built in.

use super::{FetchedComponent, PullArgs, PushArgs, RegistryArgs};
use crate::exit::Exit;
use crate::failure::CommandError;
use lictor_host::sandbox::SandboxLimits;

/// Reads a component of a registry.
pub(super) fn fetch(_: &str, _: &RegistryArgs, _: &SandboxLimits) -> Result<FetchedComponent, CommandError> {
    Err(CommandError::NoRegistries)
}

/// Pushes a policy.
pub(crate) fn push(_: &PushArgs) -> Result<Exit, CommandError> {
    Err(CommandError::NoRegistries)
}

/// Pulls a policy.
pub(crate) fn pull(_: &PullArgs) -> Result<Exit, CommandError> {
    Err(CommandError::NoRegistries)
}
