//! kube-scheduler: Filter, and default preemption (`DefaultPreemption`, KEP-268, KEP-1923).

mod groups;
mod nominations;
mod search;
mod whole;

use std::collections::BTreeSet;

use serde_json::json;

use crate::ModelInputError;
use crate::amounts::MilliAmounts;
use crate::outcome::{AttemptStatus, ReportedOutcome};
use crate::placement::{EvictionCandidate, IncomingPod, PlacementProblem, Set};
use crate::systems::rounds::GroupRounds;
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelNode, ModelPod};
pub(crate) use nominations::{nominations, nominations_while, waits_for_permit};
pub(crate) use search::{Eligible, SameGroup, free_when_left, violating, waits_for_victims};
use search::{forbidden, plans, possible};

/// Judges the queue: by priority, then by the time at which pods entered, then by name.
pub(crate) fn order(world: &ModelCluster, order: &[String], verdict: &mut StepFindings) {
    let world = &groups::with_priorities(world);
    let mut expected: Vec<&ModelPod> = world.pods.values().filter(|pod| pod.pending()).collect();
    expected.sort_by_cached_key(|pod| groups::queue_key(world, pod));
    if !expected.iter().map(|pod| &pod.name).eq(order) {
        verdict.breach("higher-priority-first", format!("the queue is {order:?}"));
    }
}

/// Computes the free amounts on a node for a pod. Capacity is reserved for other nominated pods with the same or a higher priority.
pub(crate) fn free_for(
    world: &ModelCluster,
    pod: &ModelPod,
    node: &ModelNode,
    priority: fn(&ModelPod) -> i64,
) -> MilliAmounts {
    let mut free = world.free(node);
    let kept = |other: &&ModelPod| {
        other.pending() && other.nominated.as_deref() == Some(&node.name) && priority(other) >= priority(pod)
    };
    world.pods.values().filter(kept).filter(|other| other.name != pod.name).for_each(|other| free.take(&other.request));
    free
}

/// Returns the priority in the spec of a pod.
pub(crate) fn spec_priority(pod: &ModelPod) -> i64 {
    pod.priority
}

/// Returns the nodes that fit a pod without evictions.
pub(crate) fn fitting_nodes<'w>(world: &'w ModelCluster, pod: &ModelPod) -> Vec<&'w ModelNode> {
    fitting_nodes_by(world, pod, spec_priority)
}

/// Returns the nodes that fit a pod without evictions, with another source of priorities.
pub(crate) fn fitting_nodes_by<'w>(
    world: &'w ModelCluster,
    pod: &ModelPod,
    priority: fn(&ModelPod) -> i64,
) -> Vec<&'w ModelNode> {
    let takes = |node: &&ModelNode| {
        world.may_run(pod, node)
            && pod.request.fits(&free_for(world, pod, node, priority))
            && world.allows((pod, node), |_| false, |other| other.leaving, priority)
    };
    world.nodes.values().filter(takes).collect()
}

/// Returns whether two pods are of one PodGroup.
pub(crate) fn are_of_one_group(pod: &ModelPod, other: &ModelPod) -> bool {
    groups::group(pod).is_some() && groups::group(pod) == groups::group(other)
}

/// The state that is kept between attempts.
#[derive(Debug, Default)]
pub(crate) struct DefaultPreemptionState(GroupRounds);

impl DefaultPreemptionState {
    /// Forgets the rounds of the groups whose pods lose what they held at permit as time passes. These pods may be tried again at once.
    pub(crate) fn advance(&mut self, world: &ModelCluster, outcome: &ReportedOutcome) {
        let late = world.pods.values().filter(|pod| pod.held.is_some() && !outcome.waiting.contains(&pod.name));
        late.filter_map(groups::group).for_each(|group| self.0.forget(group));
    }
}

/// Judges one attempt.
pub(crate) fn attempt(
    world: &ModelCluster,
    memory: &mut DefaultPreemptionState,
    name: &str,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) -> Result<(), ModelInputError> {
    let world = &groups::with_priorities(world);
    let pod = world.pods.get(name).ok_or_else(|| ModelInputError(format!("there is no pod `{name}`")))?;
    if groups::attempt(world, &mut memory.0, pod, outcome, verdict) {
        return Ok(());
    }
    nominations(world, pod, &|_| false, outcome, verdict);
    let fitting_nodes = fitting_nodes(world, pod);
    if fitting_nodes.is_empty() && groups::any_evicted_whole(world) {
        groups::legal_for_one(world, pod, outcome, verdict);
    } else if fitting_nodes.is_empty() {
        check_not_fitting(world, pod, &|_| false, outcome, verdict);
    } else {
        filter(pod, &fitting_nodes, outcome, verdict);
    }
    Ok(())
}

/// Judges a pod that fits no node: it preempts if that helps.
pub(crate) fn check_not_fitting(
    world: &ModelCluster,
    pod: &ModelPod,
    same_group: SameGroup<'_>,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    let eligible = Eligible {
        possible: &|node| possible(world, pod, node, same_group),
        permits: &|_| true,
        holds_without: &|_| true,
    };
    check_not_fitting_by(world, pod, same_group, &eligible, outcome, verdict, best);
}

/// Judges the same with other possible victims, with what bounds the plan, and with the choice among the plans.
pub(crate) fn check_not_fitting_by<'w>(
    world: &'w ModelCluster,
    pod: &ModelPod,
    same_group: SameGroup<'_>,
    eligible: &Eligible<'_, 'w>,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
    choice: fn(&'w ModelCluster, &ModelPod, &Eligible<'_, 'w>, &ReportedOutcome, &mut StepFindings),
) {
    let name = &pod.name;
    if outcome.ended == Some(AttemptStatus::Scheduled) {
        let text = format!("`{name}` was bound to {:?}, where it does not fit", outcome.node);
        return verdict.breach("bound-where-there-is-room", text);
    }
    if let Some(why) = forbidden(world, pod, same_group) {
        if !outcome.victims.is_empty() || !outcome.nominated.is_empty() {
            verdict.breach("may-preempt", format!("`{name}` preempted although: {why}"));
        }
        return verdict.excuse(why);
    }
    if outcome.ended == Some(AttemptStatus::Nominated) {
        legal(world, pod, eligible, outcome, verdict);
    }
    choice(world, pod, eligible, outcome, verdict);
}

/// Judges a pod that fits a node: it is bound, and to its nominated node if it fits there.
pub(crate) fn filter(
    pod: &ModelPod,
    fitting_nodes: &[&ModelNode],
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    let names: Vec<&str> = fitting_nodes.iter().map(|node| node.name.as_str()).collect();
    let node = outcome.node.as_deref().unwrap_or_default();
    if outcome.ended != Some(AttemptStatus::Scheduled) || !names.contains(&node) {
        let text = format!("`{}` fits {names:?}, and the attempt ended {:?} {node}", pod.name, outcome.ended);
        return verdict.breach_expecting(
            "bound-where-there-is-room",
            text,
            json!({"result": "Scheduled", "nodeIn": names}),
        );
    }
    if let Some(nominated) = pod.nominated.as_deref().filter(|nominated| names.contains(nominated))
        && nominated != node
    {
        let text = format!("`{}` was bound to `{node}`, not to its nominated node `{nominated}`", pod.name);
        verdict.breach_expecting("nominated-node-first", text, json!({"node": nominated}));
    }
}

/// Checks that the victims are eligible, the preemptor then fits, and no victim is needless.
fn legal<'w>(
    world: &'w ModelCluster,
    pod: &ModelPod,
    eligible: &Eligible<'_, 'w>,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    let Some(node) = outcome.node.as_ref().and_then(|node| world.nodes.get(node)) else { return };
    let (possible, leaving) = (eligible.possible)(node);
    let named = |name: &String| possible.iter().copied().find(|other| other.name == *name);
    let chosen: Vec<&ModelPod> = outcome.victims.iter().filter_map(named).collect();
    if chosen.len() < outcome.victims.len() || !(eligible.permits)(&chosen) {
        let text = format!("{:?} may not all be evicted for `{}` on `{}`", outcome.victims, pod.name, node.name);
        verdict.breach("victim-ranks-lower", text);
    }
    let candidates = possible
        .iter()
        .map(|other| EvictionCandidate { name: &other.name, node: 0, request: &other.request })
        .collect();
    let incoming_pod = IncomingPod { request: &pod.request, nodes: vec![0] };
    let problem =
        PlacementProblem { free: vec![free_when_left(world, pod, node)], candidates, incoming: vec![incoming_pod] };
    let victims = problem.set(|name| outcome.victims.contains(name));
    if !problem.fits_without(victims) {
        let text = format!("`{}` does not fit `{}` after evicting {:?}", pod.name, node.name, outcome.victims);
        verdict.breach("evictions-make-room", text);
    }
    for victim in &outcome.victims {
        let gone = |other: &ModelPod| other.leaving || outcome.victims.contains(&other.name) && other.name != *victim;
        if problem.fits_without(victims & !problem.set(|name| name == victim))
            && world.allows((pod, node), gone, gone, spec_priority)
            && (eligible.holds_without)(
                &possible.iter().chain(&leaving).filter(|pod| gone(pod)).map(|pod| pod.name.as_str()).collect(),
            )
        {
            verdict.breach("no-needless-victim", format!("victim `{victim}` is not needed for `{}`", pod.name));
        }
    }
    let bound = !(eligible.holds_without)(&BTreeSet::new());
    let enough = |_: Set| !world.is_constrained() && !bound;
    verdict.planned(outcome.victims.len(), problem.fewest(victims.count_ones() as usize, enough));
}

/// Checks that the plan is the one that kube-scheduler would choose.
pub(crate) fn best<'w>(
    world: &'w ModelCluster,
    pod: &ModelPod,
    eligible: &Eligible<'_, 'w>,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    let Some(best) = plans(world, pod, eligible).into_iter().next() else {
        if outcome.ended == Some(AttemptStatus::Nominated) {
            let node = outcome.node.as_ref().and_then(|node| world.nodes.get(node));
            let is_coming = node.is_some_and(|node| pod.request.fits(&free_when_left(world, pod, node)));
            if world.is_constrained() && outcome.victims.is_empty() && is_coming {
                return verdict
                    .excuse("whether constraints between pods hold once the leaving pods have left is not sought");
            }
            let text = format!("`{}` was nominated although no eviction frees enough room", pod.name);
            verdict.breach_expecting("evictions-make-room", text, json!({"result": "Unschedulable", "victims": []}));
        }
        return;
    };
    let stays = |name: &&String| world.pods.get(*name).is_some_and(|pod| !pod.leaving);
    let victims: BTreeSet<String> = best.victims.iter().filter(stays).cloned().collect();
    let is_promised = victims.is_empty() && pod.nominated.as_ref() == Some(&best.node);
    if is_promised && outcome.ended == Some(AttemptStatus::Unschedulable) {
        return verdict.excuse("a plan without victims is not made twice");
    }
    if outcome.node.as_ref() != Some(&best.node) || outcome.victims != victims {
        let text = format!(
            "`{}` should be nominated to `{}` with the victims {victims:?}; it ended {:?} {:?} {:?}",
            pod.name, best.node, outcome.ended, outcome.node, outcome.victims
        );
        let expect = json!({"result": "Nominated", "nominated": {&pod.name: best.node}, "victims": victims});
        verdict.breach_expecting("best-node-first", text, expect);
    }
}
