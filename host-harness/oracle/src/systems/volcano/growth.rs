//! The elastic action: jobs grow in legal steps into idle room.

use super::awaited::{CAPACITY_AWAITED, RemainingCapacity};
use super::read::{VolcanoJob, VolcanoQueue};
use super::{VolcanoCycleCheck, VolcanoState, used};
use crate::amounts::MilliAmounts;
use crate::placement::PlacementProblem;
use crate::tally::StepFindings;
use crate::world::ModelPod;

/// Why a job may keep its size although there is room.
const GROWTH_COSTS_NORMAL: &str = "with an elastic job larger, a waiting gang might evict normal pods";
/// Why a job may keep its size although there is room: the gang would use room that the new pods have taken elsewhere.
const GROWTH_COSTS_ELASTIC: &str =
    "with an elastic job larger, a waiting gang might evict pods of it that may not leave now";
/// Why a job may keep its size although there is room: the gang was left out in this cycle, and evicts in the next one.
const GANG_COMES_FIRST: &str = "a gang of the queue waits, and fits once elastic pods of the job have left";

impl VolcanoCycleCheck<'_> {
    /// Checks that growth is legal and as large as possible.
    pub(super) fn grows(&self, memory: &VolcanoState, verdict: &mut StepFindings) {
        for job in self.jobs.iter().filter(|job| job.is_elastic()) {
            let (before, now) = (job.size(self.world), job.size(&self.after));
            let extra = |pod: &&ModelPod| job.is_elastic_pod(pod) && self.outcome.bound.contains_key(&pod.name);
            let came = job.pods(self.world).into_iter().filter(extra).count();
            if now != before && now > 0 && !job.may_be(now) {
                verdict.breach("elastic-size-is-legal", format!("`{}` went from {before} to {now} pods", job.name));
            }
            if came > 0 && !self.may_scale(job, memory) {
                verdict.breach("scaling-interval-is-over", format!("`{}` grew by {came} too early", job.name));
            }
            if now >= job.min && self.may_scale(job, memory) && self.victims(job).is_empty() {
                self.could_grow(job, now, verdict);
            }
        }
    }

    /// Returns whether the scaling interval of a job is over.
    fn may_scale(&self, job: &VolcanoJob, memory: &VolcanoState) -> bool {
        memory.scaled.get(&job.name).is_none_or(|last| self.world.now >= last + job.cooldown)
    }

    /// Checks that no larger legal size fits into idle room at the end.
    fn could_grow(&self, job: &VolcanoJob, now: usize, verdict: &mut StepFindings) {
        let waiting: Vec<&ModelPod> = job
            .pods(&self.after)
            .into_iter()
            .filter(|pod| pod.pending() && pod.nominated.is_none() && job.is_elastic_pod(pod))
            .collect();
        let scaled_now = job.size(self.world) != now;
        if scaled_now && job.cooldown > 0 {
            return;
        }
        for size in now + 1..=now + waiting.len() {
            let step = waiting.get(..size - now).unwrap_or_default();
            if !job.may_be(size) || !self.queue_takes(job, step, false) {
                continue;
            }
            let fits =
                |free| PlacementProblem { free, candidates: Vec::new(), incoming: self.incoming(step) }.fits_without(0);
            if fits(self.idle()) {
                if self.may_cost_pods(job, step) {
                    return verdict.excuse(GROWTH_COSTS_NORMAL);
                }
                if self.may_cost_pods_of_its_own(job, now, step) {
                    return verdict.excuse(GROWTH_COSTS_ELASTIC);
                }
                if self.gang_may_come_first(job, now) {
                    return verdict.excuse(GANG_COMES_FIRST);
                }
                let explains = |gangs: &RemainingCapacity<'_>| {
                    !fits(self.idle_of(gangs.free.clone())) || !self.takes_with_gangs(gangs, job, step)
                };
                if self.capacities_with_waiting(self.future()).iter().any(explains) {
                    return verdict.excuse(CAPACITY_AWAITED);
                }
                let text = format!("`{}` has {now} pods and could grow to {size}", job.name);
                return verdict.breach("elastic-jobs-grow", text);
            }
        }
    }

    /// Returns whether a gang of another queue lacks pods, and a queue holds more than it deserves of what the gang requests, with these pods of the job.
    /// The pods count as used, and take idle room, so the gang might then evict normal pods that it may not evict now.
    fn may_cost_pods(&self, job: &VolcanoJob, step: &[&ModelPod]) -> bool {
        let gangs = self.jobs.iter().filter(|gang| gang.queue != job.queue);
        let missing: Vec<&ModelPod> = gangs.flat_map(|gang| self.missing(gang)).collect();
        let is_above = |(queue, due): (&String, &VolcanoQueue)| {
            let mut holds = used(&self.after, &self.jobs, queue, |_, pod| pod.node.is_some() && !pod.leaving);
            if *queue == job.queue || Some(queue) == job.parent.as_ref() {
                step.iter().for_each(|pod| holds.add(&pod.request));
            }
            let mut requested = missing.iter().flat_map(|pod| pod.request.0.keys());
            requested.any(|name| due.entitlement.names(name) && holds.get(name) > due.entitlement.get(name))
        };
        !self.elastic_mode && self.queues.iter().any(is_above)
    }

    /// Returns whether a gang of another queue lacks pods, and the job of this size cannot give as many of its elastic pods in a legal step now as it would
    /// get. Where it can, the gang has nothing from the growth: what the new pods take is idle now.
    fn may_cost_pods_of_its_own(&self, job: &VolcanoJob, now: usize, step: &[&ModelPod]) -> bool {
        let gives = self.removable_pods(job, now);
        let lacks = |gang: &&VolcanoJob| gang.queue != job.queue && !self.missing(gang).is_empty();
        gives < step.len() && self.jobs.iter().any(|gang| lacks(&gang))
    }

    /// Returns how many of its elastic pods a job of this size can give in a legal step.
    fn removable_pods(&self, job: &VolcanoJob, now: usize) -> usize {
        let may_leave = job.pods(&self.after).into_iter().filter(|pod| self.may_be_evicted(job, pod)).count();
        (1..=may_leave.min(now)).rev().find(|count| job.may_be(now - count)).unwrap_or(0)
    }

    /// Returns whether a pod of a job is elastic, and not protected.
    fn may_be_evicted(&self, job: &VolcanoJob, pod: &ModelPod) -> bool {
        job.is_elastic_pod(pod) && self.protected(pod, false).is_none()
    }

    /// Returns whether another gang of the queue lacks pods, which fit once the elastic pods of a job of this size that may leave have left.
    fn gang_may_come_first(&self, job: &VolcanoJob, now: usize) -> bool {
        if self.removable_pods(job, now) == 0 {
            return false;
        }
        let pods = job.pods(&self.after);
        let leaving: Vec<&&ModelPod> = pods.iter().filter(|pod| self.may_be_evicted(job, pod)).collect();
        let free = self.after.nodes.keys().zip(self.future()).map(|(node, mut free)| {
            leaving.iter().filter(|pod| pod.node.as_ref() == Some(node)).for_each(|pod| free.add(&pod.request));
            free
        });
        let free: Vec<MilliAmounts> = free.collect();
        let others = self.jobs.iter().filter(|gang| gang.queue == job.queue && gang.name != job.name);
        others.map(|gang| self.missing(gang)).filter(|missing| !missing.is_empty()).any(|missing| {
            let incoming = self.incoming(&missing);
            PlacementProblem { free: free.clone(), candidates: Vec::new(), incoming }.fits_without(0)
        })
    }

    /// Returns whether the queue of a job takes these pods, with the pods of gangs that wait for room.
    fn takes_with_gangs(&self, gangs: &RemainingCapacity<'_>, job: &VolcanoJob, pods: &[&ModelPod]) -> bool {
        let mut after = self.after.clone();
        for pod in &gangs.pods {
            after.pods.entry(pod.name.clone()).and_modify(|pod| pod.nominated = Some(String::new()));
        }
        let (jobs, queues) = (self.jobs.clone(), self.queues.clone());
        VolcanoCycleCheck { after, jobs, queues, ..*self }.queue_takes(job, pods, false)
    }
}
