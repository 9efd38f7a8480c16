//! The reasons for the state of a pod or job.

mod answer;
mod find;

pub use answer::{Answer, Fate, LookedAt, State, Why};
pub use find::{Before, Meant, Names};
