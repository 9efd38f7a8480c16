//! The sandbox of the command, and where it keeps what it compiled.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use lictor_contract::Severity;

use super::failure::shown;
use lictor_decide::Problem;
use lictor_host::sandbox::{Cache, Limits, LoadError, Sandbox};

/// Names the directory; empty, nothing is kept.
const VARIABLE: &str = "LICTOR_CACHE_DIR";

/// A sandbox that finds again what an earlier run compiled. Where nothing can be kept, it says so and compiles.
pub(super) fn sandbox(limits: Limits) -> Result<Sandbox, LoadError> {
    let sandbox = Sandbox::new(limits)?;
    let Some(directory) = directory() else { return Ok(sandbox) };
    match Cache::open(&directory) {
        Ok(cache) => Ok(sandbox.with_cache(cache)),
        Err(error) => {
            warn(&directory, &error);
            Ok(sandbox)
        }
    }
}

/// One line: the command goes on all the same.
fn warn(directory: &Path, error: &io::Error) {
    let why =
        format!("what is compiled cannot be kept in {}: {error} ({VARIABLE} names another place)", directory.display());
    anstream::eprint!("{}", shown(&Problem::error(why).of(Severity::Warning)));
}

/// Where users expect it; none where there is no such place.
fn directory() -> Option<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE) {
        return (!named.is_empty()).then(|| named.into());
    }
    Some(caches()?.join("lictor"))
}

/// The user's directory of what may be deleted at any time.
fn caches() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(named) = absolute("XDG_CACHE_HOME") {
        return Some(named);
    }
    if cfg!(windows) {
        return absolute("LOCALAPPDATA");
    }
    let below = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    Some(absolute("HOME")?.join(below))
}
