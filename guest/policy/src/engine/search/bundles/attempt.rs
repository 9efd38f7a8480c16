//! One attempt to place a gang: pod by pod onto the node with the fewest victims.

use std::collections::{BTreeMap, BTreeSet};

use super::candidates::Candidates;
use super::clear::NodeSearchMemo;
use super::fit::{AvailableBundles, Fit, FitFailure, OpenNodes};
use super::further::RemainingPods;
use super::{BUNDLE_LEVELS, BundleSearchInput, VictimBundle};
use crate::model::{ClassIx, NodeIx, PodIx, PodLocation, ResourceIx, Table, Trial};

/// An available bundle and the victims that the attempt has taken from it.
pub struct BundleUse<'a> {
    /// The level of the bundle.
    pub level: usize,
    /// The index of the bundle among the available ones of its level.
    pub index: usize,
    /// The bundle.
    pub bundle: &'a VictimBundle,
    /// The maximum number of victims.
    pub max_victims: usize,
    /// The evicted pods, with their former places.
    pub evicted: Vec<(PodIx, PodLocation)>,
}

/// The moment at which whole gangs are evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GangEviction {
    /// A gang is evicted when a pod of the preemptor needs its capacity.
    OnDemand,
    /// All gangs are evicted first, and those that are not needed are reprieved. Constraints between pods may need evictions on other nodes than that
    /// of the pod; but the first gangs may use up what their queue has in excess.
    UpFront,
}

/// One attempt to place the gang.
pub struct GangPlacement<'a, 'c, 't> {
    pub(super) trial: &'t mut Trial<'c>,
    pub(super) victim_search: &'a BundleSearchInput<'a>,
    pub(super) open_nodes: &'a OpenNodes,
    pub(super) pools: Vec<BundleUse<'a>>,
    /// The candidates of each node, by rank and number.
    pub(super) candidates_by_node: BTreeMap<(u64, NodeIx), Candidates>,
    /// Nodes on which a pod was evicted.
    pub(super) nodes_with_evictions: BTreeSet<NodeIx>,
    /// The lower bounds of each node, by equivalence class of the pods.
    pub(super) search_memos: Table<ClassIx, NodeSearchMemo>,
    /// The evicted normal pods in this order, with their former places.
    pub(super) normal_victims: Vec<(PodIx, PodLocation)>,
    /// The resources that each victim was evicted for, if they were known.
    pub(super) short_by_victim: BTreeMap<PodIx, Vec<ResourceIx>>,
    /// Whether an elastic pod could not be evicted because normal pods were evicted before.
    pub(super) has_order_conflict: bool,
    /// The placements so far.
    pub(super) placements: Vec<(PodIx, NodeIx)>,
}

impl<'a, 'c, 't> GangPlacement<'a, 'c, 't> {
    /// Creates an attempt in which no pod is placed yet.
    pub fn new(
        trial: &'t mut Trial<'c>,
        victim_search: &'a BundleSearchInput<'a>,
        open: &'a OpenNodes,
        at_hand: &AvailableBundles<'a>,
    ) -> GangPlacement<'a, 'c, 't> {
        let mut pools = Vec::new();
        let mut there: BTreeMap<(u64, NodeIx), Candidates> = BTreeMap::new();
        let levels = at_hand.bundles.iter().enumerate();
        let all = levels.flat_map(|(level, all)| all.iter().enumerate().map(move |one| (level, one)));
        for (level, (place, bundle)) in all {
            let cap = at_hand.caps.get(&place).filter(|_| level == 0);
            let most = cap.copied().unwrap_or_else(|| bundle.max_victims());
            let pool = BundleUse { level, index: place, bundle, max_victims: most, evicted: Vec::new() };
            for ix in &bundle.pods {
                let Some(pod) = trial.cluster().pod(*ix) else { continue };
                let node = pod.node().and_then(|ix| Some((trial.cluster().node(ix)?.rank, ix)));
                if let Some(node) = node {
                    there.entry(node).or_default().add((pools.len(), &pool), (*ix, pod));
                }
            }
            pools.push(pool);
        }
        let (cleared, outlooks, placements) = (BTreeSet::new(), Table::default(), Vec::new());
        let (normal, short, clashed) = (Vec::new(), BTreeMap::new(), false);
        GangPlacement {
            trial,
            victim_search,
            open_nodes: open,
            pools,
            candidates_by_node: there,
            nodes_with_evictions: cleared,
            search_memos: outlooks,
            normal_victims: normal,
            short_by_victim: short,
            has_order_conflict: clashed,
            placements,
        }
    }

    /// Places all pods that the gang lacks, in this order, then reprieves the victims that are not needed. The error says whether fewer evictions
    /// might succeed.
    pub fn run(mut self, order: &[PodIx], gangs: GangEviction) -> Result<Fit, FitFailure> {
        if gangs == GangEviction::UpFront {
            self.evict_gangs();
        }
        let mut lacking = self.trial.cluster().shortage(self.victim_search.preemptor.pod);
        let mut rest = order.iter();
        while let Some(ix) = rest.next() {
            let mut with = lacking.clone();
            if !self.trial.cluster().pod(*ix).is_some_and(|pod| with.take(pod)) {
                continue;
            }
            if let Some(node) = self.find(*ix, &RemainingPods { pods: rest.as_slice(), lacking: &with }) {
                self.trial.place(*ix, node);
                self.placements.push((*ix, node));
                lacking = with;
            } else {
                // With fewer evictions, a pod that this pod needs in its domain may still be there.
                self.has_order_conflict |= self.trial.cluster().has_required_affinity(*ix);
            }
        }
        if !lacking.is_empty() || !self.meet_limits() || !self.complete_steps() || !self.check_other_pods() {
            return Err(FitFailure { has_order_conflict: self.has_order_conflict });
        }
        let excess = self.reprieve();
        if !self.may_evict_whole_gangs() || !self.each_victim_frees_entitlement() {
            return Err(FitFailure { has_order_conflict: true });
        }
        let excess = self.exchange(excess);
        let (mut victims, mut used) = (vec![Vec::new(); BUNDLE_LEVELS], vec![Vec::new(); BUNDLE_LEVELS]);
        for pool in self.pools.iter_mut().filter(|pool| !pool.evicted.is_empty()) {
            if let Some((victims, used)) = victims.get_mut(pool.level).zip(used.get_mut(pool.level)) {
                victims.extend(pool.evicted.drain(..).map(|(ix, _)| ix));
                used.push(pool.index);
            }
        }
        Ok(Fit { placements: self.placements, victims, used, excess })
    }

    /// Returns the numbers of the pools of a level.
    pub(super) fn pools_of_level(&self, level: usize) -> Vec<usize> {
        let all = self.pools.iter().enumerate().filter(|(_, pool)| pool.level == level);
        all.map(|(number, _)| number).collect()
    }
}
