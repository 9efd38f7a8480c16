//! Promises that hold even against more important pods: those to pods that could evict them again.

use std::cmp::Reverse;

use super::quotas::{Quotas, request, used, with};
use super::{allocated, group, is_lost, minimum};
use crate::amounts::Amounts;
use crate::world::{Pod, World};

impl Quotas {
    /// The cluster as a pod finds it: a nominated pod that could evict it from the room promised to that pod keeps the room, as if it were as
    /// important.
    pub(super) fn with_firm_promises(&self, world: World, pod: &Pod) -> World {
        let lesser = |other: &&Pod| other.pending() && other.nominated.is_some() && other.priority < pod.priority;
        let firm: Vec<String> = world
            .pods
            .values()
            .filter(lesser)
            .filter(|other| self.would_evict(&world, other, pod))
            .map(|other| other.name.clone())
            .collect();
        let mut after = world;
        for name in firm {
            after.pods.get_mut(&name).into_iter().for_each(|other| other.priority = pod.priority);
        }
        after
    }

    /// Whether a nominated pod, with the rest of its group that is nominated, is within its min, and a pod of another quota, with what its
    /// group lacks, would be over its own.
    fn would_evict(&self, world: &World, nominated: &Pod, pod: &Pod) -> bool {
        let is_other =
            nominated.namespace != pod.namespace && self.has(&nominated.namespace) && self.has(&pod.namespace);
        let together =
            |other: &&Pod| other.name == nominated.name || group(other).is_some() && group(other) == group(nominated);
        let waiting = |other: &&Pod| other.pending() && other.nominated.is_some();
        let promised: Vec<&Pod> = world.pods.values().filter(together).filter(waiting).collect();
        let requests = Amounts::sum(promised.iter().map(|pod| &pod.request));
        let before = self.nominated(world, nominated, &|other| promised.iter().any(|pod| pod.name == other.name));
        let lacking = Amounts::sum(lacking(world, pod).into_iter().map(request));
        let then = with(&used(world, &pod.namespace), &lacking);
        is_other
            && !nominated.never_preempts
            && self.takes_back(world, nominated, &requests, &before)
            && self.is_over_with(&pod.namespace, &then)
    }
}

/// A pod and as many other waiting pods of its group as the group lacks: nominated ones first, then those that may preempt, then the more
/// important.
fn lacking<'w>(world: &'w World, pod: &'w Pod) -> Vec<&'w Pod> {
    let Some(name) = group(pod).filter(|_| !is_lost(world, pod)) else { return vec![pod] };
    let waits = |other: &&Pod| other.pending() && !other.gated && group(other) == Some(name) && other.name != pod.name;
    let mut others: Vec<&Pod> = world.pods.values().filter(waits).collect();
    others
        .sort_by_key(|other| (other.nominated.is_none(), other.never_preempts, Reverse(other.priority), other.created));
    let lacks = minimum(world, pod).saturating_sub(allocated(world, name)).max(1);
    std::iter::once(pod).chain(others).take(lacks).collect()
}
