//! Where what another process needs to go on is stored.
//!
//! Without it the cluster alone says how far things are: who was let go, who is nominated, who is leaving. With it, nothing that was asked
//! for and not seen done is forgotten, nor what the policy remembers.

mod config_map;
mod fence;
mod file;
#[cfg(test)]
mod tests;

use crate::decide::Saved;

pub use config_map::InConfigMap;
pub use file::InFile;

/// Why a checkpoint is not stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsaved {
    /// It cannot be written. The process runs on without it.
    #[error("{0}")]
    Failed(String),
    /// Another process has taken the checkpoint over, and leads: this one does not lead any more.
    #[error("{0}")]
    TakenOver(String),
}

/// Stores what another process needs to go on.
pub trait Keep: Send {
    /// What was stored last; none where nothing was.
    ///
    /// # Errors
    /// It cannot be read, or is not of this version.
    fn load(&mut self) -> Result<Option<Saved>, String>;

    /// Begins a time of leading, and returns what was stored last; none where nothing was. Where processes can be kept apart, what a process stores
    /// that led before is refused from now on.
    ///
    /// # Errors
    /// It cannot be read or written, or is not of this version.
    fn take_over(&mut self) -> Result<Option<Saved>, String> {
        self.load()
    }

    /// Stores it; when this returns, it is there.
    ///
    /// # Errors
    /// It cannot be written, or another process has taken it over.
    fn store(&mut self, saved: &Saved) -> Result<(), Unsaved>;
}
