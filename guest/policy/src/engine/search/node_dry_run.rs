//! A node as a search sees it: what it would have after evicting every candidate, and who that is.

use super::reprieve::without_reprieve;
use crate::laws::{NodeChoice, NodeCost, NodeVictims};
use crate::model::{Amounts, Cluster, Kind, Node, NodeIx, PodIx, Request, ResourceIx};

/// Somebody who may be evicted.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The pod.
    pub pod: PodIx,
    /// What comes free when it goes, where that is not what it asks for.
    frees: Option<Request>,
    /// How reluctantly it is taken, one bit a reason (see [`LastResort`](crate::laws::LastResort)).
    pub reluctance: u8,
}

impl Candidate {
    /// A pod as a candidate.
    pub fn new(cluster: &Cluster, pod: PodIx) -> Candidate {
        let is_plain = cluster.pod(pod).is_none_or(|pod| pod.name.kind == Kind::Pod && pod.attributes.inside.is_none());
        let frees = if is_plain { None } else { Some(cluster.frees(pod)) };
        Candidate { pod, frees, reluctance: 0 }
    }

    /// What comes free when it goes.
    fn frees<'a>(&'a self, cluster: &'a Cluster) -> Option<&'a Request> {
        self.frees.as_ref().or_else(|| cluster.pod(self.pod).map(|pod| &pod.request))
    }
}

/// A node under consideration.
#[derive(Debug, Clone)]
pub struct NodeDryRun {
    /// The node.
    pub node: NodeIx,
    /// Its place among the names of all nodes.
    pub rank: u64,
    /// What room would come without evicting anybody: what is free and what is leaving, less what is promised to others.
    pub room: Amounts,
    /// Who is leaving anyway.
    pub leaving: Vec<PodIx>,
    /// Who may be evicted, in the order in which they are reprieved: those first whose disruption budget is exhausted, of these and of
    /// the others the most important first.
    pub candidates: Vec<Candidate>,
    /// How many of them have an exhausted budget.
    pub protected: usize,
    /// The resources that the pods planned onto it ask for. Only of these there must be enough: a node that is overcommitted in
    /// another one is none of their business.
    pub asked: Vec<ResourceIx>,
    /// Which pods would be evicted for the pods planned onto it so far.
    pub victims: Vec<PodIx>,
}

/// What freeing a node costs.
#[derive(Debug, Clone)]
pub struct Price {
    /// The victims.
    pub victims: Vec<PodIx>,
    /// How many of them against their disruption budgets.
    pub violations: usize,
    /// What is lost.
    pub cost: NodeCost,
}

impl NodeDryRun {
    /// A node onto which nothing is planned yet, with so much room beside the candidates. Of these the first so many are protected by
    /// a budget.
    pub fn new(
        cluster: &Cluster,
        (ix, node): (NodeIx, &Node),
        room: Amounts,
        candidates: impl IntoIterator<Item = PodIx>,
        protected: usize,
    ) -> NodeDryRun {
        let candidates = candidates.into_iter().map(|ix| Candidate::new(cluster, ix)).collect();
        let (leaving, asked, victims) = (Vec::new(), Vec::new(), Vec::new());
        NodeDryRun { node: ix, rank: node.rank, room, leaving, candidates, protected, asked, victims }
    }

    /// The candidates.
    pub fn pods(&self) -> Vec<PodIx> {
        self.candidates.iter().map(|candidate| candidate.pod).collect()
    }

    /// What it costs to plan one more pod with this request onto the node; none where it does not fit even with every candidate gone.
    pub fn price(&self, cluster: &Cluster, choice: &NodeChoice, request: &Request) -> Option<Price> {
        let mut victims = self.victims_for(cluster, request)?;
        victims.retain(|pod| !self.victims.contains(pod));
        let protected = self.candidates.iter().take(self.protected);
        let violations = protected.filter(|candidate| victims.contains(&candidate.pod)).count();
        let cost = (choice.loss)(&NodeVictims { cluster, victims: &victims, violations, reasons: 0 });
        Some(Price { victims, violations, cost })
    }

    /// What there would be with some candidates gone.
    pub fn without(&self, cluster: &Cluster, gone: &[PodIx]) -> Amounts {
        let mut room = self.room.clone();
        for candidate in gone.iter().map(|ix| Candidate::new(cluster, *ix)) {
            candidate.frees(cluster).into_iter().for_each(|frees| room.add(frees));
        }
        room
    }

    /// What there would be with every candidate gone.
    pub fn emptied(&self, cluster: &Cluster) -> Amounts {
        let mut room = self.room.clone();
        let all = self.candidates.iter().filter_map(|candidate| candidate.frees(cluster));
        all.into_iter().for_each(|frees| room.add(frees));
        room
    }

    /// Plans one more pod with this request onto the node.
    pub fn plan(&mut self, cluster: &Cluster, request: &Request) {
        if let Some(victims) = self.victims_for(cluster, request) {
            self.victims = victims;
        }
        self.room.subtract(request);
        self.asked.extend(request.iter().map(|(resource, _)| resource));
        self.asked.sort_unstable();
        self.asked.dedup();
    }

    /// Which pods would be evicted: everybody is taken away, and reprieved in their order as long as there is room.
    pub fn victims_for(&self, cluster: &Cluster, request: &Request) -> Option<Vec<PodIx>> {
        let asks = |resource: ResourceIx| self.asked.contains(&resource) || request.get(resource) > 0;
        let fits = |room: &Amounts| room.iter().all(|(resource, left)| left >= 0 || !asks(resource));
        let mut room = self.room.clone();
        room.subtract(request);
        if fits(&room) {
            return Some(Vec::new());
        }
        let candidates =
            || self.candidates.iter().filter_map(|candidate| Some((candidate.pod, candidate.frees(cluster)?)));
        for (_, frees) in candidates() {
            room.add(frees);
        }
        if !fits(&room) {
            return None;
        }
        let needed = without_reprieve(candidates(), |(_, frees)| {
            room.subtract(frees);
            let stays = fits(&room);
            if !stays {
                room.add(frees);
            }
            stays
        });
        Some(needed.into_iter().map(|(pod, _)| pod).collect())
    }
}
