//! Queues below a parent: on whose deserved amounts a gang reclaims, and whether the parent of a victim's queue can lose a pod.

use super::VolcanoCycleCheck;
use super::read::{VolcanoJob, group_of};
use crate::amounts::MilliAmounts;
use crate::tally::StepFindings;
use crate::world::ModelPod;

impl VolcanoCycleCheck<'_> {
    /// Returns the queues on whose deserved amounts a job may reclaim: its own, and the parent if ancestors count.
    pub(super) fn claimants<'j>(&self, job: &'j VolcanoJob) -> Vec<&'j str> {
        let parent = job.parent.as_deref().filter(|_| self.counts_ancestors);
        [Some(job.queue.as_str()), parent].into_iter().flatten().collect()
    }

    /// Returns the victims that are not elastic pods, each with its job.
    pub(super) fn normal_victims(&self) -> Vec<(&ModelPod, &VolcanoJob)> {
        let victims = self.outcome.victims.iter().filter_map(|name| self.world.pods.get(name));
        let of = victims.filter_map(|pod| Some((pod, self.jobs.iter().find(|job| job.name == group_of(pod))?)));
        of.filter(|(pod, job)| !job.is_elastic_pod(pod)).collect()
    }

    /// Checks that the parent of a queue that loses normal pods was above deserved before the last of them, unless the preemptor is below
    /// this parent, too.
    pub(super) fn parent_may_lose(&self, job: &VolcanoJob, verdict: &mut StepFindings) {
        let Some(parent) = job.parent.as_deref().filter(|_| self.counts_ancestors) else { return };
        let gaining = self.jobs.iter().filter(|job| !self.nominated(job).is_empty());
        if gaining.into_iter().any(|gaining| gaining.parent.as_deref() == Some(parent)) {
            return;
        }
        let Some(due) = self.queues.get(parent).map(|queue| &queue.entitlement) else { return };
        let left = self.remaining_usage(parent);
        let victims = self.normal_victims();
        let below = || victims.iter().filter(|(_, of)| of.parent.as_deref() == Some(parent)).map(|(pod, _)| *pod);
        let holds_due = |pod: &ModelPod| pod.request.0.iter().any(|(name, amount)| *amount > 0 && due.names(name));
        if below().any(holds_due) && !below().any(|pod| left.iter().any(|left| self.gave_for_excess(left, due, pod))) {
            verdict.breach(
                "normal-victim-queue-is-above-deserved",
                format!("`{parent}` is due {due:?} and is left with {left:?}"),
            );
        }
    }

    /// Returns whether a queue that is left with this much gave a pod for an excess of what is short, or a pod that holds nothing due to the queue.
    pub(super) fn gave_for_excess(&self, left: &MilliAmounts, due: &MilliAmounts, pod: &ModelPod) -> bool {
        let held = || pod.request.0.iter().filter(|(name, amount)| **amount > 0 && due.names(name));
        let is_above = |room: &[MilliAmounts]| {
            let grounds = self.reclaim_reasons(room);
            held().any(|(name, amount)| grounds.contains(name) && left.get(name) + amount > due.get(name))
        };
        held().next().is_none()
            || is_above(&self.capacity())
            || self.capacities_left_by_gangs().iter().any(|room| is_above(&room.free))
    }
}
