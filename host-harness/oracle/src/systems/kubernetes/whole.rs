//! Groups that leave whole: between plans jobs count, not pods (ruling K43).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::groups::{evicted_with, is_evicted_whole};
use super::search::{is_candidate, possible, victims_on};
use super::{Eligible, SameGroup, free_for, spec_priority};
use crate::outcome::{AttemptStatus, ReportedOutcome};
use crate::placement::{PlacementProblem, Set};
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelNode, ModelPod};

/// The most jobs of which all sets are tried.
const MOST: usize = 10;

/// The jobs of some victims: a pod alone, or all pods of a group that leave together.
type Jobs<'w> = BTreeSet<BTreeSet<&'w str>>;

/// The cost of the evictions of jobs: the highest priority, the sum of the priorities of the jobs, their number, the part of the cluster that
/// groups among them hold, and the earliest start of the most important pods.
type Cost = (Option<i64>, i64, usize, i64, Reverse<i64>);

fn cost(world: &ModelCluster, jobs: &Jobs<'_>) -> Cost {
    let pods = |job: &BTreeSet<&str>| job.iter().filter_map(|name| world.pods.get(*name)).collect::<Vec<&ModelPod>>();
    let priority = |job: &BTreeSet<&str>| pods(job).first().map_or(0, |pod| pod.priority);
    let highest = jobs.iter().map(priority).max();
    let all = |resource: &str| world.nodes.values().map(|node| node.allocatable.get(resource)).sum::<i64>();
    let part = |pod: &ModelPod| {
        let part = |(resource, amount): (&String, &i64)| match all(resource) {
            0 => 0,
            all => i64::try_from(i128::from(*amount) * 1_000_000_000 / i128::from(all)).unwrap_or(i64::MAX),
        };
        pod.request.0.iter().map(part).sum::<i64>()
    };
    let whole = jobs.iter().flat_map(pods).filter(|pod| is_evicted_whole(world, pod));
    let important = jobs.iter().filter(|job| Some(priority(job)) == highest).flat_map(pods);
    let start = important.map(|pod| pod.times.started.unwrap_or(i64::MAX)).min().unwrap_or(i64::MAX);
    let sum = jobs.iter().map(|job| priority(job) + (1 << 31)).sum();
    (highest, sum, jobs.len(), whole.map(part).sum(), Reverse(start))
}

fn jobs<'w>(world: &'w ModelCluster, names: impl IntoIterator<Item = &'w str>) -> Jobs<'w> {
    names.into_iter().map(|name| evicted_with(world, name)).collect()
}

/// Returns whether nothing but room and priorities decides.
fn is_plain(world: &ModelCluster) -> bool {
    !world.is_constrained()
        && world.all("PodDisruptionBudget").next().is_none()
        && !world.pods.values().any(|pod| pod.leaving)
}

/// Judges the plan for a pod of no group: on each node the cheapest jobs that make the room, where one of them leaves whole; else
/// kube-scheduler's victims. The cheapest node is the one of the plan.
pub(super) fn least_jobs(world: &ModelCluster, pod: &ModelPod, outcome: &ReportedOutcome, verdict: &mut StepFindings) {
    if outcome.ended != Some(AttemptStatus::Nominated) || !is_plain(world) {
        return;
    }
    let eligible = Eligible {
        possible: &|node| possible(world, pod, node, &|_| false),
        permits: &|_| true,
        holds_without: &|_| true,
    };
    let mut least: Option<(Cost, &str)> = None;
    for node in world.nodes.values().filter(|node| is_candidate(world, pod, node)) {
        let (here, _) = possible(world, pod, node, &|_| false);
        let cheapest = match here.iter().any(|other| is_evicted_whole(world, other)) {
            true => cheapest_on(world, pod, node, &here),
            false => victims_on(world, pod, node, &eligible).map(|plan| {
                let names: Vec<String> = plan.victims.into_iter().collect();
                cost(world, &jobs(world, names.iter().filter_map(|name| Some(&*world.pods.get(name)?.name))))
            }),
        };
        let Some(cheapest) = cheapest else { continue };
        if least.as_ref().is_none_or(|(least, _)| cheapest < *least) {
            least = Some((cheapest, &node.name));
        }
    }
    let victims = outcome.victims.iter().filter_map(|name| Some(&*world.pods.get(name)?.name));
    let own = cost(world, &jobs(world, victims));
    if let Some((least, node)) = least.filter(|(least, _)| *least < own) {
        let text =
            format!("{:?} for `{}` cost {own:?}, and on `{node}` {least:?} is enough", outcome.victims, pod.name);
        verdict.breach("least-harm", text);
    }
}

fn cheapest_on(world: &ModelCluster, pod: &ModelPod, node: &ModelNode, here: &[&ModelPod]) -> Option<Cost> {
    let jobs: Vec<BTreeSet<&str>> =
        here.iter().map(|other| evicted_with(world, &other.name)).collect::<Jobs<'_>>().into_iter().collect();
    if jobs.len() > MOST {
        return None;
    }
    let sets = (0..1u32 << jobs.len()).filter_map(|set| {
        let chosen = (0..).zip(&jobs).filter(|(bit, _)| set & (1 << bit) != 0).map(|(_, job)| job.clone());
        let chosen: Jobs<'_> = chosen.collect();
        let mut free = free_for(world, pod, node, spec_priority);
        let gone = chosen.iter().flatten().filter_map(|name| world.pods.get(*name));
        gone.filter(|other| other.occupied_node() == Some(&node.name)).for_each(|other| free.add(&other.request));
        pod.request.fits(&free).then(|| cost(world, &chosen))
    });
    sets.min()
}

/// Judges the plan for pods of a group, alike in size: no other jobs that make the room for as many cost less.
pub(super) fn least_jobs_of_group<'w>(
    world: &'w ModelCluster,
    problem: &PlacementProblem<'w>,
    same_group: SameGroup<'_>,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    let mut requests = problem.incoming.iter().map(|incoming| incoming.request);
    let first = requests.next();
    if !is_plain(world) || problem.candidates.len() > MOST || requests.any(|request| Some(request) != first) {
        return;
    }
    let bits: BTreeMap<&str, Set> = (0..).zip(&problem.candidates).map(|(bit, other)| (other.name, 1 << bit)).collect();
    let is_closed = |set: Set| {
        problem.of(set).all(|other| {
            evicted_with(world, other.name).iter().all(|name| bits.get(name).is_some_and(|bit| set & bit != 0))
        })
    };
    let pods =
        |set: Set| problem.of(set).filter_map(|other| Some(&*world.pods.get(other.name)?.name)).collect::<Vec<&str>>();
    let victims = outcome.victims.iter().filter_map(|name| Some(&*world.pods.get(name)?.name));
    let (highest, sum, count, size, _) = cost(world, &jobs(world, victims));
    let own = (highest, sum, count, size);
    let least = (0..=problem.all()).filter(|set| is_closed(*set)).filter_map(|set| {
        let (highest, sum, count, size, _) = cost(world, &jobs(world, pods(set)));
        let cost = (highest, sum, count, size);
        (cost < own && problem.fits_without(set)).then_some(cost)
    });
    if let Some(least) = least.min()
        && !world.pods.values().any(|pod| outcome.victims.contains(&pod.name) && same_group(pod))
    {
        let text = format!("{:?} for {:?} cost {own:?}, and {least:?} is enough", outcome.victims, outcome.nominated);
        verdict.breach("least-harm", text);
    }
}
