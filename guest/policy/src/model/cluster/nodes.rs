//! Nodes: what they have, who may run there, what is left.

use super::*;
use crate::model::index::Index;
use crate::model::rank::Added;

/// No pod.
static NOBODY: BTreeSet<PodIx> = BTreeSet::new();

impl Cluster {
    /// A node is new or has changed; nothing has where what it has cannot be counted.
    pub fn upsert_node(
        &mut self,
        ix: NodeIx,
        name: String,
        named: impl IntoIterator<Item = (ResourceIx, i64)>,
    ) -> Result<(), Overflow> {
        let mut allocatable = Amounts::default();
        for (resource, info) in (0u32..).map(ResourceIx).zip(&self.resources) {
            allocatable.set(resource, info.everywhere);
        }
        for (resource, amount) in named {
            allocatable.set(resource, amount);
        }
        let has = |resource| self.node(ix).map_or(0, |old| old.allocatable.get(resource));
        self.allocatable.admit(has, allocatable.iter())?;
        self.allocatable.add(allocatable.iter());
        let old = self.forget_node(ix);
        if old.as_ref().is_none_or(|old| old.name != name) {
            self.node_order.outdate();
        }
        if let Some(old) = old.as_ref().filter(|old| old.name != name) {
            self.node_ranks.remove(&old.name);
        }
        let (pods, nominated) = match old {
            Some(old) => (old.pods, old.nominated),
            None => {
                self.inter_pods.outdate();
                self.pods_naming(ix)
            }
        };
        let (rank, free) = (self.rank_node(&name), self.free(&allocatable, &pods));
        self.nodes.insert(ix, Node { name, rank, allocatable, free, pods, nominated });
        self.rooms.outdate(ix);
        self.residents.outdate(ix);
        Ok(())
    }

    /// A node is gone.
    pub fn remove_node(&mut self, ix: NodeIx) {
        if let Some(node) = self.forget_node(ix) {
            self.node_ranks.remove(&node.name);
            self.node_order.outdate();
            self.inter_pods.outdate();
        }
    }

    fn forget_node(&mut self, ix: NodeIx) -> Option<Node> {
        self.version = self.version.wrapping_add(1);
        let node = self.nodes.remove(ix)?;
        self.rooms.outdate(ix);
        self.residents.outdate(ix);
        self.allocatable.subtract(node.allocatable.iter());
        Some(node)
    }

    /// The share of a resource that is all of it (see [`Cluster::dominant_share`]).
    pub const WHOLE_SHARE: i64 = 1 << 40;

    /// Returns the largest share that a request is of what all nodes have of a resource, in units of 1 / [`Cluster::WHOLE_SHARE`], rounded
    /// down.
    pub fn dominant_share(&self, request: &Request) -> i64 {
        request.iter().map(|(resource, amount)| self.share_of(resource, amount)).max().unwrap_or(0)
    }

    /// Returns the share that an amount is of what all nodes have of a resource, in the same units.
    pub fn share_of(&self, resource: ResourceIx, amount: i64) -> i64 {
        let all = self.allocatable.get(resource);
        let share = i128::from(amount).saturating_mul(i128::from(Self::WHOLE_SHARE)).checked_div(all);
        share.and_then(|share| i64::try_from(share).ok()).unwrap_or(Self::WHOLE_SHARE)
    }

    /// The nodes in the order of their names, as it was when a search was prepared.
    pub fn nodes_in_order(&self) -> &[NodeIx] {
        self.node_order.nodes()
    }

    /// The nodes that pods of a shape may run on have become known: one bit a node.
    pub fn set_eligible(&mut self, shape: ShapeIx, nodes: Vec<u64>) {
        self.shapes.insert(shape, nodes);
    }

    /// How many shapes are known.
    pub fn shape_count(&self) -> usize {
        self.shapes.span()
    }

    /// Whether pods of a shape may run on a node, regardless of the other pods.
    pub fn eligible(&self, shape: ShapeIx, node: NodeIx) -> bool {
        let at = node.at();
        let word = self.eligible_words(shape).get(at >> 6).copied().unwrap_or(0);
        (word >> (at & 63)) & 1 == 1
    }

    /// The nodes that pods of a shape may run on, one bit a node; those that the list does not name are not among them.
    pub fn eligible_words(&self, shape: ShapeIx) -> &[u64] {
        self.shapes.get(shape).map_or(&[], Vec::as_slice)
    }

    /// The requests for which room is kept on a node before `preemptor` may have it: pods nominated there that are no less
    /// important (kube-scheduler, `RunFilterPluginsWithNominatedPods`).
    pub fn promised<'a>(&'a self, node: &'a Node, preemptor: PodIx) -> impl Iterator<Item = (PodIx, &'a Pod)> {
        let priority = self.pod(preemptor).map_or(i32::MIN, |pod| pod.priority());
        self.promised_from(node, preemptor, priority, &NOBODY)
    }

    /// Returns the same for a preemptor that counts as a pod of this priority; and the pods of a lower one whose nominations are closed
    /// to it.
    pub fn promised_from<'a>(
        &'a self,
        node: &'a Node,
        preemptor: PodIx,
        priority: i32,
        closed: &'a BTreeSet<PodIx>,
    ) -> impl Iterator<Item = (PodIx, &'a Pod)> {
        let others = node.nominated.iter().filter(move |pod| **pod != preemptor);
        others
            .filter_map(|ix| Some((*ix, self.pod(*ix)?)))
            .filter(move |(ix, pod)| pod.is_pending() && (pod.priority() >= priority || closed.contains(ix)))
    }

    /// The pods for which room is kept on a node before `preemptor` may have it, whatever their priority. A DaemonSet's pod that may run
    /// nowhere else goes before all but its like.
    pub fn nominated_on<'a>(&'a self, node: &'a Node, preemptor: PodIx) -> impl Iterator<Item = (PodIx, &'a Pod)> {
        let required_node_reservation =
            self.pod(preemptor).is_some_and(|pod| pod.required_node_reservation().is_some());
        let others = node.nominated.iter().filter(move |pod| **pod != preemptor);
        others.filter_map(|ix| Some((*ix, self.pod(*ix)?))).filter(move |(_, pod)| {
            pod.is_pending() && (!required_node_reservation || pod.required_node_reservation().is_some())
        })
    }

    /// Whether a node is kept as a whole for another pod than this one: a DaemonSet's that was nominated to it, or that was tried
    /// and found no room there. The latter is kept for only from pods that may run elsewhere.
    pub fn is_reserved_for_another(&self, ix: NodeIx, node: &Node, preemptor: PodIx) -> bool {
        let waits = |pod: &PodIx| {
            self.pod(*pod).is_some_and(|pod| pod.is_pending() && pod.required_node_reservation() == Some(ix))
        };
        let required_node_reservation =
            self.pod(preemptor).is_some_and(|pod| pod.required_node_reservation().is_some());
        self.nominated_on(node, preemptor).any(|(_, pod)| pod.required_node_reservation().is_some())
            || !required_node_reservation && self.required_node_reservations.iter().any(waits)
    }

    /// The pods of DaemonSets for which their node is kept since they were tried in vain.
    pub fn required_node_reservations(&self) -> impl Iterator<Item = PodIx> + '_ {
        self.required_node_reservations.iter().copied()
    }

    /// A pod of a DaemonSet was tried and found no room on its node. Nothing where the node will never have room for it.
    pub fn reserve_required_node(&mut self, ix: PodIx) {
        let Some(pod) = self.pod(ix) else { return };
        let node = pod
            .required_node_reservation()
            .filter(|node| self.eligible(pod.shape, *node))
            .and_then(|node| self.node(node));
        if node.is_some_and(|node| node.allocatable.lacks(&pod.request).is_none()) {
            self.required_node_reservations.insert(ix);
        }
    }

    /// What these pods, all there are on a node, leave of it.
    pub(super) fn free(&self, allocatable: &Amounts, pods: &[PodIx]) -> Amounts {
        let mut free = allocatable.clone();
        let mut reservation_groups = BTreeSet::new();
        for pod in pods.iter().filter_map(|pod| self.pods.get(*pod)) {
            match self.reservation_group_of(pod).zip(pod.place.node()) {
                None => free.subtract(&pod.request),
                Some((reservation_group, node)) if reservation_groups.insert(reservation_group) => {
                    free.subtract(&self.reservation_group_holds(Some(reservation_group), node, None));
                }
                Some(_) => {}
            }
        }
        free
    }

    fn rank_node(&mut self, name: &str) -> u64 {
        if let Added::Rank(rank) = self.node_ranks.add(name.to_owned()) {
            return rank;
        }
        let ranks = &self.node_ranks;
        for (_, node) in self.nodes.iter_mut() {
            node.rank = ranks.get(&node.name).unwrap_or(node.rank);
        }
        ranks.get(&name.to_owned()).unwrap_or(0)
    }

    /// Pods that were told of before the node they name.
    fn pods_naming(&self, node: NodeIx) -> (Vec<PodIx>, Vec<PodIx>) {
        let naming = |of: fn(&Pod) -> Option<NodeIx>| {
            self.pods.iter().filter(|(_, pod)| of(pod) == Some(node)).map(|(ix, _)| ix).collect()
        };
        (naming(|pod| pod.place.node()), naming(|pod| pod.nominated))
    }
}
