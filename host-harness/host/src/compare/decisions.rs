//! What a step has decided, by pod.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::session::{
    Attempt, AttemptResult, EvictionBeneficiary, EvictionMethod, NamedHold, Session, SessionReport, StepOutput,
};

/// The result of a step for a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DecisionKind {
    /// The pod is bound to the node.
    Bound,
    /// The pod is held at permit for the node.
    Held,
    /// The pod is nominated to the node, and victims are evicted.
    Nominated,
    /// The pod has lost the node that it was held for.
    Released,
    /// The pod has lost its nomination.
    Withdrawn,
    /// No node takes the pod, or permit rejected it.
    Unschedulable,
    /// The pod was rejected before a node was searched.
    Refused,
}

impl fmt::Display for DecisionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DecisionKind::Bound => "bound",
            DecisionKind::Held => "held",
            DecisionKind::Nominated => "nominated",
            DecisionKind::Released => "released",
            DecisionKind::Withdrawn => "nomination withdrawn",
            DecisionKind::Unschedulable => "unschedulable",
            DecisionKind::Refused => "refused",
        })
    }
}

/// A decision about a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The result for the pod.
    pub verdict: DecisionKind,
    /// The node that the pod is bound to, held for or nominated to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The codes of the laws and rules in the reasons, in their order. Empty where the pod was simply bound.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub laws: Vec<String>,
    /// The message of the decision.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// A decision to evict a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvictionDecision {
    /// How the pod is evicted.
    pub how: EvictionMethod,
    /// The node that the pod is evicted from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The preemptor, or the queue that gives back what it borrowed.
    #[serde(flatten)]
    pub for_whom: EvictionBeneficiary,
    /// The code of the reason of its plan.
    pub law: String,
    /// Why the plan was made.
    pub message: String,
}

/// A plan that the host refused to carry out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsoundPlan {
    /// The preemptor, or the queue that gives back what it borrowed.
    #[serde(flatten)]
    pub for_whom: EvictionBeneficiary,
    /// The code of the invariant that the plan breaks.
    pub code: String,
    /// How the plan breaks the invariant.
    pub message: String,
}

/// The decisions of one input, by pod. The numbers of commands and plans are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decisions {
    /// Every pod about which something was decided.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pods: BTreeMap<String, Decision>,
    /// The victims.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub victims: BTreeMap<String, EvictionDecision>,
    /// The plans that the host refused, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsound: Vec<UnsoundPlan>,
    /// Why the input could not be served. Then nothing else was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Decisions {
    /// Returns the decisions of the last step of a session.
    pub fn of(session: &Session, step: &StepOutput) -> Decisions {
        Decisions::of_step(&step.happened, &session.permit_holds())
    }

    /// Returns the decisions of a step. `held`: the pods that are held at the end of the step.
    pub fn of_step(happened: &SessionReport, held: &BTreeMap<String, NamedHold>) -> Decisions {
        let mut pods = BTreeMap::new();
        for attempt in &happened.attempts {
            pods.insert(attempt.pod.clone(), of_attempt(attempt));
        }
        for (pod, why) in &happened.refusals {
            let decision = Decision {
                laws: vec![why.code.clone()],
                message: why.message.clone(),
                ..unexplained(DecisionKind::Unschedulable, None)
            };
            pods.entry(pod.clone()).or_insert(decision);
        }
        for pod in &happened.withdrawn {
            pods.entry(pod.clone()).or_insert(unexplained(DecisionKind::Withdrawn, None));
        }
        for released in &happened.released {
            let lost = unexplained(DecisionKind::Released, Some(&released.node));
            let entry = pods.entry(released.pod.clone()).or_insert_with(|| lost.clone());
            if entry.verdict == DecisionKind::Held {
                *entry = lost;
            }
        }
        let nominated = happened.nominated.iter().filter(|(pod, _)| !happened.withdrawn.contains(pod));
        for (pod, node) in nominated {
            let law = happened.plans.iter().rfind(|plan| plan.nominated.contains_key(pod)).and_then(|plan| {
                let victim = plan.victims.first()?;
                happened.victims.get(victim).map(|fate| (fate.reason.code.clone(), fate.reason.message.clone()))
            });
            let own = pods.get(pod).filter(|known| known.verdict == DecisionKind::Nominated).cloned();
            let (code, message) = law.unzip();
            let other = Decision {
                laws: code.into_iter().collect(),
                message: message.unwrap_or_default(),
                ..unexplained(DecisionKind::Nominated, None)
            };
            pods.insert(pod.clone(), Decision { node: Some(node.clone()), ..own.unwrap_or(other) });
        }
        for (pod, held) in held {
            // A pod that was held before and still is has no new decision.
            if let Some(decision) = pods.get_mut(pod).filter(|decision| decision.verdict == DecisionKind::Released) {
                *decision = unexplained(DecisionKind::Held, Some(&held.node));
            }
        }
        pods.extend(
            happened.bound.iter().map(|(pod, node)| (pod.clone(), unexplained(DecisionKind::Bound, Some(node)))),
        );
        let victims = happened.victims.iter().map(|(pod, fate)| {
            let (law, message) = (fate.reason.code.clone(), fate.reason.message.clone());
            let (node, for_whom) = (fate.node.clone(), fate.for_whom.clone());
            (pod.clone(), EvictionDecision { how: fate.how, node, for_whom, law, message })
        });
        let unsound = happened.refused.iter().map(|plan| UnsoundPlan {
            for_whom: plan.for_whom.clone(),
            code: plan.reason.code.clone(),
            message: plan.reason.message.clone(),
        });
        Decisions { pods, victims: victims.collect(), unsound: unsound.collect(), error: None }
    }

    /// Returns the decisions of an input that was not served: only its error.
    pub fn failed(error: impl ToString) -> Decisions {
        Decisions { error: Some(error.to_string()), ..Decisions::default() }
    }

    /// Returns whether nothing was decided and no error occurred.
    pub fn is_empty(&self) -> bool {
        self.pods.is_empty() && self.victims.is_empty() && self.unsound.is_empty() && self.error.is_none()
    }
}

fn unexplained(verdict: DecisionKind, node: Option<&String>) -> Decision {
    Decision { verdict, node: node.cloned(), laws: Vec::new(), message: String::new() }
}

/// Returns the decision of an attempt alone, whatever happened to its pod later.
fn of_attempt(attempt: &Attempt) -> Decision {
    let verdict = match attempt.result {
        AttemptResult::Scheduled => DecisionKind::Bound,
        AttemptResult::Waiting => DecisionKind::Held,
        AttemptResult::Nominated => DecisionKind::Nominated,
        AttemptResult::Unschedulable => DecisionKind::Unschedulable,
        AttemptResult::Rejected => DecisionKind::Refused,
    };
    let mut laws: Vec<String> = Vec::new();
    for reason in attempt.reasons().into_iter().filter(|reason| !reason.code.is_empty()) {
        if !laws.contains(&reason.code) {
            laws.push(reason.code);
        }
    }
    Decision { laws, message: attempt.message(), ..unexplained(verdict, attempt.node.as_ref()) }
}
