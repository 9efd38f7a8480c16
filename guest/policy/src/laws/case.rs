//! What a law is asked about.

use super::{ActiveLaw, Denial, LawCheck, PlannedPart, Preemptor, VictimFilter};
use crate::model::{
    Amounts, Cluster, Freed, NodeInfo, NodeIx, PlansInFlight, PodInfo, PodIx, Preemptibility, Promised, QueueIx,
    Requested, ResourceIx,
};

/// The input of a law: the cluster as it is or would be, and the preemptor.
#[derive(Debug, Clone, Copy)]
pub struct LawContext<'a> {
    /// The cluster, or the cluster as it would be.
    pub cluster: &'a Cluster,
    /// The plans in flight.
    pub ledger: &'a PlansInFlight,
    /// The preemptor.
    pub preemptor: &'a Preemptor,
    /// The amounts that the pods of the preemptor request, as far as they have no nodes yet.
    pub pending_request: &'a Amounts,
    /// The other gangs that are planned together with the preemptor, as far as their pods have no nodes yet.
    pub other_parts: &'a [PlannedPart],
    /// The pods that would be evicted together, where a law about a group is checked.
    pub victims: &'a [PodIx],
    /// The resources that must be freed where the candidate runs. `None`: not known yet, so all that the preemptor requests may be short.
    pub short_resources: Option<&'a [ResourceIx]>,
}

impl LawContext<'_> {
    /// Returns the first of these laws that does not hold. `None`: all hold.
    pub fn first_failed_check(&self, laws: &[LawCheck]) -> Option<(ActiveLaw, Denial)> {
        laws.iter().find_map(|law| Some((law.rule, law.denial(self)?)))
    }

    /// Returns the first of these guards that denies the eviction of a pod, or of a pod that is evicted together with it. `None`: all allow it.
    pub fn first_denial(&self, guards: &[VictimFilter], ix: PodIx) -> Option<(ActiveLaw, Denial)> {
        let together = if self.cluster.has_disruption_groups() { self.cluster.disruption_group(ix) } else { None };
        match together {
            None => self.first_denial_alone(guards, ix),
            Some(together) => together.into_iter().find_map(|ix| self.first_denial_alone(guards, ix)),
        }
    }

    fn first_denial_alone(&self, guards: &[VictimFilter], ix: PodIx) -> Option<(ActiveLaw, Denial)> {
        let pod = self.cluster.pod(ix)?;
        guards.iter().find_map(|guard| Some((guard.rule, guard.denial(self, ix, pod)?)))
    }

    /// Returns the preempted pods that are still leaving the nominated node of the preemptor. Empty where that node can no longer take the preemptor.
    pub fn terminating_on_nominated_node(&self) -> impl Iterator<Item = &PodInfo> {
        let preemptor = self.cluster.pod(self.preemptor.pod);
        let nominated =
            preemptor.and_then(|pod| Some((pod, pod.state.nominated?, self.cluster.node(pod.state.nominated?)?)));
        let can_take = |(pod, ix, node): &(&PodInfo, NodeIx, &NodeInfo)| {
            self.cluster.eligible(pod.requirements.shape, *ix) && node.allocatable.lacks(pod.request()).is_none()
        };
        let pods = nominated.filter(can_take).into_iter().flat_map(|(.., node)| &node.pods);
        pods.filter_map(|ix| self.cluster.pod(*ix)).filter(|pod| pod.state.terminating && pod.state.preempted)
    }

    /// Returns the amount of a resource of a queue that the pods evicted together use.
    pub fn freed_in_queue(&self, queue: QueueIx, resource: ResourceIx) -> Freed {
        let pods = self.victims.iter().filter_map(|ix| self.cluster.pod(*ix));
        let below = pods.filter(|pod| self.cluster.is_below(pod.queue, queue));
        Freed(below.fold(0, |sum: i64, pod| sum.saturating_add(pod.request().get(resource))))
    }

    /// Returns the amount of a resource that the pods of the preemptor request, as far as they have no nodes yet.
    pub fn request(&self, resource: ResourceIx) -> Requested {
        Requested(self.pending_request.get(resource))
    }

    /// Returns the amount of a resource of a queue that the pods of the preemptor request, together with those of its companions of these kinds.
    pub fn request_with_other_parts(
        &self,
        queue: QueueIx,
        kinds: &[Preemptibility],
        resource: ResourceIx,
    ) -> Requested {
        let counts = |companion: &&PlannedPart| {
            kinds.contains(&companion.preemptibility) && self.cluster.is_below(companion.queue, queue)
        };
        let companions =
            self.other_parts.iter().filter(counts).map(|companion| companion.pending_request.get(resource));
        Requested(companions.fold(self.pending_request.get(resource), i64::saturating_add))
    }

    /// Returns the amount that is promised to waiting pods of other jobs that count against a queue, for one preemptibility and resource. It counts
    /// as used at every extension point, so that no admission and no plan breaks an earlier plan.
    pub fn nominated_request(&self, queue: QueueIx, preemptibility: Preemptibility, resource: ResourceIx) -> Promised {
        self.cluster.nominated_request_below(queue, preemptibility, resource, |pod| !self.preemptor.pods.contains(&pod))
    }
}
