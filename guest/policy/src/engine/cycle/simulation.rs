//! The cluster as a step sees it: nominated pods are on their nodes, leaving pods are not.
//!
//! Room is promised to whole gangs only, and as long as the laws allow them ([`promises`](super::promises)). Leaving pods count against no queue.
//! A node has room now, if the idle room is enough and promises still hold afterwards; or later, once the leaving pods have left.

use std::collections::{BTreeMap, BTreeSet};

use super::CycleContext;
use super::promises::holds_in_simulation;
use crate::engine::room::InsufficientResources;
use crate::model::{
    Amounts, ClassIx, Cluster, DomainCountOverlay, InterPodViolation, NodeIx, PodIx, PodLocation, ResourceRequest,
    Savepoint, Table, Trial,
};

/// The moment at which the capacity must be free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdleCapacity {
    /// Now.
    Current,
    /// Once the leaving pods have left.
    Future,
}

/// The cluster as a step sees it.
pub struct Simulation<'c> {
    /// The cluster with the plans so far.
    pub trial: Trial<'c>,
    /// The nominated pods that wait, with their promised nodes.
    promised_nodes: BTreeMap<PodIx, NodeIx>,
    /// The amounts that these pods request, by node.
    promised_amounts: BTreeMap<NodeIx, Amounts>,
    /// The pods that a plan of this step places. Like nominated pods, they may find no node in the end: the host may refuse the plan.
    planned: Vec<(PodIx, NodeIx)>,
    /// The amounts that leaving pods use, by node.
    leaving_amounts: BTreeMap<NodeIx, Amounts>,
    /// The leaving pods and their nodes.
    leaving_pods: Vec<(PodIx, NodeIx)>,
    /// The nodes on which no more pods are placed for now.
    pub closed_nodes: BTreeSet<NodeIx>,
}

/// A state of a simulation that can be restored.
#[derive(Debug, Clone)]
pub struct SimulationSavepoint {
    mark: Savepoint,
    promised_nodes: BTreeMap<PodIx, NodeIx>,
    promised_amounts: BTreeMap<NodeIx, Amounts>,
    planned: usize,
}

/// The other pods of the cluster, as a pod meets them when it gets a node.
#[derive(Default)]
pub struct PromiseOverlays {
    /// The pods with those that wait for promised nodes, and without them.
    overlays: Vec<DomainCountOverlay>,
    /// The pods that wait for promised nodes and have constraints or are the subject of some.
    promised_pods: Vec<(PodIx, NodeIx)>,
}

impl PromiseOverlays {
    /// Returns why the pods do not allow a pod on a node. A pod may not take its promised node from another pod either: that pod would evict it.
    pub fn violation(&self, cluster: &Cluster, ix: PodIx, node: NodeIx) -> Option<InterPodViolation> {
        let lack = self.overlays.iter().find_map(|what_if| cluster.inter_pod_allows(ix, node, what_if).err());
        let displaces = || cluster.displaces_any((ix, node), &DomainCountOverlay::default(), &self.promised_pods);
        lack.or_else(|| displaces().then_some(InterPodViolation::Nominated))
    }
}

impl<'c> Simulation<'c> {
    /// Creates the simulation of a step: without the leaving pods, and with nominated pods on their nodes. `held` are nominations by an earlier step
    /// of the cycle. A gang keeps its promised nodes only if the laws still allow the whole gang.
    pub fn new(cluster: &'c mut Cluster, context: &CycleContext<'_>, held: Vec<(PodIx, NodeIx)>) -> Simulation<'c> {
        let mut leaving: BTreeMap<NodeIx, Amounts> = BTreeMap::new();
        let mut gone = Vec::new();
        for (ix, pod) in cluster.pods().filter(|(_, pod)| pod.is_leaving()) {
            if let Some(node) = pod.node() {
                leaving.entry(node).or_default().add(pod.request());
                gone.push((ix, node));
            }
        }
        let mut places: BTreeMap<PodIx, NodeIx> =
            cluster.nominated().filter_map(|(ix, pod)| Some((ix, pod.state.nominated?))).collect();
        places.extend(held.into_iter().filter(|(ix, _)| cluster.pod(*ix).is_some_and(|pod| pod.is_schedulable())));
        let mut groups: BTreeMap<PodIx, Vec<(PodIx, NodeIx)>> = BTreeMap::new();
        for (ix, node) in places {
            let lead = cluster.members(ix).map(|(member, _)| member).min().unwrap_or(ix);
            groups.entry(lead).or_default().push((ix, node));
        }
        let (waits, promised, planned) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        let (trial, closed) = (Trial::new(cluster), BTreeSet::new());
        let mut simulation = Simulation {
            trial,
            promised_nodes: waits,
            promised_amounts: promised,
            planned,
            leaving_amounts: leaving,
            leaving_pods: gone,
            closed_nodes: closed,
        };
        simulation.leaving_pods.iter().for_each(|(ix, _)| simulation.trial.evict(*ix));
        for group in groups.into_values() {
            if holds_in_simulation(&mut simulation, context, &group) {
                group.into_iter().for_each(|(ix, node)| simulation.promise(ix, node));
            }
        }
        simulation
    }

    /// Returns the cluster as the step leaves it.
    pub fn cluster(&self) -> &Cluster {
        self.trial.cluster()
    }

    /// Returns the current state, for [`Simulation::restore`].
    pub fn checkpoint(&self) -> SimulationSavepoint {
        let (mark, planned) = (self.trial.savepoint(), self.planned.len());
        let (promised_nodes, promised_amounts) = (self.promised_nodes.clone(), self.promised_amounts.clone());
        SimulationSavepoint { mark, promised_nodes, promised_amounts, planned }
    }

    /// Takes back all placements and promises since a checkpoint.
    pub fn restore(&mut self, checkpoint: SimulationSavepoint) {
        self.trial.rewind(checkpoint.mark);
        (self.promised_nodes, self.promised_amounts) = (checkpoint.promised_nodes, checkpoint.promised_amounts);
        self.planned.truncate(checkpoint.planned);
    }

    /// Records the nodes that a plan gives to its pods. The pods are on these nodes in the trial already.
    pub fn record_plan(&mut self, nominations: &[(PodIx, NodeIx)]) {
        self.planned.extend(nominations);
    }

    /// Checks whether a pod is pending, nominated or not.
    pub fn is_waiting(&self, ix: PodIx) -> bool {
        let pod = self.cluster().pod(ix).filter(|pod| pod.is_ungated_and_own());
        pod.is_some_and(|pod| pod.is_pending() || self.promised_nodes.contains_key(&ix))
    }

    /// Checks whether a node is promised to a pod.
    pub fn is_promised(&self, ix: PodIx) -> bool {
        self.promised_nodes.contains_key(&ix)
    }

    /// Promises a node to a pod.
    pub fn promise(&mut self, ix: PodIx, node: NodeIx) {
        if let Some(request) = self.cluster().pod(ix).map(|pod| pod.request().clone()) {
            self.promised_amounts.entry(node).or_default().add(&request);
            self.promised_nodes.insert(ix, node);
            self.trial.place(ix, node);
        }
    }

    /// Protects a pod that this cycle bound: it counts as reserved, so it is no candidate.
    pub fn protect_bound(&mut self, ix: PodIx) {
        if let Some(PodLocation::Bound(node)) = self.cluster().pod(ix).map(|pod| pod.state.location) {
            self.trial.place(ix, node);
        }
    }

    /// Withdraws a promise. Returns its node.
    pub fn withdraw(&mut self, ix: PodIx) -> Option<NodeIx> {
        let node = self.promised_nodes.remove(&ix)?;
        if let Some(request) = self.cluster().pod(ix).map(|pod| pod.request().clone()) {
            self.promised_amounts.entry(node).or_default().subtract(&request);
        }
        self.trial.set_location(ix, PodLocation::Pending);
        Some(node)
    }

    /// Returns the pods that a node was promised to since a checkpoint, with their nodes.
    pub fn promised_since(&self, checkpoint: &SimulationSavepoint) -> Vec<(PodIx, NodeIx)> {
        let waits = self.promised_nodes.iter().map(|(ix, node)| (*ix, *node));
        waits.filter(|(ix, _)| !checkpoint.promised_nodes.contains_key(ix)).collect()
    }

    /// Returns those of some pods that a node is promised to, with their nodes.
    pub fn promised_to(&self, pods: &[PodIx]) -> Vec<(PodIx, NodeIx)> {
        pods.iter().filter_map(|ix| Some((*ix, *self.promised_nodes.get(ix)?))).collect()
    }

    /// Returns the pods with a promised node for which the cluster has no nomination yet.
    pub fn promises_without_nomination(&self) -> Vec<(PodIx, NodeIx)> {
        let nominated = |ix: PodIx| self.cluster().pod(ix).and_then(|pod| pod.state.nominated);
        let waits = self.promised_nodes.iter().map(|(ix, node)| (*ix, *node));
        waits.filter(|(ix, node)| nominated(*ix) != Some(*node)).collect()
    }

    /// Checks whether a node has the free capacity for a request, now or once the leaving pods have left. A closed node has none.
    pub fn fits(&self, ix: NodeIx, request: &ResourceRequest, when: IdleCapacity) -> bool {
        let Some(node) = self.cluster().node(ix).filter(|_| !self.closed_nodes.contains(&ix)) else { return false };
        let of = |amounts: &BTreeMap<NodeIx, Amounts>, resource| amounts.get(&ix).map_or(0, |held| held.get(resource));
        request.iter().all(|(resource, asked)| {
            let later = node.free.get(resource);
            let now = later
                .saturating_sub(of(&self.leaving_amounts, resource))
                .saturating_add(of(&self.promised_amounts, resource));
            later >= asked && (when == IdleCapacity::Future || now >= asked)
        })
    }

    /// Returns what a node lacks now for a request, and whether it lacks that only because of promises: [`fits`](Simulation::fits) in numbers.
    /// `None`: nothing is lacking, or the node is unknown.
    pub fn lacks(&self, ix: NodeIx, request: &ResourceRequest) -> Option<(InsufficientResources, bool)> {
        let node = self.cluster().node(ix)?;
        let of = |amounts: Option<&Amounts>, resource| amounts.map_or(0, |amounts| amounts.get(resource));
        let (promised, leaving) = (self.promised_amounts.get(&ix), self.leaving_amounts.get(&ix));
        let lacks = |more: Option<&Amounts>| {
            let free = |resource| node.free.get(resource).saturating_add(of(more, resource));
            InsufficientResources::among(request.iter().map(|(resource, asked)| (resource, asked, free(resource))))
        };
        lacks(promised).map(|lack| (lack, false)).or_else(|| lacks(leaving).map(|lack| (lack, true)))
    }

    /// Returns the cluster without the pods that wait for promised nodes, and without those that plans of this step place.
    pub fn without_promised(&self) -> DomainCountOverlay {
        let mut without = DomainCountOverlay::default();
        let planned = self.planned.iter().map(|(ix, node)| (ix, node));
        self.promised_nodes.iter().chain(planned).for_each(|(ix, node)| without.remove(self.cluster(), *ix, *node));
        without
    }

    /// Returns the pods that wait for promised nodes and are concerned by constraints between pods, with their nodes. The constraints allow all of
    /// them.
    pub fn promised_constrained(&self) -> Vec<(PodIx, NodeIx)> {
        let promised = self.promised_nodes.iter().map(|(ix, node)| (*ix, *node)).chain(self.planned.iter().copied());
        let cluster = self.cluster();
        promised.filter(|(ix, node)| cluster.has_inter_pod_terms(*ix) && cluster.stays_allowed(*ix, *node)).collect()
    }

    /// Returns the other pods as seen by a pod. Empty where no constraint between pods concerns the pod.
    pub fn promise_overlays(&self, ix: PodIx, when: IdleCapacity) -> PromiseOverlays {
        if !self.cluster().has_inter_pod_terms(ix) {
            return PromiseOverlays::default();
        }
        let (mut with, mut without) = (DomainCountOverlay::default(), self.without_promised());
        for (gone, node) in self.leaving_pods.iter().filter(|_| when == IdleCapacity::Current) {
            with.place(self.cluster(), *gone, *node);
            without.place(self.cluster(), *gone, *node);
        }
        PromiseOverlays { overlays: vec![with, without], promised_pods: self.promised_constrained() }
    }

    /// Returns whether a node has free capacity for a pod that the trial has placed on it.
    pub fn fits_placed(&self, ix: PodIx, at: NodeIx) -> bool {
        let Some((pod, node)) = self.cluster().pod(ix).zip(self.cluster().node(at)) else { return false };
        self.cluster().eligible(pod.requirements.shape, at)
            && pod.request().iter().all(|(resource, _)| node.free.get(resource) >= 0)
    }
}

/// The nodes by name, with a memo of refusals: while free capacity only shrinks, no node is tried twice for an equivalence class.
#[derive(Debug, Clone)]
pub struct FirstFit {
    nodes: Vec<NodeIx>,
    /// The number of nodes that were tried for a class: for capacity now, and for capacity later.
    tried_counts: Table<ClassIx, [usize; 2]>,
}

impl FirstFit {
    /// Creates a finder that has tried no node yet.
    pub fn new(cluster: &Cluster) -> FirstFit {
        let mut nodes: Vec<_> = cluster.nodes().map(|(ix, node)| (node.rank, ix)).collect();
        nodes.sort_unstable();
        FirstFit { nodes: nodes.into_iter().map(|(_, ix)| ix).collect(), tried_counts: Table::default() }
    }

    /// Returns a node for a pod: its nominated node if that fits, otherwise the first one by name that fits. `None`: no node fits.
    pub fn find(&mut self, simulation: &Simulation<'_>, ix: PodIx, when: IdleCapacity) -> Option<NodeIx> {
        let cluster = simulation.cluster();
        let pod = cluster.pod(ix)?;
        let others = simulation.promise_overlays(ix, when);
        let takes = |node: NodeIx| {
            cluster.eligible(pod.requirements.shape, node)
                && simulation.fits(node, pod.request(), when)
                && others.violation(cluster, ix, node).is_none()
        };
        if let Some(nominated) = pod.state.nominated.filter(|node| takes(*node)) {
            return Some(nominated);
        }
        // A node that refused such a pod may take it with more pods placed.
        if cluster.may_fit_after_placements(ix) {
            return self.nodes.iter().copied().find(|node| takes(*node));
        }
        if self.tried_counts.get(pod.requirements.class).is_none() {
            self.tried_counts.insert(pod.requirements.class, [0, 0]);
        }
        let [now, later] = self.tried_counts.get_mut(pod.requirements.class)?;
        let seen = if when == IdleCapacity::Current { now } else { later };
        let rest = self.nodes.get(*seen..)?;
        let ahead = rest.iter().position(|node| takes(*node));
        *seen = seen.saturating_add(ahead.unwrap_or(rest.len()));
        ahead.and_then(|ahead| rest.get(ahead)).copied()
    }

    /// Forgets which nodes were tried, because free capacity has grown.
    pub fn reset(&mut self) {
        self.tried_counts = Table::default();
    }
}
