//! A dry run of a node: its candidates, and the room after evicting some of them.

use std::collections::BTreeSet;

use super::branches::Branch;
use super::limits::PlanInvariants;
use crate::laws::{NodeChoice, NodeCost, NodeVictims};
use crate::model::{
    Amounts, Cluster, DomainCountOverlay, InterPodViolation, NodeInfo, NodeIx, NominatedConstraints, PodInfo, PodIx,
    ResourceIx, ResourceRequest,
};

/// A pod that may be evicted.
#[derive(Debug, Clone)]
pub struct VictimCandidate {
    /// The pod.
    pub pod: PodIx,
    /// What the eviction of the pod frees, if that is not its request.
    frees: Option<ResourceRequest>,
    /// How reluctantly it is taken (see [`EvictionPenaltyFn`](crate::laws::EvictionPenaltyFn)).
    pub penalty: i64,
}

impl VictimCandidate {
    /// Creates a candidate from a pod.
    pub fn new(cluster: &Cluster, pod: PodIx) -> VictimCandidate {
        let leaves_whole = cluster.has_disruption_groups() && cluster.disruption_group(pod).is_some();
        let is_plain = !leaves_whole && cluster.pod(pod).is_none_or(PodInfo::frees_its_request);
        let frees = if is_plain { None } else { Some(cluster.freed_by_eviction(pod)) };
        VictimCandidate { pod, frees, penalty: 0 }
    }

    /// Returns whether the eviction of the candidate frees what it requests.
    pub fn is_plain(&self) -> bool {
        self.frees.is_none()
    }

    /// Returns what the eviction of the candidate frees.
    fn frees<'a>(&'a self, cluster: &'a Cluster) -> Option<&'a ResourceRequest> {
        self.frees.as_ref().or_else(|| cluster.pod(self.pod).map(|pod| pod.request()))
    }
}

/// A pod that is to be placed, with the state of the plan so far.
#[derive(Debug, Clone, Copy)]
pub struct PodToPlace<'a> {
    /// The pod.
    pub pod: PodIx,
    /// The amounts that the pod requests.
    pub request: &'a ResourceRequest,
    /// The changes to the cluster that the plan assumes: the leaving pods are gone, the planned pods placed, and their victims gone.
    pub what_if: &'a DomainCountOverlay,
    /// The victims of the plan so far, on whatever node.
    pub earlier: &'a BTreeSet<PodIx>,
    /// The limits of the plan, where the plan is for this pod alone and has limits. For several pods, limits are checked in a trial.
    pub plan_invariants: Option<PlanInvariants<'a>>,
}

/// A dry run of a node.
#[derive(Debug, Clone)]
pub struct NodeDryRun {
    /// The node.
    pub node: NodeIx,
    /// Its rank among all nodes, by name.
    pub rank: u64,
    /// The capacity without evictions: free, or used by leaving pods, less what is promised to others.
    pub capacity: Amounts,
    /// The same capacity after evicting every candidate.
    pub capacity_after_all_evictions: Amounts,
    /// The pods that leave the node. Constraints of other pods do not count them, even where they are candidates.
    pub leaving: Vec<PodIx>,
    /// The candidates in the order of reprieve: first the pods whose disruption budget is exhausted; within both parts the most important
    /// first.
    pub candidates: Vec<VictimCandidate>,
    /// The number of candidates with an exhausted budget.
    pub budget_violating: usize,
    /// The resources that the planned pods request. Only these must be free: a node may be overcommitted in another one.
    pub requested_resources: Vec<ResourceIx>,
    /// The victims for the pods that are planned so far.
    pub victims: Vec<PodIx>,
    /// The pods that are planned on the node so far.
    pub planned: Vec<PodIx>,
    /// The nominated pods of others, on all nodes. Constraints between pods must hold with these nominated pods and without them.
    pub nominated: NominatedConstraints,
}

/// The cost of evictions on a node.
#[derive(Debug, Clone)]
pub struct EvictionCost {
    /// The victims, including those for the pods that are planned on the node already.
    pub victims: Vec<PodIx>,
    /// The number of further victims that violate a disruption budget.
    pub budget_violations: usize,
    /// The key by which nodes are compared.
    pub cost: NodeCost,
}

impl NodeDryRun {
    /// Creates the dry run of a node without planned pods. `capacity` is the one without evictions, and `budget_violating` the number of candidates
    /// with an exhausted budget.
    pub fn new(
        cluster: &Cluster,
        (ix, node): (NodeIx, &NodeInfo),
        capacity: Amounts,
        pods: impl IntoIterator<Item = PodIx>,
        budget_violating: usize,
    ) -> NodeDryRun {
        let candidates: Vec<_> = pods.into_iter().map(|ix| VictimCandidate::new(cluster, ix)).collect();
        let mut emptied = capacity.clone();
        candidates.iter().filter_map(|candidate| candidate.frees(cluster)).for_each(|frees| emptied.add(frees));
        let (leaving, asked, victims, planned, nominated) = Default::default();
        NodeDryRun {
            node: ix,
            rank: node.rank,
            capacity,
            capacity_after_all_evictions: emptied,
            leaving,
            candidates,
            budget_violating,
            requested_resources: asked,
            victims,
            planned,
            nominated,
        }
    }

    /// Returns the candidates.
    pub fn pods(&self) -> Vec<PodIx> {
        self.candidates.iter().map(|candidate| candidate.pod).collect()
    }

    /// Computes the cost of one more pod on the node. `None`: the pod does not fit even after evicting every candidate.
    pub fn eviction_cost(&self, cluster: &Cluster, choice: &NodeChoice, ask: &PodToPlace<'_>) -> Option<EvictionCost> {
        let victims = self.victims_for(cluster, choice, ask)?;
        let further: Vec<PodIx> = victims.iter().copied().filter(|pod| !self.victims.contains(pod)).collect();
        let budget_violations = self.budget_violations(&further);
        let together = cluster.expand_disruption_groups(&further);
        let evicted = NodeVictims { cluster, victims: &together, budget_violations, penalty: 0, earlier: ask.earlier };
        Some(EvictionCost { victims, budget_violations, cost: (choice.by.cost)(&evicted) })
    }

    /// Returns the capacity after evicting some candidates.
    pub fn capacity_after(&self, cluster: &Cluster, gone: &[PodIx]) -> Amounts {
        let mut room = self.capacity.clone();
        for candidate in gone.iter().map(|ix| VictimCandidate::new(cluster, *ix)) {
            candidate.frees(cluster).into_iter().for_each(|frees| room.add(frees));
        }
        room
    }

    /// Plans one more pod on the node. `victims` are the victims for all pods that are planned there.
    pub fn add_pod(&mut self, (pod, request): (PodIx, &ResourceRequest), victims: Vec<PodIx>) {
        self.victims = victims;
        self.capacity.subtract(request);
        self.capacity_after_all_evictions.subtract(request);
        self.requested_resources.extend(request.iter().map(|(resource, _)| resource));
        self.requested_resources.sort_unstable();
        self.requested_resources.dedup();
        self.planned.push(pod);
    }

    /// Returns the victims for a pod in a branch of the search. Every candidate that the branch does not spare is evicted, then reprieved in order,
    /// as long as the planned pods fit and the other pods allow them. The candidates that the branch evicts from the start are reprieved last.
    pub fn victims_after_reprieve(
        &self,
        cluster: &Cluster,
        choice: &NodeChoice,
        ask: &PodToPlace<'_>,
        branch: &Branch,
    ) -> Option<Vec<PodIx>> {
        let asks = |resource: ResourceIx| self.requested_resources.contains(&resource) || ask.request.get(resource) > 0;
        let fits = |room: &Amounts| room.iter().all(|(resource, left)| left >= 0 || !asks(resource));
        let keeps =
            |gone: &[PodIx]| ask.plan_invariants.is_none_or(|limits| limits.first_failed(cluster, gone).is_none());
        let mut room = self.capacity.clone();
        room.subtract(ask.request);
        let mut others = InterPodView::of(cluster, self, ask);
        if fits(&room) && others.violation().is_none() && keeps(&[]) {
            return Some(Vec::new());
        }
        let mut emptied = self.capacity_after_all_evictions.clone();
        emptied.subtract(ask.request);
        if !fits(&emptied) {
            return None;
        }
        let mut candidates = self.in_order(cluster, choice, ask.earlier, branch);
        match branch.spared.is_empty() {
            true => room = emptied,
            false => candidates.iter().filter_map(|one| one.frees(cluster)).for_each(|frees| room.add(frees)),
        }
        candidates.iter().for_each(|one| others.evict(one.pod));
        let mut gone: Vec<PodIx> = match ask.plan_invariants {
            Some(_) => candidates.iter().map(|one| one.pod).collect(),
            None => Vec::new(),
        };
        if !fits(&room) || others.violation().is_some() || !keeps(&gone) {
            return None;
        }
        candidates.retain(|one| {
            let Some(frees) = one.frees(cluster) else { return false };
            room.subtract(frees);
            others.reprieve(one.pod);
            gone.retain(|other| *other != one.pod);
            let stays = fits(&room) && others.violation().is_none() && keeps(&gone);
            if !stays {
                room.add(frees);
                others.evict(one.pod);
                gone.push(one.pod);
            }
            !stays
        });
        Some(candidates.into_iter().map(|one| one.pod).collect())
    }

    /// Returns the candidates of a branch in the order of reprieve. Where the law counts gangs, pods of a gang that the plan has broken already come
    /// last: their eviction stops nothing more.
    fn in_order(
        &self,
        cluster: &Cluster,
        choice: &NodeChoice,
        earlier: &BTreeSet<PodIx>,
        branch: &Branch,
    ) -> Vec<&VictimCandidate> {
        let mut candidates: Vec<&VictimCandidate> = self.candidates.iter().collect();
        if !branch.spared.is_empty() {
            candidates.retain(|candidate| !branch.spared.contains(&candidate.pod));
        }
        if !branch.evicted.is_empty() {
            candidates.sort_by_key(|candidate| branch.evicted.contains(&candidate.pod));
        }
        if !earlier.is_empty() {
            let costs_nothing = |pod| choice.by.is_free(cluster, pod, earlier);
            let is_free = |candidate: &mut &VictimCandidate| cluster.pod(candidate.pod).is_some_and(costs_nothing);
            let free: Vec<&VictimCandidate> = candidates.extract_if(.., is_free).collect();
            candidates.extend(free);
        }
        candidates
    }

    /// Returns why the other pods do not allow a pod, or one planned there before, on the node after evicting some candidates. `None`: they allow
    /// all.
    pub fn violation_after(
        &self,
        cluster: &Cluster,
        ask: &PodToPlace<'_>,
        gone: &[PodIx],
    ) -> Option<InterPodViolation> {
        let mut others = InterPodView::of(cluster, self, ask);
        gone.iter().for_each(|ix| others.evict(*ix));
        others.violation()
    }
}

/// The other pods, as seen by the pods that are to be on a node.
struct InterPodView<'a> {
    cluster: &'a Cluster,
    dry_run: &'a NodeDryRun,
    /// The pods that are to be on the node, the new one last, each with the node.
    placed: Vec<(PodIx, NodeIx)>,
    /// The changes that these pods assume. `None`: no constraint between pods concerns them.
    what_if: Option<DomainCountOverlay>,
}

impl<'a> InterPodView<'a> {
    /// Creates the view with every candidate and the new pod on the node.
    fn of(cluster: &'a Cluster, dry_run: &'a NodeDryRun, ask: &PodToPlace<'_>) -> InterPodView<'a> {
        let pods = || dry_run.planned.iter().copied().chain([ask.pod]);
        if !pods().any(|pod| cluster.has_inter_pod_terms(pod)) {
            return InterPodView { cluster, dry_run, placed: Vec::new(), what_if: None };
        }
        let mut what_if = ask.what_if.clone();
        dry_run.victims.iter().for_each(|victim| what_if.reprieve_set(cluster, *victim));
        what_if.place(cluster, ask.pod, dry_run.node);
        let placed = pods().map(|pod| (pod, dry_run.node)).collect();
        InterPodView { cluster, dry_run, placed, what_if: Some(what_if) }
    }

    fn evict(&mut self, candidate: PodIx) {
        if let Some(what_if) = &mut self.what_if
            && !self.dry_run.leaving.contains(&candidate)
        {
            what_if.evict_set(self.cluster, candidate);
        }
    }

    fn reprieve(&mut self, candidate: PodIx) {
        if let Some(what_if) = &mut self.what_if
            && !self.dry_run.leaving.contains(&candidate)
        {
            what_if.reprieve_set(self.cluster, candidate);
        }
    }

    /// Returns why the other pods do not allow the placed pods. `None`: they allow all of them.
    fn violation(&self) -> Option<InterPodViolation> {
        let disallowed =
            self.cluster.first_violation_together(&self.placed, self.what_if.as_ref()?, &self.dry_run.nominated);
        disallowed.map(|(_, lack)| lack)
    }
}
