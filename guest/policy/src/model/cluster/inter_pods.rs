//! Constraints between pods: storing, counting and checking them.

use super::*;

/// The maximum number of pods for which another order is sought.
const IN_ANY_ORDER: usize = 16;

/// Nominated pods that must stay allowed on their nodes.
#[derive(Debug, Clone, Default)]
pub struct NominatedConstraints {
    /// The nominated pods with their nodes.
    pods: Vec<(PodIx, NodeIx)>,
    /// The leaving pods with their nodes. The nominated pods wait for these to be gone.
    leaving: Vec<(PodIx, NodeIx)>,
}

impl Cluster {
    /// Stores a topology that is new or has changed. It counts after [`settle_inter_pods`](Cluster::settle_inter_pods).
    pub fn set_topology(&mut self, ix: TopologyIx, topology: TopologyDomains) {
        self.inter_pods.set_topology(ix, topology);
    }

    /// Stores the constraints of some pods that are new or have changed. They count after [`settle_inter_pods`](Cluster::settle_inter_pods).
    pub fn set_inter_pod(&mut self, ix: InterPodIx, inter_pod: InterPodConstraints) {
        self.inter_pods.set(ix, inter_pod);
    }

    /// Returns the number of topology numbers in use, free ones included.
    pub fn topology_count(&self) -> usize {
        self.inter_pods.counts().0
    }

    /// Returns the number of inter-pod numbers in use, free ones included.
    pub fn inter_pod_count(&self) -> usize {
        self.inter_pods.counts().1
    }

    /// Recounts the pods if topologies, nodes or constraints between pods have changed. Constraints must not be checked before that.
    pub fn settle_inter_pods(&mut self) {
        if !self.inter_pods.is_outdated() {
            return;
        }
        self.version = self.version.wrapping_add(1);
        let (nodes, pods) = (&self.nodes, self.pods.iter());
        let on_nodes = pods.filter_map(|(_, pod)| Some((pod.inter_pod?, pod.place.node()?, pod.terminating)));
        self.inter_pods.make_anew(|node| nodes.get(node).is_some(), on_nodes);
    }

    /// Returns the constraints between pods.
    pub(in crate::model) fn inter_pods(&self) -> &InterPodState {
        &self.inter_pods
    }

    /// Checks whether any constraint between pods concerns a pod.
    pub fn is_between(&self, pod: PodIx) -> bool {
        self.inter_pod_of(pod).is_some()
    }

    /// Checks that no constraint between pods concerns a pod or any pod that is evicted with it.
    pub(in crate::model) fn is_alone(&self, ix: PodIx) -> bool {
        self.pod(ix).is_none_or(|pod| pod.inter_pod.is_none() && pod.name.kind == PodKind::Pod)
            && !(self.has_whole_groups() && self.whole_group(ix).is_some())
    }

    fn inter_pod_of(&self, pod: PodIx) -> Option<InterPodIx> {
        self.pod(pod).and_then(|pod| pod.inter_pod)
    }

    /// Checks whether the other pods allow a pod on a node. A pod that is on a node already must be removed from it in `what_if`.
    pub fn inter_pod_allows(
        &self,
        pod: PodIx,
        node: NodeIx,
        what_if: &DomainCountOverlay,
    ) -> Result<(), InterPodViolation> {
        self.inter_pod_of(pod).map_or(Ok(()), |ix| self.inter_pods.allows(ix, node, what_if))
    }

    /// Returns those of the promised pods that must stay allowed on their nodes. Empty where no constraint between pods concerns the tried pod.
    pub fn nominated_between(&self, asker: PodIx, promised: impl Fn(&NodeInfo) -> Vec<PodIx>) -> NominatedConstraints {
        if !self.is_between(asker) {
            return NominatedConstraints::default();
        }
        let between = self.nominated().filter(|(_, pod)| pod.inter_pod.is_some());
        let nodes: BTreeSet<NodeIx> = between.filter_map(|(_, pod)| pod.nominated).collect();
        let on = |ix: NodeIx| self.node(ix).map(&promised).into_iter().flatten().map(move |pod| (pod, ix));
        let pods: Vec<(PodIx, NodeIx)> =
            nodes.into_iter().flat_map(on).filter(|(pod, _)| self.is_between(*pod)).collect();
        let leaving = self.pods().filter(|(_, pod)| !pods.is_empty() && pod.inter_pod.is_some() && pod.is_leaving());
        let leaving = leaving.filter_map(|(ix, pod)| Some((ix, pod.place.node()?))).collect();
        NominatedConstraints { pods, leaving }
    }

    /// Checks whether the other pods allow a pod on a node, both without the nominated pods and with them on their nodes. Then checks whether the
    /// nominated pods that were allowed stay allowed there, in a cluster without the leaving pods. So a nomination keeps its domain, not only the
    /// capacity of its node. Upstream counts the pods that are nominated to the node itself (`RunFilterPluginsWithNominatedPods`). There, a pod that
    /// is bound nearby is evicted for the nominated pod, created again and bound nearby, without end.
    pub fn inter_pod_allows_beside(
        &self,
        pod: PodIx,
        node: NodeIx,
        what_if: &DomainCountOverlay,
        nominated: &NominatedConstraints,
    ) -> Result<(), InterPodViolation> {
        self.inter_pod_allows(pod, node, what_if)?;
        let nominated_pods = &nominated.pods;
        if nominated_pods.is_empty() || !self.is_between(pod) {
            return Ok(());
        }
        let mut with = what_if.clone();
        nominated_pods.iter().for_each(|(other, at)| with.place(self, *other, *at));
        self.inter_pod_allows(pod, node, &with)?;
        with.leave(self, &nominated.leaving);
        match self.displaces_any((pod, node), &with, nominated_pods) {
            true => Err(InterPodViolation::Nominated),
            false => Ok(()),
        }
    }

    /// Returns whether the other pods allow a pod that has a node in the books to stay there.
    pub fn stays_allowed(&self, pod: PodIx, node: NodeIx) -> bool {
        let mut others = DomainCountOverlay::default();
        others.remove(self, pod, node);
        self.inter_pod_allows(pod, node, &others).is_ok()
    }

    /// Returns whether a pod on `node` would displace one of these nominated pods, which would no longer be allowed on its node. The nominated pods
    /// are on their nodes in the books or in `what_if`, and `pod` is on none.
    pub fn displaces_any(
        &self,
        (pod, node): (PodIx, NodeIx),
        what_if: &DomainCountOverlay,
        nominated: &[(PodIx, NodeIx)],
    ) -> bool {
        nominated.iter().any(|(other, at)| {
            let mut others = what_if.clone();
            others.remove(self, *other, *at);
            let is_allowed = self.inter_pod_allows(*other, *at, &others).is_ok();
            others.place(self, pod, node);
            is_allowed && self.inter_pod_allows(*other, *at, &others).is_err()
        })
    }

    /// Returns the first of these pods that the others do not allow on its node: its position and the reason. The pods are on these nodes in the
    /// books or in `what_if`. Each is checked with those before it, and with the nominated pods. `None`: all are allowed.
    pub fn first_disallowed(
        &self,
        placed: &[(PodIx, NodeIx)],
        what_if: &DomainCountOverlay,
        nominated: &NominatedConstraints,
    ) -> Option<(usize, InterPodViolation)> {
        self.first_lack(placed, what_if, |at, what_if| self.inter_pod_allows_beside(at.0, at.1, what_if, nominated))
    }

    /// Returns the first disallowed pod like [`Cluster::first_disallowed`], for pods that are nominated together: each also leaves those before it
    /// allowed. None of them is tried without the others on their nodes, so a pod that fits only before another one would never run.
    pub fn first_disallowed_together(
        &self,
        placed: &[(PodIx, NodeIx)],
        what_if: &DomainCountOverlay,
        nominated: &NominatedConstraints,
    ) -> Option<(usize, InterPodViolation)> {
        let mut before = Vec::with_capacity(placed.len());
        self.first_lack(placed, what_if, |at, what_if| {
            self.inter_pod_allows_beside(at.0, at.1, what_if, nominated)?;
            let displaces = self.is_between(at.0) && self.displaces_any(at, what_if, &before);
            before.push(at);
            if displaces { Err(InterPodViolation::Nominated) } else { Ok(()) }
        })
    }

    /// Returns these pods in an order in which each is allowed and leaves those before it allowed: a pod may fit only once another one is there. At
    /// each step, the first pod that can come next is taken. `None`: that leads to no order, or there are more than 16 pods.
    pub fn in_allowed_order(
        &self,
        placed: &[(PodIx, NodeIx)],
        what_if: &DomainCountOverlay,
        nominated: &NominatedConstraints,
    ) -> Option<Vec<(PodIx, NodeIx)>> {
        if self.first_disallowed_together(placed, what_if, nominated).is_none() {
            return Some(placed.to_vec());
        }
        let (mut order, mut left) = (Vec::with_capacity(placed.len()), placed.to_vec());
        while !left.is_empty() && placed.len() <= IN_ANY_ORDER {
            let may_come = |next: &(PodIx, NodeIx)| {
                let mut before = what_if.clone();
                left.iter().filter(|other| *other != next).for_each(|(pod, node)| before.remove(self, *pod, *node));
                let with: Vec<(PodIx, NodeIx)> = order.iter().chain([next]).copied().collect();
                self.first_disallowed_together(&with, &before, nominated).is_none()
            };
            let next = left.iter().position(may_come)?;
            order.push(left.remove(next));
        }
        left.is_empty().then_some(order)
    }

    /// Places these pods one after the other. Returns the first one with a lack before it is placed: its position and the lack.
    fn first_lack(
        &self,
        placed: &[(PodIx, NodeIx)],
        what_if: &DomainCountOverlay,
        mut lack: impl FnMut((PodIx, NodeIx), &DomainCountOverlay) -> Result<(), InterPodViolation>,
    ) -> Option<(usize, InterPodViolation)> {
        if !placed.iter().any(|(pod, _)| self.is_between(*pod)) {
            return None;
        }
        let mut what_if = what_if.clone();
        placed.iter().for_each(|(pod, node)| what_if.remove(self, *pod, *node));
        placed.iter().enumerate().find_map(|(place, at)| {
            let lack = lack(*at, &what_if);
            what_if.place(self, at.0, at.1);
            lack.err().map(|lack| (place, lack))
        })
    }

    /// Checks whether one pod can make a node of the same domain impossible for the other, because of constraints between them.
    pub fn is_in_the_way(&self, pod: PodIx, other: PodIx) -> bool {
        let both = self.inter_pod_of(pod).zip(self.inter_pod_of(other));
        both.is_some_and(|(ix, other)| self.inter_pods.is_in_the_way(ix, other))
    }

    /// Checks whether a node that does not take a pod may take it once more pods are placed: the pod has affinity or a spread constraint.
    pub fn may_gain(&self, pod: PodIx) -> bool {
        self.inter_pod_of(pod).is_some_and(|ix| self.inter_pods.may_gain(ix))
    }

    /// Checks whether a pod needs other pods in its domain.
    pub fn needs_company(&self, pod: PodIx) -> bool {
        self.inter_pod_of(pod).is_some_and(|ix| self.inter_pods.needs_company(ix))
    }
}
