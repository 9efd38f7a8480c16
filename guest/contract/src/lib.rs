//! The contract of `wit/` as plain Rust types: what the host tells and what the policy answers.
//!
//! The component turns these into its bindings and back, the host into its own; the native engine is called with them
//! directly. Every item is documented in `wit/` as it is here; the names are the same.

mod account;
mod cluster;
mod cross;
mod decision;
mod describe;
pub mod duration;
mod explain;
mod plan;
pub mod quantity;
mod reason;

pub use account::*;
pub use cluster::*;
pub use cross::Cross;
pub use decision::*;
pub use describe::*;
pub use explain::*;
pub use plan::*;
pub use reason::*;
