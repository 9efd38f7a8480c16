//! A non-preemptible job fits into what its queue is guaranteed, beside the non-preemptible pods that are there.
//!
//! Per resource that the guarantee names: `non-preemptible used + asked <= min`. What is asked is the sum over the pods of the job
//! that do not hold a node yet; those that do are in `used` already. A resource that min does not name is not bounded by it.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Class, within};

/// See the module.
pub const LAW: Law = Law {
    name: "non-preemptible-fits-guaranteed",
    question: Question::Gate,
    sentence: "a non-preemptible job fits into what its queue is guaranteed",
    file: include_str!("non_preemptible_fits_guaranteed.rs"),
};

/// Whether the asker, if it is non-preemptible, stays within the guarantee of its queue.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    if case.preemptor.class != Class::NonPreemptible {
        return Ok(());
    }
    for (ix, queue) in case.preemptor.queues(case.cluster) {
        for (resource, min) in queue.bounds.guaranteed.iter() {
            let used = queue.used.of(Class::NonPreemptible, resource);
            let asked = case.unplaced.get(resource);
            let promised = case.promised(ix, Class::NonPreemptible, resource);
            if !within(&[used, promised, asked], min) {
                let parts = vec![("non-preemptible used", used), ("promised", promised), ("asked", asked)];
                return Err(Denial::Exceeds { queue: ix, resource, parts, bound: ("min", min) });
            }
        }
    }
    Ok(())
}
