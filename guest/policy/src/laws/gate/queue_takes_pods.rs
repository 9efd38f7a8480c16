//! The queue of a pod is there, is open, and has no queues below it.
//!
//! A closed or closing queue gets nothing and takes nothing back from others; what runs in it goes on running. In a tree of queues
//! only the leaves take pods.

use crate::laws::{Case, Denial, Law, Question};

/// See the module.
pub const LAW: Law = Law {
    name: "queue-takes-pods",
    question: Question::Gate,
    sentence: "the queue of a pod is there, is open, and has no queues below it",
    file: include_str!("queue_takes_pods.rs"),
};

/// Whether the asker's queue takes pods.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let queue = case.preemptor.queue.and_then(|queue| case.cluster.queue(queue));
    let spec = queue.map(|queue| &queue.spec).ok_or(Denial::Fact(
        "it is of no known queue: its PodGroup or the queue it names is missing, or it is for another scheduler",
    ))?;
    match (spec.open, spec.has_children) {
        (false, _) => Err(Denial::Fact("its queue is not open")),
        (true, true) => Err(Denial::Fact("its queue has queues below it, and only a leaf takes pods")),
        (true, false) => Ok(()),
    }
}
