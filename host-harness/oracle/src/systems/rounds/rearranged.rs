//! A gang of unlike pods gets other nodes: where those of it that hold nodes at Permit take the room that the others need, they give up their
//! nodes, and as many pods as the gang lacks are nominated, without an eviction.

use std::collections::BTreeSet;

use super::{GangProgress, GangTurn};
use crate::outcome::{AttemptStatus, ReportedOutcome};
use crate::systems::common::problem;
use crate::systems::kubernetes::SameGroup;
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod, text};

impl GangTurn<'_> {
    /// Judges a plan without victims for which pods of the group give up the nodes that they hold. Returns whether it is one.
    pub(in crate::systems) fn gets_other_nodes(
        &self,
        (world, pod): (&ModelCluster, &ModelPod),
        same_group: SameGroup<'_>,
        outcome: &ReportedOutcome,
        verdict: &mut StepFindings,
    ) -> bool {
        let gives_up = |other: &&ModelPod| !outcome.waiting.contains(&other.name);
        let given_up: Vec<&ModelPod> = self.others_held(pod).into_iter().filter(gives_up).collect();
        if outcome.ended != Some(AttemptStatus::Nominated) || !outcome.victims.is_empty() || given_up.is_empty() {
            return false;
        }
        let is_nominated = |other: &&&ModelPod| outcome.nominated.contains_key(&other.name);
        for gang in &self.gangs {
            let (count, lacks) = (gang.pods.iter().filter(is_nominated).count(), lacks_without(gang, &given_up));
            if count < lacks || !outcome.nominated.contains_key(&pod.name) {
                let text = format!("{:?} are nominated, where the gang then lacks {lacks} pods", outcome.nominated);
                verdict.breach("gang-is-complete", text);
            }
        }
        let after = without(world, &given_up);
        let nominated: Vec<&ModelPod> =
            self.pods().filter(|other| is_nominated(&other)).filter_map(|other| after.pods.get(&other.name)).collect();
        let (places, nodes) = problem(&after, &least(pod, &nominated), &nominated, same_group);
        let place = |pod: &&ModelPod| {
            nodes.iter().position(|node| Some(*node) == outcome.nominated.get(&pod.name).map(|node| &**node))
        };
        if !places.fits_on(0, &nominated.iter().filter_map(place).collect::<Vec<_>>()) {
            verdict.breach("evictions-make-room", format!("{:?} do not fit, and nobody is evicted", outcome.nominated));
        }
        if self.completes_without(world, pod, same_group) {
            let text = format!("the group of `{}` can be complete with what it holds", pod.name);
            verdict.breach("gang-keeps-its-nodes", text);
        }
        verdict.decided("a gang gets other nodes");
        true
    }

    /// Checks that a gang that gives up what it holds could not have other nodes. Whether unlike pods fit, quotas take them, or there is a place
    /// with constraints between pods, is not sought.
    pub(in crate::systems) fn has_no_other_nodes(
        &self,
        (world, pod): (&ModelCluster, &ModelPod),
        same_group: SameGroup<'_>,
        verdict: &mut StepFindings,
    ) {
        let (held, [gang]) = (self.others_held(pod), self.gangs.as_slice()) else { return };
        if !self.is_last_chance
            || held.is_empty()
            || is_bounded(world)
            || world.is_constrained()
            || world.pods.values().any(|pod| pod.leaving || pod.nominated.is_some())
        {
            return;
        }
        let after = without(world, &held);
        let alike =
            gang.pods.iter().filter(|other| other.request == pod.request && (other.pending() || other.held.is_some()));
        let alike: Vec<&ModelPod> = alike.filter_map(|other| after.pods.get(&other.name)).collect();
        let needed = lacks_without(gang, &held);
        let is_held_alike = held.iter().all(|other| other.request == pod.request);
        let Some(first) = alike.get(..needed).filter(|_| !is_held_alike) else { return };
        if problem(&after, &least(pod, first), first, same_group).0.fits_without(0) {
            let text = format!("{needed} pods like `{}` fit once the others of its gang give up their nodes", pod.name);
            verdict.breach("gang-gets-other-nodes", text);
        }
    }

    /// Returns whether the smallest other pods of a gang that wait complete it with what it holds. Whether a quota takes them is not sought.
    fn completes_without(&self, world: &ModelCluster, pod: &ModelPod, same_group: SameGroup<'_>) -> bool {
        let [gang] = self.gangs.as_slice() else { return false };
        let mut others: Vec<&ModelPod> =
            gang.pods.iter().copied().filter(|other| other.pending() && other.name != pod.name).collect();
        others.sort_by_key(|other| other.request.get("cpu"));
        let alike = others
            .get(..gang.lacks)
            .filter(|others| others.windows(2).all(|pair| matches!(pair, [a, b] if a.request == b.request)));
        let Some(smallest) = alike.filter(|_| !is_bounded(world) && !world.is_constrained()) else { return false };
        problem(world, &least(pod, smallest), smallest, same_group).0.fits_without(0)
    }

    /// Returns all pods of the group.
    fn pods(&self) -> impl Iterator<Item = &ModelPod> {
        self.gangs.iter().flat_map(|gang| gang.pods.iter().copied())
    }

    /// Returns the other pods of the group that hold nodes at Permit.
    fn others_held(&self, pod: &ModelPod) -> Vec<&ModelPod> {
        self.pods().filter(|other| other.held.is_some() && other.name != pod.name).collect()
    }
}

/// Returns the cluster in which the pods wait that give up their nodes for a plan without victims; none where there is no such plan.
pub(in crate::systems) fn released_cluster(world: &ModelCluster, outcome: &ReportedOutcome) -> Option<ModelCluster> {
    let is_plan = outcome.ended == Some(AttemptStatus::Nominated) && outcome.victims.is_empty();
    let gives_up = |pod: &&ModelPod| pod.held.is_some() && !outcome.waiting.contains(&pod.name);
    let given_up: Vec<&ModelPod> = world.pods.values().filter(gives_up).collect();
    (is_plan && !given_up.is_empty()).then(|| without(world, &given_up))
}

/// Returns how many places a gang lacks at least once these pods have given up their nodes. Of a gang that lacks none now, they may be surplus.
fn lacks_without(gang: &GangProgress<'_>, given_up: &[&ModelPod]) -> usize {
    if gang.lacks == 0 {
        return 0;
    }
    gang.lacks + gang.pods.iter().filter(|other| given_up.iter().any(|pod| pod.name == other.name)).count()
}

/// Returns whether quotas bound pods.
fn is_bounded(world: &ModelCluster) -> bool {
    world.others.values().any(|object| text(object, "/kind") == "ElasticQuota")
}

/// Returns the cluster in which these pods wait.
fn without(world: &ModelCluster, held: &[&ModelPod]) -> ModelCluster {
    let names: BTreeSet<&String> = held.iter().map(|pod| &pod.name).collect();
    let mut after = world.clone();
    after.pods.values_mut().filter(|pod| names.contains(&pod.name)).for_each(|pod| pod.held = None);
    after
}

/// Returns a pod with the least priority of some.
fn least(pod: &ModelPod, pods: &[&ModelPod]) -> ModelPod {
    ModelPod { priority: pods.iter().map(|pod| pod.priority).min().unwrap_or(pod.priority), ..pod.clone() }
}
