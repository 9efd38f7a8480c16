//! Required nodes: the nodes that are kept for pods of DaemonSets, and the rooms that are kept for nominated pods.
//!
//! YuniKorn's design, Preemption Logic: a reservation guarantees that the pod for which others were evicted runs on that node; and nothing
//! else is scheduled on the node of a DaemonSet's pod until that pod runs. The earlier of the two reservations is kept.

use super::*;

impl Cluster {
    /// Returns the pending pods that are nominated to a node, except `preemptor`. Their capacity is kept for them, whatever the priorities.
    pub fn nominated_any_priority<'a>(
        &'a self,
        node: &'a NodeInfo,
        preemptor: PodIx,
    ) -> impl Iterator<Item = (PodIx, &'a PodInfo)> {
        let others = node.nominated.iter().filter(move |pod| **pod != preemptor);
        others.filter_map(|ix| Some((*ix, self.pod(*ix)?))).filter(|(_, pod)| pod.is_pending())
    }

    /// Returns whether a whole node is kept for another pod than `preemptor`: for a pod of a DaemonSet that is nominated to the node, or that was
    /// tried and did not fit there. In the second case the node is kept only from pods that may run elsewhere. A pod that is nominated to the node
    /// keeps its own capacity there.
    pub fn is_pinned_for_other(&self, ix: NodeIx, node: &NodeInfo, preemptor: PodIx) -> bool {
        let asker = self.pod(preemptor);
        if asker.is_some_and(|asker| asker.state.nominated == Some(ix)) {
            return false;
        }
        let may_run_elsewhere = asker.is_none_or(|asker| asker.pinned_daemon_node().is_none());
        let keeps = |pod: PodIx| self.pod(pod).is_some_and(|pod| self.can_get_required_node(pod, ix));
        self.nominated_any_priority(node, preemptor).any(|(pod, _)| keeps(pod))
            || may_run_elsewhere && self.pods.required_node_reservations.iter().any(|pod| keeps(*pod))
    }

    /// Returns the pending pods of DaemonSets that may run on one node only.
    pub fn pinned_daemon_pods(&self) -> impl Iterator<Item = PodIx> + '_ {
        self.pods.pinned_daemon_pods.iter().copied()
    }

    /// Returns the pods of DaemonSets whose required node is kept for them, because they were tried in vain.
    pub fn required_node_reservations(&self) -> impl Iterator<Item = PodIx> + '_ {
        self.pods.required_node_reservations.iter().copied()
    }

    /// Keeps the required node of a DaemonSet's pod, which was tried and did not fit there. Does nothing where the pod can never have that node.
    pub fn pin_required_node(&mut self, ix: PodIx) {
        let node = self.pod(ix).and_then(|pod| Some((pod, pod.pinned_daemon_node()?)));
        if node.is_some_and(|(pod, node)| self.can_get_required_node(pod, node)) {
            self.pods.required_node_reservations.insert(ix);
        }
    }

    /// Ends the reservation of the required node of a pod, for a reason that the node cannot mend.
    pub fn release_required_node(&mut self, ix: PodIx) {
        self.pods.required_node_reservations.remove(&ix);
    }

    /// Returns whether a pod of a DaemonSet waits for this node, its required one, and can have it one day. It can if the pod may run there and be
    /// tried, and the node is large enough for it together with the pods of other DaemonSets. Those are never evicted, and stay as long as the node
    /// does; every other pod ends.
    pub fn can_get_required_node(&self, pod: &PodInfo, ix: NodeIx) -> bool {
        let waits = pod.is_schedulable() && pod.pinned_daemon_node() == Some(ix);
        let Some(node) = self.node(ix).filter(|_| waits && self.eligible(pod.requirements.shape, ix)) else {
            return false;
        };
        let mut room = node.allocatable.clone();
        let stays =
            |other: &&PodInfo| other.controller.is_daemon_set && other.node() == Some(ix) && !other.is_leaving();
        let others = node.pods.iter().filter_map(|other| self.pod(*other));
        others.filter(stays).for_each(|other| room.subtract(other.request()));
        room.lacks(pod.request()).is_none()
    }
}
