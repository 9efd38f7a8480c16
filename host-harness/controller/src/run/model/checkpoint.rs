//! Checkpoints in memory.

use std::sync::{Arc, Mutex};

use crate::decide::DeciderCheckpoint;
use crate::state::{CheckpointStore, StoreError};

/// A handle of a checkpoint in memory, which may not be written. Of its clones only the one that took the checkpoint over last may store.
#[derive(Clone, Default)]
pub(super) struct MemoryCheckpointStore {
    state: Arc<Mutex<MemoryCheckpointState>>,
    /// The number of takeovers up to that of this handle.
    term: usize,
}

#[derive(Default)]
struct MemoryCheckpointState {
    text: Option<String>,
    /// Whether it cannot be written.
    is_full: bool,
    /// Whether it cannot be read the next time that a process takes it over.
    is_unreadable: bool,
    /// Counts the takeovers.
    term: usize,
    /// Counts what would be requests that write.
    writes: usize,
}

impl MemoryCheckpointStore {
    /// Sets whether the checkpoint cannot be written from now on.
    pub(super) fn set_full(&self, is_full: bool) {
        self.state.lock().unwrap().is_full = is_full;
    }

    /// Lets the next process fail to read the checkpoint.
    pub(super) fn fail_to_read(&self) {
        self.state.lock().unwrap().is_unreadable = true;
    }

    /// Returns how often a process has taken it over, or wanted to store it.
    pub(super) fn writes(&self) -> usize {
        self.state.lock().unwrap().writes
    }

    /// Lets another process, which does nothing more, take the checkpoint over.
    pub(super) fn lose(&self) {
        self.state.lock().unwrap().term += 1;
    }
}

impl CheckpointStore for MemoryCheckpointStore {
    fn load(&mut self) -> Result<Option<DeciderCheckpoint>, String> {
        let kept = self.state.lock().unwrap();
        kept.text.as_ref().map(|text| serde_json::from_str(text)).transpose().map_err(|error| error.to_string())
    }

    fn take_over(&mut self) -> Result<Option<DeciderCheckpoint>, String> {
        let mut kept = self.state.lock().unwrap();
        (kept.term, kept.writes) = (kept.term + 1, kept.writes + 1);
        self.term = kept.term;
        if std::mem::take(&mut kept.is_unreadable) {
            return Err("the disk is slow".to_owned());
        }
        drop(kept);
        self.load()
    }

    fn store(&mut self, saved: &DeciderCheckpoint) -> Result<(), StoreError> {
        let mut kept = self.state.lock().unwrap();
        kept.writes += 1;
        if kept.term != self.term {
            return Err(StoreError::TakenOver("another process has taken it over".to_owned()));
        }
        if kept.is_full {
            return Err(StoreError::Failed("the disk is full".to_owned()));
        }
        kept.text = Some(serde_json::to_string(saved).map_err(|error| StoreError::Failed(error.to_string()))?);
        Ok(())
    }
}
