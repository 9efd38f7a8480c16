//! A pod is scheduled only where it belongs to a queue that takes pods.
//!
//! It asks for this scheduler, and its application was placed in a leaf queue: one that is configured, or one that a placement rule
//! may create. A pod of another scheduler takes room on its node and is nobody's business beyond that.

use crate::laws::{Case, Denial, Law, Question};

/// See the module.
pub const LAW: Law = Law {
    name: "queue-is-known",
    question: Question::Gate,
    sentence: "a pod belongs to a queue that takes pods",
    file: include_str!("queue_is_known.rs"),
};

/// Whether the asking pod has a queue.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    match (case.preemptor.queue, case.preemptor.job) {
        (Some(_), _) => Ok(()),
        (None, Some(_)) => {
            Err(Denial::Fact("its application is in no queue: it names none that takes pods or may be created"))
        }
        (None, None) => Err(Denial::Fact("it asks for another scheduler")),
    }
}
