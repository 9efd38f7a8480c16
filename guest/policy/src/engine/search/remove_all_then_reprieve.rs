//! Remove all, then reprieve: the search of Koordinator's job-level preemption.
//!
//! In a trial every candidate is evicted. The pods of the job are planned one by one onto the cheapest node. Then every candidate is
//! considered for a reprieve, the most important first: it stays if every pod of the job keeps its node and every limit holds. The
//! others are the victims. If one pod finds no node, there is no plan.
//!
//! The largest pod is planned first: the fewest nodes fit it. No choice is revised, so the search may miss an assignment of unequal pods.
//! Then the job waits longer, and no pod is evicted in vain.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::choices::Choices;
use super::node_dry_run::{Ask, NodeDryRun};
use super::reprieve_job::reprieve_job;
use super::{Obstacle, Plan, PreemptionContext, Search, waiting};
use crate::laws::{Laws, Preemptor};
use crate::model::{Cluster, NodeIx, PodIx, ResourceIx, WhatIf};

/// The size of a pod is the largest share that it requests of a resource of all nodes, in units of 1/WHOLE.
const WHOLE: i128 = 1 << 32;

/// The search by whole jobs.
pub struct WholeJob;

impl Search for WholeJob {
    /// All gangs of a gang group: they start together or not at all. A gang that is complete without its waiting pods is left out.
    fn planned_together(&self, cluster: &Cluster, laws: &Laws, preemptor: Preemptor) -> Vec<Preemptor> {
        let group = preemptor.job.map(|job| cluster.gang_group(job)).unwrap_or_default().into_iter();
        let others = group.filter(|job| Some(*job) != preemptor.job && !cluster.is_complete(*job));
        let others = others.filter_map(|job| {
            let waiting = waiting(cluster, laws, *cluster.job(job)?.members.first()?);
            Preemptor::of(cluster, laws, *waiting.first()?, waiting)
        });
        let others: Vec<Preemptor> = others.collect();
        Preemptor::together(std::iter::once(preemptor).chain(others).collect())
    }

    fn find(&self, cluster: &mut Cluster, context: &mut PreemptionContext<'_>) -> Result<Plan, Obstacle> {
        plan_job(cluster, context, usize::MAX)
    }
}

/// A plan for the pods of the preemptor, or the obstacle. At least so many of them have a node then; the others are left out where
/// they find none.
pub(super) fn plan_job(
    cluster: &mut Cluster,
    context: &mut PreemptionContext<'_>,
    at_least: usize,
) -> Result<Plan, Obstacle> {
    let mut may_miss = context.preemptor.pods.len().saturating_sub(at_least);
    let mut dry_runs = dry_runs(cluster, context);
    let mut nominations = Vec::new();
    let mut choices = Choices::default();
    let mut what_if = WhatIf::default();
    dry_runs.values().flat_map(|dry_run| &dry_run.leaving).for_each(|ix| what_if.evict_set(cluster, *ix));
    for pod in in_order(cluster, &dry_runs, &context.preemptor.pods) {
        let Some(chosen) = choices.cheapest(cluster, context, (&dry_runs, &what_if), pod) else {
            // A nominated pod would keep its nomination to room that the plan takes.
            let is_nominated = cluster.pod(pod).is_some_and(|pod| pod.nominated.is_some());
            if may_miss > 0 && pod != context.preemptor.pod && !is_nominated {
                may_miss = may_miss.saturating_sub(1);
                continue;
            }
            if context.notes.are_on() {
                tell_nowhere(cluster, context, (&dry_runs, &what_if), (pod, &nominations));
            }
            return Err(Obstacle::NoNode { pod, planned: nominations.len() });
        };
        if let Some((dry_run, request)) = dry_runs.get_mut(&chosen).zip(cluster.pod(pod).map(|pod| pod.request.clone()))
        {
            let before = dry_run.victims.clone();
            dry_run.plan(cluster, &Ask { pod, request: &request, what_if: &what_if, limits: None });
            before.iter().for_each(|victim| what_if.reprieve_set(cluster, *victim));
            dry_run.victims.iter().for_each(|victim| what_if.evict_set(cluster, *victim));
            what_if.place(cluster, pod, chosen);
            choices.changed(cluster, &context.laws.node_choice, dry_run, &what_if);
            nominations.push((pod, chosen));
        }
    }
    let is_used = |dry_run: &NodeDryRun| nominations.iter().any(|(_, at)| *at == dry_run.node);
    let (used, unused): (Vec<NodeDryRun>, Vec<NodeDryRun>) = dry_runs.into_values().partition(is_used);
    let elsewhere: Vec<PodIx> = unused.iter().flat_map(|dry_run| dry_run.leaving.iter().copied()).collect();
    let found = reprieve_job(cluster, context, (&used, &elsewhere), nominations);
    if context.notes.are_on() {
        tell_unused(cluster, context, &unused, &what_if);
    }
    found
}

/// The pods in the order in which they are planned: those that need others in their domain last, then the largest first, otherwise
/// unchanged.
fn in_order(cluster: &Cluster, dry_runs: &BTreeMap<NodeIx, NodeDryRun>, pods: &[PodIx]) -> Vec<PodIx> {
    let total = |resource: ResourceIx| {
        let nodes = dry_runs.keys().filter_map(|ix| cluster.node(*ix));
        nodes.map(|node| i128::from(node.allocatable.get(resource))).fold(0, i128::saturating_add)
    };
    let mut totals: BTreeMap<ResourceIx, i128> = BTreeMap::new();
    let mut sized: Vec<(bool, Reverse<i128>, PodIx)> = Vec::with_capacity(pods.len());
    for pod in pods {
        let request = cluster.pod(*pod).map(|pod| pod.request.clone()).unwrap_or_default();
        let parts = request.iter().map(|(resource, amount)| {
            let total = *totals.entry(resource).or_insert_with(|| total(resource));
            i128::from(amount).saturating_mul(WHOLE).checked_div(total).unwrap_or(i128::MAX)
        });
        sized.push((cluster.needs_company(*pod), Reverse(parts.max().unwrap_or(0)), *pod));
    }
    sized.sort_by_key(|(needs_company, size, _)| (*needs_company, *size));
    sized.into_iter().map(|(.., pod)| pod).collect()
}

/// The nodes that a pod of the job may run on.
fn dry_runs(cluster: &Cluster, context: &mut PreemptionContext<'_>) -> BTreeMap<NodeIx, NodeDryRun> {
    let mut dry_runs = BTreeMap::new();
    let (taken, nominated) = (taken_in_turn(cluster, context), context.nominated(cluster));
    for (ix, node) in cluster.nodes() {
        if !context.preemptor.pods.iter().any(|pod| context.may_run(cluster, *pod, ix)) {
            continue;
        }
        let mut room = context.unpromised(cluster, node);
        let (mut leaving, mut candidates) = (Vec::new(), Vec::new());
        for pod in cluster.one_of_each_group(&node.pods).iter().copied() {
            if context.is_leaving(cluster, pod) {
                context.tell_unneeded(&[pod], "leaving");
                room.add(&cluster.frees(pod));
                leaving.push(pod);
            } else if taken.as_ref().map_or_else(|| context.is_candidate(cluster, pod), |taken| taken.contains(&pod)) {
                candidates.push(pod);
            }
        }
        let (protected, open) = cluster.split_by_budget(context.in_reprieve_order(cluster, candidates));
        let count = protected.len();
        let dry_run = NodeDryRun::new(cluster, (ix, node), room, protected.into_iter().chain(open), count);
        dry_runs.insert(ix, NodeDryRun { leaving, nominated: nominated.clone(), ..dry_run });
    }
    dry_runs
}

/// The candidates on all nodes on which a pod of the job may run, where quotas take back from each other: what is taken on one node is no
/// longer used when another one is looked at. None where each pod can be judged by itself.
fn taken_in_turn(cluster: &Cluster, context: &mut PreemptionContext<'_>) -> Option<BTreeSet<PodIx>> {
    if !context.gangs.iter().any(|gang| gang.takes_back) {
        return None;
    }
    let may_run = |ix: &NodeIx| context.preemptor.pods.iter().any(|pod| context.may_run(cluster, *pod, *ix));
    let nodes = cluster.nodes().filter(|(ix, _)| may_run(ix));
    let pods = nodes.flat_map(|(_, node)| cluster.one_of_each_group(&node.pods).into_owned());
    let pods: Vec<PodIx> = pods.filter(|pod| !context.is_leaving(cluster, *pod)).collect();
    Some(context.candidates(cluster, pods).into_iter().collect())
}

/// Explains why no node fits a pod after other pods of its job were planned.
fn tell_nowhere(
    cluster: &Cluster,
    context: &mut PreemptionContext<'_>,
    (dry_runs, what_if): (&BTreeMap<NodeIx, NodeDryRun>, &WhatIf),
    (pod, nominations): (PodIx, &[(PodIx, NodeIx)]),
) {
    let request = cluster.pod(pod).map(|pod| pod.request.clone()).unwrap_or_default();
    let ask = Ask { pod, request: &request, what_if, limits: None };
    for dry_run in dry_runs.values() {
        let candidates = dry_run.pods();
        if nominations.iter().any(|(_, at)| *at == dry_run.node) {
            context.tell_enough(cluster, dry_run.node, &dry_run.victims, "");
            context.tell_unneeded(&candidates, "job-incomplete");
        } else if context.may_run(cluster, pod, dry_run.node) {
            context.tell_full(cluster, dry_run, &ask);
        } else {
            context.tell_unneeded(&candidates, "other-node");
        }
    }
}

/// Explains the nodes without planned pods: whether the first pod that may run there would fit.
fn tell_unused(cluster: &Cluster, context: &mut PreemptionContext<'_>, dry_runs: &[NodeDryRun], what_if: &WhatIf) {
    for dry_run in dry_runs {
        let candidates = dry_run.pods();
        let taken = context.preemptor.pods.iter().copied().find(|pod| context.may_run(cluster, *pod, dry_run.node));
        let Some((ix, pod)) = taken.and_then(|ix| Some((ix, cluster.pod(ix)?))) else { continue };
        let ask = Ask { pod: ix, request: &pod.request, what_if, limits: None };
        match dry_run.victims_for(cluster, &ask) {
            Some(victims) => {
                context.tell_enough(cluster, dry_run.node, &victims, "");
                context.tell_unneeded(&candidates, "unused-node");
            }
            None => {
                context.tell_full(cluster, dry_run, &ask);
            }
        }
    }
}
