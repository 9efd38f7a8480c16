//! One attempt at placing a gang: pod by pod onto the node where the fewest make way.

use std::collections::{BTreeMap, BTreeSet};

use super::fit::{Fit, Open, fits};
use super::{Bundle, Hunt, LEVELS};
use crate::model::{NodeIx, Overflow, Place, PodIx, Request, ShapeIx, Trial};

/// A bundle at hand, and who of it has made way.
pub struct Pool<'a> {
    /// Its level.
    pub level: usize,
    /// Its place among those at hand of its level.
    pub place: usize,
    /// The bundle.
    pub bundle: &'a Bundle,
    /// Those who made way, and where they were.
    pub gone: Vec<(PodIx, Place)>,
}

/// Somebody who makes way: the number of the pool, the pod, and where it was.
type Taken = (usize, PodIx, Place);

/// What is lost where a node is cleared; less is better.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    /// So many pods of a level above the lowest make way.
    higher: usize,
    /// So many jobs begin to make way.
    begins: usize,
    /// So many more pods make way, those counted in that complete the steps of their jobs.
    goes: usize,
    /// So many pods make way on the node itself.
    at_once: usize,
}

/// Pods that ask for the same, and the nodes that are of no use to them.
struct Alike {
    request: Request,
    shape: ShapeIx,
    used_up: usize,
    hopeless: BTreeSet<NodeIx>,
}

/// One attempt at placing the gang.
pub struct Attempt<'a, 'c, 't> {
    pub(super) trial: &'t mut Trial<'c>,
    pub(super) hunt: &'a Hunt<'a>,
    open: &'a Open,
    pub(super) pools: Vec<Pool<'a>>,
    whole: Vec<&'a Bundle>,
    /// Who could make way on each node, by rank and number: the lowest level first, in the order in which they go.
    there: BTreeMap<(u64, NodeIx), Vec<(usize, PodIx)>>,
    /// Nodes on which somebody made way.
    pub(super) cleared: BTreeSet<NodeIx>,
    alike: Vec<Alike>,
    pub(super) placements: Vec<(PodIx, NodeIx)>,
}

impl<'a, 'c, 't> Attempt<'a, 'c, 't> {
    /// Nobody is placed yet.
    pub fn new(
        trial: &'t mut Trial<'c>,
        hunt: &'a Hunt<'a>,
        open: &'a Open,
        at_hand: &[Vec<&'a Bundle>; LEVELS],
    ) -> Attempt<'a, 'c, 't> {
        let mut pools = Vec::new();
        let mut there: BTreeMap<(u64, NodeIx), Vec<(usize, PodIx)>> = BTreeMap::new();
        let [elastic, single, whole] = at_hand;
        let levels = [(0, elastic), (1, single)];
        let all = levels.into_iter().flat_map(|(level, all)| all.iter().enumerate().map(move |one| (level, one)));
        for (level, (place, bundle)) in all {
            for ix in &bundle.pods {
                let node = trial.cluster().pod(*ix).and_then(|pod| pod.place.node());
                let node = node.and_then(|ix| Some((trial.cluster().node(ix)?.rank, ix)));
                if let Some(node) = node {
                    there.entry(node).or_default().push((pools.len(), *ix));
                }
            }
            pools.push(Pool { level, place, bundle, gone: Vec::new() });
        }
        let whole = whole.clone();
        let (cleared, alike, placements) = (BTreeSet::new(), Vec::new(), Vec::new());
        Attempt { trial, hunt, open, pools, whole, there, cleared, alike, placements }
    }

    /// Places all that the gang lacks, in this order; none where that does not work.
    pub fn run(mut self, order: &[PodIx]) -> Result<Option<Fit>, Overflow> {
        let whole_at = |ix: &PodIx| self.trial.cluster().pod(*ix).and_then(|pod| pod.place.node());
        self.cleared = self.whole.iter().flat_map(|bundle| &bundle.pods).filter_map(whole_at).collect();
        let (mut whole, whole_used) = self.evict_whole()?;
        let mut lacking = self.trial.cluster().shortage(self.hunt.asker.pod);
        for ix in order {
            let mut with = lacking.clone();
            if !self.trial.cluster().pod(*ix).is_some_and(|pod| with.fill(pod)) {
                continue;
            }
            if let Some(node) = self.find(*ix)? {
                self.trial.place(*ix, node)?;
                self.placements.push((*ix, node));
                lacking = with;
            }
        }
        if !lacking.is_over() || !self.within_limits()? || !self.complete_steps()? {
            return Ok(None);
        }
        self.put_back()?;
        let (mut victims, mut used) = (vec![Vec::new(); LEVELS], vec![Vec::new(); LEVELS]);
        for pool in self.pools.iter_mut().filter(|pool| !pool.gone.is_empty()) {
            if let Some((victims, used)) = victims.get_mut(pool.level).zip(used.get_mut(pool.level)) {
                victims.extend(pool.gone.drain(..).map(|(ix, _)| ix));
                used.push(pool.place);
            }
        }
        if let Some((victims, used)) = victims.last_mut().zip(used.last_mut()) {
            victims.append(&mut whole);
            *used = whole_used;
        }
        Ok(Some(Fit { placements: self.placements, victims, used }))
    }

    /// Evicts the whole gangs at hand, each as far as all of its pods may go: who, and which gangs.
    fn evict_whole(&mut self) -> Result<(Vec<PodIx>, Vec<usize>), Overflow> {
        let (mut gone, mut used) = (Vec::new(), Vec::new());
        for (place, bundle) in self.whole.clone().into_iter().enumerate() {
            let before = self.trial.mark();
            let mut all = true;
            for ix in &bundle.pods {
                all = all && self.hunt.barring(self.trial.cluster(), &self.hunt.pursuit.guards, *ix).is_none();
                self.trial.evict(*ix)?;
            }
            if all {
                gone.extend(bundle.pods.iter().copied());
                used.push(place);
            } else {
                self.trial.rewind(before)?;
            }
        }
        Ok((gone, used))
    }

    /// The node for a pod: one with room, else the one where the fewest make way for it, who then have.
    fn find(&mut self, ix: PodIx) -> Result<Option<NodeIx>, Overflow> {
        let Some((request, shape)) = self.trial.cluster().pod(ix).map(|pod| (pod.request.clone(), pod.shape)) else {
            return Ok(None);
        };
        let known = self.alike.iter().position(|alike| alike.request == request && alike.shape == shape);
        let kind = known.unwrap_or(self.alike.len());
        if known.is_none() {
            let alike = Alike { request: request.clone(), shape, used_up: 0, hopeless: BTreeSet::new() };
            self.alike.push(alike);
        }
        let cluster = self.trial.cluster();
        let takes = |node: NodeIx| self.hunt.is_open(ix, node) && fits(cluster, shape, node, &request);
        if let Some(node) = self.cleared.iter().copied().find(|node| takes(*node)) {
            return Ok(Some(node));
        }
        let used_up = self.alike.get(kind).map_or(0, |alike| alike.used_up);
        let rest = self.open.get(used_up..).unwrap_or_default();
        let ahead = rest.iter().position(|node| takes(*node));
        let node = ahead.and_then(|ahead| rest.get(ahead)).copied();
        if let Some(alike) = self.alike.get_mut(kind) {
            alike.used_up = used_up.saturating_add(ahead.unwrap_or(rest.len()));
        }
        if node.is_some() || !self.hunt.may.contains(&ix) {
            return Ok(node);
        }
        self.clear_cheapest(ix, kind, &request, shape)
    }

    /// Clears the node where the least is lost. Nodes where those are whose jobs shrink already are looked at first: there nobody else may
    /// have to begin.
    fn clear_cheapest(
        &mut self,
        ix: PodIx,
        kind: usize,
        request: &Request,
        shape: ShapeIx,
    ) -> Result<Option<NodeIx>, Overflow> {
        let begun: BTreeSet<(u64, NodeIx)> = self.begun();
        let others: Vec<NodeIx> = self.there.keys().filter(|at| !begun.contains(at)).map(|(_, node)| *node).collect();
        let begun: Vec<NodeIx> = begun.into_iter().map(|(_, node)| node).collect();
        let has_elastic = self.pools.iter().any(|pool| pool.level == 0 && pool.gone.len() < pool.bundle.most());
        let first = Cost { higher: if has_elastic { 0 } else { 1 }, begins: 1, goes: 1, at_once: 1 };
        let mut best: Option<(Cost, NodeIx)> = None;
        for (nodes, least) in [(begun, Cost::default()), (others, first)] {
            for node in nodes {
                if best.is_some_and(|(cheapest, _)| cheapest <= least || (cheapest.higher == 0 && cheapest.begins == 0))
                {
                    break;
                }
                let known = self.alike.get(kind).is_some_and(|alike| alike.hopeless.contains(&node));
                if known || !self.hunt.is_open(ix, node) || !self.trial.cluster().eligible(shape, node) {
                    continue;
                }
                match self.price(node, request)? {
                    Some(cost) if best.is_none_or(|(cheapest, _)| cost < cheapest) => best = Some((cost, node)),
                    Some(_) => {}
                    None => {
                        if let Some(alike) = self.alike.get_mut(kind) {
                            alike.hopeless.insert(node);
                        }
                    }
                }
            }
        }
        let Some((_, node)) = best else { return Ok(None) };
        for (pool, ix, place) in self.clear(node, request)?.unwrap_or_default() {
            if let Some(pool) = self.pools.get_mut(pool) {
                pool.gone.push((ix, place));
            }
        }
        self.cleared.insert(node);
        Ok(Some(node))
    }

    /// The nodes of those whose jobs have begun to shrink.
    fn begun(&self) -> BTreeSet<(u64, NodeIx)> {
        let cluster = self.trial.cluster();
        let pods = self.pools.iter().filter(|pool| !pool.gone.is_empty()).flat_map(|pool| &pool.bundle.pods);
        let nodes = pods.filter_map(|ix| cluster.pod(*ix)?.place.node());
        nodes.filter_map(|ix| Some((cluster.node(ix)?.rank, ix))).collect()
    }

    /// What is lost where a node is cleared for a request; none where it cannot be.
    fn price(&mut self, node: NodeIx, request: &Request) -> Result<Option<Cost>, Overflow> {
        let before = self.trial.mark();
        let taken = self.clear(node, request)?;
        self.trial.rewind(before)?;
        Ok(taken.map(|taken| self.cost(&taken)))
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
            let owed = if gone == 0 { 0 } else { in_all(gone) };
            cost.goes = cost.goes.saturating_add(in_all(gone.saturating_add(count)).saturating_sub(owed));
        }
        cost
    }

    /// Evicts pods on a node until a request fits there; who they are. None, and nobody, where it does not fit.
    fn clear(&mut self, at: NodeIx, request: &Request) -> Result<Option<Vec<Taken>>, Overflow> {
        let before = self.trial.mark();
        let rank = self.trial.cluster().node(at).map_or(0, |node| node.rank);
        let there = self.there.get(&(rank, at)).cloned().unwrap_or_default();
        let mut taken: Vec<Taken> = Vec::new();
        for (number, ix) in there {
            let cluster = self.trial.cluster();
            let Some((pod, node)) = cluster.pod(ix).zip(cluster.node(at)) else { continue };
            if node.free.lacks(request).is_none() {
                break;
            }
            let helps = pod.request.iter().any(|(resource, _)| node.free.get(resource) < request.get(resource));
            let going = taken.iter().filter(|(pool, ..)| *pool == number).count();
            if helps && self.may_go(number, ix, going) {
                let place = pod.place;
                self.trial.evict(ix)?;
                taken.push((number, ix, place));
            }
        }
        let lacks = |trial: &Trial<'_>| trial.cluster().node(at).is_none_or(|node| node.free.lacks(request).is_some());
        if lacks(self.trial) {
            self.trial.rewind(before)?;
            return Ok(None);
        }
        let mut needed = Vec::new();
        for (number, ix, place) in taken.into_iter().rev() {
            let mark = self.trial.mark();
            self.trial.put(ix, place)?;
            if lacks(self.trial) {
                self.trial.rewind(mark)?;
                needed.push((number, ix, place));
            }
        }
        Ok(Some(needed))
    }

    /// Whether a pod of a bundle may go when so many others of it are about to.
    pub(super) fn may_go(&self, number: usize, ix: PodIx, going: usize) -> bool {
        let Some(pool) = self.pools.get(number) else { return false };
        let cluster = self.trial.cluster();
        let holds = cluster.pod(ix).is_some_and(|pod| pod.place.node().is_some());
        let room = pool.gone.len().saturating_add(going) < pool.bundle.most();
        let pursuit = self.hunt.pursuit;
        holds
            && room
            && self.hunt.barring(cluster, &pursuit.guards, ix).is_none()
            && (pool.level == 0 || self.hunt.barring(cluster, &pursuit.single, ix).is_none())
    }
}
