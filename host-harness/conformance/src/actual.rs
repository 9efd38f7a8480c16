//! What came of a step, in the words of the expectations.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::status::UsedAmounts;
use lictor_host::reason::NamedReason;
use lictor_host::session::{AppliedPlan, Attempt, AttemptExplanation, AttemptResult, EvictionMethod, SessionReport};

/// The outcome of a step, recorded whether or not expectations exist.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Actual"))]
#[serde(rename_all = "camelCase")]
pub struct StepOutcome {
    /// The result of the attempt for the pod of this step.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub result: Option<AttemptResult>,
    /// The node that the pod was bound to, is held for, or was nominated to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub node: Option<String>,
    /// The effects on the pods of the cluster.
    #[serde(flatten)]
    pub effects: StepEffects,
    /// The pods that are held at permit at the end.
    pub waiting: BTreeSet<String>,
    /// The status message of the pod of this step.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub reason: Option<String>,
    /// The reasons of that message as data.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub reasons: Vec<NamedReason>,
    /// The queue, where the step is about its order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub order: Option<Vec<String>>,
    /// The accounts that the step names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub status: Option<BTreeMap<String, Option<UsedAmounts>>>,
    /// The attempts of a cycle, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub attempts: Vec<ObservedAttempt>,
    /// The explanation of the attempt of this step, where explanations are on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub explanation: Option<AttemptExplanation>,
    /// The explanations of the policy's own cycle, for each pod that stayed pending, where explanations are on.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub explanations: BTreeMap<String, AttemptExplanation>,
}

/// The effects of a step on the pods of the cluster: the placements, and the evictions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StepEffects {
    /// The pods that were bound, and their nodes.
    pub bound: BTreeMap<String, String>,
    /// The pods that were nominated, and their nodes.
    pub nominated: BTreeMap<String, String>,
    /// The pods that were evicted.
    pub victims: BTreeSet<String>,
    /// The plans that were carried out, in order: which pods are evicted for which.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub plans: Vec<AppliedPlan>,
    /// The kinds of eviction of bound victims: `Soft`, `Delete`, or both.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub eviction: Option<String>,
}

/// One attempt of a cycle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Tried"))]
pub struct ObservedAttempt {
    /// The pod.
    pub pod: String,
    /// The result.
    pub result: AttemptResult,
    /// The node that the pod was bound to, is held for, or was nominated to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub node: Option<String>,
    /// The status message.
    pub reason: String,
    /// The reasons of the message as data.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub reasons: Vec<NamedReason>,
    /// The explanation, where explanations are on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub explanation: Option<AttemptExplanation>,
}

impl From<Attempt> for ObservedAttempt {
    fn from(attempt: Attempt) -> ObservedAttempt {
        let (reason, reasons) = (attempt.message(), attempt.reasons());
        let Attempt { pod, result, node, explanation, .. } = attempt;
        ObservedAttempt { pod, result, node, reason, reasons, explanation }
    }
}

impl StepOutcome {
    /// Returns every explanation, with the pod and the result of its attempt where the step itself does not name them.
    pub fn explained(&self) -> impl Iterator<Item = (Option<&str>, Option<AttemptResult>, &AttemptExplanation)> {
        let own = self.explanation.iter().map(|why| (None, self.result, why));
        let attempts = self
            .attempts
            .iter()
            .filter_map(|tried| Some((Some(tried.pod.as_str()), Some(tried.result), tried.explanation.as_ref()?)));
        let cycle = self.explanations.iter().map(|(pod, why)| (Some(pod.as_str()), None, why));
        own.chain(attempts).chain(cycle)
    }

    /// Returns the outcome from the events of a step and the pods that are held at permit now.
    pub(super) fn of(happened: SessionReport, waiting: BTreeMap<String, String>) -> StepOutcome {
        let SessionReport { attempts, bound, nominated, victims, plans, explanations, .. } = happened;
        let evicted: BTreeSet<EvictionMethod> = victims.values().map(|victim| victim.how).collect();
        let words: Vec<String> =
            evicted.iter().filter(|how| **how != EvictionMethod::Unreserved).map(|how| format!("{how:?}")).collect();
        let eviction = (!words.is_empty()).then(|| words.join(", "));
        StepOutcome {
            effects: StepEffects { bound, nominated, victims: victims.into_keys().collect(), plans, eviction },
            waiting: waiting.into_keys().collect(),
            attempts: attempts.into_iter().map(ObservedAttempt::from).collect(),
            explanations,
            ..StepOutcome::default()
        }
    }

    /// Moves the last attempt into the outcome itself, for a step that is one attempt.
    pub(super) fn of_attempt(mut self) -> StepOutcome {
        if let Some(tried) = self.attempts.pop() {
            self.result = Some(tried.result);
            self.node = tried.node;
            self.reason = Some(tried.reason);
            self.reasons = tried.reasons;
            self.explanation = tried.explanation;
        }
        self
    }
}
