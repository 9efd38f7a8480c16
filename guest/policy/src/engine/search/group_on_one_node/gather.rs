//! The best group of victims on one node: branch and bound over classes of equal candidates.

use super::super::reprieve::not_reprieved;
use super::{GroupCandidate, GroupSearchBound, NodeDryRun, PodToPlace, PreemptionContext, case};
use crate::laws::{LawCheck, NodeCost, NodeVictims, VictimGroupLaws, VictimLowerBound};
use crate::model::{Cluster, InterPodViolation, PodIx};

/// The maximum number of groups that are tried on one node until the first one is found.
const STEPS: u32 = 4096;

/// The maximum number of groups that are tried on one node after the first one was found. Then the best one so far is taken.
const MORE_STEPS: u32 = 1024;

/// Candidates that are equal for every law and for the preemptor: the same queue, request, constraints between pods and reasons to be
/// spared. The least important is first: of a class, the first pods are always evicted before the others.
struct CandidateClass {
    pods: Vec<PodIx>,
    penalty: i64,
}

/// A position in the search: the first `in_group` pods of class number `class` are in the group.
#[derive(Clone, Copy)]
struct ClassPosition {
    class: usize,
    in_group: usize,
}

/// The search for the best group on one node.
pub(super) struct GroupSearch<'a> {
    cluster: &'a Cluster,
    context: &'a PreemptionContext<'a>,
    anti_monotone_invariants: &'a [LawCheck],
    pod_to_place: &'a PodToPlace<'a>,
    dry_run: &'a NodeDryRun,
    classes: Vec<CandidateClass>,
    steps: u32,
    /// The cost that a group must not exceed to be of use.
    max_cost: NodeCost,
    best: Option<GroupCandidate>,
}

/// Returns the best group on a node that has only victims within a bound. `None`: there is no such group.
pub(super) fn best_group(
    cluster: &Cluster,
    context: &PreemptionContext<'_>,
    (group, ask): (&VictimGroupLaws, &PodToPlace<'_>),
    dry_run: &NodeDryRun,
    bound: GroupSearchBound,
) -> Option<GroupCandidate> {
    let is_new = |reluctance| reluctance > bound.previous_max_penalty && reluctance <= bound.max_penalty;
    if bound.previous_max_penalty >= 0 && !dry_run.candidates.iter().any(|candidate| is_new(candidate.penalty)) {
        return None;
    }
    let classes = classes(cluster, dry_run, bound.max_penalty);
    let (floors, at_most) = (group.anti_monotone_invariants.as_slice(), bound.cost);
    let mut search = GroupSearch {
        cluster,
        context,
        anti_monotone_invariants: floors,
        pod_to_place: ask,
        dry_run,
        classes,
        steps: STEPS,
        max_cost: at_most,
        best: None,
    };
    let open = (0..search.classes.len()).map(|class| ClassPosition { class, in_group: 0 }).collect();
    search.extend(&mut Vec::new(), open);
    search.best
}

/// Returns the classes of candidates within this bound of reluctance, in the order in which they are taken.
fn classes(cluster: &Cluster, dry_run: &NodeDryRun, reluctance: i64) -> Vec<CandidateClass> {
    let key = |ix| cluster.pod(ix).map(|pod| (pod.queue, pod.request(), pod.requirements.inter_pod));
    let mut classes: Vec<CandidateClass> = Vec::new();
    for candidate in dry_run.candidates.iter().rev().filter(|candidate| candidate.penalty <= reluctance) {
        let is_alike = |class: &&mut CandidateClass| {
            class.penalty == candidate.penalty
                && class.pods.first().is_some_and(|first| key(*first) == key(candidate.pod))
        };
        match classes.iter_mut().find(is_alike) {
            Some(class) => class.pods.push(candidate.pod),
            None => classes.push(CandidateClass { pods: vec![candidate.pod], penalty: candidate.penalty }),
        }
    }
    classes.sort_by_key(|class| class.penalty);
    classes
}

impl GroupSearch<'_> {
    /// Extends a group by pods of the open classes, in their order, and keeps every group that is better than the best one.
    fn extend(&mut self, chosen: &mut Vec<PodIx>, open: Vec<ClassPosition>) {
        if self.suffices(chosen) {
            return self.record_if_better(chosen);
        }
        let mut open = open;
        open.retain(|at| self.next(*at).is_some_and(|next| self.satisfies_invariants(chosen, next)));
        for (at, first) in (0..).zip(open.clone()) {
            let rest = open.get(at..).unwrap_or_default();
            if self.steps == 0 || self.is_hopeless(chosen, rest) {
                return;
            }
            let Some(next) = self.next(first) else { continue };
            self.steps = self.steps.saturating_sub(1);
            chosen.push(next);
            let mut rest = rest.to_vec();
            if let Some(first) = rest.first_mut() {
                first.in_group = first.in_group.saturating_add(1);
            }
            self.extend(chosen, rest);
            chosen.pop();
        }
    }

    /// Keeps a group that suffices, without the pods that it does not need, if it is better than the best one.
    fn record_if_better(&mut self, chosen: &[PodIx]) {
        let mut victims = chosen.to_vec();
        // The weightiest reason to spare a pod first, then the most important.
        let mut order = victims.clone();
        order.reverse();
        order.sort_by_key(|ix| std::cmp::Reverse(self.penalty(*ix)));
        not_reprieved(order, |ix| {
            let without: Vec<PodIx> = victims.iter().copied().filter(|other| other != ix).collect();
            let stays = self.suffices(&without);
            if stays {
                victims = without;
            }
            stays
        });
        let cost = self.cost(&victims);
        if self.best.is_none() {
            self.steps = self.steps.min(MORE_STEPS);
        }
        if cost <= self.max_cost && self.best.as_ref().is_none_or(|best| cost < best.cost) {
            self.best = Some(GroupCandidate { node: self.dry_run.node, victims, cost });
        }
    }

    /// Returns whether no group that extends this one by pods of the open classes suffices and is better than the best one.
    fn is_hopeless(&self, chosen: &[PodIx], open: &[ClassPosition]) -> bool {
        let all: Vec<PodIx> =
            chosen.iter().copied().chain(open.iter().flat_map(|at| self.rest(*at)).copied()).collect();
        if !self.may_suffice(&all) {
            return true;
        }
        let more = self.missing(chosen, open);
        let least = open.iter().filter_map(|at| self.classes.get(at.class)).map(|class| class.penalty).min();
        let victims = NodeVictims { penalty: self.total_penalty(chosen), ..NodeVictims::of(self.cluster, chosen) };
        let lower = (self.context.laws.plan_orders.nodes.by.lower_bound)(&Extended {
            penalty: victims.penalty.saturating_add(least.unwrap_or(0).saturating_mul(more)),
            count: victims.count().saturating_add(more),
            victims,
        });
        lower > self.max_cost || self.best.as_ref().is_some_and(|best| lower >= best.cost)
    }

    /// Returns how many more pods the preemptor needs at least, each as large as the largest of the open classes: never less than 1.
    fn missing(&self, chosen: &[PodIx], open: &[ClassPosition]) -> i64 {
        let room = self.dry_run.capacity_after(self.cluster, chosen);
        let next = || open.iter().filter_map(|at| self.cluster.pod(self.next(*at)?));
        let missing = self.pod_to_place.request.iter().map(|(resource, asked)| {
            let missing = asked.saturating_sub(room.get(resource)).max(0);
            let largest = next().map(|pod| pod.request().get(resource)).max().unwrap_or(0).max(1);
            let pods = missing.checked_div(largest).unwrap_or(0);
            if pods.saturating_mul(largest) < missing { pods.saturating_add(1) } else { pods }
        });
        missing.max().unwrap_or(1).max(1)
    }

    fn cost(&self, victims: &[PodIx]) -> NodeCost {
        let reluctance = self.total_penalty(victims);
        let victims = NodeVictims { penalty: reluctance, ..NodeVictims::of(self.cluster, victims) };
        (self.context.laws.plan_orders.nodes.by.cost)(&victims)
    }

    fn total_penalty(&self, victims: &[PodIx]) -> i64 {
        victims.iter().fold(0, |sum, ix| sum.saturating_add(self.penalty(*ix)))
    }

    fn penalty(&self, ix: PodIx) -> i64 {
        let class = self.classes.iter().find(|class| class.pods.contains(&ix));
        class.map_or(0, |class| class.penalty)
    }

    /// Returns the pods of a class that are not in the group.
    fn rest(&self, at: ClassPosition) -> &[PodIx] {
        self.classes.get(at.class).and_then(|class| class.pods.get(at.in_group..)).unwrap_or_default()
    }

    fn next(&self, at: ClassPosition) -> Option<PodIx> {
        self.rest(at).first().copied()
    }

    /// Returns whether the preemptor fits, under every limit, without the pods of a group, and the other pods allow the preemptor there.
    fn suffices(&self, group: &[PodIx]) -> bool {
        self.fits_without(group) && self.dry_run.violation_after(self.cluster, self.pod_to_place, group).is_none()
    }

    /// Returns whether some of the pods of a group may suffice: evicting more never helps where the preemptor needs one of them.
    fn may_suffice(&self, group: &[PodIx]) -> bool {
        let lack = || self.dry_run.violation_after(self.cluster, self.pod_to_place, group);
        self.fits_without(group) && lack().is_none_or(|lack| lack == InterPodViolation::Affinity)
    }

    fn fits_without(&self, group: &[PodIx]) -> bool {
        let room = self.dry_run.capacity_after(self.cluster, group);
        let case = case(self.cluster, self.context, group);
        room.lacks(self.pod_to_place.request).is_none()
            && case.first_failed_check(&self.context.laws.plan_invariants).is_none()
    }

    /// Returns whether every floor holds for a group with one more pod.
    fn satisfies_invariants(&self, chosen: &[PodIx], next: PodIx) -> bool {
        let group: Vec<PodIx> = chosen.iter().copied().chain([next]).collect();
        case(self.cluster, self.context, &group).first_failed_check(self.anti_monotone_invariants).is_none()
    }
}

/// A group that is extended by more pods of the open classes.
struct Extended<'a> {
    victims: NodeVictims<'a>,
    penalty: i64,
    count: i64,
}

impl VictimLowerBound for Extended<'_> {
    fn penalty(&self) -> i64 {
        self.penalty
    }

    fn count(&self) -> i64 {
        self.count
    }

    fn highest(&self) -> i64 {
        self.victims.highest()
    }

    fn share(&self) -> i64 {
        self.victims.share()
    }
}
