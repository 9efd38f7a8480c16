//! A dry run of a node: its candidates, and the room after evicting some of them.

use super::reprieve::without_reprieve;
use crate::laws::{NodeChoice, NodeCost, NodeVictims};
use crate::model::{Amounts, Cluster, Kind, Node, NodeIx, Pod, PodIx, Request, ResourceIx};

/// A pod that may be evicted.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The pod.
    pub pod: PodIx,
    /// What its eviction frees, if that is not its request.
    frees: Option<Request>,
    /// The reasons to protect it, one bit each (see [`LastResort`](crate::laws::LastResort)).
    pub reluctance: u8,
}

impl Candidate {
    /// A pod as a candidate.
    pub fn new(cluster: &Cluster, pod: PodIx) -> Candidate {
        let is_plain = |pod: &Pod| pod.name.kind == Kind::Pod && pod.attributes.inside.is_none();
        let is_plain = cluster.pod(pod).is_none_or(is_plain) && cluster.whole_group(pod).is_none();
        let frees = if is_plain { None } else { Some(cluster.frees(pod)) };
        Candidate { pod, frees, reluctance: 0 }
    }

    /// What its eviction frees.
    fn frees<'a>(&'a self, cluster: &'a Cluster) -> Option<&'a Request> {
        self.frees.as_ref().or_else(|| cluster.pod(self.pod).map(|pod| &pod.request))
    }
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
    /// The leaving pods.
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
}

/// The cost of evictions on a node.
#[derive(Debug, Clone)]
pub struct Price {
    /// The victims.
    pub victims: Vec<PodIx>,
    /// How many victims violate a disruption budget.
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
        let candidates = candidates.into_iter().map(|ix| Candidate::new(cluster, ix)).collect();
        let (leaving, asked, victims) = (Vec::new(), Vec::new(), Vec::new());
        NodeDryRun { node: ix, rank: node.rank, room, leaving, candidates, protected, asked, victims }
    }

    /// The candidates.
    pub fn pods(&self) -> Vec<PodIx> {
        self.candidates.iter().map(|candidate| candidate.pod).collect()
    }

    /// The cost of one more pod with this request. None if it does not fit even after evicting every candidate.
    pub fn price(&self, cluster: &Cluster, choice: &NodeChoice, request: &Request) -> Option<Price> {
        let mut victims = self.victims_for(cluster, request)?;
        victims.retain(|pod| !self.victims.contains(pod));
        let protected = self.candidates.iter().take(self.protected);
        let violations = protected.filter(|candidate| victims.contains(&candidate.pod)).count();
        let together = cluster.with_whole_groups(&victims);
        let cost = (choice.loss)(&NodeVictims { cluster, victims: &together, violations, reasons: 0 });
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

    /// The room after evicting every candidate.
    pub fn emptied(&self, cluster: &Cluster) -> Amounts {
        let mut room = self.room.clone();
        let all = self.candidates.iter().filter_map(|candidate| candidate.frees(cluster));
        all.into_iter().for_each(|frees| room.add(frees));
        room
    }

    /// Plans one more pod with this request.
    pub fn plan(&mut self, cluster: &Cluster, request: &Request) {
        if let Some(victims) = self.victims_for(cluster, request) {
            self.victims = victims;
        }
        self.room.subtract(request);
        self.asked.extend(request.iter().map(|(resource, _)| resource));
        self.asked.sort_unstable();
        self.asked.dedup();
    }

    /// The victims for a request: every candidate is evicted, then reprieved in order as long as there is room.
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
