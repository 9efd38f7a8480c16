//! The members of a gang that a plan is for.

use std::collections::BTreeSet;

use super::remove_all_then_reprieve::{in_order, plan_job};
use super::{PlanDraft, PlanObstacle, PreemptionContext, pending_members};
use crate::engine::DecisionTrace;
use crate::laws::{Laws, Preemptor};
use crate::model::{ClassIx, Cluster, Gang, Job, NodeIx, PlansInFlight, PodIx};

/// Returns the gang with those of some waiting pods for which a plan is needed, in the order in which they are planned.
pub(super) fn with_needed_pods(cluster: &Cluster, preemptor: Preemptor, mut pods: Vec<PodIx>) -> Preemptor {
    // Nominated pods come first, as their capacity is reserved already. Of several, those come first that still fit on their nodes: a more important
    // pod may have taken the capacity of another. A pod that may not preempt comes last: the job may do only what its least entitled planned pod may.
    let may_preempt = |ix: PodIx| cluster.pod(ix).is_some_and(|pod| pod.attributes.may_preempt);
    let (is_promised, has_room) = (|ix| cluster.is_nominated(ix), |ix| has_nominated_capacity(cluster, ix));
    pods.sort_by_key(|ix| (*ix != preemptor.pod, !is_promised(*ix), !has_room(*ix), !may_preempt(*ix)));
    if !wants_all_members(cluster, &preemptor) {
        pods.truncate(members_missing(cluster, &preemptor));
    }
    preemptor.with(cluster, pods)
}

/// Checks whether a pod is nominated to a node that has its capacity free now.
pub fn has_nominated_capacity(cluster: &Cluster, ix: PodIx) -> bool {
    let pod = cluster.pod(ix);
    let promised = pod.and_then(|pod| pod.state.nominated).and_then(|node| cluster.node(node));
    pod.zip(promised).is_some_and(|(pod, node)| node.free.lacks(pod.request()).is_none())
}

/// Returns the parts of a gang with another member in place of one that finds no node. A member of the same class finds no node either. If the tried
/// pod finds none, the largest member is left out, which is planned before it. `None`: the gang has no other member that may preempt.
pub(super) fn without(
    cluster: &Cluster,
    context: &PreemptionContext<'_>,
    (misfit, gangs): (PodIx, &[Preemptor]),
    left_out: &mut BTreeSet<PodIx>,
) -> Option<Vec<Preemptor>> {
    let preemptor = gangs.first()?;
    let misfit = if misfit == preemptor.pod { largest(cluster, preemptor)? } else { misfit };
    let pod = cluster.pod(misfit).filter(|pod| pod.state.nominated.is_none())?;
    let planned: BTreeSet<PodIx> = gangs.iter().flat_map(|gang| gang.pods.iter().copied()).collect();
    let mut pods = pending_members(cluster, context.laws, preemptor.pod);
    let is_alike = |ix: &&PodIx| {
        !planned.contains(ix)
            && cluster.pod(**ix).is_some_and(|other| other.requirements.class == pod.requirements.class)
    };
    left_out.extend(pods.iter().filter(is_alike).copied().chain([misfit]));
    pods.retain(|ix| !left_out.contains(ix));
    let others = with_needed_pods(cluster, preemptor.clone(), pods);
    let is_enough = others.pods.len() == planned.len();
    let others = Preemptor::join(cluster, vec![others]);
    let may_preempt = |gang: &Preemptor| {
        gang.context_for_plan(cluster, context.ledger)
            .first_failed_check(&context.laws.preconditions.preemption)
            .is_none()
    };
    (is_enough && others.iter().all(may_preempt)).then_some(others)
}

/// The maximum number of orders that are tried in addition to the usual one.
const MOST_ORDERS: usize = 4;

/// Plans a job of which at least so many pods must have a node. If the larger pods, which are planned first, leave no node for the tried pod, the job
/// is planned again without its pods of the largest size. If another pod finds no node, the job is planned again in other orders.
pub(super) fn plan_most(
    cluster: &mut Cluster,
    context: &mut PreemptionContext<'_>,
    at_least: usize,
) -> Result<PlanDraft, PlanObstacle> {
    let silent = &mut DecisionTrace::default();
    let (mut gangs, mut first) = (context.gangs.to_vec(), Vec::new());
    let mut found = plan_job(cluster, &mut context.of(&gangs, silent), at_least, &first);
    while let Some(fewer) = without_largest_in_front(cluster, &found, &gangs, at_least) {
        gangs = vec![fewer];
        found = plan_job(cluster, &mut context.of(&gangs, silent), at_least, &first);
    }
    if let Some((order, plan)) = in_another_order(cluster, context, at_least, &found) {
        (gangs, first, found) = (context.gangs.to_vec(), order, Ok(plan));
    }
    if !context.notes.is_recording() {
        return found;
    }
    let preemptor = gangs.first().unwrap_or(context.preemptor);
    let context = &mut PreemptionContext { preemptor, gangs: &gangs, notes: context.notes, ..*context };
    plan_job(cluster, context, at_least, &first)
}

/// Returns the gang without the largest pods, where these leave no node for the tried pod and enough others are left. `None`: this is not so.
fn without_largest_in_front(
    cluster: &Cluster,
    found: &Result<PlanDraft, PlanObstacle>,
    gangs: &[Preemptor],
    at_least: usize,
) -> Option<Preemptor> {
    match (found, gangs) {
        (Err(PlanObstacle::NoNode { pod, planned: 1.. }), [gang]) if *pod == gang.pod => {
            without_largest(cluster, gang).filter(|gang| gang.pods.len() >= at_least)
        }
        _ => None,
    }
}

/// Plans the job in other orders than the usual one ([`next_order`]). Returns the pods that come first, and the plan. `None`: these orders find none
/// either.
fn in_another_order(
    cluster: &mut Cluster,
    context: &mut PreemptionContext<'_>,
    at_least: usize,
    found: &Result<PlanDraft, PlanObstacle>,
) -> Option<(Vec<PodIx>, PlanDraft)> {
    let pods = context.gangs.iter().flat_map(|gang| &gang.pods);
    let classes: BTreeSet<ClassIx> = pods.filter_map(|ix| Some(cluster.pod(*ix)?.requirements.class)).collect();
    if classes.len() < 2 {
        return None;
    }
    let mut next = next_order(cluster, context.gangs, &[], found);
    while let Some(first) = next {
        let found = plan_job(cluster, &mut context.of(context.gangs, &mut DecisionTrace::default()), at_least, &first);
        next = next_order(cluster, context.gangs, &first, &found);
        if let Ok(plan) = found {
            return Some((first, plan));
        }
    }
    None
}

/// Returns the pods that come first in the next order, where a pod found no node with these pods first. A pod that found none behind pods of another
/// class comes before all others. A pod that found none though it was the first comes last, if constraints between pods concern it: an eviction for
/// another pod may open a node for it. `None`: there is no further order.
fn next_order(
    cluster: &Cluster,
    gangs: &[Preemptor],
    first: &[PodIx],
    found: &Result<PlanDraft, PlanObstacle>,
) -> Option<Vec<PodIx>> {
    let Err(PlanObstacle::NoNode { pod, planned }) = found else { return None };
    let pods: Vec<PodIx> = gangs.iter().flat_map(|gang| gang.pods.iter().copied()).collect();
    if *planned > 0 {
        let is_new = !first.contains(pod) && first.len() < MOST_ORDERS.min(pods.len().saturating_sub(1));
        return is_new.then(|| std::iter::once(*pod).chain(first.iter().copied()).collect());
    }
    (first.is_empty() && cluster.has_inter_pod_terms(*pod)).then(|| {
        let nodes: Vec<NodeIx> = cluster.nodes().map(|(ix, _)| ix).collect();
        in_order(cluster, &nodes, &pods).into_iter().filter(|other| other != pod).collect()
    })
}

/// Returns a gang without the pods of the largest size, which are planned first. `None`: the tried pod or a nominated pod is one of them.
pub(super) fn without_largest(cluster: &Cluster, gang: &Preemptor) -> Option<Preemptor> {
    let request = |ix: PodIx| cluster.pod(ix).map(|pod| pod.request());
    let largest = request(largest(cluster, gang)?);
    let (large, others): (Vec<PodIx>, Vec<PodIx>) = gang.pods.iter().partition(|ix| request(**ix) == largest);
    let is_tied = |ix: &PodIx| *ix == gang.pod || cluster.is_nominated(*ix);
    (!large.iter().any(is_tied)).then(|| gang.clone().with(cluster, others))
}

/// Returns the pod of a gang that is planned first, as the largest. `None`: it is the tried pod.
fn largest(cluster: &Cluster, gang: &Preemptor) -> Option<PodIx> {
    let nodes: Vec<NodeIx> = cluster.nodes().map(|(ix, _)| ix).collect();
    in_order(cluster, &nodes, &gang.pods).first().copied().filter(|first| *first != gang.pod)
}

/// Returns the number of its waiting pods that a gang needs to be complete, at least one.
pub(super) fn members_missing(cluster: &Cluster, preemptor: &Preemptor) -> usize {
    let minimum = gang(cluster, preemptor).map_or(0, |gang| usize::try_from(gang.minimum).unwrap_or(usize::MAX));
    let members = cluster.members(preemptor.pod);
    let held = members.filter(|(_, pod)| pod.node().is_some() && !pod.state.terminating).count();
    minimum.saturating_sub(held).max(1)
}

/// Returns the demands of the preemptor's job as a gang. `None`: the job is no gang.
pub(super) fn gang<'c>(cluster: &'c Cluster, preemptor: &Preemptor) -> Option<&'c Gang> {
    preemptor.job.and_then(|job| cluster.job(job)).and_then(Job::gang)
}

/// Returns whether a plan is for every pod of the gang that can have a node, beyond the minimum, too (upstream podgrouppreemption.go).
pub(super) fn wants_all_members(cluster: &Cluster, preemptor: &Preemptor) -> bool {
    preemptor.job.is_some_and(|job| cluster.scheduling_group(job).is_some())
}

/// Returns the waiting pods of a gang, without those whose own demands no law judges
/// ([`LawMetadata::depends_on_pod_identity`](crate::laws::LawMetadata)), if the others can complete the gang: such a pod is placed nowhere, so the
/// others start without it. Otherwise returns all.
pub fn without_unsupported(cluster: &Cluster, laws: &Laws, pods: Vec<PodIx>) -> Vec<PodIx> {
    let of_each = || laws.preconditions.unresolvable.iter().filter(|gate| gate.rule.about.depends_on_pod_identity);
    if pods.len() < 2 || of_each().next().is_none() {
        return pods;
    }
    let gang = pods.first().and_then(|first| Preemptor::of(cluster, laws, *first, pods.clone()));
    let Some(gang) = gang else { return pods };
    // Such a law does not read the plans in flight.
    let ledger = PlansInFlight::default();
    let is_judged =
        |gang: &Preemptor| of_each().all(|gate| gate.denial(&gang.context_for_plan(cluster, &ledger)).is_none());
    if is_judged(&gang) {
        return pods;
    }
    let is_alone_judged = |ix: &PodIx| is_judged(&gang.clone().with(cluster, vec![*ix]));
    let (others, unjudged): (Vec<PodIx>, Vec<PodIx>) = pods.iter().copied().partition(is_alone_judged);
    if !others.is_empty() && can_start_without(cluster, &gang, &unjudged) { others } else { pods }
}

/// Returns whether a gang can reach its minimum, and its roles, without some pods. Pods that count by the match policy and waiting pods are counted.
fn can_start_without(cluster: &Cluster, gang: &Preemptor, apart: &[PodIx]) -> bool {
    let mut lacking = cluster.shortage(gang.pod);
    let mut left = 0usize;
    for (_, pod) in cluster.members(gang.pod).filter(|(ix, pod)| pod.is_schedulable() && !apart.contains(ix)) {
        lacking.take(pod);
        left = left.saturating_add(1);
    }
    let needed = gang.job.and_then(|job| Some((cluster.counted_members(job)?, cluster.job(job)?.gang()?.minimum)));
    let reaches =
        |(have, minimum): (usize, u32)| have.saturating_add(left) >= usize::try_from(minimum).unwrap_or(usize::MAX);
    lacking.has_all_roles() && needed.is_none_or(reaches)
}
