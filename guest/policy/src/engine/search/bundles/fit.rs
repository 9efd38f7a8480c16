//! Whether a gang fits when certain bundles are at hand, and who makes way then.

use std::collections::{BTreeMap, BTreeSet};

use super::{Bundle, Hunt, LEVELS};
use crate::model::{Cluster, NodeIx, Overflow, Place, PodIx, Request, ShapeIx, Trial};

/// Nodes that have room for some pod of the gang as they are, by name.
pub type Open = Vec<NodeIx>;

/// A gang that fits.
pub struct Fit {
    /// Who gets which node.
    pub placements: Vec<(PodIx, NodeIx)>,
    /// Who makes way, by level.
    pub victims: Vec<Vec<PodIx>>,
}

/// The nodes with room for some pod of the gang.
pub fn open_nodes(cluster: &Cluster, hunt: &Hunt<'_>) -> Open {
    let mut kinds: Vec<(&Request, ShapeIx)> = Vec::new();
    for pod in hunt.asker.pods.iter().filter_map(|ix| cluster.pod(*ix)) {
        if !kinds.contains(&(&pod.request, pod.shape)) {
            kinds.push((&pod.request, pod.shape));
        }
    }
    let takes = |node: NodeIx| kinds.iter().any(|(request, shape)| fits(cluster, *shape, node, request));
    let mut open: Vec<_> = cluster.nodes().filter(|(ix, _)| takes(*ix)).map(|(ix, node)| (node.rank, ix)).collect();
    open.sort_unstable();
    open.into_iter().map(|(_, ix)| ix).collect()
}

fn fits(cluster: &Cluster, shape: ShapeIx, node: NodeIx, request: &Request) -> bool {
    cluster.eligible(shape, node) && cluster.node(node).is_some_and(|node| node.free.lacks(request).is_none())
}

/// Places what the gang lacks. Where that works, the trial is left so; else it is as before.
pub fn fit(
    trial: &mut Trial<'_>,
    hunt: &Hunt<'_>,
    open: &Open,
    at_hand: &[Vec<&Bundle>; LEVELS],
) -> Result<Option<Fit>, Overflow> {
    let cluster = trial.cluster();
    let is_hard = |ix: &PodIx| {
        let pod = cluster.pod(*ix);
        pod.is_some_and(|pod| !open.iter().any(|node| fits(cluster, pod.shape, *node, &pod.request)))
    };
    let mut hard_first = hunt.asker.pods.clone();
    hard_first.sort_by_cached_key(|ix| !is_hard(ix));
    let mut largest_first = hard_first.clone();
    let size = |ix: &PodIx| cluster.pod(*ix).map(|pod| pod.request.iter().map(|(_, n)| n).collect::<Vec<i64>>());
    largest_first.sort_by_cached_key(|ix| std::cmp::Reverse(size(ix)));
    let orders = if hard_first == largest_first { vec![hard_first] } else { vec![hard_first, largest_first] };
    for order in orders {
        let before = trial.mark();
        let attempt = Attempt::new(trial, hunt, open, at_hand);
        if let Some(fit) = attempt.run(&order)? {
            return Ok(Some(fit));
        }
        trial.rewind(before)?;
    }
    Ok(None)
}

/// A bundle at hand, and who of it has made way.
struct Pool<'a> {
    level: usize,
    bundle: &'a Bundle,
    gone: Vec<PodIx>,
}

/// Pods that ask for the same, and the nodes that are of no use to them.
struct Alike {
    request: Request,
    shape: ShapeIx,
    used_up: usize,
    hopeless: BTreeSet<NodeIx>,
}

/// One attempt at placing the gang.
struct Attempt<'a, 'c, 't> {
    trial: &'t mut Trial<'c>,
    hunt: &'a Hunt<'a>,
    open: &'a Open,
    pools: Vec<Pool<'a>>,
    whole: Vec<PodIx>,
    /// Who could make way on each node, by rank and number: the lowest level first, in the order in which they go.
    there: BTreeMap<(u64, NodeIx), Vec<(usize, PodIx)>>,
    /// Nodes on which somebody made way.
    cleared: BTreeSet<NodeIx>,
    alike: Vec<Alike>,
    placements: Vec<(PodIx, NodeIx)>,
}

impl<'a, 'c, 't> Attempt<'a, 'c, 't> {
    fn new(
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
        let whole = whole.iter().flat_map(|bundle| bundle.pods.iter().copied()).collect();
        let (cleared, alike, placements) = (BTreeSet::new(), Vec::new(), Vec::new());
        Attempt { trial, hunt, open, pools, whole, there, cleared, alike, placements }
    }

    fn run(mut self, order: &[PodIx]) -> Result<Option<Fit>, Overflow> {
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
                level.append(&mut pool.gone);
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
        let mut rest = self.whole.clone();
        while let Some(first) = rest.first().copied() {
            let gang: Vec<PodIx> = self.trial.cluster().members(first).map(|(ix, _)| ix).collect();
            let (pods, others): (Vec<PodIx>, Vec<PodIx>) = rest.into_iter().partition(|ix| gang.contains(ix));
            rest = others;
            let before = self.trial.mark();
            let mut all = true;
            for ix in &pods {
                all = all && self.hunt.barring(self.trial.cluster(), &self.hunt.pursuit.guards, *ix).is_none();
                self.cleared.extend(self.trial.cluster().pod(*ix).and_then(|pod| pod.place.node()));
                self.trial.evict(*ix)?;
            }
            if all { gone.extend(pods) } else { self.trial.rewind(before)? }
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
        if let Some(node) = self.cleared.iter().find(|node| fits(cluster, shape, **node, &request)) {
            return Ok(Some(*node));
        }
        let used_up = self.alike.get(kind).map_or(0, |alike| alike.used_up);
        let rest = self.open.get(used_up..).unwrap_or_default();
        let ahead = rest.iter().position(|node| fits(cluster, shape, *node, &request));
        let node = ahead.and_then(|ahead| rest.get(ahead)).copied();
        if let Some(alike) = self.alike.get_mut(kind) {
            alike.used_up = used_up.saturating_add(ahead.unwrap_or(rest.len()));
        }
        if node.is_some() || !self.hunt.may.contains(&ix) {
            return Ok(node);
        }
        self.clear_cheapest(kind, &request, shape)
    }

    /// Clears the node where the fewest pods make way, those of the lower level not counted first.
    fn clear_cheapest(&mut self, kind: usize, request: &Request, shape: ShapeIx) -> Result<Option<NodeIx>, Overflow> {
        let nodes: Vec<NodeIx> = self.there.keys().map(|(_, node)| *node).collect();
        let has_elastic = self.pools.iter().any(|pool| pool.level == 0 && pool.gone.len() < pool.bundle.most());
        let least = (if has_elastic { 0usize } else { 1 }, 1usize);
        let mut best: Option<((usize, usize), NodeIx)> = None;
        for node in nodes {
            let known = self.alike.get(kind).is_some_and(|alike| alike.hopeless.contains(&node));
            if known || !self.trial.cluster().eligible(shape, node) {
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
            let cost = (taken.iter().filter(|(pool, _)| level(pool) > 0).count(), taken.len());
            if best.is_none_or(|(cheapest, _)| cost < cheapest) {
                best = Some((cost, node));
            }
            if cost <= least {
                break;
            }
        }
        let Some((_, node)) = best else { return Ok(None) };
        for (pool, ix) in self.clear(node, request)?.unwrap_or_default() {
            if let Some(pool) = self.pools.get_mut(pool) {
                pool.gone.push(ix);
            }
        }
        self.cleared.insert(node);
        Ok(Some(node))
    }

    /// Evicts pods on a node until a request fits there; who they are. None, and nobody, where it does not fit.
    fn clear(&mut self, at: NodeIx, request: &Request) -> Result<Option<Vec<(usize, PodIx)>>, Overflow> {
        let before = self.trial.mark();
        let rank = self.trial.cluster().node(at).map_or(0, |node| node.rank);
        let there = self.there.get(&(rank, at)).cloned().unwrap_or_default();
        let mut taken: Vec<(usize, PodIx, Place)> = Vec::new();
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
                needed.push((number, ix));
            }
        }
        Ok(Some(needed))
    }

    /// Whether a pod of a bundle may go when so many others of it are about to.
    fn may_go(&self, number: usize, ix: PodIx, going: usize) -> bool {
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

    /// Evicts pods of the gang's own queue at hand until every limit holds.
    fn within_limits(&mut self) -> Result<bool, Overflow> {
        let pods: Vec<PodIx> = self.placements.iter().map(|(ix, _)| *ix).collect();
        while self.hunt.broken(self.trial.cluster(), &pods)?.is_some() {
            let own = |ix: &PodIx| self.trial.cluster().pod(*ix).is_some_and(|pod| pod.queue == self.hunt.asker.queue);
            let all = self.pools.iter().enumerate();
            let mut all = all.flat_map(|(number, pool)| pool.bundle.pods.iter().map(move |ix| (number, *ix)));
            let Some((number, ix)) = all.find(|(number, ix)| own(ix) && self.may_go(*number, *ix, 0)) else {
                return Ok(false);
            };
            self.evict(number, ix)?;
        }
        Ok(true)
    }

    /// Elastic jobs that shrink do so by one of their steps.
    fn complete_steps(&mut self) -> Result<bool, Overflow> {
        for number in 0..self.pools.len() {
            let Some(pool) = self.pools.get(number).filter(|pool| pool.level == 0 && !pool.gone.is_empty()) else {
                continue;
            };
            let Some(step) = pool.bundle.step(pool.gone.len()) else { return Ok(false) };
            let pods = pool.bundle.pods.clone();
            for ix in pods {
                let short = self.pools.get(number).is_some_and(|pool| pool.gone.len() < step);
                if short && self.may_go(number, ix, 0) {
                    self.evict(number, ix)?;
                }
            }
            if self.pools.get(number).is_some_and(|pool| pool.gone.len() != step) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn evict(&mut self, number: usize, ix: PodIx) -> Result<(), Overflow> {
        self.cleared.extend(self.trial.cluster().pod(ix).and_then(|pod| pod.place.node()));
        self.trial.evict(ix)?;
        if let Some(pool) = self.pools.get_mut(number) {
            pool.gone.push(ix);
        }
        Ok(())
    }

    /// Puts back whom one can of those that made way singly, the most important first.
    fn put_back(&mut self) -> Result<(), Overflow> {
        let pods: Vec<PodIx> = self.placements.iter().map(|(ix, _)| *ix).collect();
        for number in 0..self.pools.len() {
            let Some(pool) = self.pools.get(number).filter(|pool| pool.level == 1) else { continue };
            for ix in pool.gone.clone() {
                let before = self.trial.mark();
                let Some(place) = self.origin(ix) else { continue };
                self.trial.put(ix, place)?;
                let crowded = place.node().is_some_and(|node| self.is_crowded(node));
                if crowded || self.hunt.broken(self.trial.cluster(), &pods)?.is_some() {
                    self.trial.rewind(before)?;
                } else if let Some(pool) = self.pools.get_mut(number) {
                    pool.gone.retain(|other| *other != ix);
                }
            }
        }
        Ok(())
    }

    /// Where a pod at hand was before it made way.
    fn origin(&self, ix: PodIx) -> Option<Place> {
        let at = self.there.iter().find(|(_, pods)| pods.iter().any(|(_, other)| *other == ix))?;
        Some(Place::Bound(at.0.1))
    }

    /// Whether there is too little on a node of what the gang asks for.
    fn is_crowded(&self, at: NodeIx) -> bool {
        let Some(node) = self.trial.cluster().node(at) else { return true };
        let here = self.placements.iter().any(|(_, node)| *node == at);
        here && self.hunt.asker.unplaced.iter().any(|(resource, _)| node.free.get(resource) < 0)
    }
}
