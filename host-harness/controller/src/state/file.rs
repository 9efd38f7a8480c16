//! In a file.

use std::path::PathBuf;

use lictor_host::living::Stored;

use super::Keep;
use crate::decide::Saved;

/// A file, which is replaced as a whole.
#[derive(Debug, Clone)]
pub struct InFile(pub PathBuf);

impl Keep for InFile {
    fn load(&mut self) -> Result<Option<Saved>, String> {
        Stored::at(&self.0).load()
    }

    fn store(&mut self, saved: &Saved) -> Result<(), String> {
        Stored::at(&self.0).store(saved)
    }
}
