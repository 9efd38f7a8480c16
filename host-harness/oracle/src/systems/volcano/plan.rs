//! Checks of a plan: the gang is then complete, its pods fit, and no victim is needless.

use std::collections::BTreeMap;

use super::awaited::{CAPACITY_AWAITED, RemainingCapacity};
use super::read::{VolcanoJob, group_of};
use super::{VolcanoCycleCheck, used};
use crate::amounts::MilliAmounts;
use crate::placement::{EvictionCandidate, PlacementProblem, Set};
use crate::tally::StepFindings;
use crate::world::ModelPod;

impl VolcanoCycleCheck<'_> {
    /// Checks a plan: every nominated job is then complete and within its queue, all pods fit, and no victim is needless.
    pub(super) fn plan_holds(&self, verdict: &mut StepFindings) {
        let incoming: Vec<&ModelPod> = self.jobs.iter().flat_map(|job| self.nominated(job)).collect();
        let gaining: Vec<&VolcanoJob> = self.jobs.iter().filter(|job| !self.nominated(job).is_empty()).collect();
        for job in &gaining {
            let nominated = self.nominated(job);
            if job.size(&self.after) + nominated.len() < job.min {
                let text = format!(
                    "`{}` has {} pods, {} are nominated, {} are needed",
                    job.name,
                    job.size(&self.after),
                    nominated.len(),
                    job.min
                );
                verdict.breach("gang-is-complete", text);
            }
            if nominated.iter().any(|pod| pod.restrictions.never_preempts) {
                verdict.breach("may-preempt", format!("`{}` never preempts", job.name));
            }
            if nominated.iter().any(|pod| job.is_elastic_pod(pod)) {
                verdict.breach("elastic-pods-do-not-preempt", format!("elastic pods of `{}` are nominated", job.name));
            }
            if !self.queue_takes(job, &[], true) {
                verdict.breach(
                    "reclaimer-stays-within-its-queue",
                    format!("the plan exceeds the bounds of `{}`", job.queue),
                );
            }
        }
        let problem = self.problem(&incoming, |pod| self.outcome.victims.contains(&pod.name));
        let places = self.places(&incoming);
        if !problem.fits_on(problem.all(), &places) {
            verdict.breach(
                "evictions-make-room",
                format!("{:?} do not fit after evicting {:?}", self.outcome.nominated, self.outcome.victims),
            );
        }
        if incoming.is_empty() {
            verdict.breach(
                "evictions-make-room",
                format!("{:?} are evicted, but no pod is nominated", self.outcome.victims),
            );
        }
        self.no_victim_is_needless(&problem, &places, verdict);
        self.fewest(&gaining, &incoming, verdict);
    }

    /// Builds the problem of placing these pods, with the pods that `moves` selects as candidates.
    pub(super) fn problem<'a>(
        &'a self,
        incoming: &[&'a ModelPod],
        moves: impl Fn(&ModelPod) -> bool,
    ) -> PlacementProblem<'a> {
        let nodes: Vec<_> = self.after.nodes.values().collect();
        let elastic_came = |pod: &ModelPod| {
            let extra = self.jobs.iter().any(|job| job.name == group_of(pod) && job.is_elastic_pod(pod));
            extra && self.outcome.bound.contains_key(&pod.name)
        };
        let free = nodes.iter().map(|node| {
            let mut free = self.after.free(node);
            let gone = self.after.on(&node.name).filter(|pod| pod.leaving && !self.outcome.victims.contains(&pod.name));
            gone.for_each(|pod| free.add(&pod.request));
            // The elastic action runs after reclaim.
            self.after.on(&node.name).filter(|pod| elastic_came(pod)).for_each(|pod| free.add(&pod.request));
            let nominated =
                self.world.pods.values().filter(|pod| pod.pending() && pod.nominated.as_deref() == Some(&node.name));
            let nominated = nominated.filter(|pod| !self.outcome.bound.contains_key(&pod.name));
            nominated
                .filter(|pod| !incoming.iter().any(|incoming_pod| incoming_pod.name == pod.name))
                .for_each(|pod| free.take(&pod.request));
            free
        });
        let candidates = self.world.pods.values().filter(|pod| moves(pod)).filter_map(|pod| {
            let node = nodes.iter().position(|node| Some(&node.name) == pod.node.as_ref())?;
            Some(EvictionCandidate { name: &pod.name, node, request: &pod.request })
        });
        PlacementProblem { free: free.collect(), candidates: candidates.collect(), incoming: self.incoming(incoming) }
    }

    /// Checks that no part of the victims can stay: the pods would no longer fit, or a job would have an illegal size.
    fn no_victim_is_needless(&self, problem: &PlacementProblem<'_>, places: &[usize], verdict: &mut StepFindings) {
        for job in &self.jobs {
            let ours = self.victims(job);
            let all = problem.set(|name| ours.contains(name));
            // The elastic action runs after reclaim.
            let has_come = |pod: &&&ModelPod| job.is_elastic_pod(pod) && self.outcome.bound.contains_key(&pod.name);
            let before_growth =
                job.size(&self.after).saturating_sub(job.pods(self.world).iter().filter(has_come).count());
            let mut stays = all;
            while stays != 0 {
                let size = before_growth + usize::try_from(stays.count_ones()).unwrap_or(0);
                let without = problem.all() & !stays;
                let mut gone = problem.of(all & !stays).filter_map(|candidate| self.world.pods.get(candidate.name));
                // An elastic job shrinks only by elastic pods. Its normal pods are evicted only with the whole job.
                let shrinks = !job.is_elastic() || gone.all(|pod| job.is_elastic_pod(pod));
                let holds = |problem: &PlacementProblem<'_>, waiting: &[&ModelPod]| {
                    problem.fits_on(without, places) && self.queues_hold(problem, without, waiting)
                };
                if shrinks && job.may_be(size) && holds(problem, &[]) {
                    if self.capacities_left_by_gangs().iter().any(|gangs| !holds(&gangs.within(problem), &gangs.pods)) {
                        return verdict.excuse(CAPACITY_AWAITED);
                    }
                    let names: Vec<&str> = problem.of(stays).map(|candidate| candidate.name).collect();
                    return verdict.breach(
                        "no-needless-victim",
                        format!("victims {names:?} are not needed for {:?}", self.outcome.nominated),
                    );
                }
                stays = (stays - 1) & all;
            }
        }
    }

    /// Returns whether every nominated queue is within its bounds after only these evictions, with gangs that wait for capacity, in the strictest
    /// reading. Its usage must be within its real capability. If other queues lose normal pods in reclaim mode, it must also be within deserved,
    /// and deserved must be set.
    fn queues_hold(&self, problem: &PlacementProblem<'_>, gone: Set, waiting: &[&ModelPod]) -> bool {
        let left: Vec<&str> = problem.of(gone).map(|candidate| candidate.name).collect();
        let gaining = self.jobs.iter().filter(|job| !self.nominated(job).is_empty());
        gaining.into_iter().all(|job| {
            let stays = |pod: &ModelPod| pod.node.is_some() && !left.contains(&pod.name.as_str());
            let waits = |pod: &ModelPod| waiting.iter().any(|waiting| waiting.name == pod.name);
            let comes =
                |pod: &ModelPod| self.outcome.nominated.contains_key(&pod.name) || is_nominated(pod) || waits(pod);
            let holds = used(&self.after, &self.jobs, &job.queue, |_, pod| stays(pod) || comes(pod));
            let Some(queue) = self.queues.get(&job.queue) else { return false };
            let mut losers = self.jobs.iter().filter(|loser| self.of_job(loser, &left));
            let reclaims = !self.elastic_mode && losers.any(|loser| loser.queue != job.queue);
            let is_entitled = || {
                let requested = MilliAmounts::sum(self.nominated(job).iter().map(|pod| &pod.request));
                self.claimants(job).into_iter().any(|name| {
                    let holds = used(&self.after, &self.jobs, name, |_, pod| stays(pod) || comes(pod));
                    let Some(due) = self.queues.get(name).map(|queue| &queue.entitlement) else { return false };
                    let named = requested.0.keys().filter(|resource| *resource != "pods");
                    named.into_iter().all(|resource| due.names(resource) && holds.get(resource) <= due.get(resource))
                })
            };
            let requested = MilliAmounts::sum(self.nominated(job).iter().map(|pod| &pod.request));
            let nothing = MilliAmounts(requested.0.keys().map(|resource| (resource.clone(), 0)).collect());
            let joint = self.leaves_guarantees(&self.after, job, &nothing, |pod| stays(pod) || comes(pod));
            joint && holds.within_for(&queue.capability, &requested) && (!reclaims || is_entitled())
        })
    }

    /// Returns whether one of these pods belongs to the job.
    fn of_job(&self, job: &VolcanoJob, names: &[&str]) -> bool {
        names.iter().any(|name| self.world.pods.get(*name).is_some_and(|pod| group_of(pod) == job.name))
    }

    /// Counts the jobs and the pods in a set of elastic pods. `None`: a job would have an illegal size.
    pub(super) fn cost(&self, problem: &PlacementProblem<'_>, set: Set) -> Option<(usize, u32)> {
        let mut by_job: BTreeMap<&str, usize> = BTreeMap::new();
        for candidate in problem.of(set) {
            *by_job.entry(group_of(self.world.pods.get(candidate.name)?)).or_insert(0) += 1;
        }
        let legal = |(name, gone): (&&str, &usize)| {
            let job = self.jobs.iter().find(|job| job.name == **name);
            job.is_some_and(|job| job.may_be(job.size(self.world).saturating_sub(*gone)))
        };
        by_job.iter().all(legal).then_some((by_job.len(), set.count_ones()))
    }

    /// Returns whether a pod is an elastic pod that may be evicted.
    pub(super) fn is_evictable(&self, pod: &ModelPod) -> bool {
        let Some(job) = self.jobs.iter().find(|job| job.name == group_of(pod)) else { return false };
        let reclaimable = self.queues.get(&job.queue).is_some_and(|queue| queue.is_reclaimable);
        job.is_elastic_pod(pod) && reclaimable && self.protected(pod, false).is_none()
    }

    /// Checks that a plan for one job that evicts only elastic pods takes the fewest jobs, then the fewest pods.
    fn fewest(&self, gaining: &[&VolcanoJob], incoming: &[&ModelPod], verdict: &mut StepFindings) {
        let elastic = |name: &String| {
            let pod = self.world.pods.get(name);
            pod.is_some_and(|pod| self.jobs.iter().any(|job| job.name == group_of(pod) && job.is_elastic_pod(pod)))
        };
        let count = self.outcome.victims.len();
        if gaining.len() != 1 || !self.outcome.victims.iter().all(elastic) {
            verdict.planned(count, None);
            return verdict.excuse("normal victims: the fewest are not sought");
        }
        let problem = self.problem(incoming, |pod| self.is_evictable(pod));
        let victims = problem.set(|name| self.outcome.victims.contains(name));
        let cost_of = |problem: &PlacementProblem<'_>, waiting: &[&ModelPod], set: Set| {
            let cost = self.cost(problem, set);
            cost.filter(|_| problem.fits_without(set) && self.queues_hold(problem, set, waiting))
        };
        let least_of = |problem: &PlacementProblem<'_>, waiting: &[&ModelPod]| {
            (0..=problem.all()).filter_map(|set| cost_of(problem, waiting, set)).min()
        };
        let (Some(cost), Some(least)) = (self.cost(&problem, victims), least_of(&problem, &[])) else {
            return verdict.planned(count, None);
        };
        verdict.planned(count, Some(usize::try_from(least.1).unwrap_or(0).min(count)));
        if cost > least {
            let explains = |gangs: &RemainingCapacity<'_>| {
                least_of(&gangs.within(&problem), &gangs.pods).is_none_or(|least| least >= cost)
            };
            if self.capacities_left_by_gangs().iter().any(explains) {
                return verdict.excuse(CAPACITY_AWAITED);
            }
            let text = format!("{:?} are {cost:?} jobs and pods, but {least:?} would be enough", self.outcome.victims);
            verdict.breach("fewest-jobs-and-pods-first", text);
        }
    }
}

/// Returns whether a pod is pending and nominated.
pub(super) fn is_nominated(pod: &ModelPod) -> bool {
    pod.pending() && pod.nominated.is_some()
}
