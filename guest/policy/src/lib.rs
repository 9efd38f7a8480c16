//! The scheduling policy of Lictor: the model of a cluster, the laws, and the engine that asks them.
//!
//! A plain library without wasm in it; `guest/component` wraps it in the contract of `wit/`. It does no input or output, reads
//! no clock and draws no random number: the same events give the same answers everywhere.

mod engine;
mod laws;
mod model;
mod systems;
#[cfg(test)]
mod testing;

pub use engine::{Engine, engine_rules};
pub use laws::{LawKind, LawListing, Mutation};
pub use systems::{list_laws, unpack_queues};

use lictor_contract::{self as contract, duration, quantity};
