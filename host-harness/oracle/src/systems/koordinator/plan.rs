//! Preemption by whole jobs: which pods may be evicted, whether all of the job then fits, and whether there would have been a plan.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::books::{QuotaBalance, counts};
use super::switches::priority;
use super::{KoordinatorAttemptCheck, PlannedJob, QUOTA, devices, job, unplaced_pods};
use crate::amounts::MilliAmounts;
use crate::outcome::ReportedOutcome;
use crate::placement::{EvictionCandidate, IncomingPod, PlacementProblem, Set};
use crate::systems::common::constraints_allow_nominations;
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod, owner};

impl KoordinatorAttemptCheck<'_> {
    /// Returns why this pod may not preempt, regardless of the other pods. `None`: it may.
    fn forbidden(&self) -> Option<&'static str> {
        if self.in_flight {
            return Some("its last plan is in flight");
        }
        if !self.parts.iter().all(|part| self.switches.triggers(part.lead)) {
            return Some("it may not trigger preemption");
        }
        let fits = |part: &PlannedJob<'_>| {
            part.balances.iter().all(|books| books.may_trigger(part.is_non_preemptible, &part.total))
        };
        if !self.parts.iter().all(fits) {
            return Some("its job does not fit the quota even after evicting every candidate");
        }
        self.cannot_start()
    }

    /// Returns why the jobs that are planned together would not start even with room.
    fn cannot_start(&self) -> Option<&'static str> {
        if !self.planned.iter().all(|of| devices::are_decidable(self.world, &unplaced_pods(self.world, of))) {
            return Some("nobody knows the devices of another gang of its group");
        }
        let starts = self.gangs.could_start(self.pod, &self.planned);
        (!starts).then_some("its gang group could not start after the evictions")
    }

    /// Returns the lowest priority among the jobs that are planned together.
    fn priority(&self) -> i64 {
        self.parts.iter().map(|part| priority(part.lead)).min().unwrap_or_default()
    }

    /// Returns whether a pod may be a victim.
    fn is_eligible(&self, other: &ModelPod) -> bool {
        let kind = other.is_reservation() == self.pod.is_reservation();
        let class = other.is_reservation() || !self.switches.is_safe(self.world, other);
        kind && class
            && other.node.is_some()
            && !other.leaving
            && !other.finished
            && priority(other) < self.priority()
            && !self.gangs.share_group(self.pod, other)
    }

    /// Builds the problem of placing the incoming pods. Its candidates are the pods that may be evicted: on a node, or in the own quota.
    fn problem<'a>(&'a self, gives: &'a BTreeMap<&str, MilliAmounts>) -> PlacementProblem<'a> {
        let nodes: Vec<_> = self.world.nodes.values().collect();
        let asks = |pod: &&'a ModelPod| {
            let may = nodes.iter().enumerate().filter(|(_, node)| self.world.may_run(pod, node));
            IncomingPod { request: &pod.request, nodes: may.map(|(place, _)| place).collect() }
        };
        let kept = |other: &&ModelPod| {
            other.pending() && priority(other) >= self.priority() && !self.planned.contains(&job(other))
        };
        let free = nodes.iter().map(|node| {
            let mut free = self.world.free(node);
            let nominees = self.world.pods.values().filter(|other| other.nominated.as_deref() == Some(&node.name));
            nominees.filter(kept).for_each(|other| free.take(&other.request));
            let leaving = self.world.on(&node.name).filter(|other| other.leaving);
            leaving.for_each(|other| free.add(&self.world.occupied_amounts(other)));
            free
        });
        let candidates = self.world.pods.values().filter(|other| self.is_eligible(other)).filter_map(|other| {
            let node = nodes.iter().position(|node| Some(&node.name) == other.node.as_ref())?;
            Some(EvictionCandidate { name: &other.name, node, request: gives.get(other.name.as_str())? })
        });
        PlacementProblem {
            free: free.collect(),
            candidates: candidates.collect(),
            incoming: self.incoming.iter().map(asks).collect(),
        }
    }

    /// Returns the amounts that the eviction of each pod frees on its node.
    fn freed_amounts(&self) -> BTreeMap<&str, MilliAmounts> {
        self.world.pods.values().map(|pod| (pod.name.as_str(), self.world.occupied_amounts(pod))).collect()
    }

    /// Returns whether every quota that bounds the job holds it after these candidates and the pods that leave already have left.
    pub(super) fn quota_holds(&self, problem: &PlacementProblem<'_>, gone: Set) -> bool {
        let gone = || problem.of(gone).filter_map(|candidate| self.world.pods.get(candidate.name));
        let holds = |part: &PlannedJob<'_>, books: &QuotaBalance| {
            let leaving = self.world.pods.values().filter(|other| other.leaving);
            let ours = gone().chain(leaving).filter(|other| counts(self.world, other, &books.name));
            books.fits_after(part.is_non_preemptible, &part.total, &MilliAmounts::sum(ours.map(|pod| &pod.request)))
        };
        self.parts.iter().all(|part| part.balances.iter().all(|books| holds(part, books)))
    }

    /// Judges a plan.
    pub(super) fn plan(&self, outcome: &ReportedOutcome, verdict: &mut StepFindings) {
        let KoordinatorAttemptCheck { world, pod, incoming, .. } = self;
        if let Some(why) = self.forbidden() {
            let text = format!("`{}` planned {:?} although {why}", pod.name, outcome.victims);
            return verdict.breach_expecting("may-preempt", text, json!({"victims": []}));
        }
        let gives = self.freed_amounts();
        let problem = self.problem(&gives);
        let named: BTreeSet<&String> = incoming.iter().map(|pod| &pod.name).collect();
        if !outcome.nominated.keys().eq(named) {
            let text = format!(
                "the job of `{}` is {:?}, and nominated is {:?}",
                pod.name,
                incoming.iter().map(|pod| &pod.name).collect::<Vec<_>>(),
                outcome.nominated
            );
            return verdict.breach("job-is-all-or-nothing", text);
        }
        let carried =
            |name: &str| world.pods.get(name).and_then(owner).is_some_and(|owner| outcome.victims.contains(&owner));
        for victim in &outcome.victims {
            let inside = self.switches.deletes && carried(victim);
            if problem.set(|name| name == victim) == 0 && !inside {
                let text =
                    format!("`{victim}` may not be a victim of `{}`: its rank, class or kind forbids it", pod.name);
                verdict.breach("victim-is-eligible", text);
            }
        }
        for other in world.pods.values().filter(|other| self.switches.deletes && carried(&other.name)) {
            if !outcome.victims.contains(&other.name) {
                verdict.breach(
                    "who-is-inside-goes-too",
                    format!("`{}` runs inside a reservation that is deleted", other.name),
                );
            }
        }
        let how = if self.switches.deletes { "Delete" } else { "Soft" };
        if !outcome.victims.is_empty() && outcome.eviction.as_deref() != Some(how) {
            verdict.breach("evicted-as-configured", format!("evicted by {:?}, not {how}", outcome.eviction));
        }
        let victims = problem.set(|name| outcome.victims.contains(name));
        let nodes: Vec<&String> = world.nodes.keys().collect();
        let place = |pod: &&ModelPod| nodes.iter().position(|node| Some(*node) == outcome.nominated.get(&pod.name));
        let places: Vec<usize> = incoming.iter().filter_map(place).collect();
        if !problem.fits_on(victims, &places) {
            let text = format!("{:?} do not fit when {:?} have left", outcome.nominated, outcome.victims);
            verdict.breach("evictions-make-room", text);
        }
        if !self.quota_holds(&problem, victims) {
            verdict.breach(
                "quota-holds-afterwards",
                format!("the quota of `{}` is over its max when {:?} have left", pod.name, outcome.victims),
            );
        }
        for victim in &outcome.victims {
            let without = victims & !problem.set(|name| name == victim);
            if without != victims && problem.fits_on(without, &places) && self.quota_holds(&problem, without) {
                verdict.breach("no-needless-victim", format!("`{victim}` need not go for {:?}", outcome.nominated));
            }
        }
        if self.parts.len() > 1 {
            verdict.planned_for_group();
        }
        self.least_harm(&problem, &places, outcome, verdict);
        let fewest = problem.fewest(victims.count_ones() as usize, |set| self.quota_holds(&problem, set));
        verdict.planned(victims.count_ones() as usize, fewest);
    }

    /// Returns whether the job waits for what is planned already: its last plan is in flight, or each of its pods is promised a node and all of them fit
    /// there when the pods that leave already have left (ruling C45), also where the job may make no new plan until they have left.
    pub(super) fn waits_for_plan(&self) -> bool {
        let gives = self.freed_amounts();
        let problem = self.problem(&gives);
        let nodes: Vec<&String> = self.world.nodes.keys().collect();
        let place = |pod: &&ModelPod| nodes.iter().position(|node| Some(*node) == pod.nominated.as_ref());
        let places: Vec<usize> = self.incoming.iter().filter_map(place).collect();
        let are_promised = !places.is_empty() && places.len() == self.incoming.len();
        let fit = || problem.fits_on(0, &places) && self.quota_holds(&problem, 0);
        self.in_flight
            || are_promised
                && self.cannot_start().is_none()
                && fit()
                && constraints_allow_nominations(self.world, &self.incoming)
    }

    /// Judges that there is no plan.
    pub(super) fn complete(&self, outcome: &ReportedOutcome, verdict: &mut StepFindings) {
        let pod = self.pod;
        if let Some(why) = self.forbidden() {
            return verdict.excuse(why);
        }
        let gives = self.freed_amounts();
        let problem = self.problem(&gives);
        if !problem.fits_without(problem.all()) || !self.quota_holds(&problem, problem.all()) {
            return;
        }
        if self.waits_for_plan() {
            return verdict
                .excuse("each pod of its job waits for the room that it is promised, and nobody else need go");
        }
        let is_own = |other: &ModelPod| self.parts.iter().any(|part| other.label(QUOTA) == part.lead.label(QUOTA));
        let own = problem.set(|name| self.world.pods.get(name).is_some_and(is_own));
        if !self.quota_holds(&problem, own) {
            return verdict.excuse("pods on other nodes are evicted for a quota only if they are of the own quota");
        }
        if problem.incoming.iter().any(|incoming_pod| incoming_pod.request != &pod.request) {
            return verdict.excuse("members of different size are placed one after the other");
        }
        let who: Vec<&str> = problem.candidates.iter().map(|candidate| candidate.name).collect();
        let text = format!(
            "`{}` found no plan ({:?}), and its job fits when {who:?} leave: {}",
            pod.name, outcome.ended, outcome.reason
        );
        verdict.breach_expecting("a-plan-is-found", text, json!({"result": "Nominated"}));
    }
}

/// Returns whether a pod of lower priority is leaving the node that a pod is nominated to.
pub(super) fn capacity_is_leaving(world: &ModelCluster, pod: &ModelPod) -> bool {
    let Some(node) = &pod.nominated else { return false };
    world.on(node).any(|other| other.leaving && priority(other) < priority(pod))
}
