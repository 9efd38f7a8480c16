//! Interface conformance: what any policy must keep, whatever it decides. The contract of `wit/` says the rules; each check holds a
//! component to one of them, over random clusters and the clusters of its author's scenarios.
//!
//! The exports of a policy are tested. The reference host calls them. Every answer is recorded and examined, and runs that may not differ are
//! compared: two instances, another order of the events, other numbers, a new instance with a checkpoint.

mod check;
mod checks;
mod cluster;
mod exchange;
mod lab;
mod names;
mod outcome;
mod play;
mod sources;
mod suite;
mod tap;
#[cfg(test)]
mod tests;

pub use check::{Check, checks};
pub use lab::InstanceFactory;
pub use outcome::{CheckFailure, CheckOutcome, CheckReport, Conformance};
pub(crate) use sources::sources;
pub use suite::conform;
