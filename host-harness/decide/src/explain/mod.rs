//! Why a pod or job is where it is.

mod answer;
mod find;

pub use answer::{Answer, Fate, LookedAt, State, Why};
pub use find::{Before, Meant, Names};
