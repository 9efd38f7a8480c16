//! Nodes: their allocatable amounts, the pods that may run there, and the amounts that are left.

use super::*;
use crate::model::index::TableIndex;
use crate::model::rank::RankChange;
use crate::model::totals::ResourceTotals;

impl Cluster {
    /// Adds or updates a node. The error says that the sum of a resource over all nodes would overflow; then nothing changes.
    pub fn upsert_node(
        &mut self,
        ix: NodeIx,
        name: String,
        named: impl IntoIterator<Item = (ResourceIx, i64)>,
    ) -> Result<(), SumOverflow> {
        let mut allocatable = Amounts::default();
        for (resource, info) in (0u32..).map(ResourceIx).zip(&self.resources.announced) {
            allocatable.set(resource, info.everywhere);
        }
        for (resource, amount) in named {
            allocatable.set(resource, amount);
        }
        let has = |resource| self.node(ix).map_or(0, |old| old.allocatable.get(resource));
        self.resources.allocatable.check_sum_fits(has, allocatable.iter())?;
        self.resources.allocatable.add(allocatable.iter());
        self.requirements.classes.forget_shares();
        let old = self.forget_node(ix);
        if old.as_ref().is_none_or(|old| old.name != name) {
            self.nodes.order.mark_stale();
        }
        if let Some(old) = old.as_ref().filter(|old| old.name != name) {
            self.nodes.ranks.remove(&old.name);
        }
        let (pods, nominated) = match old {
            Some(old) => (old.pods, old.nominated),
            None => {
                self.requirements.inter_pods.mark_stale();
                self.pods_naming(ix)
            }
        };
        let (rank, free) = (self.rank_node(&name), self.free(&allocatable, &pods));
        self.nodes.table.insert(ix, NodeInfo { name, rank, allocatable, free, pods, nominated });
        self.nodes.mark_stale(ix);
        Ok(())
    }

    /// Removes a node.
    pub fn remove_node(&mut self, ix: NodeIx) {
        if let Some(node) = self.forget_node(ix) {
            self.nodes.ranks.remove(&node.name);
            self.nodes.order.mark_stale();
            self.requirements.inter_pods.mark_stale();
        }
    }

    fn forget_node(&mut self, ix: NodeIx) -> Option<NodeInfo> {
        self.version = self.version.wrapping_add(1);
        let node = self.nodes.table.remove(ix)?;
        self.nodes.mark_stale(ix);
        self.resources.allocatable.subtract(node.allocatable.iter());
        self.requirements.classes.forget_shares();
        Some(node)
    }

    /// Returns what all nodes have together of a resource.
    pub fn allocatable(&self, resource: ResourceIx) -> i64 {
        i64::try_from(self.resources.allocatable.get(resource)).unwrap_or(i64::MAX)
    }

    /// Returns the part of the whole cluster that a request is, in parts per billion: the sum over the resources that nodes have.
    pub fn cluster_share(&self, request: &ResourceRequest) -> i64 {
        cluster_share(&self.resources.allocatable, request)
    }

    /// Returns the part of the whole cluster that a pod requests (see [`Cluster::cluster_share`]).
    pub fn pod_share(&self, pod: &PodInfo) -> i64 {
        self.requirements.classes.share(pod.requirements.class).unwrap_or_else(|| self.cluster_share(pod.request()))
    }

    /// Returns the part of a resource of the whole cluster that an amount is, in parts per billion, rounded down; 0 where no node has it.
    pub fn share_of(&self, resource: ResourceIx, amount: i64) -> i64 {
        share_of(&self.resources.allocatable, resource, amount)
    }

    /// Returns the nodes in the order of their names, as it was when a search was prepared.
    pub fn nodes_in_order(&self) -> &[NodeIx] {
        self.nodes.order.nodes()
    }

    /// Sets the nodes that pods of a shape may run on, one bit a node.
    pub fn set_eligible_nodes(&mut self, shape: ShapeIx, nodes: Vec<u64>) {
        // A host tells the nodes of a new pod before the pod: they are no change for pods that wait. The number may have been that of another shape.
        if self.requirements.shapes.get(shape).is_some_and(|known| *known != nodes)
            && self.requirements.classes.has_pods_of(shape)
        {
            self.record_change();
        }
        self.requirements.shapes.insert(shape, nodes);
    }

    /// Returns the number of shape numbers in use, free ones included.
    pub fn shape_count(&self) -> usize {
        self.requirements.shapes.len_with_holes()
    }

    /// Checks whether pods of a shape may run on a node, regardless of the other pods.
    pub fn eligible(&self, shape: ShapeIx, node: NodeIx) -> bool {
        let at = node.position();
        let word = self.eligible_node_bits(shape).get(at >> 6).copied().unwrap_or(0);
        (word >> (at & 63)) & 1 == 1
    }

    /// Returns the nodes that pods of a shape may run on, one bit a node. A missing bit means that they may not.
    pub fn eligible_node_bits(&self, shape: ShapeIx) -> &[u64] {
        self.requirements.shapes.get(shape).map_or(&[], Vec::as_slice)
    }

    /// Returns these pods by the number of nodes that they may run on and that are large enough when empty, the fewest first, otherwise unchanged:
    /// another pod may take any node, but a pod with one node needs that one. Looks at all nodes for each class of pods, if there are several.
    pub fn fewest_nodes_first(&self, mut pods: Vec<PodIx>) -> Vec<PodIx> {
        let known = pods.iter().filter_map(|ix| self.pod(*ix));
        let classes: BTreeMap<ClassIx, &PodInfo> = known.map(|pod| (pod.requirements.class, pod)).collect();
        if classes.len() < 2 {
            return pods;
        }
        let takes = |pod: &PodInfo, (ix, node): (NodeIx, &NodeInfo)| {
            self.eligible(pod.requirements.shape, ix) && node.allocatable.lacks(pod.request()).is_none()
        };
        let count = |pod| self.nodes().filter(|node| takes(pod, *node)).count();
        let counts: BTreeMap<ClassIx, usize> = classes.into_iter().map(|(class, pod)| (class, count(pod))).collect();
        pods.sort_by_key(|ix| self.pod(*ix).and_then(|pod| counts.get(&pod.requirements.class)));
        pods
    }

    /// Returns the pods whose capacity on a node is kept from `preemptor`: pods nominated there that are no less important (kube-scheduler,
    /// `RunFilterPluginsWithNominatedPods`).
    pub fn blocking_nominations<'a>(
        &'a self,
        node: &'a NodeInfo,
        preemptor: PodIx,
    ) -> impl Iterator<Item = (PodIx, &'a PodInfo)> {
        let priority = self.pod(preemptor).map_or(i32::MIN, |pod| pod.priority());
        self.blocking_nominations_from(node, preemptor, priority, &NO_PODS)
    }

    /// Checks whether a node is promised to a pod.
    pub fn is_nominated(&self, pod: PodIx) -> bool {
        self.pod(pod).is_some_and(|pod| pod.state.nominated.is_some())
    }

    /// Returns the promised pods like [`Cluster::blocking_nominations`], for a preemptor that counts as a pod of this priority. Pods of a lower
    /// priority are included if their nominations are closed to it.
    pub fn blocking_nominations_from<'a>(
        &'a self,
        node: &'a NodeInfo,
        preemptor: PodIx,
        priority: i32,
        closed: &'a BTreeSet<PodIx>,
    ) -> impl Iterator<Item = (PodIx, &'a PodInfo)> {
        let others = node.nominated.iter().filter(move |pod| **pod != preemptor);
        others
            .filter_map(|ix| Some((*ix, self.pod(*ix)?)))
            .filter(move |(ix, pod)| pod.is_pending() && (pod.priority() >= priority || closed.contains(ix)))
    }

    /// Returns the capacity that these pods leave free on a node. `pods` must be all pods of the node.
    pub(super) fn free(&self, allocatable: &Amounts, pods: &[PodIx]) -> Amounts {
        let mut free = allocatable.clone();
        let mut reservation_groups = BTreeSet::new();
        for pod in pods.iter().filter_map(|pod| self.pods.table.get(*pod)) {
            match self.reservation_group_of(pod).zip(pod.node()) {
                None => free.subtract(pod.request()),
                Some((reservation_group, node)) if reservation_groups.insert(reservation_group) => {
                    free.subtract(&self.reservation_group_request(Some(reservation_group), node, None));
                }
                Some(_) => {}
            }
        }
        free
    }

    fn rank_node(&mut self, name: &str) -> u64 {
        if let RankChange::Rank(rank) = self.nodes.ranks.add(name.to_owned()) {
            return rank;
        }
        let ranks = &self.nodes.ranks;
        for (_, node) in self.nodes.table.iter_mut() {
            node.rank = ranks.get(&node.name).unwrap_or(node.rank);
        }
        ranks.get(&name.to_owned()).unwrap_or(0)
    }

    /// Returns the pods on a node and the pods nominated to it. A host may announce such pods before the node itself.
    fn pods_naming(&self, node: NodeIx) -> (Vec<PodIx>, Vec<PodIx>) {
        let naming = |of: fn(&PodInfo) -> Option<NodeIx>| {
            self.pods.table.iter().filter(|(_, pod)| of(pod) == Some(node)).map(|(ix, _)| ix).collect()
        };
        (naming(|pod| pod.node()), naming(|pod| pod.state.nominated))
    }
}

/// Returns [`Cluster::cluster_share`], of these nodes.
pub(super) fn cluster_share(allocatable: &ResourceTotals, request: &ResourceRequest) -> i64 {
    request.iter().map(|(resource, amount)| share_of(allocatable, resource, amount)).fold(0, i64::saturating_add)
}

/// Returns [`Cluster::share_of`], of these nodes.
fn share_of(allocatable: &ResourceTotals, resource: ResourceIx, amount: i64) -> i64 {
    let part = i128::from(amount).saturating_mul(1_000_000_000).checked_div(allocatable.get(resource));
    part.map_or(0, |part| i64::try_from(part).unwrap_or(i64::MAX))
}
