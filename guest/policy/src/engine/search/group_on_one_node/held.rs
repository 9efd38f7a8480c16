//! The nodes that waiting pods of DaemonSets will hold.
//!
//! YuniKorn's design, Preemption Logic: nothing else is scheduled on the node of a DaemonSet's pod until that pod runs. If the node has too
//! little room for that pod together with the preemptor, that pod holds the node. Evictions there for the preemptor would delay that pod or
//! be in vain.

use std::collections::BTreeMap;

use super::{PodToPlace, PreemptionContext};
use crate::laws::{LawContext, Preemptor};
use crate::model::{Amounts, Cluster, NodeIx, PodIx};

/// The waiting pods of DaemonSets that may run on one node only, by that node.
pub(super) struct PinnedDaemonPods(BTreeMap<NodeIx, Vec<PodIx>>);

impl PinnedDaemonPods {
    /// Returns the pods that wait for a node. Empty for a preemptor that is such a pod itself: the law about reserved nodes decides
    /// between two of them.
    pub fn new(cluster: &Cluster, context: &PreemptionContext<'_>) -> PinnedDaemonPods {
        let mut waiting: BTreeMap<NodeIx, Vec<PodIx>> = BTreeMap::new();
        if context.preemptor.required_node_reservation.is_none() {
            for ix in cluster.pinned_daemon_pods() {
                let Some((pod, node)) = cluster.pod(ix).and_then(|pod| Some((pod, pod.pinned_daemon_node()?))) else {
                    continue;
                };
                if cluster.can_get_required_node(pod, node) {
                    waiting.entry(node).or_default().push(ix);
                }
            }
        }
        PinnedDaemonPods(waiting)
    }

    /// Returns whether a waiting pod of a DaemonSet will hold a node. With every pod evicted that may be evicted for it, the node has too little
    /// capacity for the waiting pods and the preemptor. Returns `false` where the preemptor is nominated to that node.
    pub fn will_take_node(
        &self,
        cluster: &Cluster,
        context: &PreemptionContext<'_>,
        ask: &PodToPlace<'_>,
        ix: NodeIx,
    ) -> bool {
        let Some(waiting) = self.0.get(&ix) else { return false };
        if cluster.pod(ask.pod).is_some_and(|pod| pod.state.nominated == Some(ix)) {
            return false;
        }
        let rooms: Vec<(PodIx, Amounts)> =
            waiting.iter().filter_map(|pod| Some((*pod, max_capacity(cluster, context, ix, *pod)?))).collect();
        let requests = || rooms.iter().filter_map(|(pod, _)| Some(cluster.pod(*pod)?.request())).chain([ask.request]);
        rooms.iter().any(|(_, room)| {
            let mut room = room.clone();
            requests().any(|request| {
                let lacks = room.lacks(request).is_some();
                room.subtract(request);
                lacks
            })
        })
    }
}

/// Returns the capacity of a node for a pod of a DaemonSet, with every pod evicted that may be evicted for it. `None`: the pod will hold no node,
/// because it is never tried, may evict no pod, or does not fit into its queue.
fn max_capacity(cluster: &Cluster, context: &PreemptionContext<'_>, ix: NodeIx, pod: PodIx) -> Option<Amounts> {
    let (node, laws) = (cluster.node(ix)?, context.laws);
    let preemptor = Preemptor::of(cluster, laws, pod, vec![pod])?;
    let case = preemptor.context_for_plan(cluster, context.ledger);
    if case
        .first_failed_check(&laws.preconditions.unresolvable)
        .or_else(|| case.first_failed_check(&laws.preconditions.preemption))
        .is_some()
    {
        return None;
    }
    let is_there = |other: &PodIx| cluster.pod(*other).is_some_and(|other| other.node() == Some(ix));
    let there = node.pods.iter().copied().filter(is_there);
    let group: Vec<PodIx> = there.filter(|other| case.first_denial(&laws.victim_filters, *other).is_none()).collect();
    if (LawContext { victims: &group, ..case }).first_failed_check(&laws.plan_invariants).is_some() {
        return None;
    }
    let mut room = node.free.clone();
    cluster.nominated_any_priority(node, pod).filter(|(other, _)| *other != context.preemptor.pod).for_each(
        |(_, other)| {
            room.subtract(other.request());
        },
    );
    group.iter().for_each(|other| room.add(&cluster.freed_by_eviction(*other)));
    Some(room)
}
