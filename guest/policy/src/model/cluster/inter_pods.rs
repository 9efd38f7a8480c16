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
    /// Stores a topology that is new or has changed. It counts after [`rebuild_domain_counts`](Cluster::rebuild_domain_counts).
    pub fn set_topology(&mut self, ix: TopologyIx, topology: TopologyDomains) {
        self.requirements.inter_pods.set_topology(ix, topology);
    }

    /// Stores the constraints of some pods that are new or have changed. They count after [`rebuild_domain_counts`](Cluster::rebuild_domain_counts).
    pub fn set_inter_pod(&mut self, ix: InterPodIx, inter_pod: InterPodConstraints) {
        self.requirements.inter_pods.set(ix, inter_pod);
    }

    /// Returns the number of topology numbers in use, free ones included.
    pub fn topology_count(&self) -> usize {
        self.requirements.inter_pods.counts().0
    }

    /// Returns the number of inter-pod numbers in use, free ones included.
    pub fn inter_pod_count(&self) -> usize {
        self.requirements.inter_pods.counts().1
    }

    /// Recounts the pods if topologies, nodes or constraints between pods have changed. Constraints must not be checked before that.
    pub fn rebuild_domain_counts(&mut self) {
        if !self.requirements.inter_pods.is_stale() {
            return;
        }
        self.version = self.version.wrapping_add(1);
        let (nodes, pods) = (&self.nodes.table, self.pods.table.iter());
        let on_nodes =
            pods.filter_map(|(_, pod)| Some((pod.requirements.inter_pod?, pod.node()?, pod.state.terminating)));
        self.requirements.inter_pods.rebuild(|node| nodes.get(node).is_some(), on_nodes);
    }

    /// Returns the constraints between pods.
    pub(in crate::model) fn inter_pods(&self) -> &InterPodState {
        &self.requirements.inter_pods
    }

    /// Checks whether any constraint between pods concerns a pod.
    pub fn has_inter_pod_terms(&self, pod: PodIx) -> bool {
        self.inter_pod_of(pod).is_some()
    }

    /// Checks that no constraint between pods concerns a pod or any pod that is evicted with it.
    pub(in crate::model) fn is_unconstrained(&self, ix: PodIx) -> bool {
        self.pod(ix).is_none_or(|pod| pod.requirements.inter_pod.is_none() && pod.name.kind == PodKind::Pod)
            && !(self.has_disruption_groups() && self.disruption_group(ix).is_some())
    }

    fn inter_pod_of(&self, pod: PodIx) -> Option<InterPodIx> {
        self.pod(pod).and_then(|pod| pod.requirements.inter_pod)
    }

    /// Checks whether the other pods allow a pod on a node. A pod that is on a node already must be removed from it in `what_if`.
    pub fn inter_pod_allows(
        &self,
        pod: PodIx,
        node: NodeIx,
        what_if: &DomainCountOverlay,
    ) -> Result<(), InterPodViolation> {
        self.inter_pod_of(pod).map_or(Ok(()), |ix| self.requirements.inter_pods.allows(ix, node, what_if))
    }

    /// Returns those of the promised pods that must stay allowed on their nodes. Empty where no constraint between pods concerns the tried pod.
    pub fn nominated_constraints_for(
        &self,
        asker: PodIx,
        promised: impl Fn(&NodeInfo) -> Vec<PodIx>,
    ) -> NominatedConstraints {
        if !self.has_inter_pod_terms(asker) {
            return NominatedConstraints::default();
        }
        let between = self.nominated().filter(|(_, pod)| pod.requirements.inter_pod.is_some());
        let nodes: BTreeSet<NodeIx> = between.filter_map(|(_, pod)| pod.state.nominated).collect();
        let on = |ix: NodeIx| self.node(ix).map(&promised).into_iter().flatten().map(move |pod| (pod, ix));
        let pods: Vec<(PodIx, NodeIx)> =
            nodes.into_iter().flat_map(on).filter(|(pod, _)| self.has_inter_pod_terms(*pod)).collect();
        let leaving =
            self.pods().filter(|(_, pod)| !pods.is_empty() && pod.requirements.inter_pod.is_some() && pod.is_leaving());
        let leaving = leaving.filter_map(|(ix, pod)| Some((ix, pod.node()?))).collect();
        NominatedConstraints { pods, leaving }
    }

    /// Checks whether the other pods allow a pod on a node, both without the nominated pods and with them on their nodes. Then checks whether the
    /// nominated pods that were allowed stay allowed there, in a cluster without the leaving pods. So a nomination keeps its domain, not only the
    /// capacity of its node. Upstream counts the pods that are nominated to the node itself (`RunFilterPluginsWithNominatedPods`). There, a pod that
    /// is bound nearby is evicted for the nominated pod, created again and bound nearby, without end.
    pub fn allows_with_nominated(
        &self,
        pod: PodIx,
        node: NodeIx,
        what_if: &DomainCountOverlay,
        nominated: &NominatedConstraints,
    ) -> Result<(), InterPodViolation> {
        self.inter_pod_allows(pod, node, what_if)?;
        let nominated_pods = &nominated.pods;
        if nominated_pods.is_empty() || !self.has_inter_pod_terms(pod) {
            return Ok(());
        }
        let mut with = what_if.clone();
        nominated_pods.iter().for_each(|(other, at)| with.place(self, *other, *at));
        self.inter_pod_allows(pod, node, &with)?;
        with.remove_all(self, &nominated.leaving);
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
    pub fn first_inter_pod_violation(
        &self,
        placed: &[(PodIx, NodeIx)],
        what_if: &DomainCountOverlay,
        nominated: &NominatedConstraints,
    ) -> Option<(usize, InterPodViolation)> {
        self.first_violation(placed, what_if, |at, what_if| self.allows_with_nominated(at.0, at.1, what_if, nominated))
    }

    /// Returns the first disallowed pod like [`Cluster::first_inter_pod_violation`], for pods that are nominated together: each also leaves those before it
    /// allowed. None of them is tried without the others on their nodes, so a pod that fits only before another one would never run.
    pub fn first_violation_together(
        &self,
        placed: &[(PodIx, NodeIx)],
        what_if: &DomainCountOverlay,
        nominated: &NominatedConstraints,
    ) -> Option<(usize, InterPodViolation)> {
        let mut before = Vec::with_capacity(placed.len());
        self.first_violation(placed, what_if, |at, what_if| {
            self.allows_with_nominated(at.0, at.1, what_if, nominated)?;
            let displaces = self.has_inter_pod_terms(at.0) && self.displaces_any(at, what_if, &before);
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
        if self.first_violation_together(placed, what_if, nominated).is_none() {
            return Some(placed.to_vec());
        }
        let (mut order, mut left) = (Vec::with_capacity(placed.len()), placed.to_vec());
        while !left.is_empty() && placed.len() <= IN_ANY_ORDER {
            let may_come = |next: &(PodIx, NodeIx)| {
                let mut before = what_if.clone();
                left.iter().filter(|other| *other != next).for_each(|(pod, node)| before.remove(self, *pod, *node));
                let with: Vec<(PodIx, NodeIx)> = order.iter().chain([next]).copied().collect();
                self.first_violation_together(&with, &before, nominated).is_none()
            };
            let next = left.iter().position(may_come)?;
            order.push(left.remove(next));
        }
        left.is_empty().then_some(order)
    }

    /// Places these pods one after the other. Returns the first one with a lack before it is placed: its position and the lack.
    fn first_violation(
        &self,
        placed: &[(PodIx, NodeIx)],
        what_if: &DomainCountOverlay,
        mut lack: impl FnMut((PodIx, NodeIx), &DomainCountOverlay) -> Result<(), InterPodViolation>,
    ) -> Option<(usize, InterPodViolation)> {
        if !placed.iter().any(|(pod, _)| self.has_inter_pod_terms(*pod)) {
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
    pub fn may_violate_terms_of(&self, pod: PodIx, other: PodIx) -> bool {
        let both = self.inter_pod_of(pod).zip(self.inter_pod_of(other));
        both.is_some_and(|(ix, other)| self.requirements.inter_pods.may_violate_terms_of(ix, other))
    }

    /// Checks whether a node that does not take a pod may take it once more pods are placed: the pod has affinity or a spread constraint.
    pub fn may_fit_after_placements(&self, pod: PodIx) -> bool {
        self.inter_pod_of(pod).is_some_and(|ix| self.requirements.inter_pods.may_fit_after_placements(ix))
    }

    /// Checks whether a pod needs other pods in its domain.
    pub fn has_required_affinity(&self, pod: PodIx) -> bool {
        self.inter_pod_of(pod).is_some_and(|ix| self.requirements.inter_pods.has_required_affinity(ix))
    }
}
