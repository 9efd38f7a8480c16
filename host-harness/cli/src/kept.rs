//! The sandbox of the command, and its cache of compiled components.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use lictor_contract::Severity;

use super::failure::format_problem;
use lictor_decide::Problem;
use lictor_host::sandbox::{Cache, LoadError, Sandbox, SandboxLimits};

/// The variable that names the directory of the cache; where it is empty, nothing is cached.
const VARIABLE: &str = "LICTOR_CACHE_DIR";

/// Makes a sandbox with a cache of compiled components. Where the cache cannot be used, a warning is printed and the sandbox compiles every time.
pub(super) fn sandbox(limits: SandboxLimits) -> Result<Sandbox, LoadError> {
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

/// Prints a warning of one line: the command continues without a cache.
fn warn(directory: &Path, error: &io::Error) {
    let why =
        format!("what is compiled cannot be kept in {}: {error} ({VARIABLE} names another place)", directory.display());
    anstream::eprint!("{}", format_problem(&Problem::error(why).of(Severity::Warning)));
}

/// Returns the directory of the cache: the named one, else the usual one. `None`: nothing is cached.
fn directory() -> Option<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE) {
        return (!named.is_empty()).then(|| named.into());
    }
    Some(caches()?.join("lictor"))
}

/// Returns the user's directory for files that may be deleted at any time. `None`: the system names none.
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
