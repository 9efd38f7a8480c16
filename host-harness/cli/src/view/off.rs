//! The error where the page is not built in.

use super::Asked;
use crate::exit::Exit;
use crate::failure::Failure;

/// Shows the page.
pub(super) fn show(_: &Asked) -> Result<Exit, Failure> {
    Err(Failure::NoPage)
}
