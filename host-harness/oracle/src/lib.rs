//! An independent model of the laws of five schedulers, to find mistakes of a policy.
//!
//! It generates small random clusters ([`generate`]), drives them step by step ([`play`]), and judges the outcome of every step. It
//! shares no code with the policy or the host. It reads Kubernetes objects itself, restates every law directly from the documents, and
//! tries all sets of victims. `README.md` lists the checks and every accepted excuse.

#![expect(
    clippy::arithmetic_side_effects,
    reason = "the numbers of a case are small, and a formula must look as in the document"
)]

mod amounts;
mod build;
mod case;
pub mod constraints;
mod demands;
mod followed;
mod generate;
mod harm;
mod object;
mod outcome;
mod placement;
mod play;
mod random;
mod systems;
mod tally;
mod vocabulary;
mod world;

pub use case::{CaseStep, FuzzCase, RoundKind, RoundSettings, SystemKind, UnknownSystem};
pub use followed::TrackedCluster;
pub use generate::generate;
pub use play::{CaseOutcome, Stopped, play, play_to_rest};
pub use random::RandomSource;
pub use tally::{BrokenLaw, RunCounts};
pub use vocabulary::ModelVocabulary;

/// An object or an outcome that the model cannot read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the model cannot read this: {0}")]
pub struct ModelInputError(pub(crate) String);
