//! Remove all, then reprieve: the search of Koordinator's job-level preemption.
//!
//! In a trial every candidate is evicted. The pods of the job are planned one by one onto the cheapest node. Then every candidate is
//! considered for a reprieve, the most important first: it stays if every pod of the job keeps its node and every limit holds. The
//! others are the victims. If one pod finds no node, there is no plan.
//!
//! The pod with the fewest nodes is planned first: those that it may run on, and that are large enough. Then comes the largest. Where a pod
//! finds no node, other orders are tried (`members.rs`). No other choice is revised, so the search may miss an assignment of unequal pods. Then the job
//! waits longer, and no pod is evicted in vain.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::branches::Branch;
use super::choices::NodeHeaps;
use super::dry_runs::NodeDryRuns;
use super::least_harm::least_harm;
use super::members::{members_missing, plan_most, wants_all_members, with_needed_pods};
use super::node_dry_run::{NodeDryRun, PodToPlace};
use super::reprieve_job::reprieve_job;
use super::{PlanDraft, PlanObstacle, PreemptionContext, PreemptionSearch, pending_members};
use crate::laws::harm::gang_of;
use crate::laws::{Laws, Preemptor};
use crate::model::{Cluster, DomainCountOverlay, JobIx, NO_PODS, NodeIx, PodInfo, PodIx, ResourceIx, ResourceRequest};

/// The unit of the size of a pod: 1/WHOLE. The size is the largest share of a resource of all nodes that the pod requests.
const WHOLE: i128 = 1 << 32;

/// The search by whole jobs.
pub struct WholeJobSearch;

impl PreemptionSearch for WholeJobSearch {
    /// Returns all gangs of a gang group, as they start together or not at all. A gang that is complete without its waiting pods is left out.
    fn gangs_to_plan(&self, cluster: &Cluster, laws: &Laws, preemptor: Preemptor) -> Vec<Preemptor> {
        let group = preemptor.job.map(|job| cluster.gang_group(job)).unwrap_or_default().into_iter();
        let others = group.filter(|job| Some(*job) != preemptor.job && !cluster.is_complete(*job));
        let others = others.filter_map(|job| {
            let waiting = pending_members(cluster, laws, *cluster.job(job)?.members.first()?);
            Preemptor::of(cluster, laws, *waiting.first()?, waiting)
        });
        let others: Vec<Preemptor> = others.collect();
        std::iter::once(preemptor).chain(others).collect()
    }

    /// Returns all waiting pods of the gang; only as many as it lacks, the tried pod first, where another gang of its group is not complete: the pods
    /// beyond the minimum wait until every gang of the group is complete (ruling C28).
    fn gang_at_prefilter(&self, cluster: &Cluster, gang: Preemptor) -> Preemptor {
        let group = gang.job.map(|job| cluster.gang_group(job)).unwrap_or_default();
        if group.iter().all(|job| Some(*job) == gang.job || cluster.is_complete(*job)) {
            return gang;
        }
        let pods = gang.pods.clone();
        with_needed_pods(cluster, gang, pods)
    }

    /// Checks whether every waiting pod of these gangs may preempt, as the plan is for all of them.
    fn could_plan(&self, cluster: &Cluster, laws: &Laws, pod: PodIx) -> bool {
        let preemptor = Preemptor::of(cluster, laws, pod, self.pods(cluster, laws, pod));
        let gangs = preemptor.map(|preemptor| self.gangs_to_plan(cluster, laws, preemptor)).unwrap_or_default();
        let mut pods = gangs.iter().flat_map(|gang| &gang.pods).chain([&pod]);
        pods.all(|ix| cluster.pod(*ix).is_some_and(|pod| pod.attributes.may_preempt))
    }

    fn find(&self, cluster: &mut Cluster, context: &mut PreemptionContext<'_>) -> Result<PlanDraft, PlanObstacle> {
        let all = context.preemptor.pods.len();
        // A PodGroup of Kubernetes starts with its minimum, in this system, too.
        let at_least = match wants_all_members(cluster, context.preemptor) {
            true => members_missing(cluster, context.preemptor).min(all),
            false => usize::MAX,
        };
        least_harm(cluster, context, |cluster, context| plan_most(cluster, context, at_least))
    }
}

/// Plans the pods of the preemptor, those in `first` before all others. At least so many of the pods get a node; the others are left out where they find
/// none. The error is the obstacle.
pub(super) fn plan_job(
    cluster: &mut Cluster,
    context: &mut PreemptionContext<'_>,
    at_least: usize,
    first: &[PodIx],
) -> Result<PlanDraft, PlanObstacle> {
    let mut may_miss = context.preemptor.pods.len().saturating_sub(at_least);
    let requests = context.preemptor.pods.iter().filter_map(|ix| Some(cluster.pod(*ix)?.request().clone()));
    let requests: BTreeSet<ResourceRequest> = requests.collect();
    cluster.prepare_search(&requests);
    let mut dry_runs = NodeDryRuns::new(cluster, context);
    let Branch { evicted, spared } = context.branch;
    let branch = Branch { evicted: dry_runs.evictable_together(evicted), spared: spared.clone() };
    let context = &mut PreemptionContext { branch: &branch, notes: context.notes, ..*context };
    let mut nominations = Vec::new();
    let mut choices = NodeHeaps::default();
    let mut what_if = DomainCountOverlay::default();
    let mut victims: BTreeSet<PodIx> = branch.evicted.clone();
    let leaving = dry_runs.leaving().map(|(ix, _)| ix);
    leaving.chain(victims.iter().copied()).for_each(|ix| what_if.evict_set(cluster, ix));
    let mut order = in_order(cluster, dry_runs.nodes(), &context.preemptor.pods);
    order.sort_by_key(|pod| first.iter().position(|other| other == pod).unwrap_or(usize::MAX));
    for pod in order {
        let priced = choices.cheapest(cluster, context, (&mut dry_runs, &what_if, &victims), pod);
        let Some((chosen, together)) = priced else {
            // A nominated pod would keep its nomination to capacity that the plan takes.
            if may_miss > 0 && pod != context.preemptor.pod && !cluster.is_nominated(pod) {
                may_miss = may_miss.saturating_sub(1);
                continue;
            }
            if context.notes.is_recording() {
                explain_no_node(cluster, context, (&dry_runs, &what_if), (pod, &nominations));
            }
            return Err(PlanObstacle::NoNode { pod, planned: nominations.len() });
        };
        let request = cluster.pod(pod).map(|pod| pod.request().clone()).unwrap_or_default();
        if let Some(dry_run) = dry_runs.on(cluster, context, chosen) {
            let before = dry_run.victims.clone();
            dry_run.add_pod((pod, &request), together);
            let further: Vec<PodIx> = dry_run.victims.iter().copied().filter(|ix| !victims.contains(ix)).collect();
            before.iter().for_each(|victim| what_if.reprieve_set(cluster, *victim));
            dry_run.victims.iter().for_each(|victim| what_if.evict_set(cluster, *victim));
            what_if.place(cluster, pod, chosen);
            choices.mark_changed(cluster, chosen);
            for ix in before.iter().filter(|ix| !dry_run.victims.contains(ix)) {
                victims.remove(ix);
            }
            victims.extend(&further);
            // The other pods of a gang that is broken now can be evicted at no further cost.
            for node in nodes_of_gangs(cluster, &further) {
                choices.mark_changed(cluster, node);
            }
            nominations.push((pod, chosen));
        }
    }
    let is_used = |node: NodeIx| nominations.iter().any(|(_, at)| *at == node);
    let elsewhere = dry_runs.leaving().filter(|(_, node)| !is_used(*node)).map(|(ix, _)| ix);
    let elsewhere: Vec<PodIx> = elsewhere.collect();
    let (used, unused): (Vec<NodeDryRun>, Vec<NodeDryRun>) =
        dry_runs.into_computed().partition(|dry_run| is_used(dry_run.node));
    let found = reprieve_job(cluster, context, (&used, &elsewhere, &victims), nominations);
    if context.notes.is_recording() {
        explain_unused_nodes(cluster, context, &unused, &what_if);
    }
    found
}

/// Returns the nodes of the gangs of some pods.
fn nodes_of_gangs(cluster: &Cluster, pods: &[PodIx]) -> BTreeSet<NodeIx> {
    let of_jobs = |pod: &&PodInfo| !pod.is_alone();
    let mut pods = pods.iter().filter_map(|ix| cluster.pod(*ix)).filter(of_jobs).peekable();
    if pods.peek().is_none() {
        return BTreeSet::new();
    }
    let gangs = pods.filter_map(|pod| cluster.job_evicted_whole(pod).or_else(|| Some(gang_of(cluster, pod)?.0)));
    let gangs: BTreeSet<JobIx> = gangs.collect();
    let members = gangs.iter().filter_map(|job| cluster.job(*job)).flat_map(|job| &job.members);
    let members = members.filter_map(|ix| cluster.pod(*ix));
    members.filter_map(|pod| pod.node()).collect()
}

/// Returns the pods in the order in which they are planned: those that need others in their domain last, then those with the fewest nodes first, because
/// another pod could take these, then the largest first; otherwise unchanged.
pub(super) fn in_order(cluster: &Cluster, nodes: &[NodeIx], pods: &[PodIx]) -> Vec<PodIx> {
    let total = |resource: ResourceIx| {
        let allocatable = cluster.capacity_columns().allocatable(resource);
        let of = |ix: &NodeIx| usize::try_from(ix.0).ok().and_then(|at| allocatable.get(at)).copied().unwrap_or(0);
        nodes.iter().map(|ix| i128::from(of(ix))).fold(0, i128::saturating_add)
    };
    let mut totals: BTreeMap<ResourceIx, i128> = BTreeMap::new();
    let mut sized: Vec<(Reverse<i128>, PodIx)> = Vec::with_capacity(pods.len());
    for (ix, pod) in pods.iter().filter_map(|ix| Some((ix, cluster.pod(*ix)?))) {
        let parts = pod.request().iter().map(|(resource, amount)| {
            let total = *totals.entry(resource).or_insert_with(|| total(resource));
            i128::from(amount).saturating_mul(WHOLE).checked_div(total).unwrap_or(i128::MAX)
        });
        sized.push((Reverse(parts.max().unwrap_or(0)), *ix));
    }
    sized.sort_by_key(|(size, _)| *size);
    let mut pods = cluster.fewest_nodes_first(sized.into_iter().map(|(_, pod)| pod).collect());
    pods.sort_by_cached_key(|ix| cluster.has_required_affinity(*ix));
    pods
}

/// Explains why no node fits a pod after other pods of its job were planned.
fn explain_no_node(
    cluster: &Cluster,
    context: &mut PreemptionContext<'_>,
    (dry_runs, what_if): (&NodeDryRuns, &DomainCountOverlay),
    (pod, nominations): (PodIx, &[(PodIx, NodeIx)]),
) {
    let request = cluster.pod(pod).map(|pod| pod.request().clone()).unwrap_or_default();
    let ask = PodToPlace { pod, request: &request, what_if, earlier: &NO_PODS, plan_invariants: None };
    for dry_run in dry_runs.computed() {
        let candidates = dry_run.pods();
        if nominations.iter().any(|(_, at)| *at == dry_run.node) {
            context.explain_sufficient_node(cluster, dry_run.node, &dry_run.victims, "");
            context.explain_unneeded_candidates(&candidates, "job-incomplete");
        } else if context.is_node_eligible(cluster, pod, dry_run.node) {
            context.explain_full_node(cluster, dry_run, &ask);
        } else {
            context.explain_unneeded_candidates(&candidates, "other-node");
        }
    }
}

/// Explains the nodes without planned pods: whether the first pod that may run there would fit.
fn explain_unused_nodes(
    cluster: &Cluster,
    context: &mut PreemptionContext<'_>,
    dry_runs: &[NodeDryRun],
    what_if: &DomainCountOverlay,
) {
    for dry_run in dry_runs {
        let candidates = dry_run.pods();
        let taken =
            context.preemptor.pods.iter().copied().find(|pod| context.is_node_eligible(cluster, *pod, dry_run.node));
        let Some((ix, pod)) = taken.and_then(|ix| Some((ix, cluster.pod(ix)?))) else { continue };
        let ask = PodToPlace { pod: ix, request: pod.request(), what_if, earlier: &NO_PODS, plan_invariants: None };
        match dry_run.victims_for(cluster, &context.laws.plan_orders.nodes, &ask) {
            Some(victims) => {
                context.explain_sufficient_node(cluster, dry_run.node, &victims, "");
                context.explain_unneeded_candidates(&candidates, "unused-node");
            }
            None => {
                context.explain_full_node(cluster, dry_run, &ask);
            }
        }
    }
}
