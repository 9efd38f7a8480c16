//! The contract of `wit/` as plain Rust types: what the host tells and what the policy answers.
//!
//! The component turns these into its bindings and back, the host into its own; the native engine is called with them
//! directly. Every item is documented in `wit/` as it is here; the names are the same.

mod account;
mod answers;
mod cluster;
mod core;
mod cross;
mod cycle;
pub mod duration;
mod enforce;
mod explain;
mod placement;
pub mod quantity;
mod reason;
mod sort_key;
mod standing;
mod templates;
mod words;

pub use account::*;
pub use answers::*;
pub use cluster::*;
pub use core::*;
pub use cross::Cross;
pub use cycle::*;
pub use enforce::*;
pub use explain::*;
pub use placement::*;
pub use reason::*;
pub use sort_key::KeyBuilder;
pub use standing::*;
pub use templates::{Templates, crossing};
pub use words::*;
