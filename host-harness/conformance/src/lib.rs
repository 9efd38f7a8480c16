//! Scenarios: a cluster, a policy configuration and steps with expectations, as conformance tests of any policy.
//!
//! The format is described in `fixtures/scenarios/README.md`.

mod act;
mod actual;
mod compare;
mod expect;
mod failure;
mod files;
mod format;
pub mod fuzz;
mod junit;
mod load;
mod read;
mod report;
mod run;
mod status;
mod template;

pub use act::act;
pub use actual::Actual;
pub use compare::same;
pub use expect::{Expect, OneOrMany, Word};
pub use failure::Failure;
pub use files::each_in;
pub use format::{Action, Scenario, Step};
pub use junit::junit;
pub use load::load;
pub use read::read as read_scenario;
pub use report::{Report, StepReport, Summary};
pub use run::{run, run_explained, run_with};
pub use status::{Books, Usage};
