//! The end of the search by jobs: with the job on its nodes, every candidate is considered for a reprieve.

use std::collections::BTreeSet;

use super::node_dry_run::NodeDryRun;
use super::reprieve::{reprieve, without_reprieve};
use super::trace::{Why, crowding};
use super::{Obstacle, Plan, PreemptionContext};
use crate::engine::room::Lack;
use crate::laws::{Case, Preemptor};
use crate::model::{
    Amounts, Cluster, InterPodLack, Kind, Ledger, NodeIx, Place, Pod, PodIx, QueueIx, ResourceIx, Trial, WhatIf,
};

/// Evicts in a trial every candidate on the nodes of the plan. If a limit does not hold, also every candidate in the queues of the
/// planned gangs, on any node. Then reprieves them in order, as long as the planned pods keep their nodes and every limit holds. The
/// others are the victims. `elsewhere`: the pods that are leaving other nodes. `chosen`: the victims that the search has counted on; they
/// are reprieved last.
pub fn reprieve_job(
    cluster: &mut Cluster,
    context: &mut PreemptionContext<'_>,
    (dry_runs, elsewhere, chosen): (&[NodeDryRun], &[PodIx], &BTreeSet<PodIx>),
    nominations: Vec<(PodIx, NodeIx)>,
) -> Result<Plan, Obstacle> {
    let mut trial = Trial::new(cluster);
    let mut taken = Taken::default();
    nominations.iter().for_each(|(pod, node)| trial.place(*pod, *node));
    if let Some((rule, denial)) = context.broken_permit(trial.cluster()) {
        return Err(Obstacle::Law(rule, denial));
    }
    // Asked before the evictions: a pod on a node of the plan must not be evicted for a limit if a less important one elsewhere is
    // enough.
    let over = context.broken_limit(trial.cluster()).is_some();
    taken.take_on(&mut trial, context, dry_runs);
    for gang in context.gangs.iter().filter(|_| over) {
        taken.take_for_bounds(&mut trial, context, (gang, Preemptor::placed));
    }
    if let Some((rule, denial)) = context.broken_limit(trial.cluster()) {
        return Err(Obstacle::Law(rule, denial));
    }
    let mut kept: Vec<Kept> = dry_runs.iter().map(|dry_run| Kept::new(trial.cluster(), context, dry_run)).collect();
    kept.sort_by_key(|kept| kept.node);
    let evicted = taken.in_order(&mut trial, context, chosen);
    // Built now: of what a trial evicts afterwards, nothing is among these.
    let mut what_if = WhatIf::default();
    elsewhere.iter().for_each(|ix| what_if.evict_set(trial.cluster(), *ix));
    let nominated = context.nominated(trial.cluster());
    let is_between = nominations.iter().any(|(pod, _)| trial.cluster().is_between(*pod));
    let disallowed_in = |cluster: &Cluster| match is_between {
        true => cluster.first_disallowed(&nominations, &what_if, &nominated),
        false => None,
    };
    let mut disallowed = disallowed_in(trial.cluster());
    let needed = reprieve(evicted, |eviction_set| {
        let is_plain = !context.notes.are_on() && eviction_set.is_plain(trial.cluster());
        if is_plain
            && kept_on(&kept, eviction_set.place).any(|kept| kept.would_be_crowded(trial.cluster(), eviction_set.head))
        {
            return Some(Why::Lack(Lack::default()));
        }
        let before = trial.mark();
        eviction_set.places().for_each(|(ix, place)| trial.put(ix, place));
        let with = disallowed_in(trial.cluster());
        let worse = with.filter(|with| is_worse(*with, disallowed)).map(|(_, lack)| Why::InterPod(lack));
        let kept_there = eviction_set.places().flat_map(|(_, place)| kept_on(&kept, place));
        let why = against(trial.cluster(), context, kept_there, worse);
        match &why {
            None => {
                disallowed = with;
                context.notes.reprieved(eviction_set.head);
            }
            Some(why) => {
                context.notes.needed(trial.cluster(), eviction_set.head, why);
                trial.rewind(before);
            }
        }
        why
    });
    if let Some((pod, planned)) = disallowed.and_then(|(planned, _)| Some((nominations.get(planned)?.0, planned))) {
        return Err(Obstacle::NoNode { pod, planned });
    }
    let victims = needed.into_iter().map(|(eviction_set, _)| eviction_set.head).collect();
    Ok(Plan::by_node(context.preemptor.pod, nominations, victims))
}

/// Whether the pods before the first that is not allowed are fewer with a candidate back, or another thing stands in its way. A pod that
/// needs a candidate in its domain is allowed again only when that one is back.
fn is_worse((planned, lack): (usize, InterPodLack), without: Option<(usize, InterPodLack)>) -> bool {
    without.is_none_or(|(before, other)| planned < before || planned == before && lack != other)
}

/// The obstacle to a reprieve, in a trial where the candidate is on its node again.
fn against<'k>(
    cluster: &Cluster,
    context: &PreemptionContext<'_>,
    mut kept: impl Iterator<Item = &'k Kept>,
    worse: Option<Why>,
) -> Option<Why> {
    let crowded = kept.find(|kept| kept.is_crowded(cluster));
    match crowded {
        // The amounts are needed for explanations only.
        Some(_) if !context.notes.are_on() => Some(Why::Lack(Lack::default())),
        Some(kept) => {
            let lack = crowding(cluster, kept.node, &context.preemptor.pods, &kept.promised);
            Some(Why::Lack(lack.unwrap_or_default()))
        }
        None => worse.or_else(|| context.broken_limit(cluster).map(|(rule, denial)| Why::Law(rule, denial))),
    }
}

/// The case of a preemptor whose pods wait for their nodes, or have them in a trial.
type CaseOf = for<'c> fn(&'c Preemptor, &'c Cluster, &'c Ledger) -> Case<'c>;

/// The evicted candidates.
#[derive(Default)]
struct Taken(Vec<EvictionSet>);

/// An evicted candidate, the pods that leave with it, and the place of each before.
struct EvictionSet {
    head: PodIx,
    place: Place,
    others: Vec<(PodIx, Place)>,
}

impl EvictionSet {
    /// Returns whether it is a pod that leaves alone and gives back what it requests.
    fn is_plain(&self, cluster: &Cluster) -> bool {
        let is_pod = |pod: &Pod| pod.name.kind == Kind::Pod && pod.attributes.inside.is_none();
        self.others.is_empty() && cluster.pod(self.head).is_some_and(is_pod)
    }

    /// Returns all pods and their places before.
    fn places(&self) -> impl Iterator<Item = (PodIx, Place)> + '_ {
        std::iter::once((self.head, self.place)).chain(self.others.iter().copied())
    }
}

/// Returns the candidates that must be evicted for the bounds of the queues alone, wherever the planned pods run; none where no bound is
/// exceeded, or no eviction brings the queues within their bounds.
pub fn victims_for_bounds(cluster: &mut Cluster, context: &mut PreemptionContext<'_>) -> BTreeSet<PodIx> {
    let exceeded = |cluster: &Cluster, context: &PreemptionContext<'_>| {
        let mut gangs = context.gangs.iter();
        gangs.any(|gang| gang.waiting(cluster, context.ledger).first_broken(&context.laws.limits).is_some())
    };
    let mut trial = Trial::new(cluster);
    if !exceeded(trial.cluster(), context) {
        return BTreeSet::new();
    }
    let mut taken = Taken::default();
    for gang in context.gangs {
        taken.take_for_bounds(&mut trial, context, (gang, Preemptor::waiting));
    }
    if exceeded(trial.cluster(), context) {
        return BTreeSet::new();
    }
    let evicted = taken.in_order(&mut trial, context, &BTreeSet::new());
    let needed = without_reprieve(evicted, |eviction_set| {
        let before = trial.mark();
        eviction_set.places().for_each(|(ix, place)| trial.put(ix, place));
        let stays = !exceeded(trial.cluster(), context);
        if !stays {
            trial.rewind(before);
        }
        stays
    });
    needed.into_iter().map(|eviction_set| eviction_set.head).collect()
}

impl Taken {
    /// Evicts the candidates on these nodes, and what leaves them anyway.
    fn take_on(&mut self, trial: &mut Trial<'_>, context: &PreemptionContext<'_>, dry_runs: &[NodeDryRun]) {
        for dry_run in dry_runs {
            dry_run.leaving.iter().for_each(|ix| trial.evict_set(*ix));
            dry_run.candidates.iter().for_each(|candidate| self.take(trial, candidate.pod));
        }
        // A branch may have named pods of nodes that the plan does not use: those go for a bound only.
        let is_used = |ix: &&PodIx| {
            let node = trial.cluster().pod(**ix).and_then(|pod| pod.place.node());
            dry_runs.iter().any(|dry_run| Some(dry_run.node) == node)
        };
        let named: Vec<PodIx> = context.branch.evicted.iter().filter(is_used).copied().collect();
        named.into_iter().for_each(|ix| self.take(trial, ix));
    }

    fn take(&mut self, trial: &mut Trial<'_>, head: PodIx) {
        let cluster = trial.cluster();
        let place = |ix: PodIx| cluster.pod(ix).map(|pod| pod.place).filter(|place| place.node().is_some());
        let Some(at) = place(head) else { return };
        let others = match cluster.pod(head).is_some_and(Pod::is_alone) {
            true => Vec::new(),
            false => {
                let others = cluster.eviction_set(head).into_iter().filter(|ix| *ix != head);
                others.filter_map(|ix| Some((ix, place(ix)?))).collect()
            }
        };
        let eviction_set = EvictionSet { head, place: at, others };
        eviction_set.places().for_each(|(ix, _)| trial.evict(ix));
        self.0.push(eviction_set);
    }

    /// Evicts the candidates of the queues that bound a gang, on any node, as far as the laws let them go for a bound, those first that the
    /// branch evicts, then the least important; and the pods that are leaving anyway and count against such a queue, because what is promised
    /// counts there, too. A gang that takes back what others have borrowed is bounded by what all of them use.
    fn take_for_bounds(
        &mut self,
        trial: &mut Trial<'_>,
        context: &mut PreemptionContext<'_>,
        (gang, case): (&Preemptor, CaseOf),
    ) {
        let cluster = trial.cluster();
        let bounds: Vec<QueueIx> = match gang.takes_back {
            true => cluster.path(gang.queue).map(|(ix, _)| ix).collect(),
            false => gang.queues(cluster).map(|(ix, _)| ix).collect(),
        };
        let counts = |pod: &Pod| cluster.path(pod.queue).any(|(ix, _)| bounds.contains(&ix));
        let bounded = cluster.pods().filter(|(_, pod)| pod.place.node().is_some() && counts(pod));
        let bounded: Vec<PodIx> = bounded.map(|(ix, _)| ix).collect();
        for ix in context.in_turn(cluster, bounded) {
            let cluster = trial.cluster();
            if context.is_leaving(cluster, ix) {
                trial.evict_set(ix);
            } else if case(gang, cluster, context.ledger).first_denial(&context.laws.bound_guards, ix).is_none()
                && context.is_candidate(cluster, ix)
            {
                self.take(trial, ix);
            }
        }
    }

    /// In the order of reprieve: those that the search counts on last; of both parts first the pods whose disruption budget is exhausted,
    /// then the most important.
    fn in_order(
        mut self,
        trial: &mut Trial<'_>,
        context: &PreemptionContext<'_>,
        chosen: &BTreeSet<PodIx>,
    ) -> Vec<EvictionSet> {
        let before = trial.mark();
        let is_alone = |ix: PodIx| trial.cluster().pod(ix).is_some_and(Pod::is_alone);
        if !self.0.iter().all(|set| is_alone(set.head)) {
            // How large a group is, and whether a gang has more pods than it needs, shows where it runs.
            self.0.iter().flat_map(EvictionSet::places).for_each(|(ix, place)| trial.put(ix, place));
        }
        let cluster = trial.cluster();
        self.0.sort_unstable_by(|a, b| match (cluster.pod(a.head), cluster.pod(b.head)) {
            (Some(a), Some(b)) => (context.laws.reprieve_order.compare)(cluster, a, b),
            _ => a.head.cmp(&b.head),
        });
        let heads: Vec<PodIx> = self.0.iter().map(|eviction_set| eviction_set.head).collect();
        let protected: BTreeSet<PodIx> = cluster.split_by_budget(heads, &[]).0.into_iter().collect();
        trial.rewind(before);
        if !protected.is_empty() {
            self.0.sort_by_key(|set| !protected.contains(&set.head));
        }
        let (mut sets, counted_on): (Vec<_>, Vec<_>) = self.0.into_iter().partition(|set| !chosen.contains(&set.head));
        sets.extend(counted_on);
        sets
    }
}

/// Returns what must stay free where a pod was, if the plan uses the node. What is kept is sorted by node.
fn kept_on(kept: &[Kept], place: Place) -> impl Iterator<Item = &Kept> {
    let at = place.node().and_then(|node| kept.binary_search_by_key(&node, |kept| kept.node).ok());
    at.and_then(|at| kept.get(at)).into_iter()
}

/// What must stay free on a node of the plan.
struct Kept {
    node: NodeIx,
    /// What is promised there to pods of other jobs.
    promised: Amounts,
    /// The resources that the planned pods request there.
    asked: Vec<ResourceIx>,
}

impl Kept {
    fn new(cluster: &Cluster, context: &PreemptionContext<'_>, dry_run: &NodeDryRun) -> Kept {
        let mut promised = Amounts::default();
        if let Some(node) = cluster.node(dry_run.node) {
            for (_, other) in context.promised(cluster, node) {
                promised.add(&other.request);
            }
        }
        Kept { node: dry_run.node, promised, asked: dry_run.asked.clone() }
    }

    /// Returns whether a requested resource would be overcommitted with an evicted pod back.
    fn would_be_crowded(&self, cluster: &Cluster, evicted: PodIx) -> bool {
        let Some((node, pod)) = cluster.node(self.node).zip(cluster.pod(evicted)) else { return false };
        let left = |resource: ResourceIx| node.free.get(resource).saturating_sub(pod.request.get(resource));
        self.asked.iter().any(|resource| left(*resource) < self.promised.get(*resource))
    }

    /// Whether a requested resource is overcommitted.
    fn is_crowded(&self, cluster: &Cluster) -> bool {
        let free = cluster.node(self.node).map(|node| &node.free);
        free.is_some_and(|free| self.asked.iter().any(|resource| free.get(*resource) < self.promised.get(*resource)))
    }
}
