//! The dry runs of a search by whole jobs: made for a node when it is looked at.

use std::collections::{BTreeMap, BTreeSet};

use super::PreemptionContext;
use super::node_dry_run::NodeDryRun;
use super::outlook::CostLowerBound;
use super::shortlist::NodeHeapEntry;
use crate::model::{Amounts, Cluster, NodeInfo, NodeIx, NominatedConstraints, PodInfo, PodIx};

/// The nodes that a pod of the job may run on, and the dry runs of those that were examined.
pub struct NodeDryRuns {
    nodes: Vec<NodeIx>,
    /// The leaving pods and their nodes, which are among the nodes above.
    leaving: Vec<(PodIx, NodeIx)>,
    lower_bounds: CostLowerBound,
    computed: BTreeMap<NodeIx, NodeDryRun>,
    /// The candidates on all nodes, where quotas take back from each other.
    reclaim_candidates: Option<BTreeSet<PodIx>>,
    nominated: NominatedConstraints,
}

impl NodeDryRuns {
    /// Creates the dry runs of all nodes that a pod of the job may run on. A dry run is computed when its node is first examined, or at once where no
    /// lower bounds are known. The cluster must be prepared for the search.
    pub fn new(cluster: &Cluster, context: &mut PreemptionContext<'_>) -> NodeDryRuns {
        let pods = &context.preemptor.pods;
        let may_run = |ix: &NodeIx| pods.iter().any(|pod| context.is_node_eligible(cluster, *pod, *ix));
        let nodes: Vec<NodeIx> = cluster.nodes().map(|(ix, _)| ix).filter(may_run).collect();
        let mut leaving = context.leaving(cluster);
        leaving.retain(|(_, node)| nodes.binary_search(node).is_ok());
        let requests = pods.iter().filter_map(|pod| Some(cluster.pod(*pod)?.request()));
        let at = |ix: &PodIx| Some((*ix, cluster.pod(*ix)?.node()?));
        let named = context.branch.evicted.iter().chain(&context.branch.spared);
        let unclear: Vec<(PodIx, NodeIx)> = leaving.iter().copied().chain(named.filter_map(at)).collect();
        let outlook = CostLowerBound::new(cluster, context, &unclear, requests);
        let (taken, nominated) = (reclaim_candidates(cluster, context, &nodes), context.nominated(cluster));
        let mut dry_runs = NodeDryRuns {
            nodes,
            leaving,
            lower_bounds: outlook,
            computed: BTreeMap::new(),
            reclaim_candidates: taken,
            nominated,
        };
        if dry_runs.lower_bounds.is_unavailable() {
            dry_runs.compute_all(cluster, context);
        }
        dry_runs
    }

    /// Returns the nodes that a pod of the job may run on.
    pub fn nodes(&self) -> &[NodeIx] {
        &self.nodes
    }

    /// Returns the pods that leave these nodes, with their nodes.
    pub fn leaving(&self) -> impl Iterator<Item = (PodIx, NodeIx)> + '_ {
        self.leaving.iter().copied()
    }

    /// Returns a lower bound of the cost of a plan for a pod, for each of the nodes that the pod may run on.
    pub fn lower_bounds(
        &mut self,
        cluster: &Cluster,
        context: &mut PreemptionContext<'_>,
        pod: &PodInfo,
    ) -> Vec<NodeHeapEntry> {
        let eligible = self.nodes.iter().copied().filter(|node| cluster.eligible(pod.requirements.shape, *node));
        let eligible: Vec<NodeIx> = eligible.collect();
        self.lower_bounds.on_nodes(cluster, context, pod.request(), &eligible)
    }

    /// Returns the pods that may be evicted together, out of pods that may be evicted alone.
    pub fn evictable_together(&self, pods: &BTreeSet<PodIx>) -> BTreeSet<PodIx> {
        let is_taken = |ix: &PodIx| self.reclaim_candidates.as_ref().is_none_or(|taken| taken.contains(ix));
        pods.iter().copied().filter(is_taken).collect()
    }

    /// Returns the dry run of a node, and computes it the first time. `None`: the node is unknown.
    pub fn on(
        &mut self,
        cluster: &Cluster,
        context: &mut PreemptionContext<'_>,
        node: NodeIx,
    ) -> Option<&mut NodeDryRun> {
        if !self.computed.contains_key(&node) {
            let dry_run = self.compute(cluster, context, node)?;
            self.computed.insert(node, dry_run);
        }
        self.computed.get_mut(&node)
    }

    /// Returns the dry runs that were computed, by node.
    pub fn computed(&self) -> impl Iterator<Item = &NodeDryRun> {
        self.computed.values()
    }

    /// Returns the dry runs that were computed, by node, and consumes the collection.
    pub fn into_computed(self) -> impl Iterator<Item = NodeDryRun> {
        self.computed.into_values()
    }

    fn compute_all(&mut self, cluster: &Cluster, context: &mut PreemptionContext<'_>) {
        for ix in std::mem::take(&mut self.nodes) {
            let dry_run = self.compute(cluster, context, ix);
            self.computed.extend(dry_run.map(|dry_run| (ix, dry_run)));
            self.nodes.push(ix);
        }
        let of = |dry_run: &NodeDryRun| dry_run.leaving.iter().map(|ix| (*ix, dry_run.node)).collect::<Vec<_>>();
        self.leaving = self.computed.values().flat_map(of).collect();
    }

    fn compute(&mut self, cluster: &Cluster, context: &mut PreemptionContext<'_>, ix: NodeIx) -> Option<NodeDryRun> {
        let node = cluster.node(ix)?;
        let mut room = context.free_after_nominated(cluster, node);
        let (leaving, candidates) = match self.lower_bounds.candidates(cluster, context, ix) {
            Some(candidates) => (Vec::new(), candidates),
            None => self.check_each_pod(cluster, context, node, &mut room),
        };
        let (protected, open) =
            cluster.partition_by_budget_violation(context.in_reprieve_order(cluster, candidates), &leaving);
        let count = protected.len();
        let dry_run = NodeDryRun::new(cluster, (ix, node), room, protected.into_iter().chain(open), count);
        Some(NodeDryRun { leaving, nominated: self.nominated.clone(), ..dry_run })
    }

    /// Returns the pods that leave a node and the candidates there, and adds to the capacity what the pods free that are evicted in any case.
    fn check_each_pod(
        &self,
        cluster: &Cluster,
        context: &mut PreemptionContext<'_>,
        node: &NodeInfo,
        room: &mut Amounts,
    ) -> (Vec<PodIx>, Vec<PodIx>) {
        let (mut leaving, mut candidates) = (Vec::new(), Vec::new());
        for pod in cluster.one_per_disruption_group(&node.pods).iter().copied() {
            if context.is_leaving(cluster, pod) {
                context.explain_unneeded_candidates(&[pod], "leaving");
                room.add(&cluster.freed_by_eviction(pod));
                leaving.push(pod);
            } else if self
                .reclaim_candidates
                .as_ref()
                .map_or_else(|| context.check_candidate(cluster, pod), |taken| taken.contains(&pod))
            {
                if context.branch.evicted.contains(&pod) {
                    room.add(&cluster.freed_by_eviction(pod));
                } else {
                    candidates.push(pod);
                }
            }
        }
        (leaving, candidates)
    }
}

/// Returns the candidates on all these nodes, where quotas take back from each other: a pod taken on one node lowers what its quota uses on all.
/// `None`: each pod can be judged by itself.
fn reclaim_candidates(
    cluster: &Cluster,
    context: &mut PreemptionContext<'_>,
    nodes: &[NodeIx],
) -> Option<BTreeSet<PodIx>> {
    if !context.reclaims_in_turn() {
        return None;
    }
    let nodes = nodes.iter().filter_map(|ix| cluster.node(*ix));
    let pods = nodes.flat_map(|node| cluster.one_per_disruption_group(&node.pods).into_owned());
    let pods: Vec<PodIx> = pods.filter(|pod| !context.is_leaving(cluster, *pod)).collect();
    Some(context.candidates(cluster, pods).into_iter().collect())
}
