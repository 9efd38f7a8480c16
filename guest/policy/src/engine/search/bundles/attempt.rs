//! One attempt to place a gang: pod by pod onto the node with the fewest victims.

use std::collections::{BTreeMap, BTreeSet};

use super::candidates::Candidates;
use super::clear::Outlook;
use super::elastic_first::is_elastic;
use super::fit::{AtHand, Fit, Open, Short};
use super::further::Rest;
use super::{Bundle, LEVELS, VictimSearch};
use crate::model::{ClassIx, NodeIx, Place, PodIx, ResourceIx, Table, Trial};

/// An available bundle and its victims.
pub struct Pool<'a> {
    /// Its level.
    pub level: usize,
    /// Its index among the available bundles of its level.
    pub place: usize,
    /// The bundle.
    pub bundle: &'a Bundle,
    /// The maximum number of victims.
    pub most: usize,
    /// The evicted pods, with their former places.
    pub gone: Vec<(PodIx, Place)>,
}

/// One attempt to place the gang.
pub struct Attempt<'a, 'c, 't> {
    pub(super) trial: &'t mut Trial<'c>,
    pub(super) victim_search: &'a VictimSearch<'a>,
    pub(super) open: &'a Open,
    pub(super) pools: Vec<Pool<'a>>,
    whole: Vec<&'a Bundle>,
    /// The candidates of each node, by rank and number.
    pub(super) there: BTreeMap<(u64, NodeIx), Candidates>,
    /// Nodes on which a pod was evicted.
    pub(super) cleared: BTreeSet<NodeIx>,
    /// What is known of the nodes, by equivalence class of the pods.
    pub(super) outlooks: Table<ClassIx, Outlook>,
    /// The evicted normal pods in this order, with their former places.
    pub(super) normal: Vec<(PodIx, Place)>,
    /// The resources that each victim was evicted for, if they were known.
    pub(super) short: BTreeMap<PodIx, Vec<ResourceIx>>,
    /// Whether an elastic pod could not be evicted because normal pods were evicted before.
    pub(super) clashed: bool,
    /// The placements so far.
    pub(super) placements: Vec<(PodIx, NodeIx)>,
}

impl<'a, 'c, 't> Attempt<'a, 'c, 't> {
    /// No pod is placed yet.
    pub fn new(
        trial: &'t mut Trial<'c>,
        victim_search: &'a VictimSearch<'a>,
        open: &'a Open,
        at_hand: &AtHand<'a>,
    ) -> Attempt<'a, 'c, 't> {
        let mut pools = Vec::new();
        let mut there: BTreeMap<(u64, NodeIx), Candidates> = BTreeMap::new();
        let [elastic, single, whole] = &at_hand.bundles;
        let levels = [(0, elastic), (1, single)];
        let all = levels.into_iter().flat_map(|(level, all)| all.iter().enumerate().map(move |one| (level, one)));
        for (level, (place, bundle)) in all {
            for ix in &bundle.pods {
                let Some(pod) = trial.cluster().pod(*ix) else { continue };
                let node = pod.place.node().and_then(|ix| Some((trial.cluster().node(ix)?.rank, ix)));
                if let Some(node) = node {
                    there.entry(node).or_default().add((pools.len(), level), (*ix, pod));
                }
            }
            let cap = at_hand.caps.get(&place).filter(|_| level == 0);
            let most = cap.copied().unwrap_or_else(|| bundle.most());
            pools.push(Pool { level, place, bundle, most, gone: Vec::new() });
        }
        let whole = whole.clone();
        let (cleared, outlooks, placements) = (BTreeSet::new(), Table::default(), Vec::new());
        let (normal, short, clashed) = (Vec::new(), BTreeMap::new(), false);
        Attempt {
            trial,
            victim_search,
            open,
            pools,
            whole,
            there,
            cleared,
            outlooks,
            normal,
            short,
            clashed,
            placements,
        }
    }

    /// Places all pods that the gang lacks, in this order.
    pub fn run(mut self, order: &[PodIx]) -> Result<Fit, Short> {
        let whole_at = |ix: &PodIx| self.trial.cluster().pod(*ix).and_then(|pod| pod.place.node());
        self.cleared = self.whole.iter().flat_map(|bundle| &bundle.pods).filter_map(whole_at).collect();
        let (whole, whole_used) = self.evict_whole();
        let mut lacking = self.trial.cluster().shortage(self.victim_search.preemptor.pod);
        let mut rest = order.iter();
        while let Some(ix) = rest.next() {
            let mut with = lacking.clone();
            if !self.trial.cluster().pod(*ix).is_some_and(|pod| with.fill(pod)) {
                continue;
            }
            if let Some(node) = self.find(*ix, &Rest { pods: rest.as_slice(), lacking: &with }) {
                self.trial.place(*ix, node);
                self.placements.push((*ix, node));
                lacking = with;
            } else {
                // With fewer pods gone, one that it needs may be there.
                self.clashed |= self.trial.cluster().needs_company(*ix);
            }
        }
        if !lacking.is_over() || !self.within_limits() || !self.complete_steps() || !self.others_allow() {
            return Err(Short { clashed: self.clashed });
        }
        let excess = self.reprieve();
        if !self.whole_gangs_are_due(&whole) || !self.each_frees_what_is_owed(&whole) {
            return Err(Short { clashed: true });
        }
        let excess = self.exchange(&whole, excess);
        let (mut victims, mut used) = (vec![Vec::new(); LEVELS], vec![Vec::new(); LEVELS]);
        for pool in self.pools.iter_mut().filter(|pool| !pool.gone.is_empty()) {
            if let Some((victims, used)) = victims.get_mut(pool.level).zip(used.get_mut(pool.level)) {
                victims.extend(pool.gone.drain(..).map(|(ix, _)| ix));
                used.push(pool.place);
            }
        }
        if let Some((victims, used)) = victims.last_mut().zip(used.last_mut()) {
            victims.extend(whole.into_iter().map(|(ix, _)| ix));
            *used = whole_used;
        }
        Ok(Fit { placements: self.placements, victims, used, excess })
    }

    /// Evicts the available whole gangs of which every pod may be evicted. Returns the pods with their former
    /// places, and the indexes of the gangs.
    fn evict_whole(&mut self) -> (Vec<(PodIx, Place)>, Vec<usize>) {
        let (mut gone, mut used) = (Vec::new(), Vec::new());
        for (place, bundle) in self.whole.clone().into_iter().enumerate() {
            let (before, normal) = (self.trial.mark(), self.normal.len());
            let mut elastic_first = bundle.pods.clone();
            elastic_first.sort_by_key(|ix| !is_elastic(self.trial.cluster(), *ix));
            let (mut all, mut places) = (true, Vec::new());
            for ix in elastic_first {
                all = all && self.is_candidate(ix, None);
                places.extend(self.evict(ix).map(|place| (ix, place)));
            }
            if all {
                gone.extend(places);
                used.push(place);
            } else {
                self.trial.rewind(before);
                self.normal.truncate(normal);
            }
        }
        (gone, used)
    }

    /// Checks that a pod of a pool may be evicted after `going` others of the pool, for these resources if they are known.
    pub(super) fn may_go(&mut self, number: usize, ix: PodIx, going: usize, short: Option<&[ResourceIx]>) -> bool {
        let Some(pool) = self.pools.get(number) else { return false };
        let (cluster, single) = (self.trial.cluster(), &self.victim_search.rules.single);
        let holds = cluster.pod(ix).is_some_and(|pod| pod.place.node().is_some());
        let room = pool.gone.len().saturating_add(going) < pool.most;
        let spare = pool.level == 0 || self.victim_search.first_denial(cluster, single, ix, short).is_none();
        holds && room && spare && self.is_candidate(ix, short)
    }

    /// Whether no law denies the eviction of a pod after the evictions so far.
    fn is_candidate(&mut self, ix: PodIx, short: Option<&[ResourceIx]>) -> bool {
        let cluster = self.trial.cluster();
        let barred = self.victim_search.first_denial(cluster, &self.victim_search.rules.guards, ix, short).is_some();
        !barred && (!is_elastic(cluster, ix) || self.others_could_follow(ix))
    }

    /// Evicts a pod for good.
    fn evict(&mut self, ix: PodIx) -> Option<Place> {
        let place = self.trial.cluster().pod(ix).map(|pod| pod.place)?;
        self.trial.evict(ix);
        if !is_elastic(self.trial.cluster(), ix) {
            self.normal.push((ix, place));
        }
        Some(place)
    }

    /// Evicts a pod of a pool for good, for these resources if they are known.
    pub(super) fn evict_of(&mut self, number: usize, ix: PodIx, short: Option<&[ResourceIx]>) {
        if let Some(short) = short {
            self.short.insert(ix, short.to_vec());
        }
        if let Some((place, pool)) = self.evict(ix).zip(self.pools.get_mut(number)) {
            pool.gone.push((ix, place));
            self.cleared.extend(place.node());
        }
    }
}
