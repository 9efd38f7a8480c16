//! The candidates that a plan by whole jobs evicts before it considers each for a reprieve.

use std::collections::BTreeSet;

use super::super::PreemptionContext;
use super::super::node_dry_run::NodeDryRun;
use super::kept::{PlannedNodeCapacity, capacity_on};
use crate::laws::{LawContext, Preemptor};
use crate::model::{Cluster, PlansInFlight, PodInfo, PodIx, PodLocation, QueueIx, Trial};

/// The case of a preemptor whose pods wait for their nodes, or have them in a trial.
pub type ContextOf = for<'c> fn(&'c Preemptor, &'c Cluster, &'c PlansInFlight) -> LawContext<'c>;

/// The evicted candidates.
#[derive(Default)]
pub struct EvictedCandidates(Vec<EvictionSet>);

/// An evicted candidate, the pods that are evicted with it, and the place of each before.
pub struct EvictionSet {
    /// The candidate.
    pub head: PodIx,
    /// The place where the candidate ran.
    pub location: PodLocation,
    others: Vec<(PodIx, PodLocation)>,
}

impl EvictionSet {
    /// Returns whether the set is a single pod that frees what it requests.
    pub fn is_plain(&self, cluster: &Cluster) -> bool {
        self.others.is_empty() && cluster.pod(self.head).is_some_and(PodInfo::frees_its_request)
    }

    /// Returns all pods and their places before.
    pub fn locations(&self) -> impl Iterator<Item = (PodIx, PodLocation)> + '_ {
        std::iter::once((self.head, self.location)).chain(self.others.iter().copied())
    }
}

impl EvictedCandidates {
    /// Evicts the candidates on these nodes, the pods that leave these nodes anyway, and the pods that the branch names. Named pods are evicted only
    /// on these nodes, or, where `over` says that a bound is exceeded, on any node for that bound. They were permitted together, and later evictions
    /// for bounds may leave a quota too little for them, so they are evicted before those.
    pub fn evict_on(
        &mut self,
        trial: &mut Trial<'_>,
        context: &PreemptionContext<'_>,
        (dry_runs, over): (&[NodeDryRun], Option<ContextOf>),
    ) {
        for dry_run in dry_runs {
            dry_run.leaving.iter().for_each(|ix| trial.evict_set(*ix));
            dry_run.candidates.iter().for_each(|candidate| self.evict(trial, candidate.pod));
        }
        let may_go = |ix: &&PodIx| {
            let node = trial.cluster().pod(**ix).and_then(|pod| pod.node());
            let is_there = dry_runs.iter().any(|dry_run| Some(dry_run.node) == node);
            is_there || over.is_some_and(|case| frees_a_bound(trial.cluster(), context, case, **ix))
        };
        let named: Vec<PodIx> = context.branch.evicted.iter().filter(may_go).copied().collect();
        named.into_iter().for_each(|ix| self.evict(trial, ix));
    }

    fn evict(&mut self, trial: &mut Trial<'_>, head: PodIx) {
        let cluster = trial.cluster();
        let place = |ix: PodIx| cluster.pod(ix).map(|pod| pod.state.location).filter(|place| place.node().is_some());
        let Some(at) = place(head) else { return };
        let others = match cluster.pod(head).is_some_and(PodInfo::is_alone) {
            true => Vec::new(),
            false => {
                let others = cluster.eviction_set(head).into_iter().filter(|ix| *ix != head);
                others.filter_map(|ix| Some((ix, place(ix)?))).collect()
            }
        };
        let eviction_set = EvictionSet { head, location: at, others };
        eviction_set.locations().for_each(|(ix, _)| trial.evict(ix));
        self.0.push(eviction_set);
    }

    /// Evicts the candidates of the queues that bound a gang, on any node, as far as the laws allow evictions for a bound. The pods that the branch
    /// evicts come first, then the least important. Leaving pods that count against such a queue are evicted, too, because promises count there as
    /// well. A gang that takes back what others have borrowed is bounded by the usage of all quotas.
    pub fn evict_for_bounds(
        &mut self,
        trial: &mut Trial<'_>,
        context: &mut PreemptionContext<'_>,
        (gang, case): (&Preemptor, ContextOf),
    ) {
        let cluster = trial.cluster();
        let bounds = bounds_of(cluster, gang);
        let bounded = cluster.pods().filter(|(_, pod)| pod.node().is_some() && counts(cluster, &bounds, pod));
        let bounded: Vec<PodIx> = bounded.map(|(ix, _)| ix).collect();
        for ix in context.in_reclaim_order(cluster, bounded) {
            let cluster = trial.cluster();
            if context.is_leaving(cluster, ix) {
                trial.evict_set(ix);
            } else if case(gang, cluster, context.ledger).first_denial(&context.laws.bound_victim_filters, ix).is_none()
                && context.check_candidate(cluster, ix)
            {
                self.evict(trial, ix);
            }
        }
    }

    /// Removes and returns the single pods that do not fit back on their nodes even with every other candidate gone. These are victims, in whatever
    /// order the others are reprieved.
    pub fn remove_unavoidable(&mut self, cluster: &Cluster, kept: &[PlannedNodeCapacity]) -> Vec<EvictionSet> {
        let is_certain = |set: &mut EvictionSet| {
            let has_budget = cluster.pod(set.head).is_none_or(|pod| !pod.attributes.budgets.is_empty());
            let is_crowded =
                || capacity_on(kept, set.location).any(|kept| kept.would_be_overcommitted(cluster, set.head));
            !has_budget && set.is_plain(cluster) && is_crowded()
        };
        self.0.extract_if(.., is_certain).collect()
    }

    /// Returns the eviction sets in the order of reprieve: those in `chosen`, which the search counts on, come last. In both parts, the pods whose
    /// disruption budget is exhausted come first, then the most important. `certain`: the sets that were removed before, which still run in the
    /// books.
    pub fn in_order(
        mut self,
        trial: &mut Trial<'_>,
        context: &PreemptionContext<'_>,
        (chosen, certain): (&BTreeSet<PodIx>, &[EvictionSet]),
    ) -> Vec<EvictionSet> {
        let before = trial.savepoint();
        let is_alone = |ix: PodIx| trial.cluster().pod(ix).is_some_and(PodInfo::is_alone);
        if !self.0.iter().all(|set| is_alone(set.head)) {
            // How large a group is, and whether a gang has more pods than it needs, shows where it runs.
            self.0
                .iter()
                .chain(certain)
                .flat_map(EvictionSet::locations)
                .for_each(|(ix, place)| trial.set_location(ix, place));
        }
        let cluster = trial.cluster();
        self.0.sort_unstable_by(|a, b| match (cluster.pod(a.head), cluster.pod(b.head)) {
            (Some(a), Some(b)) => (context.laws.plan_orders.reprieve.compare)(cluster, a, b),
            _ => a.head.cmp(&b.head),
        });
        let heads: Vec<PodIx> = self.0.iter().map(|eviction_set| eviction_set.head).collect();
        let protected: BTreeSet<PodIx> = cluster.partition_by_budget_violation(heads, &[]).0.into_iter().collect();
        trial.rewind(before);
        if !protected.is_empty() {
            self.0.sort_by_key(|set| !protected.contains(&set.head));
        }
        let (mut sets, counted_on): (Vec<_>, Vec<_>) = self.0.into_iter().partition(|set| !chosen.contains(&set.head));
        sets.extend(counted_on);
        sets
    }
}

/// Returns the queues that bound a gang.
fn bounds_of(cluster: &Cluster, gang: &Preemptor) -> Vec<QueueIx> {
    match gang.is_within_min {
        true => cluster.path(gang.part.queue).map(|(ix, _)| ix).collect(),
        false => gang.queues(cluster).map(|(ix, _)| ix).collect(),
    }
}

/// Returns whether a pod counts against one of these queues.
fn counts(cluster: &Cluster, bounds: &[QueueIx], pod: &PodInfo) -> bool {
    cluster.path(pod.queue).any(|(ix, _)| bounds.contains(&ix))
}

/// Returns whether a pod counts against a queue that bounds one of the gangs, and the laws allow its eviction for that bound.
fn frees_a_bound(cluster: &Cluster, context: &PreemptionContext<'_>, case: ContextOf, ix: PodIx) -> bool {
    let Some(pod) = cluster.pod(ix) else { return false };
    let allows = |gang: &Preemptor| {
        case(gang, cluster, context.ledger).first_denial(&context.laws.bound_victim_filters, ix).is_none()
    };
    context.gangs.iter().any(|gang| counts(cluster, &bounds_of(cluster, gang), pod) && allows(gang))
}
