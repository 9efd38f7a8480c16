//! The nodes of the search, each looked at when it may be the cheapest.

use std::collections::BTreeMap;

use super::gather::best_group;
use super::held::PinnedDaemonPods;
use super::{
    CostLowerBound, GroupCandidate, GroupSearchBound, LEVELS, NodeDryRun, PlanObstacle, PodToPlace, PreemptionContext,
    case, trace,
};
use crate::engine::search::shortlist::{NodeGenerations, NodeHeap};
use crate::laws::VictimGroupLaws;
use crate::model::{Cluster, NodeInfo, NodeIx, NominatedConstraints, PodIx};

/// The nodes that the preemptor may run on, and the dry runs of those that were examined.
pub(super) struct GroupCandidateNodes<'a> {
    nodes: Vec<NodeIx>,
    group: &'a VictimGroupLaws,
    pod_to_place: &'a PodToPlace<'a>,
    lower_bounds: CostLowerBound,
    dry_runs: BTreeMap<NodeIx, NodeDryRun>,
    nominated: NominatedConstraints,
}

impl<'a> GroupCandidateNodes<'a> {
    /// Creates the list of nodes that the preemptor may run on, in a trial where the leaving pods have left. Leaves out nodes kept for other pods.
    /// The cluster must be prepared for the search.
    pub fn new(
        cluster: &Cluster,
        context: &mut PreemptionContext<'_>,
        (group, ask): (&'a VictimGroupLaws, &'a PodToPlace<'a>),
        outlook: CostLowerBound,
    ) -> GroupCandidateNodes<'a> {
        let mut nodes: Vec<NodeIx> = context.large_enough(cluster, ask.pod, ask.request).iter().collect();
        if cluster.nominated().next().is_some() || cluster.required_node_reservations().next().is_some() {
            let is_reserved =
                |ix: NodeIx| cluster.node(ix).is_some_and(|node| cluster.is_pinned_for_other(ix, node, ask.pod));
            nodes.retain(|ix| !is_reserved(*ix));
        }
        let held = PinnedDaemonPods::new(cluster, context);
        nodes.retain(|ix| !held.will_take_node(cluster, context, ask, *ix));
        let promised = |node: &NodeInfo| cluster.nominated_any_priority(node, ask.pod).map(|(ix, _)| ix).collect();
        let nominated = cluster.nominated_constraints_for(ask.pod, promised);
        let mut nodes = GroupCandidateNodes {
            nodes,
            group,
            pod_to_place: ask,
            lower_bounds: outlook,
            dry_runs: BTreeMap::new(),
            nominated,
        };
        if nodes.lower_bounds.is_unavailable() {
            for ix in &nodes.nodes {
                let dry_run = nodes.compute(cluster, context, *ix);
                nodes.dry_runs.extend(dry_run.map(|dry_run| (*ix, dry_run)));
            }
        }
        nodes
    }

    /// Returns the first node that takes the preemptor without evictions. `None`: no node does.
    pub fn first_fitting(&mut self, cluster: &Cluster, context: &mut PreemptionContext<'_>) -> Option<NodeIx> {
        let ask = self.pod_to_place;
        let has_room = |ix: &NodeIx| cluster.node(*ix).is_some_and(|node| node.free.lacks(ask.request).is_none());
        let with_room: Vec<NodeIx> = self.nodes.iter().copied().filter(has_room).collect();
        with_room.into_iter().find(|ix| {
            self.on(cluster, context, *ix).is_some_and(|dry_run| {
                dry_run.capacity.lacks(ask.request).is_none() && dry_run.violation_after(cluster, ask, &[]).is_none()
            })
        })
    }

    /// Returns the cheapest group on any node, without protected pods where possible. `None`: no node has a group.
    pub fn cheapest(&mut self, cluster: &Cluster, context: &mut PreemptionContext<'_>) -> Option<GroupCandidate> {
        let offers = self.lower_bounds.on_nodes(cluster, context, self.pod_to_place.request, &self.nodes);
        LEVELS.into_iter().find_map(|level| {
            let (mut found, mut bound) = (BTreeMap::new(), GroupSearchBound::of_penalty(level));
            let mut shortlist = NodeHeap::new(offers.clone());
            let cheapest = shortlist.cheapest(
                &NodeGenerations::new(),
                |_| true,
                |ix| {
                    let (group, ask) = (self.group, self.pod_to_place);
                    let dry_run = self.on(cluster, context, ix)?;
                    let candidate = best_group(cluster, context, (group, ask), dry_run, bound)?;
                    let cost = candidate.cost;
                    bound.cost = bound.cost.min(cost);
                    found.insert(ix, candidate);
                    Some(cost)
                },
            );
            cheapest.and_then(|ix| found.remove(&ix))
        })
    }

    /// Returns why no node has a group: the first limit that is broken even after evicting every candidate, or that no node fits.
    pub fn obstacle(&mut self, cluster: &Cluster, context: &mut PreemptionContext<'_>) -> PlanObstacle {
        if context.notes.is_recording() {
            for dry_run in self.dry_runs.values() {
                trace::explain_unfit_node(cluster, context, self.group, self.pod_to_place, dry_run);
            }
        }
        let mut all: Vec<PodIx> = Vec::new();
        for ix in self.nodes.clone() {
            match self.lower_bounds.candidates(cluster, context, ix) {
                Some(candidates) => all.extend(candidates),
                None => all.extend(self.on(cluster, context, ix).map(NodeDryRun::pods).unwrap_or_default()),
            }
        }
        let broken = case(cluster, context, &all).first_failed_check(&context.laws.plan_invariants);
        let nowhere = PlanObstacle::NoNode { pod: context.preemptor.pod, planned: 0 };
        broken.map_or(nowhere, |(rule, denial)| PlanObstacle::Law(rule, denial))
    }

    /// Returns the dry runs that were computed; these are those of all nodes where explanations are recorded.
    pub fn dry_runs(&self) -> Vec<&NodeDryRun> {
        self.dry_runs.values().collect()
    }

    /// Returns the dry run of a node, and computes it the first time. `None`: the node is unknown.
    fn on(&mut self, cluster: &Cluster, context: &mut PreemptionContext<'_>, ix: NodeIx) -> Option<&NodeDryRun> {
        if !self.dry_runs.contains_key(&ix) {
            let dry_run = self.compute(cluster, context, ix)?;
            self.dry_runs.insert(ix, dry_run);
        }
        self.dry_runs.get(&ix)
    }

    fn compute(&self, cluster: &Cluster, context: &mut PreemptionContext<'_>, ix: NodeIx) -> Option<NodeDryRun> {
        let node = cluster.node(ix)?;
        let mut room = node.free.clone();
        for (_, other) in cluster.nominated_any_priority(node, self.pod_to_place.pod) {
            room.subtract(other.request());
        }
        let held = |pod: &PodIx| cluster.pod(*pod).is_some_and(|pod| pod.node().is_some());
        let mut candidates: Vec<PodIx> = node.pods.iter().copied().filter(held).collect();
        candidates.retain(|pod| context.check_candidate(cluster, *pod));
        let candidates = context.in_reprieve_order(cluster, candidates);
        let nominated = self.nominated.clone();
        let mut dry_run = NodeDryRun { nominated, ..NodeDryRun::new(cluster, (ix, node), room, candidates, 0) };
        let case = context.preemptor.context_for_plan(cluster, context.ledger);
        for candidate in &mut dry_run.candidates {
            let pod = cluster.pod(candidate.pod);
            candidate.penalty = pod.map_or(0, |pod| (self.group.last_resort.penalty)(&case, candidate.pod, pod));
        }
        Some(dry_run)
    }
}
