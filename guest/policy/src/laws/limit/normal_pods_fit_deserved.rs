//! The normal pods of a queue hold no more than it deserves.
//!
//! Elastic pods do not count: they may be anywhere under the capability, for they make way when others need the room. A resource of
//! which nothing is deserved is not bounded, whatever is guaranteed of it. So no normal pod ever has to be taken back.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Class, within};

/// See the module.
pub const LAW: Law = Law {
    name: "normal-pods-fit-deserved",
    question: Question::Limit,
    sentence: "the normal pods of a queue hold no more than it deserves",
    file: include_str!("normal_pods_fit_deserved.rs"),
};

/// Whether the asker, if it is no elastic pod, fits into what its queue deserves.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let Some((ix, queue)) = case.cluster.path(case.preemptor.queue).next() else { return Ok(()) };
    if case.preemptor.class == Class::Preemptible {
        return Ok(());
    }
    for (resource, _) in case.preemptor.unplaced.iter() {
        let Some(bound) = queue.entitlement(resource).filter(|_| queue.bounds.deserved.get(resource).is_some()) else {
            continue;
        };
        let (used, asked) = (queue.used.of(Class::NonPreemptible, resource), case.unplaced.get(resource));
        if !within(&[used, asked], bound) {
            let parts = vec![("normal used", used), ("asked", asked)];
            return Err(Denial::Exceeds { queue: ix, resource, parts, bound: ("deserved", bound) });
        }
    }
    Ok(())
}
