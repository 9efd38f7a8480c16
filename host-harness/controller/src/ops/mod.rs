//! The outputs for operators: health, metrics, logs, and the reasons for the state of a pod.
//!
//! The loop keeps a [`Status`] up to date; [`http`] serves it at `/healthz`, `/readyz` and `/metrics`. [`explain`] listens on a Unix socket and hands
//! each question to the loop, which answers from [`known::PodReasons`]. [`rights`] lists what the API server must allow.

mod counts;
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
