//! The outlook of a search: what a plan costs at least on each node, known from dense lists before any dry run there.
//!
//! Any plan on a node evicts candidates until there is room. So it evicts at least as many as the largest of them must be, and one at
//! least as important as the least important ones that make the room together. A node whose candidates do not make the room at all has no
//! plan. Nothing else is counted: limits, floors, budgets and other pods can only make a plan dearer, or impossible.

mod least;

use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;

use least::{NodeVictimBound, at_least};

use super::PreemptionContext;
use super::shortlist::{NO_BOUND, NodeHeapEntry};
use crate::laws::NodeCost;
use crate::model::{Cluster, NO_PODS, NodeIx, NodePod, PodInfo, PodIx, ResourceIx, ResourceRequest, VictimClassIx};

/// Lower bounds of the cost of a plan on each node, from what is known of the pods, class by class.
pub struct CostLowerBound {
    /// Whether no lower bounds exist, so that each node is examined.
    is_unavailable: bool,
    /// The nodes without a lower bound, because pods leave them.
    nodes_without_bound: BTreeSet<NodeIx>,
    /// The resources that the planned pods request.
    resources: Vec<ResourceIx>,
    victim_statuses: Vec<VictimStatus>,
    /// The amount that a pod of each class frees, by resource and class; zero where the pods are no candidates.
    freed_by_class: Vec<Vec<i64>>,
    /// The share of the cluster that a pod of each class uses.
    shares: Vec<i64>,
    /// The last missing amount of each resource, with the share of the cluster that it is: similar nodes lack the same amounts.
    deficit_shares: Vec<Cell<(i64, i64)>>,
}

/// The result of the guards for the pods of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VictimStatus {
    /// No pod of the class was judged yet.
    Unknown,
    /// The pods stay.
    Protected,
    /// The pods may be evicted.
    Candidate,
    /// Each pod must be judged by itself.
    PerPod,
}

/// The amount that a pod requests of each resource, with the free amounts of all nodes.
pub struct RequestDeficits<'a> {
    columns: Vec<(i64, &'a [i64])>,
    /// The missing amounts on the node that is examined.
    deficits: Vec<ResourceDeficit>,
}

/// The missing amount of a resource on a node, and the most that one eviction there frees of it.
#[derive(Debug, Clone, Copy)]
struct ResourceDeficit {
    /// The index of the resource among the requested ones.
    resource: usize,
    /// The resource.
    resource_index: ResourceIx,
    missing: i64,
    largest: i64,
}

impl CostLowerBound {
    /// Creates the outlook of a search for pods with these requests. `leaving` are the pods that leave their nodes. The cluster must be prepared for
    /// the search.
    pub fn new<'a>(
        cluster: &Cluster,
        context: &PreemptionContext<'_>,
        leaving: &[(PodIx, NodeIx)],
        requests: impl IntoIterator<Item = &'a ResourceRequest>,
    ) -> CostLowerBound {
        let resources: BTreeSet<ResourceIx> =
            requests.into_iter().flat_map(|request| request.iter().map(|(resource, _)| resource)).collect();
        let (resources, classes) = (resources.into_iter().collect::<Vec<_>>(), cluster.node_pods().class_count());
        CostLowerBound {
            is_unavailable: context.must_check_each_pod(cluster),
            nodes_without_bound: leaving.iter().map(|(_, node)| *node).collect(),
            victim_statuses: vec![VictimStatus::Unknown; classes],
            shares: vec![0; classes],
            freed_by_class: vec![vec![0; classes]; resources.len()],
            deficit_shares: vec![Cell::default(); resources.len()],
            resources,
        }
    }

    /// Checks whether no node has a lower bound.
    pub fn is_unavailable(&self) -> bool {
        self.is_unavailable
    }

    /// Returns a lower bound of the cost of a plan for a pod with this request, for each of these nodes. Nodes that cannot have a plan are left out.
    pub fn on_nodes(
        &mut self,
        cluster: &Cluster,
        context: &mut PreemptionContext<'_>,
        request: &ResourceRequest,
        nodes: &[NodeIx],
    ) -> Vec<NodeHeapEntry> {
        let mut wanted = self.request_deficits(cluster, request);
        let mut offers = Vec::with_capacity(nodes.len());
        for ix in nodes {
            let cost = self.on_node(cluster, context, &mut wanted, *ix);
            offers.extend(cost.and_then(|cost| Some(NodeHeapEntry::at_least(cost, cluster.node(*ix)?.rank, *ix))));
        }
        offers
    }

    /// Returns the input of [`CostLowerBound::least`] for a pod with this request.
    pub fn request_deficits<'a>(&self, cluster: &'a Cluster, request: &ResourceRequest) -> RequestDeficits<'a> {
        let column = |resource: &ResourceIx| (request.get(*resource), cluster.capacity_columns().free(*resource));
        let columns: Vec<_> = self.resources.iter().map(column).collect();
        RequestDeficits { deficits: Vec::with_capacity(columns.len()), columns }
    }

    /// Returns a lower bound of the cost of a plan on a node. `None`: there cannot be a plan. [`NO_BOUND`]: the node must be examined.
    pub fn on_node(
        &mut self,
        cluster: &Cluster,
        context: &mut PreemptionContext<'_>,
        RequestDeficits { columns, deficits: gaps }: &mut RequestDeficits<'_>,
        ix: NodeIx,
    ) -> Option<NodeCost> {
        if self.is_unavailable || self.nodes_without_bound.contains(&ix) || cluster.capacity_columns().has_nominated(ix)
        {
            return Some(NO_BOUND);
        }
        let at = usize::try_from(ix.0).unwrap_or(usize::MAX);
        gaps.clear();
        for (resource, (amount, free)) in columns.iter().enumerate().filter(|(_, (amount, _))| *amount > 0) {
            let missing = amount.saturating_sub(free.get(at).copied().unwrap_or(0));
            if missing > 0 {
                let of = self.resources.get(resource).copied().unwrap_or(ResourceIx(u32::MAX));
                gaps.push(ResourceDeficit { resource, resource_index: of, missing, largest: 0 });
            }
        }
        if gaps.is_empty() {
            return Some(NO_BOUND);
        }
        let residents = cluster.node_pods().on(ix);
        let mut candidates = 0i64;
        for resident in residents {
            match self.victim_status(cluster, context, resident) {
                VictimStatus::Candidate => candidates = candidates.saturating_add(1),
                VictimStatus::PerPod => return Some(NO_BOUND),
                VictimStatus::Protected | VictimStatus::Unknown => {}
            }
        }
        if candidates == 0 {
            return None;
        }
        let closed = |highest: i32, gap| Some(highest.max(self.cover_deficit(gap, residents)?));
        let highest = gaps.iter_mut().try_fold(i32::MIN, closed)?;
        let count = at_least(gaps);
        let least = NodeVictimBound {
            lower_bounds: self,
            cluster,
            node_pods: residents,
            deficits: gaps,
            candidates,
            highest,
            count,
            extremes: OnceCell::new(),
        };
        Some((context.laws.plan_orders.nodes.by.lower_bound)(&least))
    }

    /// Returns every candidate on a node. `None`: the pods of the node must be examined one by one.
    pub fn candidates(
        &mut self,
        cluster: &Cluster,
        context: &mut PreemptionContext<'_>,
        ix: NodeIx,
    ) -> Option<Vec<PodIx>> {
        if self.is_unavailable || self.nodes_without_bound.contains(&ix) {
            return None;
        }
        let mut candidates = Vec::new();
        for resident in cluster.node_pods().on(ix) {
            match self.victim_status(cluster, context, resident) {
                VictimStatus::Candidate => candidates.push(resident.pod),
                VictimStatus::Protected => {}
                VictimStatus::PerPod | VictimStatus::Unknown => return None,
            }
        }
        Some(candidates)
    }

    fn is_candidate(&self, class: VictimClassIx) -> bool {
        let at = usize::try_from(class.0).unwrap_or(usize::MAX);
        self.victim_statuses.get(at) == Some(&VictimStatus::Candidate)
    }

    fn share(&self, class: VictimClassIx) -> i64 {
        let at = usize::try_from(class.0).unwrap_or(usize::MAX);
        self.shares.get(at).copied().unwrap_or(0)
    }

    /// Returns the part of the cluster that is missing on a node.
    fn deficit_share(&self, cluster: &Cluster, gap: &ResourceDeficit) -> i64 {
        let known = self.deficit_shares.get(gap.resource);
        if let Some((missing, share)) = known.map(Cell::get)
            && missing == gap.missing
        {
            return share;
        }
        let share = cluster.share_of(gap.resource_index, gap.missing);
        known.into_iter().for_each(|known| known.set((gap.missing, share)));
        share
    }

    /// Returns the priority of the last of the least important candidates among these pods that close a gap. `None`: all of them together do not
    /// close it.
    fn cover_deficit(&self, gap: &mut ResourceDeficit, residents: &[NodePod]) -> Option<i32> {
        let of_class = self.freed_by_class.get(gap.resource).map(Vec::as_slice).unwrap_or_default();
        let (mut freed, mut closing) = (0i64, None);
        for resident in residents {
            let frees = of_class.get(usize::try_from(resident.class.0).unwrap_or(usize::MAX)).copied().unwrap_or(0);
            freed = freed.saturating_add(frees);
            gap.largest = gap.largest.max(frees);
            if closing.is_none() && freed >= gap.missing {
                closing = Some(resident.priority);
            }
        }
        closing
    }

    /// Returns the result of the guards for a pod, judged once for its class.
    fn victim_status(
        &mut self,
        cluster: &Cluster,
        context: &mut PreemptionContext<'_>,
        resident: &NodePod,
    ) -> VictimStatus {
        let at = usize::try_from(resident.class.0).unwrap_or(usize::MAX);
        match self.victim_statuses.get(at) {
            Some(VictimStatus::Unknown) => self.judge_pod(cluster, context, (at, resident.pod)),
            known => known.copied().unwrap_or(VictimStatus::PerPod),
        }
    }

    #[cold]
    fn judge_pod(
        &mut self,
        cluster: &Cluster,
        context: &mut PreemptionContext<'_>,
        (at, ix): (usize, PodIx),
    ) -> VictimStatus {
        let Some(pod) = cluster.pod(ix) else { return VictimStatus::PerPod };
        let standing = if self.is_unavailable || pod.is_leaving() || !pod.frees_its_request() {
            VictimStatus::PerPod
        } else if !context.check_candidate(cluster, ix) {
            VictimStatus::Protected
        } else if context.laws.plan_orders.nodes.by.is_free(cluster, pod, &NO_PODS) {
            // The pod costs less than its priority and its size say, and so do the other pods of its class, which are of the same gang.
            VictimStatus::PerPod
        } else {
            VictimStatus::Candidate
        };
        if let Some(slot) = self.victim_statuses.get_mut(at) {
            *slot = standing;
        }
        if standing == VictimStatus::Candidate {
            self.record_candidate(cluster, at, pod);
        }
        standing
    }

    /// Records the amounts that a candidate of a class frees, and its share of the cluster.
    fn record_candidate(&mut self, cluster: &Cluster, class: usize, pod: &PodInfo) {
        if let Some(share) = self.shares.get_mut(class) {
            *share = cluster.pod_share(pod);
        }
        for (of_class, resource) in self.freed_by_class.iter_mut().zip(&self.resources) {
            if let Some(frees) = of_class.get_mut(class) {
                *frees = pod.request().get(*resource);
            }
        }
    }
}
