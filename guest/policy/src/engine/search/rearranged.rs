//! Other nodes for the pods of a gang, some of which hold nodes at Permit.

use std::collections::BTreeSet;

use super::members::{members_missing, without_largest};
use super::remove_all_then_reprieve::{in_order, plan_job};
use super::{Branch, PlanDraft, PreemptionContext};
use crate::contract::Refuted;
use crate::engine::DecisionTrace;
use crate::laws::{Laws, Preemptor};
use crate::model::{Cluster, NodeIx, PlansInFlight, PodIx, PodLocation};

/// The maximum number of kinds of pods, the smallest first, that are tried as the pod which a plan must be for.
const KINDS: usize = 16;

/// The laws, the plans in flight, and what the host refused of earlier plans.
pub type SearchGround<'a> = (&'a Laws, &'a PlansInFlight, &'a Refuted);

/// Returns whether a gang can be complete without the tried pod, with some of its other waiting pods and without an eviction.
pub fn completes_without(cluster: &mut Cluster, ground: SearchGround<'_>, preemptor: &Preemptor) -> bool {
    let nodes: Vec<NodeIx> = cluster.nodes().map(|(ix, _)| ix).collect();
    let others: Vec<PodIx> = preemptor.pods.iter().copied().filter(|ix| *ix != preemptor.pod).collect();
    if others.is_empty() || members_missing(cluster, preemptor) > others.len() {
        return false;
    }
    // The plan must be for a nominated pod, or else for a pod of some kind. If no kind has a node, no pod has.
    let nominated = others.iter().copied().find(|ix| cluster.is_nominated(*ix));
    let mut seen = BTreeSet::new();
    let is_new = |ix: &PodIx| cluster.pod(*ix).is_some_and(|pod| seen.insert(pod.requirements.class));
    let leads: Vec<PodIx> = match nominated {
        Some(nominated) => vec![nominated],
        None => in_order(cluster, &nodes, &others).into_iter().rev().filter(is_new).take(KINDS).collect(),
    };
    leads.into_iter().any(|lead| {
        let others = Preemptor::of(cluster, ground.0, lead, others.clone());
        others.is_some_and(|others| without_victims(cluster, ground, &[others]).is_some())
    })
}

/// Returns a plan that evicts no pod, for the tried pod and as many others as its gang lacks; for all pods where several gangs start together. Larger
/// pods are left out where they take the capacity, or the quota, of the others.
pub fn without_victims(cluster: &mut Cluster, ground: SearchGround<'_>, gangs: &[Preemptor]) -> Option<PlanDraft> {
    let [gang] = gangs else { return planned(cluster, ground, gangs, usize::MAX) };
    let at_least = members_missing(cluster, gang);
    // Of equal pods, the tried one gets its node first: the plan must be for it, and may do without others.
    let others = gang.pods.iter().copied().filter(|ix| *ix != gang.pod);
    let pods = std::iter::once(gang.pod).chain(others).collect();
    let mut gang = gang.clone().with(cluster, pods);
    while gang.pods.len() >= at_least {
        if let Some(plan) = planned(cluster, ground, std::slice::from_ref(&gang), at_least) {
            return Some(plan);
        }
        gang = without_largest(cluster, &gang)?;
    }
    None
}

/// Returns a plan for at least so many pods of some gangs, if it evicts no pod and PreFilter admits these pods. A pod beyond that number is left out
/// if only an eviction gives it a node.
fn planned(
    cluster: &mut Cluster,
    (laws, ledger, refuted): SearchGround<'_>,
    gangs: &[Preemptor],
    at_least: usize,
) -> Option<PlanDraft> {
    let (preemptor, notes) = (gangs.first()?, &mut DecisionTrace::default());
    let mut find = |cluster: &mut Cluster, branch: &Branch| {
        let mut context = PreemptionContext { preemptor, gangs, laws, ledger, refuted, branch, notes };
        plan_job(cluster, &mut context, at_least, &[]).ok()
    };
    let mut plan = find(cluster, &Branch::default())?;
    if !plan.victims.is_empty() {
        let bound =
            cluster.pods().filter(|(_, pod)| matches!(pod.state.location, PodLocation::Bound(_))).map(|(ix, _)| ix);
        let nobody = Branch { spared: bound.collect(), ..Branch::default() };
        plan = find(cluster, &nobody).filter(|plan| plan.victims.is_empty())?;
    }
    let has_node = |ix: &PodIx| plan.nominations.iter().any(|(pod, _)| pod == ix);
    let is_admitted = |gang: &Preemptor| {
        let pods = gang.pods.iter().copied().filter(has_node).collect();
        gang.clone()
            .with(cluster, pods)
            .context_for_plan(cluster, ledger)
            .first_failed_check(&laws.preconditions.resolvable)
            .is_none()
    };
    gangs.iter().all(is_admitted).then(|| plan.rearranged())
}
