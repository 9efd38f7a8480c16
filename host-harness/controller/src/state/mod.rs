//! The store of the state that another process needs to go on.
//!
//! Without it the cluster alone holds the state: which pods were let go, are nominated, or are being deleted. With it, no command without a known
//! outcome is forgotten, nor the memory of the policy.

mod config_map;
mod fence;
mod file;
#[cfg(test)]
mod tests;

use crate::decide::DeciderCheckpoint;

pub use config_map::ConfigMapStore;
pub use file::FileStore;

/// Why a checkpoint was not stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// It cannot be written. The process runs on without it.
    #[error("{0}")]
    Failed(String),
    /// Another process has taken the checkpoint over, and leads: this one does not lead any more.
    #[error("{0}")]
    TakenOver(String),
}

/// A store of the state that another process needs to go on.
pub trait CheckpointStore: Send {
    /// Returns the state that was stored last. `None`: nothing was stored.
    ///
    /// # Errors
    /// The state cannot be read, or is not of this version.
    fn load(&mut self) -> Result<Option<DeciderCheckpoint>, String>;

    /// Begins a time of leading, and returns the state that was stored last. `None`: nothing was stored. Where the store can keep processes apart, it
    /// refuses from now on what a process stores that led before.
    ///
    /// # Errors
    /// The state cannot be read or written, or is not of this version.
    fn take_over(&mut self) -> Result<Option<DeciderCheckpoint>, String> {
        self.load()
    }

    /// Stores the state. When this returns, the state is stored.
    ///
    /// # Errors
    /// The state cannot be written, or another process has taken the store over.
    fn store(&mut self, saved: &DeciderCheckpoint) -> Result<(), StoreError>;
}
