//! The cost of evictions on a node: at least, and as a trial shows it.

use std::collections::{BTreeMap, BTreeSet};

use super::attempt::Attempt;
use super::clear::Taken;
use crate::model::{NodeIx, PodIx, Request, ResourceIx, count_for};

/// The cost of the evictions on a node; smaller is better.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cost {
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
    /// Returns the nodes on which evictions may make room for a pod: what they cost at least, the place in the order of nodes, and the node.
    pub(super) fn in_question(&self, ix: PodIx, request: &Request) -> Vec<(Cost, usize, NodeIx)> {
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
        let so_many = |(resource, amount): (ResourceIx, i64)| {
            let missing = amount.saturating_sub(node.free.get(resource));
            let largest = pods().map(|pod| pod.request.get(resource)).max().unwrap_or(0);
            usize::try_from(count_for(missing, largest)).unwrap_or(usize::MAX)
        };
        let at_once = request.iter().map(so_many).max().unwrap_or(0);
        let is_elastic = |(number, _): &&(usize, PodIx)| self.pools.get(*number).is_none_or(|pool| pool.level == 0);
        let elastic = there.iter().filter(is_elastic).count();
        // A victim of an elastic job may be one of a step that is begun.
        let goes = if is_new || elastic == 0 { at_once } else { 0 };
        let begins = usize::from(is_new && at_once > 0);
        Cost { higher: at_once.saturating_sub(elastic), begins, goes, at_once }
    }

    /// Returns the nodes with pods of jobs that have victims.
    fn begun(&self) -> BTreeSet<(u64, NodeIx)> {
        let cluster = self.trial.cluster();
        let pods = self.pools.iter().filter(|pool| !pool.gone.is_empty()).flat_map(|pool| &pool.bundle.pods);
        let nodes = pods.filter_map(|ix| cluster.pod(*ix)?.place.node());
        nodes.filter_map(|ix| Some((cluster.node(ix)?.rank, ix))).collect()
    }

    /// Returns the cost of the evictions on a node for a pod; none if no evictions help.
    pub(super) fn price(&mut self, node: NodeIx, ask: (PodIx, &Request)) -> Option<Cost> {
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
            let go_already = if gone == 0 { 0 } else { in_all(gone) };
            cost.goes = cost.goes.saturating_add(in_all(gone.saturating_add(count)).saturating_sub(go_already));
        }
        cost
    }
}
