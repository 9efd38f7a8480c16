//! The answer about pods, as data.

use lictor_contract::{Outcome, ReleaseCause};
use serde::Serialize;

use super::super::record::{Cycle, Deciding, Record};
use super::find::{Before, Meant};
use lictor_host::reason::NamedReason;
use lictor_host::session::{Attempt, AttemptResult, Evicted, Explanation, Released, Standing};

/// The document that `explain` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Explanation"))]
#[serde(rename_all = "camelCase")]
pub struct Answer<'a> {
    #[cfg_attr(feature = "typescript", ts(type = "\"lictor.dev/v1alpha1\""))]
    api_version: &'static str,
    #[cfg_attr(feature = "typescript", ts(type = "\"Explanation\""))]
    kind: &'static str,
    /// The policy that decided.
    policy: &'a Deciding,
    /// The name in the question.
    asked: &'a str,
    /// The pods of that name.
    pub pods: Vec<Why<'a>>,
    /// The other pods of the job of a single pod.
    pub others_of_the_job: Vec<Fate>,
}

/// The state of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PodState"))]
#[serde(rename_all = "camelCase")]
pub enum State {
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
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Fate {
    /// The pod.
    pub pod: String,
    /// Its state now.
    pub state: State,
    /// The node that it has, is held for or is nominated to.
    pub node: Option<String>,
    /// Why it lost the room that was held for it. `None`: it did not.
    pub released: Option<ReleaseCause>,
}

/// The state of a pod, with the reasons.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Why<'a> {
    /// Its state now.
    #[serde(flatten)]
    pub fate: Fate,
    /// The attempts for it.
    pub attempts: Vec<&'a Attempt>,
    /// Why it was not tried.
    pub held_back: Option<&'a NamedReason>,
    /// Why it was not placed in a cycle of the policy's own.
    pub explanation: Option<&'a Explanation>,
    /// Whether it was safe before any decision. `None`: it did not run, or the policy does not say.
    pub standing: Option<&'a Standing>,
    /// The eviction of the pod, with its preemptor.
    pub evicted: Option<&'a Evicted>,
    /// The results for the pod in the attempts for others.
    pub looked_at: Vec<LookedAt<'a>>,
}

/// The result for a pod in the attempt for another.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LookedAt<'a> {
    /// The pod of the attempt.
    pub by: &'a str,
    /// The result.
    pub outcome: Outcome,
    /// The reason.
    #[serde(flatten)]
    pub reason: &'a NamedReason,
}

impl<'a> Answer<'a> {
    /// Makes the answer about these pods.
    pub fn of(asked: &'a str, meant: Meant, record: &'a Record) -> Answer<'a> {
        let cycle = record.cycles.last();
        let why = |before: &Before| cycle.map(|cycle| Why::of(before, cycle, record.standings.get(&before.name)));
        let fate = |before: &Before| cycle.map(|cycle| Fate::of(before, cycle));
        Answer {
            api_version: "lictor.dev/v1alpha1",
            kind: "Explanation",
            policy: &record.policy,
            asked,
            pods: meant.pods.iter().filter_map(why).collect(),
            others_of_the_job: meant.mates.iter().filter_map(fate).collect(),
        }
    }
}

impl Fate {
    fn of(before: &Before, cycle: &Cycle) -> Fate {
        let (name, happened) = (&before.name, &cycle.happened);
        let released = happened.released.iter().rev().find(|released| released.pod == *name);
        let tried = happened.attempts.iter().rev().find(|attempt| attempt.pod == *name);
        let nominated = happened.nominated.get(name).or_else(|| cycle.still_nominated.get(name));
        let (state, node) = if before.ended {
            (State::Ended, None)
        } else if let Some(node) = &before.node {
            let state = match happened.victims.contains_key(name) {
                true => State::MakesWay,
                false if before.leaves => State::Leaving,
                false => State::Stays,
            };
            (state, Some(node))
        } else if let Some(node) = happened.bound.get(name) {
            (State::Bound, Some(node))
        } else if let Some(node) = cycle.waiting.get(name) {
            (State::Held, Some(node))
        } else if happened.nominated.contains_key(name) {
            (State::Nominated, nominated)
        } else {
            let state = match tried.map(|attempt| attempt.result) {
                Some(AttemptResult::Rejected) => State::Rejected,
                Some(AttemptResult::Unschedulable) => State::Unschedulable,
                _ if cycle.held_back.contains_key(name) => State::HeldBack,
                _ => State::Pending,
            };
            (state, nominated)
        };
        let cause = |released: &Released| released.cause;
        Fate { pod: name.clone(), state, node: node.cloned(), released: released.map(cause) }
    }
}

impl<'a> Why<'a> {
    fn of(before: &Before, cycle: &'a Cycle, standing: Option<&'a Standing>) -> Why<'a> {
        let (name, happened) = (&before.name, &cycle.happened);
        let mut looked_at = Vec::new();
        for (by, explanation) in happened.explained() {
            let said = explanation.notes.iter().filter(|told| told.is_of_pod(name));
            looked_at.extend(said.map(|told| LookedAt { by, outcome: told.outcome, reason: &told.reason }));
        }
        Why {
            fate: Fate::of(before, cycle),
            attempts: happened.attempts.iter().filter(|attempt| attempt.pod == *name).collect(),
            held_back: cycle.held_back.get(name),
            explanation: happened.explanations.get(name),
            standing,
            evicted: happened.victims.get(name),
            looked_at,
        }
    }
}
