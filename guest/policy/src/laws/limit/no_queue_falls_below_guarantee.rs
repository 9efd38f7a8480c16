//! No queue is left below its guarantee: victims are taken only from what a queue uses beyond it.
//!
//! Asked of every queue from a victim's up to, and without, the lowest one that is above the preemptor, too; and for every resource that
//! the victim holds and the queue is guaranteed: `used - victims >= guaranteed`. The whole group counts, and pods that are leaving
//! already are no longer used. A queue that both sides share neither gains nor loses.
//!
//! A pod of a DaemonSet is owed its node, whatever that takes.

use crate::laws::{Case, Denial, Law, Question};

/// See the module.
pub const LAW: Law = Law {
    name: "no-queue-falls-below-guarantee",
    question: Question::Limit,
    sentence: "no queue is left below its guarantee",
    file: include_str!("no_queue_falls_below_guarantee.rs"),
};

/// Whether every queue keeps its guarantee when the group goes.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let Some(own) = case.preemptor.queue.filter(|_| case.preemptor.required_node_reservation.is_none()) else {
        return Ok(());
    };
    for victim in case.group.iter().filter_map(|ix| case.cluster.pod(*ix)) {
        let shared = victim.queue.and_then(|queue| case.cluster.common_ancestor(own, queue));
        for (ix, queue) in case.cluster.path(victim.queue).take_while(|(ix, _)| Some(*ix) != shared) {
            for (resource, guaranteed) in queue.bounds.guaranteed.iter() {
                let (used, victims) = (queue.used.total(resource), case.given_up(ix, resource));
                if victim.request.get(resource) > 0 && used.saturating_sub(victims) < guaranteed {
                    let (parts, bound) = (vec![("used", used), ("- victims", victims)], ("guaranteed", guaranteed));
                    return Err(Denial::Amount { queue: ix, resource, parts, relation: "is less than", bound });
                }
            }
        }
    }
    Ok(())
}
