//! A node as a search sees it: what it would have with everybody gone who may make way, and who that is.

use crate::laws::{NodeChoice, NodeCost, NodeVictims};
use crate::model::{Amounts, Cluster, Kind, NodeIx, PodIx, Request, ResourceIx};

/// Somebody who may make way.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The pod.
    pub pod: PodIx,
    /// What comes free when it goes, where that is not what it asks for.
    frees: Option<Request>,
}

impl Candidate {
    /// A pod as a candidate.
    pub fn new(cluster: &Cluster, pod: PodIx) -> Candidate {
        let is_plain = cluster.pod(pod).is_none_or(|pod| pod.name.kind == Kind::Pod && pod.attributes.inside.is_none());
        let frees = if is_plain { None } else { Some(cluster.frees(pod)) };
        Candidate { pod, frees }
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
    /// Who may make way, in the order in which they are put back: those first whose disruption budget is exhausted, of these and of
    /// the others the most important first.
    pub candidates: Vec<Candidate>,
    /// How many of them have an exhausted budget.
    pub protected: usize,
    /// The resources that the pods planned onto it ask for. Only of these there must be enough: a node that is overcommitted in
    /// another one is none of their business.
    pub asked: Vec<ResourceIx>,
    /// Who would have to make way for the pods planned onto it so far.
    pub victims: Vec<PodIx>,
}

impl NodeDryRun {
    /// What is lost if one more pod with this request is planned onto the node; none where it does not fit even with every
    /// candidate gone.
    pub fn loss(&self, cluster: &Cluster, choice: &NodeChoice, request: &Request) -> Option<NodeCost> {
        let mut victims = self.victims_for(cluster, request)?;
        victims.retain(|pod| !self.victims.contains(pod));
        let protected = self.candidates.iter().take(self.protected);
        let violations = protected.filter(|candidate| victims.contains(&candidate.pod)).count();
        Some((choice.loss)(&NodeVictims { cluster, victims: &victims, violations, reasons: 0 }))
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

    /// Who would have to make way: everybody is taken away, and put back in their order as long as there is room.
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
        let mut victims = Vec::new();
        for (pod, frees) in candidates() {
            room.subtract(frees);
            if !fits(&room) {
                room.add(frees);
                victims.push(pod);
            }
        }
        Some(victims)
    }
}
