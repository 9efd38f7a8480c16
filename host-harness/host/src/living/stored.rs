//! A file in which a driver keeps what its successor needs.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A file that holds one JSON value, and is replaced as a whole.
#[derive(Debug, Clone)]
pub struct Stored(PathBuf);

impl Stored {
    /// In this file; it need not be there.
    pub fn at(path: &Path) -> Stored {
        Stored(path.to_owned())
    }

    /// What was stored last; none where nothing was.
    ///
    /// # Errors
    /// It cannot be read, or is something else. The message names the file.
    pub fn load<T: DeserializeOwned>(&self) -> Result<Option<T>, String> {
        match fs::read(&self.0) {
            Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|error| self.say(&error)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.say(&error)),
        }
    }

    /// Stores it; when this returns, it is on the disk.
    ///
    /// # Errors
    /// It cannot be written. The message names the file.
    pub fn store<T: Serialize>(&self, value: &T) -> Result<(), String> {
        let text = serde_json::to_vec(value).map_err(|error| self.say(&error))?;
        let beside = self.0.with_extension("new");
        let write = || -> std::io::Result<()> {
            let mut file = File::create(&beside)?;
            file.write_all(&text)?;
            file.sync_data()?;
            fs::rename(&beside, &self.0)?;
            keep_name(&self.0)
        };
        write().map_err(|error| self.say(&error))
    }

    fn say(&self, error: &dyn std::fmt::Display) -> String {
        format!("checkpoint {}: {error}", self.0.display())
    }
}

/// Returns when the name of a file is on the disk: that is when its folder is.
#[cfg(unix)]
fn keep_name(file: &Path) -> std::io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Does nothing: elsewhere, folders cannot be opened.
#[cfg(not(unix))]
fn keep_name(_: &Path) -> std::io::Result<()> {
    Ok(())
}
