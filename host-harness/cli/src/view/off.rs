//! The error where the page is not built in.

use super::ViewArgs;
use crate::exit::Exit;
use crate::failure::CommandError;

/// Shows the page.
pub(super) fn show(_: &ViewArgs) -> Result<Exit, CommandError> {
    Err(CommandError::NoPage)
}
