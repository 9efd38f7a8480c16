//! Random clusters: drives the cases of the oracle through policies, compares these with each other, and has the oracle judge.
//!
//! The oracle (`host-harness/oracle`) makes the clusters and knows the laws; this module only ties it to policies.

mod attempt;
mod failure;
mod save;
mod shrink;
mod table;

pub use attempt::{StopReason, attempt, attempt_comparing};
pub use failure::FuzzFailure;
pub use save::{scenario, title};
pub use shrink::shrink;
pub use table::CaseSession;
