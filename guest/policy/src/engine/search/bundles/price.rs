//! The cost of evictions on a node: at least, and as a trial shows it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::WHOLE_GANG_LEVEL;
use super::attempt::GangPlacement;
use super::candidates::Candidates;
use super::evict::EvictedPods;
use super::further::FurtherPods;
use crate::model::{Amounts, NodeIx, PodIx, ResourceIx, ResourceRequest, min_pods_to_free};

/// The cost of the evictions on a node; smaller is better.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeEvictionCost {
    /// Whether jobs are evicted whole. Then gangs count, and other victims above the lowest level, but no numbers of jobs and pods.
    is_whole: bool,
    /// The number of gangs that are evicted whole.
    gangs: usize,
    /// The number of single victims above the lowest level.
    higher: usize,
    /// The number of jobs without earlier victims.
    new_jobs: usize,
    /// The number of additional victims, including those that complete the steps of their jobs.
    victims_total: usize,
    /// The number of victims on the node itself.
    victims_on_node: usize,
}

/// A node with the cost of evictions there, or with a lower bound of the cost; smaller is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PricedNode {
    /// The cost, or what evictions cost at least.
    pub(super) cost: NodeEvictionCost,
    /// The number of further pods of the gang that the node takes, or an upper bound of it at that cost. 0 where jobs of one pod are evicted whole,
    /// as each of them costs.
    pub(super) further_fitting: Reverse<usize>,
    /// The work lost with jobs that are evicted whole, and the highest index of these jobs among the available ones; or lower bounds of both.
    pub(super) loss: (i128, usize),
    /// The place in the order of nodes.
    pub(super) index: usize,
    /// The node.
    pub(super) node: NodeIx,
}

impl NodeEvictionCost {
    /// Returns how many further pods count in favor of a node.
    fn further_fitting(&self, further: usize) -> Reverse<usize> {
        Reverse(if self.is_whole && self.gangs == 0 { 0 } else { further })
    }
}

impl GangPlacement<'_, '_, '_> {
    /// Returns the nodes on which evictions may make a pod fit, with lower bounds of their cost.
    pub(super) fn nodes_to_price(
        &self,
        (ix, request): (PodIx, &ResourceRequest),
        further: &[FurtherPods],
    ) -> Vec<PricedNode> {
        let cluster = self.trial.cluster();
        let Some(pod) = cluster.pod(ix) else { return Vec::new() };
        // A node that refused such a pod may take it with more pods placed.
        let hopeless = self
            .search_memos
            .get(pod.requirements.class)
            .filter(|_| !cluster.may_fit_after_placements(ix))
            .map(|outlook| &outlook.hopeless_nodes);
        let begun = self.nodes_of_used_bundles();
        let others =
            self.candidates_by_node.iter().filter(|(at, _)| !begun.contains(at)).map(|(at, there)| (at.1, there, true));
        let begun = begun.iter().filter_map(|at| Some((at.1, self.candidates_by_node.get(at)?, false)));
        let may_take = |node: NodeIx| {
            let is_hopeless = hopeless.is_some_and(|hopeless| hopeless.contains(&node));
            !is_hopeless
                && self.victim_search.is_not_refuted(ix, node)
                && cluster.eligible(pod.requirements.shape, node)
        };
        let all = begun.chain(others).enumerate().filter(|(_, (node, ..))| may_take(*node));
        let priced = |(place, (node, there, is_new)): (usize, (NodeIx, &Candidates, bool))| {
            let free = &cluster.node(node)?.free;
            let cost = at_least(free, there, request, is_new);
            let room = further_fitting_at_most((free, there, cost), request, further);
            let loss = there.least_loss.filter(|_| cost.is_whole).unwrap_or_default();
            Some(PricedNode { cost, further_fitting: cost.further_fitting(room), loss, index: place, node })
        };
        all.filter_map(priced).collect()
    }

    /// Returns the nodes with pods of jobs that have victims.
    fn nodes_of_used_bundles(&self) -> BTreeSet<(u64, NodeIx)> {
        let cluster = self.trial.cluster();
        let pods = self.pools.iter().filter(|pool| !pool.evicted.is_empty()).flat_map(|pool| &pool.bundle.pods);
        let nodes = pods.filter_map(|ix| cluster.pod(*ix)?.node());
        nodes.filter_map(|ix| Some((cluster.node(ix)?.rank, ix))).collect()
    }

    /// Returns a node with what evictions there cost for a pod, and how many further pods the node takes then; none if no evictions help.
    pub(super) fn price(
        &mut self,
        at: PricedNode,
        ask: (PodIx, &ResourceRequest),
        further: &[FurtherPods],
    ) -> Option<PricedNode> {
        let before = self.trial.savepoint();
        let taken = self.evict_until_fit(at.node, ask)?;
        let room = self.fitting_further_pods(further, at.node, ask.1);
        self.trial.rewind(before);
        let cost = self.cost(&taken);
        let pools =
            taken.iter().filter_map(|taken| self.pools.get(taken.pool)).filter(|pool| pool.level == WHOLE_GANG_LEVEL);
        let loss = pools.fold((0, 0), |(work, last): (i128, usize), pool| {
            (work.saturating_add(pool.bundle.loss.work), last.max(pool.index))
        });
        Some(PricedNode { cost, further_fitting: cost.further_fitting(room), loss, ..at })
    }

    fn cost(&self, taken: &[EvictedPods]) -> NodeEvictionCost {
        let mut by_pool: BTreeMap<usize, usize> = BTreeMap::new();
        for taken in taken {
            let count = by_pool.entry(taken.pool).or_default();
            *count = count.saturating_add(taken.pods.len());
        }
        let mut cost = NodeEvictionCost { victims_on_node: taken.len(), ..NodeEvictionCost::default() };
        for (number, count) in by_pool {
            let Some(pool) = self.pools.get(number) else { continue };
            let in_all = |count: usize| pool.bundle.step(count).unwrap_or(count);
            let gone = pool.evicted.len();
            cost.is_whole |= pool.level == WHOLE_GANG_LEVEL;
            cost.gangs = cost.gangs.saturating_add(pool.bundle.loss.gangs);
            cost.higher =
                cost.higher.saturating_add(if pool.level > 0 && pool.level < WHOLE_GANG_LEVEL { count } else { 0 });
            cost.new_jobs = cost.new_jobs.saturating_add(usize::from(gone == 0));
            let go_already = if gone == 0 { 0 } else { in_all(gone) };
            cost.victims_total =
                cost.victims_total.saturating_add(in_all(gone.saturating_add(count)).saturating_sub(go_already));
        }
        if cost.is_whole {
            NodeEvictionCost { new_jobs: 0, victims_total: 0, victims_on_node: 0, ..cost }
        } else {
            cost
        }
    }
}

/// Returns a lower bound of the cost of evicting candidates on a node with this free capacity. `is_new`: none of the jobs there has victims.
fn at_least(free: &Amounts, there: &Candidates, request: &ResourceRequest, is_new: bool) -> NodeEvictionCost {
    let missing = |(resource, amount): (ResourceIx, i64)| (resource, amount.saturating_sub(free.get(resource)));
    let more_than =
        |freed: &Amounts| request.iter().map(missing).any(|(resource, missing)| missing > freed.get(resource).max(0));
    if more_than(&there.freed_by_lower_levels) {
        return NodeEvictionCost {
            is_whole: true,
            gangs: usize::from(more_than(&there.without_gangs)),
            ..NodeEvictionCost::default()
        };
    }
    let so_many = |(resource, missing): (ResourceIx, i64)| {
        usize::try_from(min_pods_to_free(missing, there.largest_freed.get(resource))).unwrap_or(usize::MAX)
    };
    let at_once = request.iter().map(missing).map(so_many).max().unwrap_or(0);
    // A victim of an elastic job may complete a step that is begun already.
    let goes = if is_new || there.elastic == 0 { at_once } else { 0 };
    let begins = usize::from(is_new && at_once > 0);
    NodeEvictionCost {
        higher: at_once.saturating_sub(there.elastic),
        new_jobs: begins,
        victims_total: goes,
        victims_on_node: at_once,
        ..NodeEvictionCost::default()
    }
}

/// Returns an upper bound of the number of further pods that a node takes, after evictions at this cost, together with a pod of this request.
fn further_fitting_at_most(
    (free, there, cost): (&Amounts, &Candidates, NodeEvictionCost),
    request: &ResourceRequest,
    further: &[FurtherPods],
) -> usize {
    let victims = i64::try_from(cost.victims_on_node).unwrap_or(i64::MAX);
    let freed = |resource| match cost.is_whole {
        false => there.largest_freed.get(resource).saturating_mul(victims),
        true => there.freed_by_all.get(resource),
    };
    let room = |resource| free.get(resource).saturating_add(freed(resource)).saturating_sub(request.get(resource));
    further.iter().map(|further| further.count_fitting(room)).fold(0, usize::saturating_add)
}
