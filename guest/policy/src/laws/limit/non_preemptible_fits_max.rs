//! A non-preemptible job fits under the maximum of its queue, beside all pods that are there.
//!
//! Per resource that the maximum names: `used + asked <= max`. At PreFilter a job over it is refused; it may still preempt, for
//! preemptible pods of its own queue can make way, and then the limit must hold with the plan carried out. Where the system
//! shares out what there is, the share (runtime) stands in the place of the maximum.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Class, within};

/// See the module.
pub const LAW: Law = Law {
    name: "non-preemptible-fits-max",
    question: Question::Limit,
    sentence: "a non-preemptible job fits under the maximum of its queue",
    file: include_str!("non_preemptible_fits_max.rs"),
};

/// Whether the asker, if it is non-preemptible, stays under the maximum of its queue.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    if case.preemptor.class != Class::NonPreemptible {
        return Ok(());
    }
    for (ix, queue) in case.preemptor.queues(case.cluster) {
        let (called, limit) = queue.limit();
        for (resource, max) in limit.iter() {
            let [preemptible, non_preemptible] = queue.used.parts(resource);
            let asked = case.unplaced.get(resource);
            let promised = [Class::Preemptible, Class::NonPreemptible].map(|class| case.promised(ix, class, resource));
            let promised = promised.iter().fold(0, |sum: i64, part| sum.saturating_add(*part));
            if !within(&[preemptible, non_preemptible, promised, asked], max) {
                let parts = vec![
                    ("preemptible used", preemptible),
                    ("non-preemptible used", non_preemptible),
                    ("promised", promised),
                    ("asked", asked),
                ];
                return Err(Denial::Exceeds { queue: ix, resource, parts, bound: (called, max) });
            }
        }
    }
    Ok(())
}
