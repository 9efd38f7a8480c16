//! The reference scheduling cycle: deterministic, with a virtual clock, asking a policy at every extension point.
//!
//! Queue, PreFilter, Filter, PostFilter where no node is left, Reserve, Permit, bind. A [`Session`] ties a policy to a
//! cluster; what came of a step is data ([`Happened`], [`Attempt`]). Every answer is checked before any of it is carried out.

mod act;
mod attempt;
mod carry_out;
mod changes;
mod core;
mod cycle;
mod effects;
mod error;
mod explanation;
mod filter;
mod outcome;
mod permit;
mod post_filter;
mod scoring;

#[cfg(any(test, feature = "testing"))]
#[expect(missing_docs, reason = "what a script says is named as in the contract")]
#[expect(clippy::unwrap_used, reason = "it is code of tests")]
pub mod testing;

pub use core::Session;
pub use error::{OpenError, ProtocolError, SessionError};
pub use explanation::{About, Alike, Counted, Explanation, Reported, alike};
pub use outcome::{Attempt, AttemptResult, CarriedOut, Evicted, Happened, How, NodeSummary, RefusedPlan, Released};
