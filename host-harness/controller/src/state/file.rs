//! The checkpoint in a file.

use std::path::PathBuf;

use lictor_host::living::JsonFile;

use super::{CheckpointStore, StoreError};
use crate::decide::DeciderCheckpoint;

/// A file, which is replaced as a whole. Nothing keeps two processes apart that write the same file.
#[derive(Debug, Clone)]
pub struct FileStore(pub PathBuf);

impl CheckpointStore for FileStore {
    fn load(&mut self) -> Result<Option<DeciderCheckpoint>, String> {
        JsonFile::at(&self.0).load()
    }

    fn store(&mut self, saved: &DeciderCheckpoint) -> Result<(), StoreError> {
        JsonFile::at(&self.0).store(saved).map_err(StoreError::Failed)
    }
}
