//! What is known of the pods that were asked about, as data.

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
    /// Who decided.
    policy: &'a Deciding,
    /// What was asked about.
    asked: &'a str,
    /// The pods that were meant.
    pub pods: Vec<Why<'a>>,
    /// The other pods of the job of a single pod.
    pub others_of_the_job: Vec<Fate>,
}

/// Where a pod is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PodState"))]
#[serde(rename_all = "camelCase")]
pub enum State {
    /// It was bound.
    Bound,
    /// It is held at permit.
    Held,
    /// It gets a node when its victims have left.
    Nominated,
    /// No node takes it, and nothing was planned.
    Unschedulable,
    /// It was refused before any node was asked.
    Rejected,
    /// It was not tried: it has scheduling gates, or another scheduler.
    HeldBack,
    /// It waits, and nothing more is known.
    Pending,
    /// It must leave its node.
    MakesWay,
    /// It keeps its node.
    Stays,
    /// It is leaving its node anyway.
    Leaving,
    /// It has ended.
    Ended,
}

/// What became of a pod.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Fate {
    /// The pod.
    pub pod: String,
    /// Where it is now.
    pub state: State,
    /// The node: that it holds, is held for or nominated to.
    pub node: Option<String>,
    /// Why it lost the room that was held for it, where it did.
    pub released: Option<ReleaseCause>,
}

/// What became of a pod, and why.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Why<'a> {
    /// Where it is now.
    #[serde(flatten)]
    pub fate: Fate,
    /// The attempts for it.
    pub attempts: Vec<&'a Attempt>,
    /// Why it was not tried.
    pub held_back: Option<&'a NamedReason>,
    /// Why a cycle of the policy's own ended so for it.
    pub explanation: Option<&'a Explanation>,
    /// Whether it was safe before anything was decided; none where it did not run, or the policy does not say.
    pub standing: Option<&'a Standing>,
    /// For whom it is evicted.
    pub evicted: Option<&'a Evicted>,
    /// What was said of it in the attempts for others.
    pub looked_at: Vec<LookedAt<'a>>,
}

/// What was said of a pod in the attempt for another.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LookedAt<'a> {
    /// Whose attempt it was.
    pub by: &'a str,
    /// What came of it.
    pub outcome: Outcome,
    /// Why.
    #[serde(flatten)]
    pub reason: &'a NamedReason,
}

impl<'a> Answer<'a> {
    /// What is known of these pods.
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
