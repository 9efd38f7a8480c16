//! The end of the search by jobs: with the job on its nodes, every candidate is considered for a reprieve.

mod kept;
mod taken;

use std::collections::BTreeSet;

use super::node_dry_run::NodeDryRun;
use super::reprieve::{not_reprieved, reprieve};
use super::trace::{ReprieveObstacle, overcommit};
use super::{PlanDraft, PlanObstacle, PreemptionContext};
use crate::engine::room::InsufficientResources;
use crate::laws::Preemptor;
use crate::model::{Cluster, DomainCountOverlay, InterPodViolation, NodeIx, PodIx, Trial};
use kept::{PlannedNodeCapacity, capacity_on};
use taken::{ContextOf, EvictedCandidates};

/// Evicts in a trial every candidate on the nodes of the plan. If a limit does not hold, also evicts every candidate in the queues of the planned
/// gangs, on any node. Then reprieves the candidates in order, as long as the planned pods keep their nodes and every limit holds. The others are the
/// victims, in the order of their names. `elsewhere`: the pods that are leaving other nodes. `chosen`: the victims that the search has counted on;
/// they are reprieved last.
pub fn reprieve_job(
    cluster: &mut Cluster,
    context: &mut PreemptionContext<'_>,
    (dry_runs, elsewhere, chosen): (&[NodeDryRun], &[PodIx], &BTreeSet<PodIx>),
    nominations: Vec<(PodIx, NodeIx)>,
) -> Result<PlanDraft, PlanObstacle> {
    let leaving = context.leaving(cluster);
    let (mut trial, mut taken) = (Trial::new(cluster), EvictedCandidates::default());
    nominations.iter().for_each(|(pod, node)| trial.place(*pod, *node));
    if let Some((rule, denial)) = context.failed_permit_check(trial.cluster()) {
        return Err(PlanObstacle::Law(rule, denial));
    }
    // Leaving pods have left when the plan is carried out, on all nodes: no quota counts them.
    leaving.iter().for_each(|(ix, _)| trial.evict_set(*ix));
    // Checked before the evictions: a pod on a node of the plan must not be evicted for a limit if a less important one elsewhere is enough.
    let over = context.failed_invariant(trial.cluster()).is_some();
    let kept = PlannedNodeCapacity::on_each(trial.cluster(), context, dry_runs);
    let is_between = nominations.iter().any(|(pod, _)| trial.cluster().has_inter_pod_terms(*pod));
    let of_bounds: Option<ContextOf> = if over { Some(Preemptor::context_after_plan) } else { None };
    taken.evict_on(&mut trial, context, (dry_runs, of_bounds));
    for gang in context.gangs.iter().filter(|_| over) {
        taken.evict_for_bounds(&mut trial, context, (gang, Preemptor::context_after_plan));
    }
    if let Some((rule, denial)) = context.failed_invariant(trial.cluster()) {
        return Err(PlanObstacle::Law(rule, denial));
    }
    let explains = context.notes.is_recording();
    let certain = if explains { Vec::new() } else { taken.remove_unavoidable(trial.cluster(), &kept) };
    let evicted = taken.in_order(&mut trial, context, (chosen, &certain));
    // Built before the evictions of the trial, so that it does not contain them.
    let mut what_if = DomainCountOverlay::default();
    elsewhere.iter().for_each(|ix| what_if.evict_set(trial.cluster(), *ix));
    let nominated = context.nominated(trial.cluster());
    // Pods are not tried in the order in which they are planned: any order will do.
    let order = is_between.then(|| trial.cluster().in_allowed_order(&nominations, &what_if, &nominated)).flatten();
    let order = order.unwrap_or_else(|| nominations.clone());
    let violation_in = |cluster: &Cluster| cluster.first_violation_together(&order, &what_if, &nominated);
    let disallowed_in = |cluster: &Cluster| is_between.then(|| violation_in(cluster)).flatten();
    let mut disallowed = disallowed_in(trial.cluster());
    let needed = reprieve(evicted, |eviction_set| {
        let mut kept_there = capacity_on(&kept, eviction_set.location);
        let is_plain = !explains && eviction_set.is_plain(trial.cluster());
        if is_plain && kept_there.any(|kept| kept.would_be_overcommitted(trial.cluster(), eviction_set.head)) {
            return Some(ReprieveObstacle::Insufficient(InsufficientResources::default()));
        }
        let before = trial.savepoint();
        eviction_set.locations().for_each(|(ix, place)| trial.set_location(ix, place));
        let with = disallowed_in(trial.cluster());
        let worse = with.filter(|with| violates_earlier(*with, disallowed));
        let worse = worse.map(|(_, lack)| ReprieveObstacle::InterPod(lack));
        let kept_there = eviction_set.locations().flat_map(|(_, place)| capacity_on(&kept, place));
        let why = reprieve_obstacle(trial.cluster(), context, kept_there, worse);
        match &why {
            None => {
                disallowed = with;
                context.notes.explain_reprieved(eviction_set.head);
            }
            Some(why) => {
                context.notes.explain_needed(trial.cluster(), eviction_set.head, why);
                trial.rewind(before);
            }
        }
        why
    });
    if let Some((pod, planned)) = disallowed.and_then(|(planned, _)| Some((order.get(planned)?.0, planned))) {
        return Err(PlanObstacle::NoNode { pod, planned });
    }
    let victims = certain.iter().map(|set| set.head).chain(needed.into_iter().map(|(set, _)| set.head));
    Ok(PlanDraft::by_node(context.preemptor.pod, nominations, by_name(trial.cluster(), victims)))
}

/// Returns pods in the order of their names.
fn by_name(cluster: &Cluster, pods: impl Iterator<Item = PodIx>) -> Vec<PodIx> {
    let mut pods: Vec<PodIx> = pods.collect();
    pods.sort_by_cached_key(|ix| cluster.pod(*ix).map(|pod| pod.rank));
    pods
}

/// Checks whether a candidate back on its node makes the plan worse: fewer pods are allowed before the first that is not, or that pod has a different
/// obstacle. `without` is the state without the candidate. A pod that needs a candidate in its domain is allowed only with that candidate.
fn violates_earlier((planned, lack): (usize, InterPodViolation), without: Option<(usize, InterPodViolation)>) -> bool {
    without.is_none_or(|(before, other)| planned < before || planned == before && lack != other)
}

/// Returns the obstacle to a reprieve, in a trial where the candidate is on its node again. `None`: the candidate is reprieved.
fn reprieve_obstacle<'k>(
    cluster: &Cluster,
    context: &PreemptionContext<'_>,
    mut kept: impl Iterator<Item = &'k PlannedNodeCapacity>,
    worse: Option<ReprieveObstacle>,
) -> Option<ReprieveObstacle> {
    let crowded = kept.find(|kept| kept.is_overcommitted(cluster));
    match crowded {
        // The amounts are needed for explanations only.
        Some(_) if !context.notes.is_recording() => {
            Some(ReprieveObstacle::Insufficient(InsufficientResources::default()))
        }
        Some(kept) => {
            let lack = overcommit(cluster, kept.node, &context.preemptor.pods, &kept.nominated_amounts);
            Some(ReprieveObstacle::Insufficient(lack.unwrap_or_default()))
        }
        None => worse
            .or_else(|| context.failed_invariant(cluster).map(|(rule, denial)| ReprieveObstacle::Law(rule, denial))),
    }
}

/// Returns the candidates that must be evicted for the bounds of the queues alone, on whatever nodes the planned pods run. Empty where no bound is
/// exceeded, or no eviction brings the queues within their bounds.
pub fn victims_for_bounds(cluster: &mut Cluster, context: &mut PreemptionContext<'_>) -> BTreeSet<PodIx> {
    let exceeded = |cluster: &Cluster, context: &PreemptionContext<'_>| {
        let mut gangs = context.gangs.iter();
        gangs.any(|gang| {
            gang.context_for_plan(cluster, context.ledger).first_failed_check(&context.laws.plan_invariants).is_some()
        })
    };
    let mut trial = Trial::new(cluster);
    if !exceeded(trial.cluster(), context) {
        return BTreeSet::new();
    }
    let mut taken = EvictedCandidates::default();
    for gang in context.gangs {
        taken.evict_for_bounds(&mut trial, context, (gang, Preemptor::context_for_plan));
    }
    if exceeded(trial.cluster(), context) {
        return BTreeSet::new();
    }
    let evicted = taken.in_order(&mut trial, context, (&BTreeSet::new(), &[]));
    let needed = not_reprieved(evicted, |eviction_set| {
        let before = trial.savepoint();
        eviction_set.locations().for_each(|(ix, place)| trial.set_location(ix, place));
        let stays = !exceeded(trial.cluster(), context);
        if !stays {
            trial.rewind(before);
        }
        stays
    });
    needed.into_iter().map(|eviction_set| eviction_set.head).collect()
}
