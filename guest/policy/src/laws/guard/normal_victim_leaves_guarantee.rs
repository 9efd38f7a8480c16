//! No normal pod is taken back that would bring its queue below its guarantee.
//!
//! What is left must cover the guarantee in every resource that is guaranteed, whether the pod holds any of it or not: a queue that has
//! less than its guarantee of one resource gives nothing of another.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "normal-victim-leaves-guarantee",
    question: Question::Guard,
    sentence: "no normal pod is taken back that would bring its queue below its guarantee",
    file: include_str!("normal_victim_leaves_guarantee.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    let Some((ix, queue)) = case.cluster.path(candidate.queue).next() else { return Ok(()) };
    if candidate.is_elastic() {
        return Ok(());
    }
    for (resource, guaranteed) in queue.bounds.guaranteed.iter() {
        let (held, used) = (candidate.request.get(resource), queue.used.total(resource));
        if used.saturating_sub(held) < guaranteed {
            let parts = vec![("guaranteed", guaranteed), ("held by the pod", held)];
            return Err(Denial::Exceeds { queue: ix, resource, parts, bound: ("used", used) });
        }
    }
    Ok(())
}
