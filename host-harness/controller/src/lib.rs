//! Carries out in a living cluster what a policy decides, next to an unchanged kube-scheduler.

pub mod carry_out;
pub mod cluster;
pub mod deadline;
pub mod decide;
pub mod dump;
pub mod lease;
pub mod mark;
pub mod names;
pub mod ops;
pub mod report;
pub mod run;
pub mod state;
#[cfg(test)]
mod testing;
pub mod upgrade;
pub mod view;
pub mod watch;

pub use tokio;
