//! Where what another process needs to go on is stored.
//!
//! Without it the cluster alone says how far things are: who was let go, who is nominated, who is leaving. With it, nothing that was asked
//! for and not seen done is forgotten, nor what the policy remembers.

mod config_map;
mod file;

use crate::decide::Saved;

pub use config_map::InConfigMap;
pub use file::InFile;

/// Stores what another process needs to go on.
pub trait Keep: Send {
    /// What was stored last; none where nothing was.
    ///
    /// # Errors
    /// It cannot be read, or is not of this version.
    fn load(&mut self) -> Result<Option<Saved>, String>;

    /// Stores it; when this returns, it is there.
    ///
    /// # Errors
    /// It cannot be written.
    fn store(&mut self, saved: &Saved) -> Result<(), String>;
}
