//! Searches whether a group becomes complete when upstream continues pod by pod.

use std::cmp::Reverse;

use serde_json::Value;

use super::answer::{CoschedulingResponse, UpstreamPlan};
use super::groups::{group, namespace};
use super::play::UpstreamSimulation;
use super::view::{CoschedulingSituation, priority};
use crate::object::{name, text};
use crate::trial::{JudgeClient, TrialError};

/// The most questions of one search. A group of which nothing is known after them counts as complete.
const MOST: usize = 400;

/// Evictions and members that a search may use.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// Whatever upstream does.
    All,
    /// No more members than the group lacks: the pod, and the more important and older ones.
    FirstMembers,
    /// Victims of the namespace of the pod only.
    OwnNamespace,
}

/// A search.
struct CompletionSearch<'v, 's> {
    it: &'v CoschedulingSituation<'s>,
    within: Within,
    /// How many questions are left.
    left: usize,
}

/// Returns whether the group of the pod becomes complete, the pod first, with evictions for each pod where no node is free: on some nodes, for some
/// of its members.
///
/// # Errors
/// The judge has no answer.
pub(super) fn completes(
    it: &CoschedulingSituation<'_>,
    within: Within,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let Some(named) = it.lacking() else { return Ok(true) };
    let mut members = in_order(it, &named);
    let lacks = it.lacks(&named);
    if within == Within::FirstMembers {
        members.truncate(lacks);
    }
    CompletionSearch { it, within, left: MOST }.can_place(&UpstreamSimulation::of(it), &members, lacks, ask)
}

/// Returns the pods of the group of the pod that have no node, in the order in which the policy plans them: the pod, then the more important and
/// older ones.
fn in_order(it: &CoschedulingSituation<'_>, named: &str) -> Vec<String> {
    let mut members: Vec<&Value> = it.pending(named).collect();
    members.sort_by_key(|other| {
        let created = text(other, "/metadata/creationTimestamp").to_owned();
        (name(other) != it.question.pod, Reverse(priority(other)), created, name(other))
    });
    members.into_iter().map(name).collect()
}

impl CompletionSearch<'_, '_> {
    /// Returns whether so many of these pods get nodes, in this order.
    fn can_place(
        &mut self,
        play: &UpstreamSimulation,
        members: &[String],
        lacks: usize,
        ask: &mut JudgeClient<'_>,
    ) -> Result<bool, TrialError> {
        let Some((pod, rest)) = members.split_first().filter(|_| lacks > 0) else { return Ok(lacks == 0) };
        if members.len() < lacks {
            return Ok(false);
        }
        let Some(left) = self.left.checked_sub(1) else { return Ok(true) };
        self.left = left;
        let answer = play.decide(pod, ask)?;
        for next in self.successors(play, pod, &answer, ask)? {
            if self.can_place(&next, rest, lacks.saturating_sub(1), ask)? {
                return Ok(true);
            }
        }
        self.can_place(play, rest, lacks, ask)
    }

    /// Returns the clusters in which a pod has got a node: where upstream binds it, or, where it evicts pods for it, with these gone.
    fn successors(
        &self,
        play: &UpstreamSimulation,
        pod: &str,
        answer: &CoschedulingResponse,
        ask: &mut JudgeClient<'_>,
    ) -> Result<Vec<UpstreamSimulation>, TrialError> {
        let mut all = Vec::new();
        if answer.places() {
            for node in &answer.feasible {
                let mut next = play.clone();
                next.place(pod, node, answer);
                all.push(next);
            }
            return Ok(all);
        }
        for (node, plan) in answer.possible_plans().filter(|(_, plan)| self.may_use(plan)) {
            let mut next = play.clone();
            next.evict(&plan.victims.iter().cloned().collect());
            next.end_evictions();
            let answer = next.decide(pod, ask)?;
            if answer.feasible.iter().any(|feasible| feasible == node) {
                next.place(pod, node, &answer);
                all.push(next);
            }
        }
        Ok(all)
    }

    /// Returns whether the search may go on with a plan of upstream. An eviction of a pod of the group does not help to complete the group.
    fn may_use(&self, plan: &UpstreamPlan) -> bool {
        let (own, named) = (namespace(self.it.pod), group(self.it.pod));
        let victims: Vec<&Value> = plan.victims.iter().filter_map(|victim| self.it.find(victim)).collect();
        let is_outside = victims.iter().all(|victim| group(victim).is_none_or(|other| Some(other) != named));
        let is_in_own = || victims.len() == plan.victims.len() && victims.iter().all(|victim| namespace(victim) == own);
        is_outside && (self.within != Within::OwnNamespace || is_in_own())
    }
}
