//! Whether a gang fits with certain bundles available, and the victims.

use std::collections::BTreeMap;

use super::attempt::{GangEviction, GangPlacement};
use super::thrift::Caps;
use super::{BUNDLE_LEVELS, BundleSearchInput, VictimBundle};
use crate::model::{ClassIx, Cluster, NodeIx, PodInfo, PodIx, ResourceRequest, ShapeIx, Trial};

/// Nodes with free capacity for a pod of the gang without evictions, by name.
pub type OpenNodes = Vec<NodeIx>;

/// The placements of a gang that fits, and the victims.
pub struct Fit {
    /// The node of each pod.
    pub placements: Vec<(PodIx, NodeIx)>,
    /// The victims, by level.
    pub victims: Vec<Vec<PodIx>>,
    /// The bundles of the victims, by level and index in the list.
    pub used: Vec<Vec<usize>>,
    /// Elastic jobs of which pods are evicted only to get to a legal size.
    pub excess: Vec<Excess>,
}

/// An elastic job with more victims than needed, because fewer would leave it with an illegal size.
#[derive(Debug, Clone, Copy)]
pub struct Excess {
    /// The index of the bundle in its list.
    pub index: usize,
    /// The number of victims.
    pub victims: usize,
    /// The next smaller legal number of victims, at least one.
    pub step: usize,
}

/// The bundles from which an attempt may evict pods.
#[derive(Debug, Clone, Default)]
pub struct AvailableBundles<'a> {
    /// The bundles, by level.
    pub bundles: [Vec<&'a VictimBundle>; BUNDLE_LEVELS],
    /// The maximum number of victims of some elastic jobs. Others give as many as is legal.
    pub caps: Caps,
}

impl Fit {
    fn has_no_victims(&self) -> bool {
        self.victims.iter().all(Vec::is_empty)
    }
}

/// The outcome for a gang that does not fit.
#[derive(Debug, Clone, Copy, Default)]
pub struct FitFailure {
    /// Whether an elastic pod could not be evicted because normal pods were evicted before: a smaller selection may be enough.
    pub has_order_conflict: bool,
}

/// Returns the nodes with free capacity for a pod of the gang. Constraints between pods are ignored, as evictions elsewhere may lift them.
pub fn open_nodes(cluster: &Cluster, victim_search: &BundleSearchInput<'_>) -> OpenNodes {
    let pods = victim_search.preemptor.pods.iter().filter_map(|ix| cluster.pod(*ix));
    let kinds: BTreeMap<ClassIx, &PodInfo> = pods.map(|pod| (pod.requirements.class, pod)).collect();
    let takes = |node: NodeIx| kinds.values().any(|pod| fits(cluster, pod.requirements.shape, node, pod.request()));
    let mut open: Vec<_> = cluster.nodes().filter(|(ix, _)| takes(*ix)).map(|(ix, node)| (node.rank, ix)).collect();
    open.sort_unstable();
    open.into_iter().map(|(_, ix)| ix).collect()
}

/// Checks whether pods of a shape may run on a node and the node has free capacity for this request.
pub fn fits(cluster: &Cluster, shape: ShapeIx, node: NodeIx, request: &ResourceRequest) -> bool {
    cluster.eligible(shape, node) && cluster.node(node).is_some_and(|node| node.free.lacks(request).is_none())
}

/// Places the pods that the gang lacks, in the order with the fewest victims, and keeps the placements in the trial. The orders tried are: first the
/// pods that fit on no open node, first the largest ones, first the smallest ones, and first the pods with the fewest nodes. The smallest ones first
/// helps where a large pod takes the capacity of two small ones that complete the gang. In every order, pods that need others in their domain are
/// last. On an error the trial is unchanged.
pub fn fit(
    trial: &mut Trial<'_>,
    victim_search: &BundleSearchInput<'_>,
    open: &OpenNodes,
    at_hand: &AvailableBundles<'_>,
) -> Result<Fit, FitFailure> {
    let cluster = trial.cluster();
    let is_hard = |ix: &PodIx| {
        let pod = cluster.pod(*ix);
        pod.is_some_and(|pod| !open.iter().any(|node| fits(cluster, pod.requirements.shape, *node, pod.request())))
    };
    let mut hard_first = victim_search.preemptor.pods.clone();
    hard_first.sort_by_cached_key(|ix| (cluster.has_required_affinity(*ix), !is_hard(ix)));
    let (largest_first, smallest_first) = (cluster.largest_first(&hard_first), cluster.smallest_first(&hard_first));
    let fewest_nodes_first = cluster.fewest_nodes_first(largest_first.clone());
    let mut orders = vec![hard_first, largest_first, smallest_first, fewest_nodes_first];
    orders.iter_mut().for_each(|order| order.sort_by_key(|ix| cluster.has_required_affinity(*ix)));
    orders.dedup();
    let (before, mut short) = (trial.savepoint(), FitFailure::default());
    let ways: &[GangEviction] = match at_hand.bundles.last() {
        Some(whole) if !whole.is_empty() => &[GangEviction::OnDemand, GangEviction::UpFront],
        _ => &[GangEviction::OnDemand],
    };
    for gangs in ways {
        let mut best: Option<(Vec<usize>, &Vec<PodIx>)> = None;
        for order in &orders {
            match GangPlacement::new(trial, victim_search, open, at_hand).run(order, *gangs) {
                Ok(fit) if orders.len() == 1 || fit.has_no_victims() => return Ok(fit),
                Ok(fit) => {
                    let cost = fit.victims.iter().rev().map(Vec::len).collect();
                    best = best.into_iter().chain([(cost, order)]).min_by(|(one, _), (other, _)| one.cmp(other));
                }
                Err(one) => short.has_order_conflict |= one.has_order_conflict,
            }
            trial.rewind(before);
        }
        if let Some((_, order)) = best {
            return GangPlacement::new(trial, victim_search, open, at_hand).run(order, *gangs);
        }
    }
    Err(short)
}
