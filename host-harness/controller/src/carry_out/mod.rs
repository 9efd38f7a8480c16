//! Carries commands out: with preconditions, retried where that helps, in order per object and in parallel otherwise.

mod api;
mod became;
mod executor;
pub mod patch;
#[cfg(test)]
mod tests;
mod work;

pub use api::{Api, ApiError, KubeApi, Part};
pub use became::became;
pub use executor::{Executor, Finished, Order};
pub use work::{Backoff, Done, Task, carry_out};
