//! An independent model of the laws of five schedulers, to catch a policy out.
//!
//! It makes small random clusters ([`generate`]), says which steps to take with them ([`play`]), and judges what came of every
//! step. It shares no code with the policy or the host: it reads Kubernetes objects itself, restates every law plainly from the
//! documents, and tries all sets of victims. `README.md` says what is claimed, and every excuse that is allowed.

#![expect(
    clippy::arithmetic_side_effects,
    reason = "the numbers of a case are small, and a formula must read as the document writes it"
)]

mod amounts;
mod build;
mod case;
mod generate;
mod object;
mod outcome;
mod play;
mod puzzle;
mod random;
mod systems;
mod tally;
mod world;

pub use case::{By, Case, Drive, Step, System, UnknownSystem};
pub use generate::generate;
pub use play::{Played, Stopped, play};
pub use tally::{Breach, Tally};

/// Something that the model cannot read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the model cannot read this: {0}")]
pub struct ReadError(pub(crate) String);
