//! Interface conformance: what any policy must keep, whatever it decides. The contract of `wit/` says the rules; each check holds a
//! component to one of them, over random clusters and the clusters of its author's scenarios.
//!
//! What a policy exports is what is tested. The reference host asks; every answer is written down and looked at, and runs that may not
//! differ are compared: two instances, another order of what is told, other numbers, a new instance with a checkpoint.

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
pub use lab::Start;
pub use outcome::{CheckReport, Conformance, Flaw, Outcome};
pub(crate) use sources::sources;
pub use suite::conform;
