//! Turns: where quotas give back what they borrow, their pods go in turn, as long as the quota borrows. Another turn may make room that the first
//! one does not, or cost less.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::super::branches::{Branch, Branching};
use super::{FindPlan, LeastHarmSearch, may_evict, stays};
use crate::engine::DecisionTrace;
use crate::engine::plan::PlanDraft;
use crate::model::{NO_PODS, PodIx};

/// The maximum number of pods that are tried as a start, where quotas take back from each other.
const OTHER_PODS: usize = 32;

impl<F: FindPlan> LeastHarmSearch<'_, '_, F> {
    /// Returns the cheapest plan for the most pods that evicts a pod before its turn, or passes one over, and its branch. It is needed where
    /// evictions in turn do not make the pods fit. `None`: there is no such plan. A quota may give a large pod as its last one, but not after a small
    /// pod that frees too little.
    pub(super) fn first_out_of_turn(&mut self) -> Option<(Branch, PlanDraft)> {
        let tries = self.tries(0);
        let early = self.out_of_turn(tries).into_iter().map(|evicted| Branch { evicted, ..Branch::default() });
        let in_turn = self.in_turn(tries.min(OTHER_PODS)).into_iter();
        let passed_over = in_turn.map(|ix| Branch { spared: BTreeSet::from([ix]), ..Branch::default() });
        let branches: Vec<Branch> = early.chain(passed_over).collect();
        let found = branches.into_iter().filter_map(|branch| Branching::find(self, &branch).map(|plan| (branch, plan)));
        let found: Vec<(Branch, PlanDraft)> = found.collect();
        let order = |(_, plan): &&(Branch, PlanDraft)| (Reverse(plan.nominations.len()), self.cost(plan));
        let best = found.iter().min_by_key(order).cloned()?;
        self.pods = best.1.nominations.len();
        Some(best)
    }

    /// Returns starts with pods that may be evicted, but not after those with an earlier turn, because a quota gives back a limited amount. Each such
    /// pod is evicted in place of others if it comes first. With tries left, it is also paired with one more pod that then has its turn before
    /// others. A pod that has its turn is a start, too: the quota gives it and those after it, where the reprieve would take it back first. The first
    /// start has all pods whose eviction costs nothing: those of gangs below their minimum.
    pub(super) fn out_of_turn(&self, tries: usize) -> Vec<BTreeSet<PodIx>> {
        let (cluster, count) = (&*self.cluster, tries.min(OTHER_PODS));
        if count == 0 || !self.context.reclaims_in_turn() {
            return Vec::new();
        }
        let (mut silent, nothing) = (DecisionTrace::default(), Branch::default());
        let mut context = self.context.in_branch(&nothing, &mut silent);
        let running = cluster.pods().map(|(ix, _)| ix);
        let running: Vec<PodIx> = running.filter(|ix| may_evict(cluster, &mut context, *ix)).collect();
        let in_turn: BTreeSet<PodIx> = self.in_turn(usize::MAX).into_iter().collect();
        let mut running = context.in_reprieve_order(cluster, running);
        running.reverse();
        let others = || running.iter().copied().filter(|ix| !in_turn.contains(ix));
        let own_turn = running.iter().copied().filter(|ix| in_turn.contains(ix));
        let singles = others().chain(own_turn).map(|ix| BTreeSet::from([ix])).take(count);
        let with_each = |ix: PodIx| running.iter().map(move |other| BTreeSet::from([ix, *other]));
        let mut seen = BTreeSet::new();
        let is_new = |pair: &BTreeSet<PodIx>| pair.len() > 1 && seen.insert(pair.clone());
        let pairs = others().flat_map(with_each).filter(is_new);
        let by = &self.context.laws.plan_orders.nodes.by;
        let is_free = |ix: &PodIx| cluster.pod(*ix).is_some_and(|pod| by.is_free(cluster, pod, &NO_PODS));
        let free: BTreeSet<PodIx> = running.iter().copied().filter(is_free).collect();
        std::iter::once(free).filter(|free| !free.is_empty()).chain(singles).chain(pairs).take(tries).collect()
    }

    /// Returns the pods that may be evicted in their turn, the first in turn first, at most `count`.
    fn in_turn(&self, count: usize) -> Vec<PodIx> {
        let cluster = &*self.cluster;
        if count == 0 || !self.context.reclaims_in_turn() {
            return Vec::new();
        }
        let (mut silent, nothing) = (DecisionTrace::default(), Branch::default());
        let mut context = self.context.in_branch(&nothing, &mut silent);
        let running = cluster.pods().map(|(ix, _)| ix).filter(|ix| stays(cluster, self.context, *ix));
        let mut pods = context.candidates(cluster, running);
        pods = context.in_reprieve_order(cluster, pods);
        pods.reverse();
        pods.truncate(count);
        pods
    }

    /// Returns whether each of these victims has its turn if only they are evicted. Then no quota gives more for a pod that is evicted early.
    pub(super) fn is_in_turn(&self, branch: &Branch, victims: &[PodIx]) -> bool {
        if branch.evicted.is_empty() || !self.context.reclaims_in_turn() {
            return true;
        }
        let (mut silent, nothing) = (DecisionTrace::default(), Branch::default());
        let mut context = self.context.in_branch(&nothing, &mut silent);
        context.candidates(self.cluster, victims.iter().copied()).len() == victims.len()
    }
}
