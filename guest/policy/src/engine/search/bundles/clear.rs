//! The node of a pod of the gang: a node with room, or the one with the fewest victims.

use std::collections::BTreeSet;

use super::attempt::GangPlacement;
use super::evict::EvictedPods;
use super::fit::fits;
use super::further::RemainingPods;
use super::price::PricedNode;
use crate::engine::search::reprieve::not_reprieved;
use crate::model::{NodeIx, PodIx, ResourceRequest};

/// The maximum number of nodes that are priced for one pod only because they may take more of the further pods.
const TRIES: usize = 16;

/// The lower bounds of the nodes for the pods of an equivalence class.
#[derive(Default)]
pub(super) struct NodeSearchMemo {
    /// The number of open nodes, from the first, that have no free capacity any more.
    full_open_nodes: usize,
    /// Nodes on which no evictions help.
    pub(super) hopeless_nodes: BTreeSet<NodeIx>,
}

impl GangPlacement<'_, '_, '_> {
    /// Returns the node for a pod: one with free capacity, otherwise the cheapest one, where pods are evicted for it. `None`: no node fits.
    pub(super) fn find(&mut self, ix: PodIx, rest: &RemainingPods<'_>) -> Option<NodeIx> {
        let cluster = self.trial.cluster();
        let pod = cluster.pod(ix)?;
        let (class, request) = (pod.requirements.class, pod.request().clone());
        let takes = |node: NodeIx| {
            self.victim_search.is_not_refuted(ix, node)
                && fits(cluster, pod.requirements.shape, node, &request)
                && self.victim_search.is_allowed(cluster, ix, node)
        };
        if let Some(node) = self.nodes_with_evictions.iter().copied().find(|node| takes(*node)) {
            return Some(node);
        }
        // A node that refused such a pod may take it with more pods placed.
        let may_gain = cluster.may_fit_after_placements(ix);
        let used_up = self.search_memos.get(class).filter(|_| !may_gain).map_or(0, |outlook| outlook.full_open_nodes);
        let untried = self.open_nodes.get(used_up..).unwrap_or_default();
        let ahead = untried.iter().position(|node| takes(*node));
        let node = ahead.and_then(|ahead| untried.get(ahead)).copied();
        let used_up = used_up.saturating_add(ahead.unwrap_or(untried.len()));
        let hopeless = self.search_memos.remove(class).map(|outlook| outlook.hopeless_nodes).unwrap_or_default();
        self.search_memos.insert(class, NodeSearchMemo { full_open_nodes: used_up, hopeless_nodes: hopeless });
        if node.is_some() || !self.victim_search.may_preempt.contains(&ix) {
            return node;
        }
        let node = self.cheapest((ix, &request), rest)?;
        self.evict_for_pod(node, (ix, &request));
        Some(node)
    }

    /// Returns the cheapest node. Of equally cheap nodes, the order is: the node that takes the most further pods of the gang; the node where jobs
    /// that are evicted whole lose the least work; a node with pods of jobs that already have victims, where no other job may need to lose pods; the
    /// first by name. Nodes are examined in the order of lower bounds of their cost, until none of the rest can be better.
    fn cheapest(&mut self, (ix, request): (PodIx, &ResourceRequest), rest: &RemainingPods<'_>) -> Option<NodeIx> {
        let class = self.trial.cluster().pod(ix)?.requirements.class;
        let further = self.further_pods(ix, rest);
        let mut nodes = self.nodes_to_price((ix, request), &further);
        nodes.sort_unstable();
        let mut best: Option<PricedNode> = None;
        let mut tries = TRIES;
        for least in nodes {
            if let Some(best) = best {
                if best <= least {
                    break;
                }
                // The node is better only for the further pods.
                if best.cost == least.cost && best.further_fitting > least.further_fitting {
                    let Some(fewer) = tries.checked_sub(1) else { continue };
                    tries = fewer;
                }
            }
            match self.price(least, (ix, request), &further) {
                Some(priced) => best = best.into_iter().chain([priced]).min(),
                None => {
                    if let Some(outlook) = self.search_memos.get_mut(class) {
                        outlook.hopeless_nodes.insert(least.node);
                    }
                }
            }
        }
        best.map(|best| best.node)
    }

    /// Evicts the victims for a pod on a node.
    fn evict_for_pod(&mut self, node: NodeIx, (ix, request): (PodIx, &ResourceRequest)) {
        let short = self.short_for(node, (ix, request));
        for taken in self.evict_until_fit(node, (ix, request)).unwrap_or_default() {
            self.record_victims(taken, Some(&short));
        }
    }

    /// Evicts pods on a node until a pod fits and the others allow it. Returns the victims, which are evicted on trial. If the pod does not fit, none
    /// are.
    pub(super) fn evict_until_fit(
        &mut self,
        at: NodeIx,
        (asker, request): (PodIx, &ResourceRequest),
    ) -> Option<Vec<EvictedPods>> {
        let before = self.trial.savepoint();
        let rank = self.trial.cluster().node(at).map_or(0, |node| node.rank);
        let there = self.candidates_by_node.get(&(rank, at)).map(|there| there.pods.clone()).unwrap_or_default();
        let short = self.short_for(at, (asker, request));
        let mut all: Vec<EvictedPods> = Vec::new();
        for (number, ix) in there {
            let cluster = self.trial.cluster();
            let Some((pod, node)) = cluster.pod(ix).zip(cluster.node(at)) else { continue };
            let allowed = self.victim_search.is_allowed(cluster, asker, at);
            if allowed && node.free.lacks(request).is_none() {
                break;
            }
            let helps = pod.request().iter().any(|(resource, _)| node.free.get(resource) < request.get(resource))
                || !allowed && cluster.may_violate_terms_of(asker, ix);
            let going = all.iter().filter(|taken| taken.pool == number).count();
            if let Some(mut taken) = helps.then(|| self.evict(number, ix, going, Some(&short))).flatten() {
                let of_gang = all.extract_if(.., |other| self.are_evicted_together(number, other));
                taken.pods.extend(of_gang.flat_map(|other| other.pods));
                all.push(taken);
            }
        }
        if !self.node_fits(at, asker, request) {
            self.trial.rewind(before);
            return None;
        }
        Some(not_reprieved(all.into_iter().rev(), |taken| {
            let mark = self.trial.savepoint();
            taken.pods.iter().for_each(|(ix, place)| self.trial.set_location(*ix, *place));
            let stays = self.node_fits(at, asker, request);
            if !stays {
                self.trial.rewind(mark);
            }
            stays
        }))
    }

    /// Checks whether a node has free capacity for a pod and the other pods allow it there.
    fn node_fits(&self, at: NodeIx, asker: PodIx, request: &ResourceRequest) -> bool {
        let cluster = self.trial.cluster();
        let has_room = cluster.node(at).is_some_and(|node| node.free.lacks(request).is_none());
        has_room && self.victim_search.is_allowed(cluster, asker, at)
    }
}
