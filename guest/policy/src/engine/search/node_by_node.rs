//! Node by node: the search of kube-scheduler's default preemption.
//!
//! On each node that could take the pod, every candidate is evicted, then reprieved as long as the pod still fits: first the pods whose
//! disruption budget is exhausted, within both parts the more important first. The order of nodes chooses one of the nodes.
//!
//! Upstream `pkg/scheduler/framework/preemption` and `plugins/defaultpreemption`: dryRunPreemption, SelectVictimsOnNode,
//! filterPodsWithPDBViolation, pickOneNodeForPreemption. Upstream begins at a random node and stops when it has seen enough; here it
//! begins at the first by name, so that the answer is the same each time.

mod explanation;

use std::collections::{BTreeMap, BTreeSet};

use explanation::{explain_choice, explain_not_examined};

use super::least_harm::least_harm;
use super::members::{members_missing, plan_most, wants_all_members, with_needed_pods, without};
use super::node_dry_run::{EvictionCost, NodeDryRun, PodToPlace};
use super::outlook::CostLowerBound;
use super::shortlist::{NO_BOUND, NodeGenerations, NodeHeap, NodeHeapEntry, in_order};
use super::{PlanDraft, PlanObstacle, PreemptionContext, PreemptionSearch};
use crate::engine::DecisionTrace;
use crate::laws::{MinCandidateNodes, NodeCost, Preemptor};
use crate::model::{Cluster, DomainCountOverlay, NO_PODS, NodeIx, NodeSet, NominatedConstraints, PodIx};

/// A node on which the pod fits after evictions.
struct PreemptionCandidate {
    dry_run: NodeDryRun,
    eviction_cost: EvictionCost,
}

impl PreemptionCandidate {
    /// Returns the key by which nodes are compared.
    fn sort_key(&self) -> (NodeCost, u64) {
        (self.eviction_cost.cost, self.dry_run.rank)
    }

    /// Checks whether constraints between pods allow the preemptor on the node while the pods that leave other nodes are still there.
    fn is_allowed_before_others_leave(&self, cluster: &Cluster, ask: &PodToPlace<'_>) -> bool {
        let gone: BTreeSet<PodIx> = self.dry_run.leaving.iter().chain(&self.eviction_cost.victims).copied().collect();
        let mut what_if = DomainCountOverlay::default();
        gone.iter().for_each(|ix| what_if.evict_set(cluster, *ix));
        self.dry_run.violation_after(cluster, &PodToPlace { what_if: &what_if, ..*ask }, &[]).is_none()
    }
}

/// The search node by node, for one pod. A gang that needs more of its pods is planned as a whole.
pub struct NodeByNode {
    /// The number of nodes with a possible plan that ends the search.
    pub min_candidates: MinCandidateNodes,
}

impl PreemptionSearch for NodeByNode {
    /// Returns as many pods as the gang needs to be complete, the preemptor first. Evictions for fewer pods would help none of them. A PodGroup of
    /// Kubernetes needs all its pods.
    fn gang_to_plan(&self, cluster: &Cluster, preemptor: Preemptor) -> Preemptor {
        let pods = preemptor.pods.clone();
        with_needed_pods(cluster, preemptor, pods)
    }

    /// Returns the preemptor with only the pod that is tried: a gang larger than its minimum starts with as many pods as its quota takes.
    fn gang_at_prefilter(&self, cluster: &Cluster, preemptor: Preemptor) -> Preemptor {
        let pods = vec![preemptor.pod];
        preemptor.with(cluster, pods)
    }

    /// Returns only the preemptor: a plan for other pods of its gang may be in flight.
    fn withdrawn_on_failure(&self, preemptor: &Preemptor, _: bool) -> Vec<PodIx> {
        vec![preemptor.pod]
    }

    /// Searches for a plan. If a member of the gang finds no node, the search continues with another member instead.
    fn find(&self, cluster: &mut Cluster, context: &mut PreemptionContext<'_>) -> Result<PlanDraft, PlanObstacle> {
        if context.preemptor.pods.len() < 2 || wants_all_members(cluster, context.preemptor) {
            return self.find_for(cluster, context);
        }
        let (mut gangs, mut left_out, mut silent) = (context.gangs.to_vec(), BTreeSet::new(), DecisionTrace::default());
        loop {
            let found = self.find_for(cluster, &mut context.of(&gangs, &mut silent));
            let others = match &found {
                Err(PlanObstacle::NoNode { pod, .. }) => without(cluster, context, (*pod, &gangs), &mut left_out),
                _ => None,
            };
            match others {
                Some(others) => gangs = others,
                None if !context.notes.is_recording() => return found,
                None => break,
            }
        }
        let context = &mut PreemptionContext {
            preemptor: gangs.first().unwrap_or(context.preemptor),
            gangs: &gangs,
            notes: context.notes,
            ..*context
        };
        self.find_for(cluster, context)
    }
}

impl NodeByNode {
    /// Returns a plan for these pods, or the obstacle.
    fn find_for(&self, cluster: &mut Cluster, context: &mut PreemptionContext<'_>) -> Result<PlanDraft, PlanObstacle> {
        match context.laws.by_least_harm(context.preemptor) {
            Some(laws) => {
                let context = &mut PreemptionContext { laws: &laws, notes: context.notes, ..*context };
                self.plan(cluster, context, true)
            }
            // A group that is evicted whole stops as one job, on all its nodes.
            None => self.plan(cluster, context, cluster.has_disruption_groups()),
        }
    }

    /// Returns a plan for these pods. `seeks`: whether the cheapest of the plans for several pods is sought.
    fn plan(
        &self,
        cluster: &mut Cluster,
        context: &mut PreemptionContext<'_>,
        seeks: bool,
    ) -> Result<PlanDraft, PlanObstacle> {
        let at_least = match context.preemptor.pods.len() {
            0 | 1 => return self.plan_one(cluster, context),
            all if wants_all_members(cluster, context.preemptor) => {
                members_missing(cluster, context.preemptor).min(all)
            }
            _ => usize::MAX,
        };
        match seeks {
            true => least_harm(cluster, context, |cluster, context| plan_most(cluster, context, at_least)),
            false => plan_most(cluster, context, at_least),
        }
    }

    /// Returns a plan for one pod. Where quotas give back in turn, another turn may make the pod fit where the first one does not, or cost less.
    fn plan_one(&self, cluster: &mut Cluster, context: &mut PreemptionContext<'_>) -> Result<PlanDraft, PlanObstacle> {
        match context.reclaims_in_turn() {
            true => least_harm(cluster, context, |cluster, context| plan_pod(cluster, context, self.min_candidates)),
            false => plan_pod(cluster, context, self.min_candidates),
        }
    }
}

/// Plans the preemptor. The error is the obstacle.
fn plan_pod(
    cluster: &mut Cluster,
    context: &mut PreemptionContext<'_>,
    sample: MinCandidateNodes,
) -> Result<PlanDraft, PlanObstacle> {
    let preemptor = context.preemptor.pod;
    let request = cluster.pod(preemptor).map(|pod| pod.request().clone()).unwrap_or_default();
    cluster.prepare_search([&request]);
    let cluster = &*cluster;
    let large = context.large_enough(cluster, preemptor, &request);
    let leaving = context.leaving(cluster);
    let gone: Vec<PodIx> = leaving.iter().map(|(ix, _)| *ix).collect();
    let mut what_if = DomainCountOverlay::default();
    gone.iter().for_each(|ix| what_if.evict_set(cluster, *ix));
    let (what_if, earlier, limits) = (&what_if, &NO_PODS, context.plan_invariants(&gone));
    let ask = PodToPlace { pod: preemptor, request: &request, what_if, earlier, plan_invariants: limits };
    let (enough, nominated) = (sample.of(large.len()), context.nominated(cluster));
    let asked = (&ask, &nominated, enough);
    let outlook = CostLowerBound::new(cluster, context, &leaving, [&request]);
    let only_room_counts = ask.plan_invariants.is_none() && !cluster.has_inter_pod_terms(preemptor);
    let best = match only_room_counts && !outlook.is_unavailable() {
        true => cheapest(cluster, context, &large, asked, outlook),
        false => cheapest_of_all(cluster, context, &large, asked),
    };
    let Some(best) = best else { return Err(PlanObstacle::NoNode { pod: preemptor, planned: 0 }) };
    let victims = best.eviction_cost.victims.into_iter().filter(|ix| !context.is_leaving(cluster, *ix)).collect();
    Ok(PlanDraft::by_node(preemptor, vec![(preemptor, best.dry_run.node)], victims))
}

/// Returns the cheapest of the first nodes that fit after evictions, where only capacity decides which nodes fit. A disruption budget makes a node
/// dearer, never impossible.
fn cheapest(
    cluster: &Cluster,
    context: &mut PreemptionContext<'_>,
    large: &NodeSet,
    (ask, nominated, enough): (&PodToPlace<'_>, &NominatedConstraints, usize),
    mut outlook: CostLowerBound,
) -> Option<PreemptionCandidate> {
    let mut wanted = outlook.request_deficits(cluster, ask.request);
    let (mut offers, mut priced) = (Vec::with_capacity(enough), BTreeMap::new());
    let mut nodes = in_order(cluster, large);
    for (place, ix) in nodes.by_ref() {
        match outlook.on_node(cluster, context, &mut wanted, ix) {
            None => {}
            Some(NO_BOUND) => {
                let found = cheapest_evictions(cluster, context, ix, (ask, nominated));
                offers.extend(found.as_ref().map(|found| NodeHeapEntry::exact(found.eviction_cost.cost, place, ix)));
                priced.extend(found.map(|found| (ix, found)));
            }
            Some(cost) => offers.push(NodeHeapEntry::at_least(cost, place, ix)),
        }
        if offers.len() >= enough {
            break;
        }
    }
    let best = NodeHeap::new(offers).cheapest(
        &NodeGenerations::new(),
        |_| true,
        |ix| {
            let found = cheapest_evictions(cluster, context, ix, (ask, nominated))?;
            let cost = found.eviction_cost.cost;
            priced.insert(ix, found);
            Some(cost)
        },
    );
    let mut best = best.and_then(|ix| priced.remove(&ix))?;
    // The order puts nodes without a violation first. So if the best node has violations, all have. Then the search continues to a node without any.
    while best.eviction_cost.budget_violations > 0 {
        let Some((_, ix)) = nodes.next() else { break };
        let found = cheapest_evictions(cluster, context, ix, (ask, nominated));
        best =
            found.into_iter().fold(best, |best, found| if found.sort_key() < best.sort_key() { found } else { best });
    }
    Some(best)
}

/// Returns the cheapest of the first nodes that fit after evictions. Unlike [`cheapest`], it examines each node.
fn cheapest_of_all(
    cluster: &Cluster,
    context: &mut PreemptionContext<'_>,
    large: &NodeSet,
    (ask, nominated, enough): (&PodToPlace<'_>, &NominatedConstraints, usize),
) -> Option<PreemptionCandidate> {
    let mut offers: Vec<PreemptionCandidate> = Vec::new();
    let mut nodes = in_order(cluster, large);
    for (_, ix) in nodes.by_ref() {
        offers.extend(cheapest_evictions(cluster, context, ix, (ask, nominated)));
        if offers.len() >= enough && offers.iter().any(|offer| offer.eviction_cost.budget_violations == 0) {
            break;
        }
    }
    // Where a pod that leaves another node repels the preemptor, kube-scheduler has no plan. No pod is evicted there if a node needs no eviction.
    let needs_no_eviction =
        |offer: &PreemptionCandidate| offer.eviction_cost.victims.iter().all(|ix| context.is_leaving(cluster, *ix));
    if offers.iter().any(needs_no_eviction) {
        offers.retain(|offer| needs_no_eviction(offer) || offer.is_allowed_before_others_leave(cluster, ask));
    }
    if context.notes.is_recording() {
        explain_not_examined(context, nodes, offers.len());
    }
    if context.notes.is_recording() {
        explain_choice(cluster, context, &offers, ask);
    }
    offers.into_iter().min_by_key(PreemptionCandidate::sort_key)
}

/// Returns the cheapest evictions on a node after which the preemptor fits. `None`: the preemptor does not fit there.
fn cheapest_evictions(
    cluster: &Cluster,
    context: &mut PreemptionContext<'_>,
    ix: NodeIx,
    (ask, nominated): (&PodToPlace<'_>, &NominatedConstraints),
) -> Option<PreemptionCandidate> {
    let node = cluster.node(ix)?;
    let pods = cluster.one_per_disruption_group(&node.pods);
    let (leaving, staying): (Vec<PodIx>, Vec<PodIx>) = pods.iter().partition(|ix| context.is_leaving(cluster, **ix));
    let mut room = context.free_after_nominated(cluster, node);
    // Only a constraint with a pod that is leaving, perhaps on another node, keeps the pod from a node with room.
    let has_room = room.lacks(ask.request).is_none() && cluster.has_inter_pod_terms(ask.pod);
    // kube-scheduler counts a leaving pod that may be a victim as a victim, so it may choose another node. The pod is reprieved last: no other pod is
    // evicted in its place. All other leaving pods free their capacity; where least harm is sought, all do.
    let coming = match context.laws.seeks_least_harm(context.preemptor) {
        true => Vec::new(),
        false => context.candidates(cluster, leaving.iter().copied()),
    };
    let gone: Vec<PodIx> = leaving.iter().copied().filter(|ix| !coming.contains(ix)).collect();
    gone.iter().for_each(|ix| room.add(&cluster.freed_by_eviction(*ix)));
    context.explain_unneeded_candidates(&gone, "leaving");
    let candidates = context.candidates(cluster, staying);
    let (protected, open) = cluster.partition_by_budget_violation(candidates, &leaving);
    let count = protected.len();
    let in_order: Vec<PodIx> = protected.into_iter().chain(open).chain(coming).collect();
    let is_open = !in_order.is_empty() || ask.plan_invariants.is_some() || has_room;
    let dry_run = NodeDryRun::new(cluster, (ix, node), room, in_order, count);
    let dry_run = NodeDryRun { leaving, nominated: nominated.clone(), ..dry_run };
    let price = dry_run.eviction_cost(cluster, &context.laws.plan_orders.nodes, ask);
    // A node may have enough capacity for a pod that a quota refuses.
    match price.filter(|_| is_open) {
        Some(price) => Some(PreemptionCandidate { dry_run, eviction_cost: price }),
        None => {
            context.explain_full_node(cluster, &dry_run, ask);
            None
        }
    }
}
