//! A queue and its ancestors hold no more than their real capability.
//!
//! The real capability is what the queue may have at most: its own bound, and what there is less what is guaranteed to others. Only
//! resources that the pod asks for are compared: a queue that is over its bound in another one is not barred.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::within;

/// See the module.
pub const LAW: Law = Law {
    name: "queue-fits-capability",
    question: Question::Limit,
    sentence: "a queue and its ancestors hold no more than their real capability",
    file: include_str!("queue_fits_capability.rs"),
};

/// Whether every queue of the asker can hold it as well.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    for (ix, queue) in case.cluster.path(case.preemptor.queue) {
        let (_, limit) = queue.limit();
        for (resource, _) in case.preemptor.unplaced.iter() {
            let Some(bound) = limit.get(resource) else { continue };
            let (used, asked) = (queue.used.total(resource), case.unplaced.get(resource));
            if !within(&[used, asked], bound) {
                let parts = vec![("used", used), ("asked", asked)];
                return Err(Denial::Exceeds { queue: ix, resource, parts, bound: ("real capability", bound) });
            }
        }
    }
    Ok(())
}
