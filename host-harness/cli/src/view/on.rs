//! The page, served on the loopback address or written to a file.

mod live;
mod serve;

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use lictor_conformance::unpacked;
use lictor_host::recording::is_recording;
use lictor_page::PageInput;

use super::{ViewArgs, ViewOptions};
use crate::exit::Exit;
use crate::failure::CommandError;
use live::FollowedRecording;
use serve::ServedPage;

/// The error for options that a recording ignores.
const RECORDED: &str =
    "a recording has its system, arguments and schedulers: leave out `--system`, `--args` and `--scheduler`";

/// Serves the page until the process is interrupted, or writes the page to a file.
pub(super) fn show(asked: &ViewArgs) -> Result<Exit, CommandError> {
    let page = if asked.live { follow(asked)? } else { ServedPage { page: page(asked)?, live: None } };
    if let Some(file) = &asked.export {
        let unwritable = |error| CommandError::Unwritable { file: file.display().to_string(), error };
        fs::write(file, page.page).map_err(unwritable)?;
        return Ok(Exit::Success);
    }
    serve::serve(&page, asked.port, !asked.no_open)
}

/// Returns the file to show.
///
/// # Errors
/// [`CommandError::Useless`] where the policy is not built in, or several files are named.
fn file_of(asked: &ViewArgs) -> Result<&Path, CommandError> {
    if !asked.how.by.policy.is_built_in() {
        return Err(CommandError::ConflictingOptions(
            "the page decides by the built-in policy: leave out `--component`, or add `--text`",
        ));
    }
    match asked.snapshots.files() {
        [file] => Ok(file),
        _ => {
            Err(CommandError::ConflictingOptions("the page shows one file: put the objects into one, or add `--text`"))
        }
    }
}

/// Makes the page that follows a recording, once the recording has begun.
fn follow(asked: &ViewArgs) -> Result<ServedPage, CommandError> {
    let (file, in_force) = (file_of(asked)?, &asked.how.by.in_force);
    if !(in_force.laws.is_empty() && in_force.args.is_none() && in_force.schedulers.is_empty()) {
        return Err(CommandError::ConflictingOptions(RECORDED));
    }
    if is_input(file) {
        return Err(CommandError::ConflictingOptions(
            "`--live` follows a file: name the one that `lictor run --record FILE` writes",
        ));
    }
    let (live, beginning) = FollowedRecording::wait_for_start(file)?;
    Ok(ServedPage { page: lictor_page::live(live.name(), &beginning)?, live: Some(live) })
}

/// Makes the page with the input inside.
fn page(asked: &ViewArgs) -> Result<String, CommandError> {
    let ViewOptions { by, .. } = &asked.how;
    let (name, bytes) = read(file_of(asked)?)?;
    let arguments = by.in_force.args.as_deref().map(text_of).transpose()?.unwrap_or_default();
    let chosen = !(by.in_force.laws.is_empty() && arguments.is_empty() && by.in_force.schedulers.is_empty());
    match is_recording(&bytes) {
        true if chosen => return Err(CommandError::ConflictingOptions(RECORDED)),
        false if std::str::from_utf8(&bytes).is_err() => return Err(CommandError::NotText { file: name }),
        _ => {}
    }
    let input = PageInput {
        name: &name,
        bytes: &bytes,
        system: &by.in_force.laws,
        arguments: &arguments,
        schedulers: &by.in_force.schedulers,
    };
    Ok(lictor_page::page(Some(input))?)
}

/// Reads a file as text.
fn text_of(file: &Path) -> Result<String, CommandError> {
    let (file, bytes) = read(file)?;
    String::from_utf8(bytes).map_err(|_| CommandError::NotText { file })
}

/// Returns whether a file name means the standard input.
fn is_input(file: &Path) -> bool {
    file.to_str() == Some("-")
}

/// Reads a file, unpacked. Returns its name and its bytes; `-` is the standard input.
fn read(file: &Path) -> Result<(String, Vec<u8>), CommandError> {
    let mut bytes = Vec::new();
    let name = if is_input(file) { "standard input".to_owned() } else { file.display().to_string() };
    let read = match is_input(file) {
        true => io::stdin().lock().read_to_end(&mut bytes).map(|_| ()),
        false => fs::read(file).map(|read| bytes = read),
    };
    let bytes =
        read.and_then(|()| unpacked(bytes)).map_err(|error| CommandError::Unreadable { file: name.clone(), error })?;
    Ok((name, bytes))
}
