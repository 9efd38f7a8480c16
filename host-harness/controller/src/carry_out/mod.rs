//! Carries commands out: with preconditions, retried where that helps, in order per object and in parallel otherwise.

mod api;
mod became;
mod executor;
pub mod patch;
pub mod placed;
#[cfg(test)]
mod tests;
mod work;

pub use api::{Api, ApiError, KubeApi, Part};
pub use became::became;
pub use executor::{Executor, Finished, Order};
pub use placed::Placed;
pub use work::{Backoff, Done, Task, carry_out};
