//! A pod fits under the maximum of its queue and of every queue above it.
//!
//! Per resource the pod asks for and a maximum names: `used + promised + asked <= max`. What is promised to other waiting pods
//! counts as used, so that nobody takes what others made way for. Victims count only where they stand below the queue whose maximum
//! is in the way: others would leave in vain.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Class, within};

/// See the module.
pub const LAW: Law = Law {
    name: "fits-max-of-ancestors",
    question: Question::Limit,
    sentence: "a pod fits under the maximum of its queue and of every queue above it",
    file: include_str!("fits_max_of_ancestors.rs"),
};

/// Whether the asking pod stays under every maximum when the group has gone.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let others = |ix| !case.preemptor.pods.contains(&ix);
    for (ix, queue) in case.cluster.path(case.preemptor.queue) {
        for (resource, max) in queue.bounds.max.iter() {
            let asked = case.unplaced.get(resource);
            if asked == 0 {
                continue;
            }
            let (used, victims) = (queue.used.total(resource), case.given_up(ix, resource));
            let promised = case.cluster.promised_below(ix, Class::Preemptible, resource, others);
            if !within(&[used, promised, asked, victims.saturating_neg()], max) {
                let parts = vec![("used", used), ("+ promised", promised), ("+ asked", asked), ("- victims", victims)];
                return Err(Denial::Amount {
                    queue: ix,
                    resource,
                    parts,
                    relation: "is more than",
                    bound: ("max", max),
                });
            }
        }
    }
    Ok(())
}
