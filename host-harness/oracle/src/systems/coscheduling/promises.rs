//! Promises that hold even against more important pods: those of other quotas, and those to pods that take back what others have borrowed.

use std::cmp::Reverse;

use super::quotas::{NamespaceQuotas, request, used};
use super::{allocated, group, is_missing, minimum};
use crate::amounts::MilliAmounts;
use crate::world::{ModelCluster, ModelPod};

/// Returns the cluster as a pod finds it: nominated pods whose promise holds against the pod, however important it is, count as just as important.
pub(super) fn with_firm_nominations(
    quotas: Option<&NamespaceQuotas>,
    world: ModelCluster,
    pod: &ModelPod,
) -> ModelCluster {
    let world = match quotas {
        Some(quotas) => quotas.raise_firm_nominations(world, pod),
        None => world,
    };
    with_gang_nominations(world, pod)
}

impl NamespaceQuotas {
    /// Returns the cluster as a pod finds it: where more important pods may not have the room that is promised to a nominated pod, that pod counts as
    /// just as important.
    fn raise_firm_nominations(&self, world: ModelCluster, pod: &ModelPod) -> ModelCluster {
        let lesser = |other: &&ModelPod| other.pending() && other.nominated.is_some() && other.priority < pod.priority;
        let is_own = |other: &ModelPod| group(other).is_some() && group(other) == group(pod);
        let firm: Vec<String> = world
            .pods
            .values()
            .filter(lesser)
            .filter(|other| !is_own(other) && self.is_firm(&world, other, pod))
            .map(|other| other.name.clone())
            .collect();
        let mut after = world;
        for name in firm {
            after.pods.get_mut(&name).into_iter().for_each(|other| other.priority = pod.priority);
        }
        after
    }

    /// Returns whether a pod may not have the room of a nominated pod, however important it is: the two are of different quotas; or they are of the
    /// same one, which stays within its min with the nominated pod and the rest of its group that is nominated, and not with the pod and what
    /// its group lacks.
    fn is_firm(&self, world: &ModelCluster, nominated: &ModelPod, pod: &ModelPod) -> bool {
        let quota = |pod: &ModelPod| self.has(&pod.namespace).then(|| pod.namespace.clone());
        if quota(nominated) != quota(pod) {
            return true;
        }
        let together = |other: &&ModelPod| {
            other.name == nominated.name || group(other).is_some() && group(other) == group(nominated)
        };
        let waiting = |other: &&ModelPod| other.pending() && other.nominated.is_some();
        let promised: Vec<&ModelPod> = world.pods.values().filter(together).filter(waiting).collect();
        // What the pod or its group holds at Permit and is promised is part of what it would borrow.
        let is_own = |own: &ModelPod| own.name == pod.name || group(own).is_some() && group(own) == group(pod);
        let mut before = world.clone();
        for own in before.pods.values_mut().filter(|own| is_own(own)) {
            (own.held, own.nominated) = (None, None);
        }
        quota(pod).is_some()
            && self.stays_within_min(&before, nominated, &promised)
            && !self.stays_within_min(world, pod, &missing_members(world, pod))
    }

    /// Returns whether the quota of a pod stays within its min with these pods, the pod among them.
    fn stays_within_min(&self, world: &ModelCluster, pod: &ModelPod, pods: &[&ModelPod]) -> bool {
        let priority = pods.iter().map(|pod| pod.priority).min().unwrap_or(pod.priority);
        let least = ModelPod { priority, ..pod.clone() };
        let before = self.nominated(world, &least, &|other| pods.iter().any(|pod| pod.name == other.name));
        let requests = MilliAmounts::sum(pods.iter().copied().map(request));
        self.compared_within_min(&used(world, &pod.namespace), &requests, &before, &pod.namespace)
    }
}

/// Returns the cluster as a pod of a group finds it: what is promised to others of its group holds against it, however important it is. These complete
/// the group without it (ruling R85). A pod that is promised a node itself competes by priority on that node alone (ruling R83).
fn with_gang_nominations(mut after: ModelCluster, pod: &ModelPod) -> ModelCluster {
    let is_own = |other: &ModelPod| {
        let holds = pod.nominated.is_none() || other.nominated != pod.nominated;
        holds && group(other).is_some() && group(other) == group(pod) && other.name != pod.name
    };
    for other in after.pods.values_mut().filter(|other| is_own(other) && other.nominated.is_some()) {
        other.priority = other.priority.max(pod.priority);
    }
    after
}

/// Returns a pod and as many other waiting pods of its group as the group lacks: nominated ones first, then those that may preempt, then the more
/// important.
pub(super) fn missing_members<'w>(world: &'w ModelCluster, pod: &'w ModelPod) -> Vec<&'w ModelPod> {
    let Some(name) = group(pod).filter(|_| !is_missing(world, pod)) else { return vec![pod] };
    let waits = |other: &&ModelPod| {
        other.pending() && !other.restrictions.gated && group(other) == Some(name) && other.name != pod.name
    };
    let mut others: Vec<&ModelPod> = world.pods.values().filter(waits).collect();
    others.sort_by_key(|other| {
        (other.nominated.is_none(), other.restrictions.never_preempts, Reverse(other.priority), other.times.created)
    });
    let lacks = minimum(world, pod).saturating_sub(allocated(world, name)).max(1);
    std::iter::once(pod).chain(others).take(lacks).collect()
}
