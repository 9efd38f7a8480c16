//! A preemptible job fits under the maximum of its queue, beside its preemptible pods and what is set aside for the
//! non-preemptible ones.
//!
//! Per resource that the maximum names: `set aside + preemptible used + asked <= max`. Set aside is what the non-preemptible pods of
//! the queue ask for, running and pending, but at most what the queue is guaranteed. A resource that min does not name is set aside
//! as asked.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Class, within};

/// See the module.
pub const LAW: Law = Law {
    name: "preemptible-leaves-guaranteed",
    question: Question::Limit,
    sentence: "a preemptible job leaves room under the maximum for the non-preemptible pods of its queue",
    file: include_str!("preemptible_leaves_guaranteed.rs"),
};

/// Whether the asker, if it is preemptible, stays under what is left of the maximum of its queue.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    if case.preemptor.class != Class::Preemptible {
        return Ok(());
    }
    for (ix, queue) in case.preemptor.queues(case.cluster) {
        let (called, limit) = queue.limit();
        for (resource, max) in limit.iter() {
            let requested = queue.requested.of(Class::NonPreemptible, resource);
            let aside = queue.bounds.guaranteed.get(resource).map_or(requested, |min| min.min(requested));
            let used = queue.used.of(Class::Preemptible, resource);
            let asked = case.unplaced.get(resource);
            let promised = case.promised(ix, Class::Preemptible, resource);
            if !within(&[aside, used, promised, asked], max) {
                let parts = vec![
                    ("set aside for non-preemptible pods", aside),
                    ("preemptible used", used),
                    ("promised", promised),
                    ("asked", asked),
                ];
                return Err(Denial::Exceeds { queue: ix, resource, parts, bound: (called, max) });
            }
        }
    }
    Ok(())
}
