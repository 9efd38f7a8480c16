//! One attempt at placing a gang: pod by pod onto the node where the fewest make way.

use std::collections::{BTreeMap, BTreeSet};

use super::fit::{Fit, Open, fits};
use super::{Bundle, Hunt, LEVELS};
use crate::model::{NodeIx, Overflow, Place, PodIx, Request, ShapeIx, Trial};

/// A bundle at hand, and who of it has made way.
pub struct Pool<'a> {
    /// Its level.
    pub level: usize,
    /// The bundle.
    pub bundle: &'a Bundle,
    /// Those who made way, and where they were.
    pub gone: Vec<(PodIx, Place)>,
}

/// Somebody who makes way: the number of the pool, the pod, and where it was.
type Taken = (usize, PodIx, Place);

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
        for (level, bundle) in levels.into_iter().flat_map(|(level, all)| all.iter().map(move |one| (level, *one))) {
            for ix in &bundle.pods {
                let node = trial.cluster().pod(*ix).and_then(|pod| pod.place.node());
                let node = node.and_then(|ix| Some((trial.cluster().node(ix)?.rank, ix)));
                if let Some(node) = node {
                    there.entry(node).or_default().push((pools.len(), *ix));
                }
            }
            pools.push(Pool { level, bundle, gone: Vec::new() });
        }
        let whole = whole.clone();
        let (cleared, alike, placements) = (BTreeSet::new(), Vec::new(), Vec::new());
        Attempt { trial, hunt, open, pools, whole, there, cleared, alike, placements }
    }

    /// Places all that the gang lacks, in this order; none where that does not work.
    pub fn run(mut self, order: &[PodIx]) -> Result<Option<Fit>, Overflow> {
        let whole_at = |ix: &PodIx| self.trial.cluster().pod(*ix).and_then(|pod| pod.place.node());
        self.cleared = self.whole.iter().flat_map(|bundle| &bundle.pods).filter_map(whole_at).collect();
        let mut whole = self.evict_whole()?;
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
        let mut victims: Vec<Vec<PodIx>> = vec![Vec::new(); LEVELS];
        for pool in &mut self.pools {
            if let Some(level) = victims.get_mut(pool.level) {
                level.extend(pool.gone.drain(..).map(|(ix, _)| ix));
            }
        }
        if let Some(level) = victims.last_mut() {
            level.append(&mut whole);
        }
        Ok(Some(Fit { placements: self.placements, victims }))
    }

    /// Evicts the whole gangs at hand, each as far as all of its pods may go.
    fn evict_whole(&mut self) -> Result<Vec<PodIx>, Overflow> {
        let mut gone = Vec::new();
        for bundle in self.whole.clone() {
            let before = self.trial.mark();
            let mut all = true;
            for ix in &bundle.pods {
                all = all && self.hunt.barring(self.trial.cluster(), &self.hunt.pursuit.guards, *ix).is_none();
                self.trial.evict(*ix)?;
            }
            if all {
                gone.extend(bundle.pods.iter().copied());
            } else {
                self.trial.rewind(before)?;
            }
        }
        Ok(gone)
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

    /// Clears the node where the fewest pods make way, those of the lower level not counted first.
    fn clear_cheapest(
        &mut self,
        ix: PodIx,
        kind: usize,
        request: &Request,
        shape: ShapeIx,
    ) -> Result<Option<NodeIx>, Overflow> {
        let nodes: Vec<NodeIx> = self.there.keys().map(|(_, node)| *node).collect();
        let has_elastic = self.pools.iter().any(|pool| pool.level == 0 && pool.gone.len() < pool.bundle.most());
        let least = (if has_elastic { 0usize } else { 1 }, 1usize);
        let mut best: Option<((usize, usize), NodeIx)> = None;
        for node in nodes {
            let known = self.alike.get(kind).is_some_and(|alike| alike.hopeless.contains(&node));
            if known || !self.hunt.is_open(ix, node) || !self.trial.cluster().eligible(shape, node) {
                continue;
            }
            let before = self.trial.mark();
            let taken = self.clear(node, request)?;
            self.trial.rewind(before)?;
            let Some(taken) = taken else {
                if let Some(alike) = self.alike.get_mut(kind) {
                    alike.hopeless.insert(node);
                }
                continue;
            };
            let level = |pool: &usize| self.pools.get(*pool).map_or(0, |pool| pool.level);
            let cost = (taken.iter().filter(|(pool, ..)| level(pool) > 0).count(), taken.len());
            if best.is_none_or(|(cheapest, _)| cost < cheapest) {
                best = Some((cost, node));
            }
            if cost <= least {
                break;
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
