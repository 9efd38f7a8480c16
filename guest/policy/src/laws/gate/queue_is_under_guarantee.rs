//! A pod makes others leave only while its queue is under its guarantee.
//!
//! Judged for each resource the pod asks for, by the nearest queue from its own up that guarantees some of it; a resource that
//! nobody on that path guarantees is not judged, and where there is none that is, nobody makes way. That queue is under its guarantee
//! if what it uses and what is promised to other pods of it is less than what it is guaranteed: the last pod may take it beyond.
//! Or, where it stands above all victims, if it ends within its guarantee: `used + promised + asked - victims <= guaranteed`; then
//! every victim must come from inside it.
//!
//! A pod of a DaemonSet is owed its node, whatever its queue is guaranteed.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Class, Pod, PodIx, QueueIx, ResourceIx};

/// See the module.
pub const LAW: Law = Law {
    name: "queue-is-under-guarantee",
    question: Question::Gate,
    sentence: "the queue of the preemptor is under its guarantee",
    file: include_str!("queue_is_under_guarantee.rs"),
};

/// How one resource stands with the queue that guarantees it.
struct QueueRank {
    queue: QueueIx,
    resource: ResourceIx,
    used: i64,
    promised: i64,
    asked: i64,
    guaranteed: i64,
}

impl QueueRank {
    fn is_under(&self) -> bool {
        self.used.saturating_add(self.promised) < self.guaranteed
    }

    fn denial(&self, parts: Vec<(&'static str, i64)>, relation: &'static str) -> Denial {
        let mut all = vec![("used", self.used), ("+ promised", self.promised)];
        all.extend(parts);
        let (queue, resource, bound) = (self.queue, self.resource, ("guaranteed", self.guaranteed));
        Denial::Amount { queue, resource, parts: all, relation, bound }
    }
}

/// The resources that are judged.
fn judged<'a>(case: &'a Case<'_>) -> impl Iterator<Item = QueueRank> + 'a {
    let asked = case.unplaced.iter().filter(|_| case.preemptor.required_node_reservation.is_none());
    asked.filter_map(|(resource, asked)| {
        let (ix, queue, guaranteed) = case.cluster.guarantor(case.preemptor.queue, resource)?;
        let promised = case.promised(ix, Class::Preemptible, resource);
        Some(QueueRank { queue: ix, resource, used: queue.used.total(resource), promised, asked, guaranteed })
    })
}

/// Whether the asking pod may make others leave at all.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    if case.preemptor.required_node_reservation.is_some() {
        return Ok(());
    }
    let mut none = true;
    for standing in judged(case) {
        none = false;
        if !standing.is_under() && Some(standing.queue) == case.preemptor.queue {
            return Err(standing.denial(Vec::new(), "is not less than"));
        }
    }
    match none {
        true => Err(Denial::Fact("neither its queue nor one above it guarantees anything that it asks for")),
        false => Ok(()),
    }
}

/// Whether the candidate comes from inside every queue that is not under its guarantee as it stands.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    let outside = |standing: &QueueRank| !case.cluster.is_below(candidate.queue, standing.queue);
    match judged(case).find(|standing| !standing.is_under() && outside(standing)) {
        Some(standing) => Err(standing.denial(Vec::new(), "is not less than")),
        None => Ok(()),
    }
}

/// Whether every queue that is not under its guarantee ends within it when the group goes and the asking pod comes.
pub fn suffices(case: &Case<'_>) -> Result<(), Denial> {
    for standing in judged(case).filter(|standing| !standing.is_under()) {
        let victims = case.given_up(standing.queue, standing.resource);
        let end = [standing.used, standing.promised, standing.asked, victims.saturating_neg()];
        if !crate::model::within(&end, standing.guaranteed) {
            return Err(standing.denial(vec![("+ asked", standing.asked), ("- victims", victims)], "is more than"));
        }
    }
    Ok(())
}
