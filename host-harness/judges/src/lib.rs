//! Compares the decisions of a policy with those of upstream's own code, on the same random clusters.
//!
//! A *judge* is a program of upstream's code (`kubernetes/`, `yunikorn/` in this folder) that says for one pod in one cluster what upstream
//! decides; `README.md` has the protocol. A [`CaseComparison`] follows a case of the oracle step by step and asks the judge before each attempt. A
//! difference is an error, unless it is one of the [`UpstreamDeparture`]s of the system: rulings by which the policy departs from upstream on purpose.

mod coscheduling;
mod departure;
mod framework;
mod koordinator;
mod kubernetes;
mod memory;
mod object;
mod order;
mod program;
mod question;
mod report;
mod tally;
#[cfg(test)]
mod tests;
mod trial;
mod yunikorn;

pub use departure::{AttemptComparison, UpstreamDeparture, departures, upstream};
pub use memory::AttemptHistory;
pub use program::{Program, ProgramError};
pub use question::JudgeRequest;
pub use report::{dead, section};
pub use tally::ComparisonCounts;
pub use trial::{CaseComparison, StepComparison, TrialError, UpstreamDifference};
