//! Least harm: which plan of a pod with a quota, and which plan of a gang, is the right one (rulings R29 to R31).

use std::collections::BTreeSet;

use serde_json::json;

use super::plan::may_plan;
use super::quotas::{CLAIMED, NamespaceQuotas};
use super::{group, minimum};
use crate::amounts::MilliAmounts;
use crate::harm::{Counting, EvictionHarm};
use crate::outcome::{AttemptStatus, ReportedOutcome};
use crate::placement::{PlacementProblem, Set};
use crate::systems::common::problem_with;
use crate::systems::kubernetes::{self, Eligible};
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelNode, ModelPod};

/// The most pods on a node of which all sets are tried.
const MOST: usize = 10;

/// Returns the gang of a pod, and how many pods it needs.
fn gang_of(world: &ModelCluster, pod: &ModelPod) -> Option<(String, usize)> {
    let name = group(pod)?;
    Some((format!("{}#{name}", pod.namespace), minimum(world, pod)))
}

/// Calls a function with the counts of a cluster.
pub(super) fn counting<T>(world: &ModelCluster, count: impl FnOnce(Counting<'_, '_>) -> T) -> T {
    let gang_of = |pod: &ModelPod| gang_of(world, pod);
    count(Counting { world, gang_of: &gang_of, priority: kubernetes::spec_priority })
}

/// Judges the plan of one pod that a quota bounds: no set of possible victims on one node does less harm.
pub(super) fn best<'w>(
    world: &'w ModelCluster,
    pod: &ModelPod,
    eligible: &Eligible<'_, 'w>,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    let mut least: Option<(EvictionHarm, &str)> = None;
    let mut own: Option<EvictionHarm> = None;
    for node in world.nodes.values().filter(|node| world.may_run(pod, node) && pod.request.fits(&node.allocatable)) {
        let (possible, leaving) = (eligible.possible)(node);
        if possible.len() > MOST {
            return verdict.excuse("the least harm is sought for few candidates only");
        }
        let violating = kubernetes::violating(world, &leaving, &possible);
        let harm = |victims: &[&'w ModelPod]| {
            let violations = victims.iter().filter(|pod| violating.contains(&pod.name)).count();
            counting(world, |counting| counting.of(victims, violations))
        };
        for set in 0..1u32 << possible.len() {
            let chosen = (0..).zip(&possible).filter(|(bit, _)| set & (1 << bit) != 0).map(|(_, pod)| *pod);
            let chosen: Vec<&ModelPod> = chosen.collect();
            let cost = harm(&chosen);
            if least.as_ref().is_none_or(|(least, _)| cost < *least)
                && (eligible.permits)(&chosen)
                && frees_enough(world, pod, node, (eligible, &chosen))
            {
                least = Some((cost, &node.name));
            }
        }
        if outcome.node.as_ref() == Some(&node.name) {
            let victims: Vec<&ModelPod> =
                possible.iter().copied().filter(|pod| outcome.victims.contains(&pod.name)).collect();
            own = Some(harm(&victims));
        }
    }
    let planned = outcome.ended == Some(AttemptStatus::Nominated);
    match (least, own.filter(|_| planned)) {
        (Some((least, node)), own) if own.as_ref().is_none_or(|own| *own > least) => {
            let text = format!("`{}`: {:?} do {own:?}, and on `{node}` {least:?} is enough", pod.name, outcome.victims);
            verdict.breach_expecting("least-harm", text, json!({"result": "Nominated"}));
        }
        (None, _) if planned => {
            let text = format!("`{}` was nominated although no eviction frees enough room", pod.name);
            verdict.breach_expecting("evictions-make-room", text, json!({"result": "Unschedulable", "victims": []}));
        }
        _ => {}
    }
}

/// Returns whether a pod fits a node when these pods, and those that leave anyway, are gone.
fn frees_enough<'w>(
    world: &'w ModelCluster,
    pod: &ModelPod,
    node: &'w ModelNode,
    (eligible, chosen): (&Eligible<'_, 'w>, &[&'w ModelPod]),
) -> bool {
    let mut free = kubernetes::free_when_left(world, pod, node);
    chosen.iter().for_each(|other| free.add(&other.request));
    let names: BTreeSet<&str> = chosen.iter().map(|other| other.name.as_str()).collect();
    let has_left = |other: &ModelPod| other.leaving || names.contains(other.name.as_str());
    pod.request.fits(&free)
        && world.allows((pod, node), has_left, has_left, kubernetes::spec_priority)
        && (eligible.holds_without)(&names)
}

/// Judges the plan of a gang: no other evictions for the same pods do less harm.
pub(super) fn of_gang(
    world: &ModelCluster,
    pod: &ModelPod,
    quotas: Option<&NamespaceQuotas>,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    let planned: Vec<&ModelPod> = outcome.nominated.keys().filter_map(|name| world.pods.get(name)).collect();
    let unlike = planned.iter().any(|other| other.request != pod.request);
    let budgets = world.all("PodDisruptionBudget").next().is_some();
    if outcome.ended != Some(AttemptStatus::Nominated) {
        return;
    }
    if unlike || budgets || world.pods.values().any(|pod| pod.leaving) {
        return verdict.excuse("the least harm of a plan for a gang is sought for pods alike, while nobody leaves");
    }
    let same = |other: &ModelPod| group(other) == group(pod);
    let may_go = |other: &ModelPod| match quotas {
        Some(quotas) => !same(other) && quotas.could_be_victim(pod, other),
        None => other.priority < pod.priority && !same(other),
    };
    let (problem, _) = problem_with(world, pod, &planned, &may_go);
    let victims: Vec<&ModelPod> = outcome.victims.iter().filter_map(|name| world.pods.get(name)).collect();
    let legal = |set: Set| {
        quotas.is_none_or(|quotas| quotas.may_evict_together(world, pod, &planned, &named(world, &problem, set)))
    };
    counting(world, |counting| {
        let harm = counting.of(&victims, 0);
        if let Some(least) = counting.least(&problem, legal)
            && least < harm
        {
            let text = format!("{:?} for `{}` do {harm:?}, and {least:?} is enough", outcome.victims, pod.name);
            verdict.breach("least-harm", text);
        }
    });
}

/// Judges a gang that has no plan and gets none, where a quota bounds it and its waiting pods are alike, while no pod leaves: no evictions
/// that the quotas allow make room for the pod that is tried and as many others as it lacks.
pub(super) fn has_a_plan(
    world: &ModelCluster,
    pod: &ModelPod,
    quotas: &NamespaceQuotas,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    let Some((name, missing)) = group(pod).and_then(|name| Some((name, may_plan(world, pod, name)?))) else { return };
    let same = |other: &ModelPod| group(other) == Some(name);
    let mut pods: Vec<&ModelPod> = world.pods.values().filter(|other| other.pending() && same(other)).collect();
    let is_alike = |other: &&ModelPod| {
        other.request == pod.request
            && other.priority == pod.priority
            && !other.restrictions.never_preempts
            && other.nominated.is_none()
    };
    let leaves = world.pods.values().any(|pod| pod.leaving);
    if outcome.ended == Some(AttemptStatus::Nominated) || leaves || world.is_constrained() || !pods.iter().all(is_alike)
    {
        return;
    }
    pods.sort_by_key(|other| other.name != pod.name);
    pods.truncate(missing);
    let requests = MilliAmounts::sum(pods.iter().map(|pod| &pod.request));
    let claim = quotas.claim(world, pod, &requests, &MilliAmounts::default());
    if quotas.might_be_claimed(world, pod, claim.takes_back) {
        return verdict.excuse(CLAIMED);
    }
    let givers = quotas.eligible_victims(world, pod, &pods);
    let (problem, _) = problem_with(world, pod, &pods, &|other| givers.iter().any(|giver| giver.name == other.name));
    let legal = |set: Set| quotas.may_evict_together(world, pod, &pods, &named(world, &problem, set));
    if let Some(least) = counting(world, |counting| counting.least(&problem, legal)) {
        let text = format!("`{}` has no plan, and {least:?} is enough", pod.name);
        verdict.breach_expecting("a-plan-is-found", text, json!({"result": "Nominated"}));
    }
}

fn named<'w>(world: &'w ModelCluster, problem: &PlacementProblem<'_>, set: Set) -> Vec<&'w ModelPod> {
    problem.of(set).filter_map(|candidate| world.pods.get(candidate.name)).collect()
}
