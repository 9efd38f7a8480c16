//! Conformance tests of any policy: of its interface, by checks of the contract ([`interface`]), and of the systems that it describes, by
//! scenarios: a cluster, a policy configuration and steps with expectations.
//!
//! The format of scenarios is described in `fixtures/scenarios/README.md`, the checks in `CONFORMANCE.md`.

mod act;
mod actual;
mod compare;
mod expect;
mod failure;
mod files;
mod format;
pub mod fuzz;
pub mod interface;
mod junit;
mod load;
mod read;
mod report;
mod run;
pub mod shape;
mod statement;
mod status;
mod template;

pub use act::act;
pub use actual::StepOutcome;
pub use compare::same;
pub use expect::{EvictionExpectation, Expect, OneOrMany};
pub use failure::ExpectationFailure;
pub use files::{each_in, each_item_in, unpacked};
pub use format::{Scenario, ScenarioAction, ScenarioStep};
pub use junit::{conformance_junit, junit};
pub use load::{load, load_each};
pub use read::read as read_scenario;
pub use report::{ScenarioReport, ScenarioReports, StepReport};
pub use run::{run, run_explained, run_with};
pub use statement::{Statement, Tested};
pub use status::{UsageByAccount, UsedAmounts};
