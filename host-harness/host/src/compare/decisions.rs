//! What a step has decided, by pod.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::session::{Attempt, AttemptResult, EvictedFor, Happened, Held, How, Session, Step};

/// What became of a pod in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// It is bound to the node.
    Bound,
    /// It is held at permit for the node.
    Held,
    /// It is nominated to the node; victims leave.
    Nominated,
    /// It has lost the room it was held for.
    Released,
    /// It has lost its nomination.
    Withdrawn,
    /// No node takes it, or permit said no.
    Unschedulable,
    /// It was refused before a node was looked for.
    Refused,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Bound => "bound",
            Verdict::Held => "held",
            Verdict::Nominated => "nominated",
            Verdict::Released => "released",
            Verdict::Withdrawn => "nomination withdrawn",
            Verdict::Unschedulable => "unschedulable",
            Verdict::Refused => "refused",
        })
    }
}

/// What was decided about a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// What became of it.
    pub verdict: Verdict,
    /// The node that it is bound to, held for or nominated to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The codes of the laws and rules that were named, in the order in which they were; empty where the pod was simply bound.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub laws: Vec<String>,
    /// What was said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// What was decided about a victim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Eviction {
    /// How it is evicted.
    pub how: How,
    /// The node it is evicted from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// For which preemptor, or for which queue that gives back.
    #[serde(flatten)]
    pub for_whom: EvictedFor,
    /// The code of the reason of its plan.
    pub law: String,
    /// Why the plan was made.
    pub message: String,
}

/// A plan that the host refused to carry out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsound {
    /// For which preemptor, or for which queue that gives back.
    #[serde(flatten)]
    pub for_whom: EvictedFor,
    /// The code of the invariant that it breaks.
    pub code: String,
    /// How it breaks it.
    pub message: String,
}

/// What came of one input, by pod. Numbers of commands and plans are not part of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decisions {
    /// Every pod about which something was decided.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pods: BTreeMap<String, Decision>,
    /// The victims.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub victims: BTreeMap<String, Eviction>,
    /// The plans that the host refused, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsound: Vec<Unsound>,
    /// Why the input could not be served; then nothing else was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Decisions {
    /// What a session has just decided, with what came of its last input.
    pub fn of(session: &Session, step: &Step) -> Decisions {
        Decisions::of_step(&step.happened, &session.held())
    }

    /// What was decided in a step at whose end these pods are held.
    pub fn of_step(happened: &Happened, held: &BTreeMap<String, Held>) -> Decisions {
        let mut pods = BTreeMap::new();
        for attempt in &happened.attempts {
            pods.insert(attempt.pod.clone(), tried(attempt));
        }
        for (pod, why) in &happened.explanations {
            let Some(why) = why.obstacle() else { continue };
            let decision =
                Decision { laws: vec![why.code], message: why.message, ..plain(Verdict::Unschedulable, None) };
            pods.entry(pod.clone()).or_insert(decision);
        }
        for pod in &happened.withdrawn {
            pods.entry(pod.clone()).or_insert(plain(Verdict::Withdrawn, None));
        }
        for released in &happened.released {
            let lost = plain(Verdict::Released, Some(&released.node));
            let entry = pods.entry(released.pod.clone()).or_insert_with(|| lost.clone());
            if entry.verdict == Verdict::Held {
                *entry = lost;
            }
        }
        let nominated = happened.nominated.iter().filter(|(pod, _)| !happened.withdrawn.contains(pod));
        for (pod, node) in nominated {
            let law = happened.plans.iter().rfind(|plan| plan.nominated.contains_key(pod)).and_then(|plan| {
                let victim = plan.victims.first()?;
                happened.victims.get(victim).map(|fate| (fate.reason.code.clone(), fate.reason.message.clone()))
            });
            let own = pods.get(pod).filter(|known| known.verdict == Verdict::Nominated).cloned();
            let (code, message) = law.unzip();
            let other = Decision {
                laws: code.into_iter().collect(),
                message: message.unwrap_or_default(),
                ..plain(Verdict::Nominated, None)
            };
            pods.insert(pod.clone(), Decision { node: Some(node.clone()), ..own.unwrap_or(other) });
        }
        for (pod, held) in held {
            // A pod that was held before and still is was not decided about.
            if let Some(decision) = pods.get_mut(pod).filter(|decision| decision.verdict == Verdict::Released) {
                *decision = plain(Verdict::Held, Some(&held.node));
            }
        }
        pods.extend(happened.bound.iter().map(|(pod, node)| (pod.clone(), plain(Verdict::Bound, Some(node)))));
        let victims = happened.victims.iter().map(|(pod, fate)| {
            let (law, message) = (fate.reason.code.clone(), fate.reason.message.clone());
            let (node, for_whom) = (fate.node.clone(), fate.for_whom.clone());
            (pod.clone(), Eviction { how: fate.how, node, for_whom, law, message })
        });
        let unsound = happened.refused.iter().map(|plan| Unsound {
            for_whom: plan.for_whom.clone(),
            code: plan.reason.code.clone(),
            message: plan.reason.message.clone(),
        });
        Decisions { pods, victims: victims.collect(), unsound: unsound.collect(), error: None }
    }

    /// An input that was not served.
    pub fn failed(error: impl ToString) -> Decisions {
        Decisions { error: Some(error.to_string()), ..Decisions::default() }
    }

    /// Whether nothing was decided.
    pub fn is_empty(&self) -> bool {
        self.pods.is_empty() && self.victims.is_empty() && self.unsound.is_empty() && self.error.is_none()
    }
}

fn plain(verdict: Verdict, node: Option<&String>) -> Decision {
    Decision { verdict, node: node.cloned(), laws: Vec::new(), message: String::new() }
}

/// What an attempt says of its pod, whatever came after it.
fn tried(attempt: &Attempt) -> Decision {
    let verdict = match attempt.result {
        AttemptResult::Scheduled => Verdict::Bound,
        AttemptResult::Waiting => Verdict::Held,
        AttemptResult::Nominated => Verdict::Nominated,
        AttemptResult::Unschedulable => Verdict::Unschedulable,
        AttemptResult::Rejected => Verdict::Refused,
    };
    let mut laws: Vec<String> = Vec::new();
    for reason in attempt.reasons().into_iter().filter(|reason| !reason.code.is_empty()) {
        if !laws.contains(&reason.code) {
            laws.push(reason.code);
        }
    }
    Decision { laws, message: attempt.message(), ..plain(verdict, attempt.node.as_ref()) }
}
