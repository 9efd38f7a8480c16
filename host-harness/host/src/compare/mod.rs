//! What a step of a session has decided, and what another session decides otherwise.
//!
//! A replay, the difference between two policies and a policy in shadow ask the same question: which pods, of the same input, get
//! another answer. [`Decisions`] is what came of one input, by pod; [`Differences`] is what two of them do not have in common.

mod decisions;
mod difference;
#[cfg(test)]
mod tests;

pub use decisions::{Decision, DecisionKind, Decisions, EvictionDecision, UnsoundPlan};
pub use difference::{DecisionChange, Differences};
