//! The answer about pods, as data.

use lictor_contract::{Outcome, ReleaseCause};
use serde::Serialize;

use super::super::record::{CycleReport, DecisionReport, PolicyInfo};
use super::find::{InitialPod, ResolvedPods};
use lictor_host::reason::NamedReason;
use lictor_host::session::{Attempt, AttemptExplanation, AttemptResult, EvictionRecord, PodStanding, ReleasedPod};

/// The document that `explain` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Explanation"))]
#[serde(rename_all = "camelCase")]
pub struct ExplanationReport<'a> {
    #[cfg_attr(feature = "typescript", ts(type = "\"lictor.dev/v1alpha1\""))]
    api_version: &'static str,
    #[cfg_attr(feature = "typescript", ts(type = "\"Explanation\""))]
    kind: &'static str,
    /// The policy that decided.
    policy: &'a PolicyInfo,
    /// The name in the question.
    asked: &'a str,
    /// The pods of that name.
    pub pods: Vec<ExplainedPod<'a>>,
    /// The other pods of the job of a single pod.
    pub others_of_the_job: Vec<PodOutcome>,
}

/// The state of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PodState"))]
#[serde(rename_all = "camelCase")]
pub enum ExplainedPodState {
    /// It was bound.
    Bound,
    /// It is held at permit.
    Held,
    /// It is nominated, and receives its node when its victims have left.
    Nominated,
    /// No node takes it, and nothing was planned.
    Unschedulable,
    /// It was refused before any node was tried.
    Rejected,
    /// It was not tried: it has scheduling gates, or another scheduler.
    HeldBack,
    /// It waits, and nothing more is known.
    Pending,
    /// It is evicted from its node.
    MakesWay,
    /// It keeps its node.
    Stays,
    /// It is leaving its node for another reason.
    Leaving,
    /// It has ended.
    Ended,
}

/// The state and the node of a pod.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Fate"))]
#[serde(rename_all = "camelCase")]
pub struct PodOutcome {
    /// The pod.
    pub pod: String,
    /// Its state now.
    pub state: ExplainedPodState,
    /// The node that it has, is held for or is nominated to.
    pub node: Option<String>,
    /// Why it lost the room that was held for it. `None`: it did not.
    pub released: Option<ReleaseCause>,
}

/// The state of a pod, with the reasons.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Why"))]
#[serde(rename_all = "camelCase")]
pub struct ExplainedPod<'a> {
    /// Its state now.
    #[serde(flatten)]
    pub fate: PodOutcome,
    /// The attempts for it.
    pub attempts: Vec<&'a Attempt>,
    /// Why it was not tried.
    pub held_back: Option<&'a NamedReason>,
    /// Why it was not placed in a cycle of the policy's own.
    pub explanation: Option<&'a AttemptExplanation>,
    /// Whether it was safe before any decision. `None`: it did not run, or the policy does not say.
    pub standing: Option<&'a PodStanding>,
    /// The eviction of the pod, with its preemptor.
    pub evicted: Option<&'a EvictionRecord>,
    /// The results for the pod in the attempts for others.
    pub looked_at: Vec<ConsideredPod<'a>>,
}

/// The result for a pod in the attempt for another.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LookedAt"))]
#[serde(rename_all = "camelCase")]
pub struct ConsideredPod<'a> {
    /// The pod of the attempt.
    pub by: &'a str,
    /// The result.
    pub outcome: Outcome,
    /// The reason.
    #[serde(flatten)]
    pub reason: &'a NamedReason,
}

impl<'a> ExplanationReport<'a> {
    /// Makes the answer about these pods.
    pub fn of(asked: &'a str, meant: ResolvedPods, record: &'a DecisionReport) -> ExplanationReport<'a> {
        let cycle = record.cycles.last();
        let why = |before: &InitialPod| {
            cycle.map(|cycle| ExplainedPod::of(before, cycle, record.standings.get(&before.name)))
        };
        let fate = |before: &InitialPod| cycle.map(|cycle| PodOutcome::of(before, cycle));
        ExplanationReport {
            api_version: "lictor.dev/v1alpha1",
            kind: "Explanation",
            policy: &record.policy,
            asked,
            pods: meant.pods.iter().filter_map(why).collect(),
            others_of_the_job: meant.other_pods.iter().filter_map(fate).collect(),
        }
    }
}

impl PodOutcome {
    fn of(before: &InitialPod, cycle: &CycleReport) -> PodOutcome {
        let (name, happened) = (&before.name, &cycle.happened);
        let released = happened.released.iter().rev().find(|released| released.pod == *name);
        let tried = happened.attempts.iter().rev().find(|attempt| attempt.pod == *name);
        let nominated = happened.nominated.get(name).or_else(|| cycle.still_nominated.get(name));
        let (state, node) = if before.ended {
            (ExplainedPodState::Ended, None)
        } else if let Some(node) = &before.node {
            let state = match happened.victims.contains_key(name) {
                true => ExplainedPodState::MakesWay,
                false if before.is_terminating => ExplainedPodState::Leaving,
                false => ExplainedPodState::Stays,
            };
            (state, Some(node))
        } else if let Some(node) = happened.bound.get(name) {
            (ExplainedPodState::Bound, Some(node))
        } else if let Some(node) = cycle.waiting.get(name) {
            (ExplainedPodState::Held, Some(node))
        } else if happened.nominated.contains_key(name) {
            (ExplainedPodState::Nominated, nominated)
        } else {
            let state = match tried.map(|attempt| attempt.result) {
                Some(AttemptResult::Rejected) => ExplainedPodState::Rejected,
                Some(AttemptResult::Unschedulable) => ExplainedPodState::Unschedulable,
                _ if cycle.held_back.contains_key(name) => ExplainedPodState::HeldBack,
                _ => ExplainedPodState::Pending,
            };
            (state, nominated)
        };
        let cause = |released: &ReleasedPod| released.cause;
        PodOutcome { pod: name.clone(), state, node: node.cloned(), released: released.map(cause) }
    }
}

impl<'a> ExplainedPod<'a> {
    fn of(before: &InitialPod, cycle: &'a CycleReport, standing: Option<&'a PodStanding>) -> ExplainedPod<'a> {
        let (name, happened) = (&before.name, &cycle.happened);
        let mut looked_at = Vec::new();
        for (by, explanation) in happened.explanations() {
            let said = explanation.notes.iter().filter(|told| told.is_of_pod(name));
            looked_at.extend(said.map(|told| ConsideredPod { by, outcome: told.outcome, reason: &told.reason }));
        }
        ExplainedPod {
            fate: PodOutcome::of(before, cycle),
            attempts: happened.attempts.iter().filter(|attempt| attempt.pod == *name).collect(),
            held_back: cycle.held_back.get(name),
            explanation: happened.explanations.get(name),
            standing,
            evicted: happened.victims.get(name),
            looked_at,
        }
    }
}
