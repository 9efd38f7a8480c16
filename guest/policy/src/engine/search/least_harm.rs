//! Least harm: the plan for several pods that costs least.
//!
//! A search by whole jobs takes the cheapest node for each pod in turn, so it may evict one pod each of two gangs where one gang would do, or
//! a further pod on a node where a victim of the quota makes no room. So the same search runs several times. First from several starts: each
//! names candidates that are evicted from the beginning, and the reprieve takes back whatever is not needed. Then the branches of the
//! cheapest plan are followed ([`branches`](super::branches)). The plan that costs least is the answer; of plans that cost as much the first.

mod turns;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::branches::{Branch, Branching, cheapest};
use super::reprieve_job::victims_for_bounds;
use super::{PlanObstacle, PreemptionContext};
use crate::engine::DecisionTrace;
use crate::engine::plan::PlanDraft;
use crate::laws::harm::{GangLoss, Harm, gang_loss, gang_of};
use crate::laws::{LEAST, NodeCost, NodeVictims};
use crate::model::{Cluster, JobIx, NO_PODS, PodInfo, PodIx, ResourceIx};

/// The maximum number of gangs, without victims in the first plan, that are tried as a start.
const OTHER_GANGS: usize = 16;

/// The maximum number of branches that are followed.
const BRANCHES: usize = 64;

/// The maximum number of nodes and victims that are examined in all branches together. Fewer branches are followed in a large cluster, or for a large
/// job.
const MAX_EXAMINATIONS: usize = 1024;

/// A search by whole jobs: how it finds one plan.
pub trait FindPlan: Fn(&mut Cluster, &mut PreemptionContext<'_>) -> Result<PlanDraft, PlanObstacle> {}

impl<F: Fn(&mut Cluster, &mut PreemptionContext<'_>) -> Result<PlanDraft, PlanObstacle>> FindPlan for F {}

/// Finds the plan that costs least among those from all starts and branches.
pub fn least_harm(
    cluster: &mut Cluster,
    context: &mut PreemptionContext<'_>,
    find: impl FindPlan,
) -> Result<PlanDraft, PlanObstacle> {
    let explains = context.notes.is_recording();
    let (mut silent, nothing) = (DecisionTrace::default(), Branch::default());
    let first =
        if explains { find(cluster, &mut context.in_branch(&nothing, &mut silent)) } else { find(cluster, context) };
    let pods = first.as_ref().map_or(0, |plan| plan.nominations.len());
    let mut seeking = LeastHarmSearch { cluster, context, find, pods };
    let first =
        first.map(|plan| (Branch::default(), plan)).or_else(|obstacle| seeking.first_out_of_turn().ok_or(obstacle));
    let best = first.map(|first| seeking.best(first));
    let LeastHarmSearch { find, .. } = seeking;
    match best {
        Ok((branch, _)) if explains => {
            find(cluster, &mut PreemptionContext { branch: &branch, notes: context.notes, ..*context })
        }
        Err(_) if explains => find(cluster, context),
        best => best.map(|(_, plan)| plan),
    }
}

/// The search for the plan that costs least.
struct LeastHarmSearch<'a, 'c, F> {
    cluster: &'a mut Cluster,
    context: &'a PreemptionContext<'c>,
    find: F,
    /// The number of pods that the first plan has a node for. A plan for fewer pods does not count, however little it costs.
    pods: usize,
}

impl<F: FindPlan> LeastHarmSearch<'_, '_, F> {
    /// Returns the cheapest plan, and its branch. `first` is a plan that is known already.
    fn best(&mut self, first: (Branch, PlanDraft)) -> (Branch, PlanDraft) {
        if first.1.victims.is_empty() {
            return first;
        }
        let mut silent = DecisionTrace::default();
        let for_bounds = victims_for_bounds(self.cluster, &mut self.context.in_branch(&Branch::default(), &mut silent));
        if for_bounds.is_empty() && self.is_certainly_cheapest(&first.1) {
            return first;
        }
        let tries = self.tries(first.1.victims.len());
        let starts = self.starts(&first.1, for_bounds, tries);
        if tries == 0 && starts.is_empty() {
            return first;
        }
        let mut best = (self.cost(&first.1), first);
        for start in starts {
            let branch = Branch { evicted: start, spared: BTreeSet::new() };
            if let Some(plan) = Branching::find(self, &branch) {
                let cost = self.cost(&plan);
                if cost < best.0 {
                    best = (cost, (branch, plan));
                }
            }
        }
        let (start, plan) = best.1;
        // A start demands nothing of other plans.
        let (branch, found) = cheapest(self, (Branch::default(), plan), tries);
        if branch == Branch::default() { (start, found) } else { (branch, found) }
    }

    /// Returns the number of branches to follow for a plan with so many victims.
    fn tries(&self, victims: usize) -> usize {
        let looks = self.cluster.nodes().count().saturating_add(victims);
        MAX_EXAMINATIONS.checked_div(looks).unwrap_or(0).min(BRANCHES)
    }

    /// Returns whether the cheapest node for each pod in turn makes the cheapest plan, where no bound of a quota counts. Where quotas give back in
    /// turn, another turn may cost less. One pod alone gets the cheapest of all nodes. Several equal pods do, too, if each takes a node for itself
    /// and the cost on one node depends on no other: no gang is broken, no budget is exhausted, no constraint between pods counts, and all victims
    /// rank equally.
    fn is_certainly_cheapest(&self, plan: &PlanDraft) -> bool {
        let cluster = &*self.cluster;
        let pods: Vec<PodIx> = self.context.gangs.iter().flat_map(|gang| gang.pods.iter().copied()).collect();
        let [first, others @ ..] = pods.as_slice() else { return true };
        if self.context.reclaims_in_turn() {
            return false;
        }
        let Some(first) = cluster.pod(*first).filter(|_| !others.is_empty()) else { return true };
        let is_equal =
            |ix: &PodIx| cluster.pod(*ix).is_some_and(|pod| pod.requirements.class == first.requirements.class);
        let fills_a_node = |(resource, amount): (ResourceIx, i64)| {
            cluster.nodes().all(|(_, node)| node.allocatable.get(resource) < amount.saturating_mul(2))
        };
        let priorities: BTreeSet<i32> =
            plan.victims.iter().filter_map(|ix| cluster.pod(*ix)).map(PodInfo::priority).collect();
        priorities.len() < 2
            && cluster.inter_pod_count() == 0
            && !cluster.has_disruption_groups()
            && others.iter().all(is_equal)
            && first.request().iter().any(fills_a_node)
            && Harm::of(cluster, &plan.victims, &NO_PODS).gangs == 0
            && cluster.partition_by_budget_violation(plan.victims.clone(), &[]).0.is_empty()
    }

    /// Returns the candidates of each start but the first one. `tries` is the number of branches that are followed later.
    fn starts(&mut self, first: &PlanDraft, for_bounds: BTreeSet<PodIx>, tries: usize) -> Vec<BTreeSet<PodIx>> {
        let mut starts: Vec<BTreeSet<PodIx>> = Vec::new();
        starts.extend((!for_bounds.is_empty()).then_some(for_bounds));
        starts.extend(self.out_of_turn(tries));
        let cluster = &*self.cluster;
        let broken = Harm::of(cluster, &first.victims, &NO_PODS).gangs;
        if broken == 0 || self.context.preemptor.pods.len() < 2 {
            return starts;
        }
        let own: BTreeSet<JobIx> =
            first.victims.iter().filter_map(|ix| Some(gang_of(cluster, cluster.pod(*ix)?)?.0)).collect();
        let (mut silent, nothing) = (DecisionTrace::default(), Branch::default());
        let mut gangs = candidates_by_gang(cluster, &mut self.context.in_branch(&nothing, &mut silent));
        let is_own = |(gang, _): &(JobIx, BTreeSet<PodIx>)| own.contains(gang);
        gangs.sort_by_key(|(gang, pods)| (!own.contains(gang), Reverse(pods.len()), *gang));
        let others = if broken > 1 { OTHER_GANGS } else { 0 };
        let kept = gangs.iter().take_while(|gang| is_own(gang)).count().saturating_add(others);
        gangs.truncate(kept);
        starts.extend(gangs.into_iter().map(|(_, pods)| pods));
        starts
    }

    /// Returns what some victims cost as a whole.
    fn cost_of(&self, victims: &[PodIx]) -> NodeCost {
        let (cluster, earlier) = (&*self.cluster, &NO_PODS);
        let together = cluster.expand_disruption_groups(victims);
        let in_order = self.context.in_reprieve_order(cluster, victims.to_vec());
        let violations = cluster.partition_by_budget_violation(in_order, &[]).0.len();
        (self.context.laws.plan_orders.nodes.by.cost)(&NodeVictims {
            cluster,
            victims: &together,
            budget_violations: violations,
            penalty: 0,
            earlier,
        })
    }

    /// Returns the candidates that are spared or evicted with a victim: those that leave with it, or those of its gang, which stops with it.
    fn set_of(&self, ix: PodIx) -> BTreeSet<PodIx> {
        let cluster = &*self.cluster;
        let Some(pod) = cluster.pod(ix) else { return BTreeSet::from([ix]) };
        if let Some(group) = cluster.disruption_group_of(pod) {
            return group.into_iter().collect();
        }
        match (gang_loss(cluster, pod, &NO_PODS), gang_of(cluster, pod)) {
            (GangLoss::Breaks, Some((_, gang))) => {
                let (mut silent, nothing) = (DecisionTrace::default(), Branch::default());
                let mut context = self.context.in_branch(&nothing, &mut silent);
                let members = gang.members.iter().copied();
                let all: Vec<PodIx> =
                    members.filter(|other| *other == ix || may_evict(cluster, &mut context, *other)).collect();
                // Where pods are counted, and not gangs, a part of a gang costs less.
                let is_one = self.cost_of(&all) == self.cost_of(&[ix]);
                if is_one { all.into_iter().collect() } else { BTreeSet::from([ix]) }
            }
            _ => BTreeSet::from([ix]),
        }
    }
}

impl<F: FindPlan> Branching for LeastHarmSearch<'_, '_, F> {
    type Plan = PlanDraft;

    fn find(&mut self, branch: &Branch) -> Option<PlanDraft> {
        let mut silent = DecisionTrace::default();
        let found = (self.find)(self.cluster, &mut self.context.in_branch(branch, &mut silent)).ok();
        found.filter(|plan| plan.nominations.len() >= self.pods && self.is_in_turn(branch, &plan.victims))
    }

    fn cost(&self, plan: &PlanDraft) -> NodeCost {
        self.cost_of(&plan.victims)
    }

    fn sets(&self, plan: &PlanDraft) -> Vec<BTreeSet<PodIx>> {
        let sets: BTreeSet<BTreeSet<PodIx>> = plan.victims.iter().map(|ix| self.set_of(*ix)).collect();
        let victims: BTreeSet<PodIx> = plan.victims.iter().copied().collect();
        let part = |set: &BTreeSet<PodIx>| self.cost_of(&set.intersection(&victims).copied().collect::<Vec<PodIx>>());
        let mut sets: Vec<BTreeSet<PodIx>> = sets.into_iter().collect();
        sets.sort_by_cached_key(|set| Reverse(part(set)));
        sets
    }

    /// Returns a lower bound of the cost of these victims: one victim of each set counts, the cheapest one.
    fn lower_bound(&self, victims: &BTreeSet<PodIx>) -> NodeCost {
        let sets: BTreeSet<BTreeSet<PodIx>> = victims.iter().map(|ix| self.set_of(*ix)).collect();
        let cheapest = |set: &BTreeSet<PodIx>| set.iter().copied().min_by_key(|ix| self.cost_of(&[*ix]));
        let one_of_each: Vec<PodIx> = sets.iter().filter_map(cheapest).collect();
        if one_of_each.is_empty() { LEAST } else { self.cost_of(&one_of_each) }
    }
}

/// Returns the candidates of each gang, wherever they run.
fn candidates_by_gang(cluster: &Cluster, context: &mut PreemptionContext<'_>) -> Vec<(JobIx, BTreeSet<PodIx>)> {
    let mut gangs: BTreeMap<JobIx, BTreeSet<PodIx>> = BTreeMap::new();
    for (ix, pod) in cluster.pods().filter(|(_, pod)| pod.node().is_some()) {
        if let Some((gang, _)) = gang_of(cluster, pod)
            && may_evict(cluster, context, ix)
        {
            gangs.entry(gang).or_default().insert(ix);
        }
    }
    gangs.into_iter().collect()
}

/// Returns whether a pod uses a node, is not leaving anyway, and may be evicted.
fn may_evict(cluster: &Cluster, context: &mut PreemptionContext<'_>, ix: PodIx) -> bool {
    stays(cluster, context, ix) && context.check_candidate(cluster, ix)
}

/// Returns whether a pod uses a node and is not leaving anyway.
fn stays(cluster: &Cluster, context: &PreemptionContext<'_>, ix: PodIx) -> bool {
    cluster.pod(ix).is_some_and(|pod| pod.node().is_some()) && !context.is_leaving(cluster, ix)
}
