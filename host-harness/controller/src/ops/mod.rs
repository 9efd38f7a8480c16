//! The outputs for operators: health, metrics, logs, and the reasons for the state of a pod.

pub mod explain;
pub mod http;
pub mod known;
pub mod listen;
pub mod metrics;
mod outbox;
mod review;
pub mod rights;
pub mod start;
mod status;
#[cfg(test)]
mod tests;

pub use outbox::Outbox;
pub use status::{Health, Status};
