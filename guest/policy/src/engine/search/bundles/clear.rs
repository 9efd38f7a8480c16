//! The node of a pod of the gang: a node with room, or the one with the fewest victims.

use std::collections::{BTreeMap, BTreeSet};

use super::attempt::Attempt;
use super::fit::fits;
use crate::engine::search::reprieve::without_reprieve;
use crate::model::{NodeIx, Place, PodIx, Request, ResourceIx};

/// What is known of the nodes for the pods of an equivalence class.
#[derive(Default)]
pub(super) struct Outlook {
    /// How many of the open nodes have no room any more.
    used_up: usize,
    /// Nodes on which no evictions help.
    hopeless: BTreeSet<NodeIx>,
}

/// A victim: the number of the pool, the pod, and its former place.
type Taken = (usize, PodIx, Place);

/// The cost of the evictions on a node; smaller is better.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    /// The number of victims above the lowest level.
    higher: usize,
    /// The number of jobs without earlier victims.
    begins: usize,
    /// The number of additional victims, including those that complete the steps of their jobs.
    goes: usize,
    /// The number of victims on the node itself.
    at_once: usize,
}

impl Attempt<'_, '_, '_> {
    /// The node for a pod: one with room, otherwise the cheapest one. There the pods are evicted.
    pub(super) fn find(&mut self, ix: PodIx) -> Option<NodeIx> {
        let cluster = self.trial.cluster();
        let pod = cluster.pod(ix)?;
        let (class, request) = (pod.class, pod.request.clone());
        let takes = |node: NodeIx| {
            self.victim_search.is_open(ix, node)
                && fits(cluster, pod.shape, node, &request)
                && self.victim_search.is_allowed(cluster, ix, node)
        };
        if let Some(node) = self.cleared.iter().copied().find(|node| takes(*node)) {
            return Some(node);
        }
        // A node that refused such a pod may take it with more pods placed.
        let may_gain = cluster.may_gain(ix);
        let used_up = self.outlooks.get(class).filter(|_| !may_gain).map_or(0, |outlook| outlook.used_up);
        let rest = self.open.get(used_up..).unwrap_or_default();
        let ahead = rest.iter().position(|node| takes(*node));
        let node = ahead.and_then(|ahead| rest.get(ahead)).copied();
        let used_up = used_up.saturating_add(ahead.unwrap_or(rest.len()));
        let hopeless = self.outlooks.remove(class).map(|outlook| outlook.hopeless).unwrap_or_default();
        self.outlooks.insert(class, Outlook { used_up, hopeless });
        if node.is_some() || !self.victim_search.may.contains(&ix) {
            return node;
        }
        self.clear_cheapest(ix, &request)
    }

    /// Evicts the victims on the cheapest node; of equal ones first one with pods of jobs that already have victims, where no other job may
    /// need to lose pods, then the first by name. Nodes are looked at in the order of what evictions there cost at least, until none of the
    /// rest can be cheaper.
    fn clear_cheapest(&mut self, ix: PodIx, request: &Request) -> Option<NodeIx> {
        let class = self.trial.cluster().pod(ix)?.class;
        let mut nodes = self.in_question(ix, request);
        nodes.sort_unstable();
        let mut best: Option<(Cost, usize, NodeIx)> = None;
        for (least, place, node) in nodes {
            if best.is_some_and(|(cost, before, _)| (cost, before) <= (least, place)) {
                break;
            }
            match self.price(node, (ix, request)) {
                Some(cost) => best = best.into_iter().chain([(cost, place, node)]).min(),
                None => {
                    if let Some(outlook) = self.outlooks.get_mut(class) {
                        outlook.hopeless.insert(node);
                    }
                }
            }
        }
        let (.., node) = best?;
        let before = self.trial.mark();
        let short = self.short_for(node, (ix, request));
        let taken = self.clear(node, (ix, request)).unwrap_or_default();
        self.trial.rewind(before);
        for (number, ix, _) in taken {
            self.evict_of(number, ix, Some(&short));
        }
        Some(node)
    }

    /// Returns the nodes on which evictions may make room for a pod: what they cost at least, the place in the order of nodes, and the node.
    fn in_question(&self, ix: PodIx, request: &Request) -> Vec<(Cost, usize, NodeIx)> {
        let cluster = self.trial.cluster();
        let Some(pod) = cluster.pod(ix) else { return Vec::new() };
        // A node that refused such a pod may take it with more pods placed.
        let hopeless = self.outlooks.get(pod.class).filter(|_| !cluster.may_gain(ix)).map(|outlook| &outlook.hopeless);
        let begun = self.begun();
        let others = self.there.keys().filter(|at| !begun.contains(at)).map(|at| (at.1, true));
        let all = begun.iter().map(|at| (at.1, false)).chain(others).enumerate();
        let may_take = |node: NodeIx| {
            let is_hopeless = hopeless.is_some_and(|hopeless| hopeless.contains(&node));
            !is_hopeless && self.victim_search.is_open(ix, node) && cluster.eligible(pod.shape, node)
        };
        let all = all.filter(|(_, (node, _))| may_take(*node));
        all.map(|(place, (node, is_new))| (self.at_least(node, request, is_new), place, node)).collect()
    }

    /// Returns what evictions on a node cost at least. `is_new`: none of the jobs there has victims.
    fn at_least(&self, at: NodeIx, request: &Request, is_new: bool) -> Cost {
        let cluster = self.trial.cluster();
        let Some(node) = cluster.node(at) else { return Cost::default() };
        let there = self.there.get(&(node.rank, at)).map(Vec::as_slice).unwrap_or_default();
        let pods = || there.iter().filter_map(|(_, ix)| cluster.pod(*ix));
        let so_many = |(resource, asked): (ResourceIx, i64)| {
            let missing = asked.saturating_sub(node.free.get(resource)).max(0);
            let largest = pods().map(|pod| pod.request.get(resource)).max().unwrap_or(0).max(1);
            let rounded_up = missing.saturating_add(largest.saturating_sub(1)).checked_div(largest);
            usize::try_from(rounded_up.unwrap_or(0)).unwrap_or(usize::MAX)
        };
        let at_once = request.iter().map(so_many).max().unwrap_or(0);
        let is_elastic = |(number, _): &&(usize, PodIx)| self.pools.get(*number).is_none_or(|pool| pool.level == 0);
        let elastic = there.iter().filter(is_elastic).count();
        // A victim of an elastic job may be one of a step that is begun.
        let goes = if is_new || elastic == 0 { at_once } else { 0 };
        let begins = usize::from(is_new && at_once > 0);
        Cost { higher: at_once.saturating_sub(elastic), begins, goes, at_once }
    }

    /// The nodes with pods of jobs that have victims.
    fn begun(&self) -> BTreeSet<(u64, NodeIx)> {
        let cluster = self.trial.cluster();
        let pods = self.pools.iter().filter(|pool| !pool.gone.is_empty()).flat_map(|pool| &pool.bundle.pods);
        let nodes = pods.filter_map(|ix| cluster.pod(*ix)?.place.node());
        nodes.filter_map(|ix| Some((cluster.node(ix)?.rank, ix))).collect()
    }

    /// The cost of the evictions on a node for a pod; none if no evictions help.
    fn price(&mut self, node: NodeIx, ask: (PodIx, &Request)) -> Option<Cost> {
        let before = self.trial.mark();
        let taken = self.clear(node, ask);
        self.trial.rewind(before);
        taken.map(|taken| self.cost(&taken))
    }

    fn cost(&self, taken: &[Taken]) -> Cost {
        let mut by_pool: BTreeMap<usize, usize> = BTreeMap::new();
        for (number, ..) in taken {
            let count = by_pool.entry(*number).or_default();
            *count = count.saturating_add(1);
        }
        let mut cost = Cost { at_once: taken.len(), ..Cost::default() };
        for (number, count) in by_pool {
            let Some(pool) = self.pools.get(number) else { continue };
            let in_all = |count: usize| pool.bundle.step(count).unwrap_or(count);
            let gone = pool.gone.len();
            cost.higher = cost.higher.saturating_add(if pool.level > 0 { count } else { 0 });
            cost.begins = cost.begins.saturating_add(usize::from(gone == 0));
            let required_node_reservations = if gone == 0 { 0 } else { in_all(gone) };
            cost.goes =
                cost.goes.saturating_add(in_all(gone.saturating_add(count)).saturating_sub(required_node_reservations));
        }
        cost
    }

    /// Evicts pods on a node until a pod fits and the others allow it. Returns the victims. If it does not fit, none are evicted.
    fn clear(&mut self, at: NodeIx, (asker, request): (PodIx, &Request)) -> Option<Vec<Taken>> {
        let before = self.trial.mark();
        let rank = self.trial.cluster().node(at).map_or(0, |node| node.rank);
        let there = self.there.get(&(rank, at)).cloned().unwrap_or_default();
        let short = self.short_for(at, (asker, request));
        let mut taken: Vec<Taken> = Vec::new();
        for (number, ix) in there {
            let cluster = self.trial.cluster();
            let Some((pod, node)) = cluster.pod(ix).zip(cluster.node(at)) else { continue };
            let allowed = self.victim_search.is_allowed(cluster, asker, at);
            if allowed && node.free.lacks(request).is_none() {
                break;
            }
            let helps = pod.request.iter().any(|(resource, _)| node.free.get(resource) < request.get(resource))
                || !allowed && cluster.is_in_the_way(asker, ix);
            let going = taken.iter().filter(|(pool, ..)| *pool == number).count();
            let place = pod.place;
            if helps && self.may_go(number, ix, going, Some(&short)) {
                self.trial.evict(ix);
                taken.push((number, ix, place));
            }
        }
        if !self.takes(at, asker, request) {
            self.trial.rewind(before);
            return None;
        }
        Some(without_reprieve(taken.into_iter().rev(), |(_, ix, place)| {
            let mark = self.trial.mark();
            self.trial.put(*ix, *place);
            let stays = self.takes(at, asker, request);
            if !stays {
                self.trial.rewind(mark);
            }
            stays
        }))
    }

    /// Returns what a node lacks for a pod. If the pods there do not allow the pod, all that it requests counts.
    fn short_for(&self, at: NodeIx, (asker, request): (PodIx, &Request)) -> Vec<ResourceIx> {
        let cluster = self.trial.cluster();
        let allowed = self.victim_search.is_allowed(cluster, asker, at);
        let lacks = |(resource, asked): &(ResourceIx, i64)| {
            !allowed || cluster.node(at).is_none_or(|node| node.free.get(*resource) < *asked)
        };
        request.iter().filter(lacks).map(|(resource, _)| resource).collect()
    }

    /// Whether a node has room for a pod and the others allow it there.
    fn takes(&self, at: NodeIx, asker: PodIx, request: &Request) -> bool {
        let cluster = self.trial.cluster();
        let has_room = cluster.node(at).is_some_and(|node| node.free.lacks(request).is_none());
        has_room && self.victim_search.is_allowed(cluster, asker, at)
    }
}
