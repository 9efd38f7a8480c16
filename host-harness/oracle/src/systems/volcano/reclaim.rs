//! Reclaim: whole gangs get room from elastic pods in legal steps, and in reclaim mode from normal pods of queues above deserved.

use super::read::{VolcanoJob, group_of};
use super::{VolcanoCycleCheck, used};
use crate::ModelInputError;
use crate::amounts::MilliAmounts;
use crate::outcome::ReportedOutcome;
use crate::placement::Set;
use crate::tally::StepFindings;
use crate::world::{ModelPod, at, text};

impl VolcanoCycleCheck<'_> {
    pub(super) fn reclaims(&self, verdict: &mut StepFindings) -> Result<(), ModelInputError> {
        if self.outcome.plans.is_empty() {
            self.jobs.iter().for_each(|job| self.complete(job, verdict));
        }
        let mut world = self.world.clone();
        for plan in &self.outcome.plans {
            let (victims, nominated) = (plan.victims.clone(), plan.nominated.clone());
            let bound = self.outcome.bound.clone();
            let only = ReportedOutcome { victims, nominated, bound, ..ReportedOutcome::default() };
            let judge = VolcanoCycleCheck::new(&world, &only, (self.elastic_mode, self.counts_ancestors))?;
            judge.victims_are_eligible(verdict);
            judge.plan_holds(verdict);
            judge.claims(verdict);
            for name in &plan.victims {
                world.pods.entry(name.clone()).and_modify(|pod| pod.leaving = true);
            }
            for (name, node) in &plan.nominated {
                world.pods.entry(name.clone()).and_modify(|pod| pod.nominated = Some(node.clone()));
            }
        }
        Ok(())
    }

    /// Checks that every victim is eligible by itself and every job keeps a legal size.
    fn victims_are_eligible(&self, verdict: &mut StepFindings) {
        for job in &self.jobs {
            let victims = self.victims(job);
            if victims.is_empty() {
                continue;
            }
            let before = job.size(self.world);
            let now = job.size(&self.after).saturating_sub(self.grown(job, before));
            let normal = job
                .pods(self.world)
                .into_iter()
                .any(|pod| victims.contains(pod.name.as_str()) && !job.is_elastic_pod(pod));
            if self.elastic_mode && normal {
                verdict.breach("victim-is-elastic", format!("normal pods of `{}` are victims: {victims:?}", job.name));
            }
            if now != 0 && !job.may_be(now) {
                verdict.breach("elastic-size-is-legal", format!("`{}` went from {before} to {now} pods", job.name));
            }
            if normal && job.is_elastic() && now != 0 {
                verdict.breach(
                    "elastic-jobs-shrink-by-elastic-pods",
                    format!("{victims:?} are evicted, and {now} pods stay"),
                );
            }
            for name in &victims {
                if let Some(why) = self.world.pods.get(*name).and_then(|pod| self.protected(pod, true)) {
                    verdict.breach("victim-is-eligible", format!("`{name}` {why}"));
                }
            }
            if normal {
                self.queue_may_lose(job, verdict);
            }
        }
    }

    /// Returns by how many pods the elastic action lets a job grow. This action comes after the plans. Pods that brought the job to its minimum
    /// were bound before the plans, so they do not count.
    fn grown(&self, job: &VolcanoJob, before: usize) -> usize {
        let came = |pod: &&ModelPod| job.is_elastic_pod(pod) && self.outcome.bound.contains_key(&pod.name);
        let came = job.pods(self.world).into_iter().filter(came).count();
        came.saturating_sub(job.min.saturating_sub(before))
    }

    /// Returns why a pod may never be a victim. `None`: it may. `lenient` accepts both readings where two are possible.
    pub(super) fn protected(&self, pod: &ModelPod, lenient: bool) -> Option<&'static str> {
        let preemptable = pod.annotation("volcano.sh/preemptable").or(pod.label("volcano.sh/preemptable"));
        if pod.node.is_none() || pod.leaving {
            return Some("does not run, or is already leaving");
        }
        if preemptable.is_some_and(|text| text != "true") {
            return Some("is not preemptable");
        }
        let cooldown: Option<i64> =
            pod.annotation("volcano.sh/cooldown-time").and_then(|text| text.trim_end_matches('s').parse().ok());
        let condition = at(&pod.object, "/status/conditions/0").map(|condition| text(condition, "/lastTransitionTime"));
        let since = match condition {
            Some(stamp) => stamp
                .get(11..19)
                .map(|time| time.split(':').fold(0, |sum, part| sum * 60 + part.parse::<i64>().unwrap_or(0))),
            // Bound in this run: the model does not know from when the policy counts.
            None => pod.times.started.filter(|_| !lenient),
        };
        let fresh = cooldown.zip(since).is_some_and(|(cooldown, since)| since + cooldown > self.world.now);
        fresh.then_some("is in its cooldown time")
    }

    /// Checks the queue of normal victims. It keeps its guarantee, it is not the preemptor's queue, it is reclaimable, and it is above
    /// deserved before the last eviction.
    fn queue_may_lose(&self, job: &VolcanoJob, verdict: &mut StepFindings) {
        let Some(queue) = self.queues.get(&job.queue) else { return };
        if !queue.is_reclaimable {
            verdict.breach("victim-queue-is-reclaimable", format!("`{}` is not reclaimable", job.queue));
        }
        let victims = || self.outcome.victims.iter().filter_map(|name| self.world.pods.get(name));
        let is_normal = |pod: &ModelPod| {
            let of = self.jobs.iter().find(|of| of.name == group_of(pod));
            of.is_some_and(|of| of.queue == job.queue && !of.is_elastic_pod(pod))
        };
        // Elastic pods are evicted before normal ones. Nominated pods of the queue count as used, and so do pods that wait for room that is
        // coming, like upstream's pipelined tasks.
        let left = self.remaining_usage(&job.queue);
        let is_short = |left: &MilliAmounts| queue.guarantee.0.iter().any(|(name, least)| left.get(name) < *least);
        if left.iter().all(is_short) {
            verdict.breach("normal-victim-leaves-guarantee", format!("`{}` is left with {left:?}", job.queue));
        }
        // Every pod is checked before its eviction. One of them was the last, and with it the queue was above deserved.
        self.parent_may_lose(job, verdict);
        let gives = |pod: &ModelPod| left.iter().any(|left| self.gave_for_excess(left, &queue.entitlement, pod));
        if !victims().any(|pod| is_normal(pod) && gives(pod)) {
            let text = format!("`{}` is due {:?} and is left with {left:?}", job.queue, queue.entitlement);
            verdict.breach("normal-victim-queue-is-above-deserved", text);
        }
        let own =
            self.jobs.iter().filter(|other| other.queue == job.queue).any(|other| !self.nominated(other).is_empty());
        let others =
            self.jobs.iter().filter(|other| other.queue != job.queue).any(|other| !self.nominated(other).is_empty());
        if own && !others {
            verdict.breach(
                "normal-victim-is-of-another-queue",
                format!("the victims of `{}` are in the preemptor's queue", job.name),
            );
        }
    }

    /// Checks that a pending gang gets a plan if it fits after elastic jobs shrink.
    fn complete(&self, job: &VolcanoJob, verdict: &mut StepFindings) {
        let pods = job.pods(&self.after);
        let running = pods.iter().filter(|pod| pod.node.is_some() && !pod.leaving).count();
        let waiting: Vec<&ModelPod> =
            pods.into_iter().filter(|pod| pod.pending() && !job.is_elastic_pod(pod)).collect();
        if running >= job.min || running + waiting.len() < job.min {
            return;
        }
        if waiting.iter().any(|pod| pod.restrictions.never_preempts) {
            return verdict.excuse("preemptionPolicy Never");
        }
        if self.after.pods.values().any(|pod| pod.leaving || pod.nominated.is_some() && pod.pending()) {
            return verdict.excuse("a plan is in flight");
        }
        let missing = waiting.get(..job.min - running).unwrap_or_default();
        if !self.queue_takes(job, missing, false) || !self.elastic_mode && !self.under_deserved(job, missing) {
            return verdict.excuse("its queue has no room for it");
        }
        let problem = self.problem(missing, |pod| self.is_evictable(pod));
        let is_legal = |set: &Set| self.cost(&problem, *set).is_some() && problem.fits_without(*set);
        if let Some(set) = (1..=problem.all()).find(is_legal) {
            let names: Vec<&str> = problem.of(set).map(|candidate| candidate.name).collect();
            verdict.breach("a-plan-is-found", format!("`{}` is pending, but fits after evicting {names:?}", job.name));
        }
    }

    /// Returns whether the queue of a job, or an ancestor that counts, stays within its entitlement with these pods, in every requested resource
    /// and reading.
    fn under_deserved(&self, job: &VolcanoJob, pods: &[&ModelPod]) -> bool {
        let requested = MilliAmounts::sum(pods.iter().map(|pod| &pod.request));
        self.claimants(job).into_iter().any(|name| {
            let Some(queue) = self.queues.get(name) else { return false };
            let all = used(&self.after, &self.jobs, name, |_, pod| pod.node.is_some());
            let fits = |resource: &String| {
                queue.entitlement.names(resource)
                    && all.get(resource) + requested.get(resource) <= queue.entitlement.get(resource)
            };
            requested.0.keys().filter(|resource| *resource != "pods").all(fits)
        })
    }
}
