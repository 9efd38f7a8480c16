//! A dry run of a node: its candidates, and the room after evicting some of them.

use std::collections::BTreeSet;

use super::branches::Branch;
use super::limits::Limits;
use crate::laws::{NodeChoice, NodeCost, NodeVictims};
use crate::model::{Amounts, Cluster, InterPodLack, Node, NodeIx, Nominated, Pod, PodIx, Request, ResourceIx, WhatIf};

/// A pod that may be evicted.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The pod.
    pub pod: PodIx,
    /// What its eviction frees, if that is not its request.
    frees: Option<Request>,
    /// How reluctantly it is taken (see [`Reluctance`](crate::laws::Reluctance)).
    pub reluctance: i64,
}

impl Candidate {
    /// A pod as a candidate.
    pub fn new(cluster: &Cluster, pod: PodIx) -> Candidate {
        let leaves_whole = cluster.has_whole_groups() && cluster.whole_group(pod).is_some();
        let is_plain = !leaves_whole && cluster.pod(pod).is_none_or(Pod::frees_its_request);
        let frees = if is_plain { None } else { Some(cluster.frees(pod)) };
        Candidate { pod, frees, reluctance: 0 }
    }

    /// Returns whether its eviction frees what it requests.
    pub fn is_plain(&self) -> bool {
        self.frees.is_none()
    }

    /// What its eviction frees.
    fn frees<'a>(&'a self, cluster: &'a Cluster) -> Option<&'a Request> {
        self.frees.as_ref().or_else(|| cluster.pod(self.pod).map(|pod| &pod.request))
    }
}

/// A pod that asks for a node.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The pod.
    pub pod: PodIx,
    /// What it requests.
    pub request: &'a Request,
    /// Where other pods are, beyond the books: the leaving pods, those that are planned so far and their victims.
    pub what_if: &'a WhatIf,
    /// The victims of the plan so far, on whatever node.
    pub earlier: &'a BTreeSet<PodIx>,
    /// The limits of the plan, where the plan is for this pod alone and there are any. For more pods they are asked in a trial.
    pub limits: Option<Limits<'a>>,
}

/// A dry run of a node.
#[derive(Debug, Clone)]
pub struct NodeDryRun {
    /// The node.
    pub node: NodeIx,
    /// Its rank among all nodes, by name.
    pub rank: u64,
    /// The room without evictions: what is free or held by leaving pods, less what is promised to others.
    pub room: Amounts,
    /// The same after evicting every candidate.
    pub emptied: Amounts,
    /// The pods that leave the node: other pods see them as gone, also where they are candidates.
    pub leaving: Vec<PodIx>,
    /// The candidates in the order of reprieve: first the pods whose disruption budget is exhausted; within both parts the most important
    /// first.
    pub candidates: Vec<Candidate>,
    /// How many candidates have an exhausted budget.
    pub protected: usize,
    /// The resources that the planned pods request. Only these must be free: a node may be overcommitted in another one.
    pub asked: Vec<ResourceIx>,
    /// The victims for the pods that are planned so far.
    pub victims: Vec<PodIx>,
    /// These pods.
    pub planned: Vec<PodIx>,
    /// The nominated pods of others, on whatever node. What a pod asks of other pods must hold without and with them, and what they ask too.
    pub nominated: Nominated,
}

/// The cost of evictions on a node.
#[derive(Debug, Clone)]
pub struct Price {
    /// The victims, those of the pods that are planned on the node already included.
    pub victims: Vec<PodIx>,
    /// How many further victims violate a disruption budget.
    pub violations: usize,
    /// The key by which nodes are compared.
    pub cost: NodeCost,
}

impl NodeDryRun {
    /// A node without planned pods: its room beside the candidates, and how many of these have an exhausted budget.
    pub fn new(
        cluster: &Cluster,
        (ix, node): (NodeIx, &Node),
        room: Amounts,
        candidates: impl IntoIterator<Item = PodIx>,
        protected: usize,
    ) -> NodeDryRun {
        let candidates: Vec<Candidate> = candidates.into_iter().map(|ix| Candidate::new(cluster, ix)).collect();
        let mut emptied = room.clone();
        let all = candidates.iter().filter_map(|candidate| candidate.frees(cluster));
        all.for_each(|frees| emptied.add(frees));
        let (leaving, asked, victims, planned, nominated) = Default::default();
        NodeDryRun {
            node: ix,
            rank: node.rank,
            room,
            emptied,
            leaving,
            candidates,
            protected,
            asked,
            victims,
            planned,
            nominated,
        }
    }

    /// The candidates.
    pub fn pods(&self) -> Vec<PodIx> {
        self.candidates.iter().map(|candidate| candidate.pod).collect()
    }

    /// The cost of one more pod. None if it does not fit even after evicting every candidate.
    pub fn price(&self, cluster: &Cluster, choice: &NodeChoice, ask: &Ask<'_>) -> Option<Price> {
        let victims = self.victims_for(cluster, choice, ask)?;
        let further: Vec<PodIx> = victims.iter().copied().filter(|pod| !self.victims.contains(pod)).collect();
        let violations = self.violations(&further);
        let together = cluster.with_whole_groups(&further);
        let earlier = ask.earlier;
        let cost = (choice.by.loss)(&NodeVictims { cluster, victims: &together, violations, reluctance: 0, earlier });
        Some(Price { victims, violations, cost })
    }

    /// The room after evicting some candidates.
    pub fn without(&self, cluster: &Cluster, gone: &[PodIx]) -> Amounts {
        let mut room = self.room.clone();
        for candidate in gone.iter().map(|ix| Candidate::new(cluster, *ix)) {
            candidate.frees(cluster).into_iter().for_each(|frees| room.add(frees));
        }
        room
    }

    /// Plans one more pod, with these victims for all that are planned on the node.
    pub fn plan(&mut self, (pod, request): (PodIx, &Request), victims: Vec<PodIx>) {
        self.victims = victims;
        self.room.subtract(request);
        self.emptied.subtract(request);
        self.asked.extend(request.iter().map(|(resource, _)| resource));
        self.asked.sort_unstable();
        self.asked.dedup();
        self.planned.push(pod);
    }

    /// Returns the victims for a pod in a branch of the search: every candidate that the branch does not spare is evicted, then reprieved in
    /// order as long as there is room and the other pods allow the planned ones; last those that the branch evicts from the start.
    pub fn reprieved(
        &self,
        cluster: &Cluster,
        choice: &NodeChoice,
        ask: &Ask<'_>,
        branch: &Branch,
    ) -> Option<Vec<PodIx>> {
        let asks = |resource: ResourceIx| self.asked.contains(&resource) || ask.request.get(resource) > 0;
        let fits = |room: &Amounts| room.iter().all(|(resource, left)| left >= 0 || !asks(resource));
        let keeps = |gone: &[PodIx]| ask.limits.is_none_or(|limits| limits.broken(cluster, gone).is_none());
        let mut room = self.room.clone();
        room.subtract(ask.request);
        let mut others = Others::of(cluster, self, ask);
        if fits(&room) && others.lack().is_none() && keeps(&[]) {
            return Some(Vec::new());
        }
        let mut emptied = self.emptied.clone();
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
        let mut gone: Vec<PodIx> = match ask.limits {
            Some(_) => candidates.iter().map(|one| one.pod).collect(),
            None => Vec::new(),
        };
        if !fits(&room) || others.lack().is_some() || !keeps(&gone) {
            return None;
        }
        candidates.retain(|one| {
            let Some(frees) = one.frees(cluster) else { return false };
            room.subtract(frees);
            others.reprieve(one.pod);
            gone.retain(|other| *other != one.pod);
            let stays = fits(&room) && others.lack().is_none() && keeps(&gone);
            if !stays {
                room.add(frees);
                others.evict(one.pod);
                gone.push(one.pod);
            }
            !stays
        });
        Some(candidates.into_iter().map(|one| one.pod).collect())
    }

    /// Returns the candidates of a branch in the order of reprieve. Where the law counts gangs, pods of a gang that the plan has broken already
    /// come last: their eviction stops nothing more.
    fn in_order(
        &self,
        cluster: &Cluster,
        choice: &NodeChoice,
        earlier: &BTreeSet<PodIx>,
        branch: &Branch,
    ) -> Vec<&Candidate> {
        let mut candidates: Vec<&Candidate> = self.candidates.iter().collect();
        if !branch.spared.is_empty() {
            candidates.retain(|candidate| !branch.spared.contains(&candidate.pod));
        }
        if !branch.evicted.is_empty() {
            candidates.sort_by_key(|candidate| branch.evicted.contains(&candidate.pod));
        }
        if !earlier.is_empty() {
            let costs_nothing = |pod| choice.by.is_free(cluster, pod, earlier);
            let is_free = |candidate: &mut &Candidate| cluster.pod(candidate.pod).is_some_and(costs_nothing);
            let free: Vec<&Candidate> = candidates.extract_if(.., is_free).collect();
            candidates.extend(free);
        }
        candidates
    }

    /// Why the other pods do not allow a pod on the node, or any that is planned onto it, after evicting some candidates.
    pub fn lack_without(&self, cluster: &Cluster, ask: &Ask<'_>, gone: &[PodIx]) -> Option<InterPodLack> {
        let mut others = Others::of(cluster, self, ask);
        gone.iter().for_each(|ix| others.evict(*ix));
        others.lack()
    }
}

/// The other pods, as those see them that are to be on a node.
struct Others<'a> {
    cluster: &'a Cluster,
    dry_run: &'a NodeDryRun,
    /// These pods with the node, the new one last.
    placed: Vec<(PodIx, NodeIx)>,
    /// None where nothing stands between these pods and others.
    what_if: Option<WhatIf>,
}

impl<'a> Others<'a> {
    /// With every candidate on the node, and the pod.
    fn of(cluster: &'a Cluster, dry_run: &'a NodeDryRun, ask: &Ask<'_>) -> Others<'a> {
        let pods = || dry_run.planned.iter().copied().chain([ask.pod]);
        if !pods().any(|pod| cluster.is_between(pod)) {
            return Others { cluster, dry_run, placed: Vec::new(), what_if: None };
        }
        let mut what_if = ask.what_if.clone();
        dry_run.victims.iter().for_each(|victim| what_if.reprieve_set(cluster, *victim));
        what_if.place(cluster, ask.pod, dry_run.node);
        let placed = pods().map(|pod| (pod, dry_run.node)).collect();
        Others { cluster, dry_run, placed, what_if: Some(what_if) }
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

    /// Why the others do not allow them.
    fn lack(&self) -> Option<InterPodLack> {
        let disallowed =
            self.cluster.first_disallowed_together(&self.placed, self.what_if.as_ref()?, &self.dry_run.nominated);
        disallowed.map(|(_, lack)| lack)
    }
}
