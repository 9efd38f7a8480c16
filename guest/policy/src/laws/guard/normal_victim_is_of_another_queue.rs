//! A normal pod is taken back from other queues only.
//!
//! Among the jobs of one queue nobody has a claim by queue; there priority decides, and only where preemption is asked for.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "normal-victim-is-of-another-queue",
    question: Question::Guard,
    sentence: "a normal pod is taken back from other queues only",
    file: include_str!("normal_victim_is_of_another_queue.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    match candidate.is_elastic() || candidate.queue != case.preemptor.queue {
        true => Ok(()),
        false => Err(Denial::Fact("it is a normal pod of the same queue")),
    }
}
