//! Carries commands out: with preconditions, retried where that helps, in order per object and in parallel otherwise.

mod api;
mod became;
mod evict;
mod executor;
mod lanes;
pub mod patch;
mod place;
pub mod placed;
mod task;
#[cfg(test)]
mod tests;
mod work;

pub use api::{Api, ApiError, KubeApi, Part, Sign};
pub use became::became;
pub use executor::{Executor, Finished, Order, Report};
pub use placed::Placed;
pub use task::{Backoff, Done, Task, word};
pub use work::carry_out;
