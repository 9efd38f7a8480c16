//! What has happened in a session.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::RetryHint;
use super::{AppliedPlan, Attempt, EvictionRecord, FailedCommand, RefusedPlan, ReleasedPod};
use crate::reason::NamedReason;
use crate::session::explanation::AttemptExplanation;

/// The events of a session since they were last taken.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Happened"))]
pub struct SessionReport {
    /// The attempts, in order.
    pub attempts: Vec<Attempt>,
    /// Pods that were bound, and their nodes.
    pub bound: BTreeMap<String, String>,
    /// Pods that were nominated, and their nodes.
    pub nominated: BTreeMap<String, String>,
    /// Pods that lost their nomination.
    pub withdrawn: Vec<String>,
    /// Victims.
    pub victims: BTreeMap<String, EvictionRecord>,
    /// Pods that lost the node they were held for.
    pub released: Vec<ReleasedPod>,
    /// The plans that were carried out, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub plans: Vec<AppliedPlan>,
    /// Plans that were not carried out.
    pub refused: Vec<RefusedPlan>,
    /// Commands that were not carried out, as the driver reported.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub failed: Vec<FailedCommand>,
    /// When another cycle of the policy's own is worthwhile, as the last one says.
    #[serde(flatten)]
    pub retry: RetryHint,
    /// Why the pods wait that the policy's own cycle left pending.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub refusals: BTreeMap<String, NamedReason>,
    /// The explanations of the policy's own cycle, for each pod that stayed pending, where explanations are on.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub explanations: BTreeMap<String, AttemptExplanation>,
}

impl SessionReport {
    /// Adds what happened later.
    pub fn add(&mut self, later: SessionReport) {
        self.attempts.extend(later.attempts);
        self.bound.extend(later.bound);
        self.nominated.extend(later.nominated);
        self.withdrawn.extend(later.withdrawn);
        self.victims.extend(later.victims);
        self.released.extend(later.released);
        self.plans.extend(later.plans);
        self.refused.extend(later.refused);
        self.failed.extend(later.failed);
        if !later.retry.is_empty() {
            self.retry = later.retry;
        }
        self.refusals.extend(later.refusals);
        self.explanations.extend(later.explanations);
    }

    /// Returns every explanation with its pod: of each attempt, in order, and of a cycle of the policy's own.
    pub fn explanations(&self) -> impl Iterator<Item = (&str, &AttemptExplanation)> {
        let attempts = self.attempts.iter().filter_map(|attempt| Some((&*attempt.pod, attempt.explanation.as_ref()?)));
        attempts.chain(self.explanations.iter().map(|(pod, explanation)| (pod.as_str(), explanation)))
    }
}
