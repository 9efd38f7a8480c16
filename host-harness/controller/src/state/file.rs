//! In a file.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use super::Keep;
use crate::decide::Saved;

/// A file, which is replaced as a whole.
#[derive(Debug, Clone)]
pub struct InFile(pub PathBuf);

impl Keep for InFile {
    fn load(&mut self) -> Result<Option<Saved>, String> {
        match fs::read(&self.0) {
            Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|error| self.say(&error)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.say(&error)),
        }
    }

    fn store(&mut self, saved: &Saved) -> Result<(), String> {
        let text = serde_json::to_vec(saved).map_err(|error| self.say(&error))?;
        let beside = self.0.with_extension("new");
        let write = || -> std::io::Result<()> {
            let mut file = File::create(&beside)?;
            file.write_all(&text)?;
            file.sync_data()?;
            fs::rename(&beside, &self.0)
        };
        write().map_err(|error| self.say(&error))
    }
}

impl InFile {
    fn say(&self, error: &dyn std::fmt::Display) -> String {
        format!("checkpoint {}: {error}", self.0.display())
    }
}
