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

pub use api::{ApiError, ErrorDetail, KubeApi, PatchTarget, PodApi};
pub use became::outcome_from_object;
pub use executor::{Executor, FinishedTask, TaskReport, TaskRequest};
pub use placed::PlaceableObject;
pub use task::{Backoff, ExecutorTask, TaskContext, TaskOutcome, word};
pub use work::carry_out;
