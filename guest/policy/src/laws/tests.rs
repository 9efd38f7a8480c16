//! Tests of the laws, each where it bites and where it spares. Every expected number is worked out by hand from the
//! sentence.
//!
//! They stand apart from the laws' own files: those are carried in the policy as manual pages.

mod denials;
mod gangs;
mod guards;
mod held;
mod last_plan;
mod non_preemptible;
mod orders;
mod preemptible;
mod rounds;
mod triggers;
mod volcano;
mod volcano_claims;
mod volcano_orders;

use super::{Denial, LawContext};
use crate::model::{PodInfo, PodIx, QueueIx, ResourceIx};
use crate::testing::PolicyHarness;

const CPU: ResourceIx = ResourceIx(0);
const MEMORY: ResourceIx = ResourceIx(1);

type Law = fn(&LawContext<'_>) -> Result<(), Denial>;
type Guard = fn(&LawContext<'_>, PodIx, &PodInfo) -> Result<(), Denial>;

/// Checks a law for a pod that waits.
fn admission(world: &mut PolicyHarness, pod: &str, law: Law) -> Result<(), Denial> {
    let pod = world.id(pod);
    world.engine.while_waiting(pod, law)
}

/// Checks a guard for a candidate and a preemptor that waits.
fn verdict(world: &mut PolicyHarness, guard: Guard, preemptor: &str, candidate: &str) -> Result<(), Denial> {
    let (asking, ix) = (world.id(preemptor), PodIx(world.id(candidate)));
    world.engine.while_waiting(asking, |case| guard(case, ix, case.cluster.pod(ix).unwrap()))
}

fn queue(world: &PolicyHarness, name: &str) -> QueueIx {
    let cluster = world.engine.cluster();
    cluster.queues().find(|(_, queue)| queue.name == name).map_or(QueueIx(u32::MAX), |(ix, _)| ix)
}

/// Returns the denial of an exceeded bound.
fn exceeds(
    world: &PolicyHarness,
    queue_name: &str,
    resource: ResourceIx,
    parts: &[(&'static str, i64)],
    bound: (&'static str, i64),
) -> Result<(), Denial> {
    let parts = parts.iter().copied().chain([bound]).collect();
    Err(Denial::OverBound { queue: queue(world, queue_name), resource, parts })
}
