//! A file in which a driver keeps what its successor needs.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A file that holds one JSON value, and is replaced as a whole.
#[derive(Debug, Clone)]
pub struct JsonFile(PathBuf);

impl JsonFile {
    /// Creates a handle for this file. The file need not exist.
    pub fn at(path: &Path) -> JsonFile {
        JsonFile(path.to_owned())
    }

    /// Reads the value that was stored last. `None`: the file does not exist.
    ///
    /// # Errors
    /// The file cannot be read, or contains something else. The message names the file.
    pub fn load<T: DeserializeOwned>(&self) -> Result<Option<T>, String> {
        match fs::read(&self.0) {
            Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|error| self.with_path(&error)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.with_path(&error)),
        }
    }

    /// Stores a value. When this returns, the value is on the disk.
    ///
    /// # Errors
    /// The file cannot be written. The message names the file.
    pub fn store<T: Serialize>(&self, value: &T) -> Result<(), String> {
        let text = serde_json::to_vec(value).map_err(|error| self.with_path(&error))?;
        let beside = self.0.with_extension("new");
        let write = || -> std::io::Result<()> {
            let mut file = File::create(&beside)?;
            file.write_all(&text)?;
            file.sync_data()?;
            fs::rename(&beside, &self.0)?;
            sync_directory(&self.0)
        };
        write().map_err(|error| self.with_path(&error))
    }

    fn with_path(&self, error: &dyn std::fmt::Display) -> String {
        format!("checkpoint {}: {error}", self.0.display())
    }
}

/// Flushes the folder of a file, so that the name of the file is on the disk.
#[cfg(unix)]
fn sync_directory(file: &Path) -> std::io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Returns at once: other systems cannot open folders.
#[cfg(not(unix))]
fn sync_directory(_: &Path) -> std::io::Result<()> {
    Ok(())
}
