//! Remove all and reprieved: the search of Koordinator's job-level preemption.
//!
//! Every candidate is evicted in the trial; the pods of the job are planned one by one onto the node where the least is lost;
//! then every candidate is considered for a reprieve, the most important first, as long as every pod of the job keeps its node and every limit holds.
//! Who cannot be reprieved is a victim. One pod without a node means no plan at all.
//!
//! Where the pods of a job are unlike, the largest is planned first: it finds the fewest nodes. No pod is planned anew, so a job
//! may still be told that it does not fit where another assignment would do; that costs time, never a victim.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::choices::Choices;
use super::node_dry_run::NodeDryRun;
use super::reprieve_job::reprieve_job;
use super::{Obstacle, Plan, PreemptionContext, Search, waiting};
use crate::laws::{Laws, Preemptor};
use crate::model::{Cluster, NodeIx, PodIx, ResourceIx};

/// A pod is as large as the largest part it asks for of what the nodes have together of a resource, in so many parts.
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
        plan_job(cluster, context)
    }
}

/// A plan for the whole job of the preemptor; or what stood in the way.
pub(super) fn plan_job(cluster: &mut Cluster, context: &mut PreemptionContext<'_>) -> Result<Plan, Obstacle> {
    let mut dry_runs = dry_runs(cluster, context);
    let mut nominations = Vec::new();
    let mut choices = Choices::default();
    for pod in largest_first(cluster, &dry_runs, &context.preemptor.pods) {
        let Some(chosen) = choices.cheapest(cluster, context, &dry_runs, pod) else {
            if context.notes.are_on() {
                tell_nowhere(cluster, context, &dry_runs, (pod, &nominations));
            }
            return Err(Obstacle::NoNode { pod, planned: nominations.len() });
        };
        if let Some((dry_run, request)) = dry_runs.get_mut(&chosen).zip(cluster.pod(pod).map(|pod| pod.request.clone()))
        {
            dry_run.plan(cluster, &request);
            choices.changed(cluster, &context.laws.node_choice, dry_run);
            nominations.push((pod, chosen));
        }
    }
    let is_used = |dry_run: &NodeDryRun| nominations.iter().any(|(_, at)| *at == dry_run.node);
    let (used, unused): (Vec<NodeDryRun>, Vec<NodeDryRun>) = dry_runs.into_values().partition(is_used);
    let found = reprieve_job(cluster, context, &used, nominations);
    if context.notes.are_on() {
        tell_unused(cluster, context, &unused);
    }
    found
}

/// The pods in the order in which they are planned; those of one size as they were.
fn largest_first(cluster: &Cluster, dry_runs: &BTreeMap<NodeIx, NodeDryRun>, pods: &[PodIx]) -> Vec<PodIx> {
    let total = |resource: ResourceIx| {
        let nodes = dry_runs.keys().filter_map(|ix| cluster.node(*ix));
        nodes.map(|node| i128::from(node.allocatable.get(resource))).fold(0, i128::saturating_add)
    };
    let mut totals: BTreeMap<ResourceIx, i128> = BTreeMap::new();
    let mut sized: Vec<(i128, PodIx)> = Vec::with_capacity(pods.len());
    for pod in pods {
        let request = cluster.pod(*pod).map(|pod| pod.request.clone()).unwrap_or_default();
        let parts = request.iter().map(|(resource, amount)| {
            let total = *totals.entry(resource).or_insert_with(|| total(resource));
            i128::from(amount).saturating_mul(WHOLE).checked_div(total).unwrap_or(i128::MAX)
        });
        sized.push((parts.max().unwrap_or(0), *pod));
    }
    sized.sort_by_key(|(size, _)| Reverse(*size));
    sized.into_iter().map(|(_, pod)| pod).collect()
}

/// The nodes that some pod of the job may run on.
fn dry_runs(cluster: &Cluster, context: &mut PreemptionContext<'_>) -> BTreeMap<NodeIx, NodeDryRun> {
    let mut dry_runs = BTreeMap::new();
    for (ix, node) in cluster.nodes() {
        if !context.preemptor.pods.iter().any(|pod| context.may_run(cluster, *pod, ix)) {
            continue;
        }
        let mut room = context.unpromised(cluster, node);
        let (mut leaving, mut candidates) = (Vec::new(), Vec::new());
        for pod in node.pods.iter().copied() {
            if context.is_leaving(cluster, pod) {
                context.tell_unneeded(&[pod], "leaving");
                room.add(&cluster.frees(pod));
                leaving.push(pod);
            } else if context.may_make_way(cluster, pod) {
                candidates.push(pod);
            }
        }
        let (protected, open) = cluster.split_by_budget(&context.in_reprieve_order(cluster, candidates));
        let count = protected.len();
        let dry_run = NodeDryRun::new(cluster, (ix, node), room, protected.into_iter().chain(open), count);
        dry_runs.insert(ix, NodeDryRun { leaving, ..dry_run });
    }
    dry_runs
}

/// Notes why no node would have room for a pod, when others of its job were planned already.
fn tell_nowhere(
    cluster: &Cluster,
    context: &mut PreemptionContext<'_>,
    dry_runs: &BTreeMap<NodeIx, NodeDryRun>,
    (pod, nominations): (PodIx, &[(PodIx, NodeIx)]),
) {
    let request = cluster.pod(pod).map(|pod| pod.request.clone()).unwrap_or_default();
    for dry_run in dry_runs.values() {
        let candidates = dry_run.pods();
        if nominations.iter().any(|(_, at)| *at == dry_run.node) {
            context.tell_enough(cluster, dry_run.node, &dry_run.victims, "");
            context.tell_unneeded(&candidates, "job-incomplete");
        } else if context.may_run(cluster, pod, dry_run.node) {
            context.tell_full(cluster, dry_run, &request);
        } else {
            context.tell_unneeded(&candidates, "other-node");
        }
    }
}

/// Notes of the nodes onto which nothing was planned whether they would have done, for the first pod that may run there.
fn tell_unused(cluster: &Cluster, context: &mut PreemptionContext<'_>, dry_runs: &[NodeDryRun]) {
    for dry_run in dry_runs {
        let candidates = dry_run.pods();
        let taken = context.preemptor.pods.iter().find(|pod| context.may_run(cluster, **pod, dry_run.node));
        let Some(request) = taken.and_then(|ix| cluster.pod(*ix)).map(|pod| pod.request.clone()) else { continue };
        match dry_run.victims_for(cluster, &request) {
            Some(victims) => {
                context.tell_enough(cluster, dry_run.node, &victims, "");
                context.tell_unneeded(&candidates, "unused-node");
            }
            None => {
                context.tell_full(cluster, dry_run, &request);
            }
        }
    }
}
