//! Pods that are bound in one cycle and evicted in the next one for pods that waited already. They should not have been bound: the pods that
//! waited would have had the room, and no pod would have been evicted.

use std::collections::{BTreeMap, BTreeSet};

use super::{VolcanoCycleCheck, used};
use crate::amounts::MilliAmounts;
use crate::outcome::ExecutedPlan;
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod, at};

/// Why nothing is sought among constraints between pods.
const CONSTRAINED: &str =
    "there are constraints between pods: whether there is a place, or a smaller plan, is not sought";

/// Why a gang may get a plan only once an elastic job has grown.
const GROWN: &str = "an elastic job shrinks by whole steps, and was too small to shrink before it grew";

/// Why a pod may be bound for one cycle.
const PODS_ADDED_SINCE: &str = "pods have come since the plan that nominated the pod, and its promise was kept";

/// Why a gang may get a plan only once other pods run.
const BORROWED: &str = "a queue gives a pod that ran before only while it uses what the pods request that came";

/// The names of all pods of the cluster in which each nominated pod got its nomination.
#[derive(Debug, Default)]
pub(crate) struct PodsBeforeNomination(BTreeMap<String, BTreeSet<String>>);

impl PodsBeforeNomination {
    /// Notes the nominations that a cycle leaves, and forgets those that have ended.
    fn record_nominations(&mut self, after: &ModelCluster) {
        let stands = |name: &String| after.pods.get(name).is_some_and(|pod| pod.pending() && pod.nominated.is_some());
        self.0.retain(|name, _| stands(name));
        for name in after.pods.keys().filter(|name| stands(name)) {
            self.0.entry(name.clone()).or_insert_with(|| after.pods.keys().cloned().collect());
        }
    }

    /// Returns whether a pod was nominated before other pods of this cluster came.
    fn is_older(&self, name: &str, world: &ModelCluster) -> bool {
        self.0.get(name).is_some_and(|known| !world.pods.keys().all(|other| known.contains(other)))
    }
}

/// The end of a cycle in which no pod was evicted.
#[derive(Debug)]
pub(crate) struct LastCycle {
    bound: BTreeSet<String>,
    /// Those among the bound pods that were nominated before other pods came.
    nominated_before: BTreeSet<String>,
    waiting: BTreeSet<String>,
}

impl VolcanoCycleCheck<'_> {
    /// Checks that no plan evicts what the last cycle bound, for pods that waited in that cycle.
    pub(super) fn bound_for_nothing(&self, last: Option<&LastCycle>, verdict: &mut StepFindings) {
        let Some(last) = last else { return };
        for plan in &self.outcome.plans {
            let waited = plan.nominated.keys().all(|name| last.waiting.contains(name));
            let returned: Vec<&String> = plan.victims.intersection(&last.bound).collect();
            // A gang with constraints may find a plan only once other pods have come: no choice of a node is revised. Where constraints of these
            // pods keep the gang off a node, all that the gang requests counts as short there, so the laws allow more victims.
            let mut names = plan.nominated.keys().chain(returned.iter().copied());
            if waited && !returned.is_empty() && names.any(|name| self.has_constraints(name)) {
                verdict.excuse(CONSTRAINED);
            } else if waited && !returned.is_empty() && self.could_not_shrink(last, &plan.victims) {
                verdict.excuse(GROWN);
            } else if waited && !returned.is_empty() && self.had_no_excess(last, plan) {
                verdict.excuse(BORROWED);
            } else if waited
                && !returned.is_empty()
                && returned.iter().all(|name| last.nominated_before.contains(*name))
            {
                verdict.excuse(PODS_ADDED_SINCE);
            } else if waited && !returned.is_empty() {
                let text = format!("{returned:?} were bound in the last cycle, and {:?} waited", plan.nominated);
                verdict.breach("bound-pods-are-not-reclaimed-at-once", text);
            }
        }
    }

    /// Returns whether these victims are of an elastic job that has grown in the last cycle, and that would not have had a legal size without those
    /// among them that ran before: then the gang had no such plan in the last cycle.
    fn could_not_shrink(&self, last: &LastCycle, victims: &BTreeSet<String>) -> bool {
        self.jobs.iter().filter(|job| job.is_elastic()).any(|job| {
            let (grown, before): (Vec<&ModelPod>, Vec<&ModelPod>) =
                job.pods(self.world).into_iter().partition(|pod| last.bound.contains(&pod.name));
            let lost = |pods: &[&ModelPod]| pods.iter().filter(|pod| victims.contains(&pod.name)).count();
            let size = job.size(self.world).saturating_sub(grown.len()).saturating_sub(lost(&before));
            lost(&grown) > 0 && lost(&before) > 0 && !job.may_be(size)
        })
    }

    /// Returns whether one of the victims of a plan ran before the last cycle, in a queue that had no more than is due to it without the pods that the
    /// cycle bound, of whatever the gang is owed: then the gang had no such plan in the last cycle.
    fn had_no_excess(&self, last: &LastCycle, plan: &ExecutedPlan) -> bool {
        let ran = |pod: &&ModelPod| plan.victims.contains(&pod.name) && !last.bound.contains(&pod.name);
        let gets = |pod: &&ModelPod| plan.nominated.contains_key(&pod.name);
        let gangs = self.jobs.iter().filter(|job| job.pods(self.world).iter().any(gets));
        let of_gang = gangs.flat_map(|job| [Some(&job.queue), job.parent.as_ref()]).flatten();
        let owed: Vec<&MilliAmounts> = of_gang.filter_map(|name| Some(&self.queues.get(name)?.entitlement)).collect();
        self.jobs.iter().filter(|job| job.pods(self.world).iter().any(ran)).any(|job| {
            let before = |pod: &ModelPod| pod.node.is_some() && !last.bound.contains(&pod.name);
            let used = used(self.world, &self.jobs, &job.queue, |_, pod| before(pod));
            let Some(queue) = self.queues.get(&job.queue) else { return false };
            let is_owed = |resource: &str| owed.iter().any(|owed| owed.get(resource) > 0);
            let mut due = queue.entitlement.0.iter().filter(|(resource, _)| is_owed(resource)).peekable();
            due.peek().is_some() && due.all(|(resource, due)| used.get(resource) <= *due)
        })
    }

    /// Returns whether a pod has constraints of its own on the pods near it.
    fn has_constraints(&self, name: &str) -> bool {
        let has = |pod: &ModelPod, field| at(&pod.object, field).is_some();
        let fields = ["/spec/affinity", "/spec/topologySpreadConstraints"];
        self.world.pods.get(name).is_some_and(|pod| fields.into_iter().any(|field| has(pod, field)))
    }

    /// Returns whether one of these pods fitted a node before the cycle made a plan there, for other pods.
    pub(super) fn capacity_was_planned(&self, missing: &[&ModelPod]) -> bool {
        let taken = |node: &&String| self.outcome.nominated.values().any(|on| on == *node);
        let nodes = self.world.nodes.iter().filter(|(name, _)| taken(name));
        let fits = |pod: &ModelPod, node| self.world.may_run(pod, node) && pod.request.fits(&self.world.free(node));
        nodes.into_iter().any(|(_, node)| missing.iter().any(|pod| fits(pod, node)))
    }

    /// Returns what the next cycle is compared with, and notes what this one promises. `None`: pods leave, so that more than the bindings changes.
    pub(super) fn remember(&self, promises: &mut PodsBeforeNomination) -> Option<LastCycle> {
        let bound = || self.outcome.bound.keys();
        let promised = bound().filter(|name| promises.is_older(name, self.world)).cloned().collect();
        promises.record_nominations(&self.after);
        let is_timed = |pod: &ModelPod| pod.annotation("volcano.sh/cooldown-time").is_some();
        if self.after.pods.values().any(|pod| pod.leaving || is_timed(pod)) {
            return None;
        }
        let waiting = self.after.pods.values().filter(|pod| pod.pending() && pod.nominated.is_none());
        Some(LastCycle {
            bound: bound().cloned().collect(),
            nominated_before: promised,
            waiting: waiting.map(|pod| pod.name.clone()).collect(),
        })
    }
}
