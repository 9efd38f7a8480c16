//! With what it gets back, a queue is within what it deserves in one of the resources it asks for.
//!
//! The pods of the gang are counted in one by one, beside all that runs in the queue; for each of them one requested resource must not
//! pass the deserved amount. A queue that deserves nothing gets nothing back: it lives on what is idle. Elastic pods of its own make
//! way all the same: that takes nothing from anybody.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Queue, ResourceIx};

/// See the module.
pub const LAW: Law = Law {
    name: "reclaimer-stays-within-deserved",
    question: Question::Limit,
    sentence: "with what it gets back, a queue is within what it deserves in one of the resources it asks for",
    file: include_str!("reclaimer_stays_within_deserved.rs"),
};

/// Whether each pod of the asker, all of them holding their nodes, finds its queue within its due in some resource.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let Some((ix, queue)) = case.cluster.path(case.preemptor.queue).next() else { return Ok(()) };
    let mut later = case.preemptor.unplaced.clone();
    for pod in case.preemptor.pods.iter().filter_map(|ix| case.cluster.pod(*ix)) {
        let sum = |(resource, asked)| {
            let beyond = later.get(resource).saturating_sub(asked);
            (resource, queue.used.total(resource), case.unplaced.get(resource).saturating_sub(beyond))
        };
        if !pod
            .request
            .iter()
            .map(sum)
            .any(|(resource, used, asked)| used.saturating_add(asked) <= entitlement(queue, resource))
        {
            let shown = pod.request.iter().min_by_key(|(resource, _)| queue.entitlement(*resource).is_none());
            return Err(shown.map(sum).map_or(Denial::Fact("it asks for nothing"), |(resource, used, asked)| {
                let (parts, bound) =
                    (vec![("used", used), ("asked", asked)], ("deserved", entitlement(queue, resource)));
                Denial::Exceeds { queue: ix, resource, parts, bound }
            }));
        }
        later.subtract(&pod.request);
    }
    Ok(())
}

/// What a queue deserves of a resource; nothing where it does not say.
fn entitlement(queue: &Queue, resource: ResourceIx) -> i64 {
    queue.entitlement(resource).unwrap_or(0)
}
