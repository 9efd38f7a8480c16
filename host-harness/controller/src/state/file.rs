//! The checkpoint in a file.

use std::path::PathBuf;

use lictor_host::living::Stored;

use super::{Keep, Unsaved};
use crate::decide::Saved;

/// A file, which is replaced as a whole. Nothing keeps two processes apart that write the same file.
#[derive(Debug, Clone)]
pub struct InFile(pub PathBuf);

impl Keep for InFile {
    fn load(&mut self) -> Result<Option<Saved>, String> {
        Stored::at(&self.0).load()
    }

    fn store(&mut self, saved: &Saved) -> Result<(), Unsaved> {
        Stored::at(&self.0).store(saved).map_err(Unsaved::Failed)
    }
}
