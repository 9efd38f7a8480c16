//! Least harm: the same search from several starts.
//!
//! A search by whole jobs takes the cheapest node for each pod in turn, so it may evict one pod each of two gangs where one gang would do, or
//! a further pod on a node where a victim of the quota makes no room. Each start names candidates that are evicted from the beginning; the
//! search then uses their room, and the reprieve takes back whatever is not needed. The plan that costs least is the answer; the start
//! without any candidate wins a tie.

use std::collections::{BTreeMap, BTreeSet};

use super::reprieve_job::victims_for_bounds;
use super::{Obstacle, PreemptionContext};
use crate::engine::Notes;
use crate::engine::plan::Plan;
use crate::laws::harm::{Harm, gang_of};
use crate::laws::{NodeCost, NodeVictims};
use crate::model::{Cluster, JobIx, PodIx};

/// How many gangs that the first plan leaves alone are tried as a start.
const OTHER_GANGS: usize = 16;

/// Finds the plan that costs least among those from all starts.
pub fn least_harm(
    cluster: &mut Cluster,
    context: &mut PreemptionContext<'_>,
    find: impl Fn(&mut Cluster, &mut PreemptionContext<'_>) -> Result<Plan, Obstacle>,
) -> Result<Plan, Obstacle> {
    let explains = context.notes.are_on();
    let (mut silent, nothing) = (Notes::default(), BTreeSet::new());
    let first = if explains {
        find(cluster, &mut context.starting_from(&nothing, &mut silent))
    } else {
        find(cluster, context)
    };
    let mut best = match first {
        Ok(plan) => (cost(cluster, context, &plan), nothing, plan),
        Err(_) if explains => return find(cluster, context),
        Err(obstacle) => return Err(obstacle),
    };
    let starts = starts(cluster, &mut context.starting_from(&BTreeSet::new(), &mut silent), &best.2);
    for start in starts {
        if let Ok(plan) = find(cluster, &mut context.starting_from(&start, &mut silent)) {
            let cost = cost(cluster, context, &plan);
            if cost < best.0 {
                best = (cost, start, plan);
            }
        }
    }
    match explains {
        true => find(cluster, &mut PreemptionContext { evicted: &best.1, notes: context.notes, ..*context }),
        false => Ok(best.2),
    }
}

/// Returns what a plan costs as a whole.
fn cost(cluster: &Cluster, context: &PreemptionContext<'_>, plan: &Plan) -> NodeCost {
    let victims = cluster.with_whole_groups(&plan.victims);
    (context.laws.node_choice.by.loss)(&NodeVictims::of(cluster, &victims))
}

/// Returns the candidates of each start but the first.
fn starts(cluster: &mut Cluster, context: &mut PreemptionContext<'_>, first: &Plan) -> Vec<BTreeSet<PodIx>> {
    if first.victims.is_empty() {
        return Vec::new();
    }
    let for_bounds = victims_for_bounds(cluster, context);
    let mut starts: Vec<BTreeSet<PodIx>> = Vec::new();
    starts.extend((!for_bounds.is_empty()).then_some(for_bounds));
    let broken = Harm::of(cluster, &first.victims, &BTreeSet::new()).gangs;
    if broken == 0 || context.preemptor.pods.len() < 2 {
        return starts;
    }
    let own: BTreeSet<JobIx> =
        first.victims.iter().filter_map(|ix| Some(gang_of(cluster, cluster.pod(*ix)?)?.0)).collect();
    let mut gangs = candidates_by_gang(cluster, context);
    let is_own = |(gang, _): &(JobIx, BTreeSet<PodIx>)| own.contains(gang);
    gangs.sort_by_key(|(gang, pods)| (!own.contains(gang), std::cmp::Reverse(pods.len()), *gang));
    let others = if broken > 1 { OTHER_GANGS } else { 0 };
    let kept = gangs.iter().take_while(|gang| is_own(gang)).count().saturating_add(others);
    gangs.truncate(kept);
    starts.extend(gangs.into_iter().map(|(_, pods)| pods));
    starts
}

/// Returns the candidates of each gang, wherever they run.
fn candidates_by_gang(cluster: &Cluster, context: &mut PreemptionContext<'_>) -> Vec<(JobIx, BTreeSet<PodIx>)> {
    let mut gangs: BTreeMap<JobIx, BTreeSet<PodIx>> = BTreeMap::new();
    for (ix, pod) in cluster.pods().filter(|(_, pod)| pod.place.node().is_some()) {
        if let Some((gang, _)) = gang_of(cluster, pod)
            && !context.is_leaving(cluster, ix)
            && context.is_candidate(cluster, ix)
        {
            gangs.entry(gang).or_default().insert(ix);
        }
    }
    gangs.into_iter().collect()
}
