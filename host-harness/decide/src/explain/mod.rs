//! The reasons for the state of a pod or job.

mod answer;
mod find;

pub use answer::{ConsideredPod, ExplainedPod, ExplainedPodState, ExplanationReport, PodOutcome};
pub use find::{InitialPod, NameIndex, ResolvedPods};
