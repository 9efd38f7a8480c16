//! When it is worth trying again what was refused, as the policy says.

use std::collections::BTreeSet;
use std::fmt;

use lictor_contract::{ChangeKind, PodId, Retry};
use serde::{Serialize, Serializer};

use super::Session;
use crate::reason::time;
use crate::verify::Violation;

/// The time and the changes after which another attempt is worthwhile. Empty where the policy gives none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RetryHint {
    /// The time after which the result may differ without any change: nanoseconds since 1970, written as a date and time.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_time")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "string"))]
    pub retry_at: Option<i64>,
    /// The kinds of change after which the result may differ, such as `pod-removed` or `object-upserted/ElasticQuota`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub retry_after: BTreeSet<String>,
}

/// Returns the changes of objects of a kind. The removal of an object may help, too: a budget that is gone forbids nothing, and an attachment that is gone
/// leaves its place to others.
fn changes_of(kind: &str) -> impl Iterator<Item = String> {
    [ChangeKind::ObjectUpserted, ChangeKind::ObjectRemoved].into_iter().map(move |change| format!("{change}/{kind}"))
}

fn as_time<S: Serializer>(at: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
    at.map(time).serialize(serializer)
}

impl From<Retry> for RetryHint {
    fn from(retry: Retry) -> RetryHint {
        RetryHint { retry_at: retry.at, retry_after: retry.after.into_iter().collect() }
    }
}

impl From<&Violation> for RetryHint {
    /// Returns the time and the change after which the same plan may be accepted.
    fn from(violation: &Violation) -> RetryHint {
        let changes = violation.retry_after().into_iter().flat_map(changes_of);
        RetryHint { retry_at: violation.retry_at(), retry_after: changes.collect() }
    }
}

impl RetryHint {
    /// Returns the changes after which a node may take a pod that no node takes now. `has_claims`: whether the pod has volumes of claims.
    pub fn of_nodes(has_claims: bool) -> RetryHint {
        let changes = [ChangeKind::NodeUpserted, ChangeKind::PodUpserted, ChangeKind::PodRemoved].map(String::from);
        let kinds = [
            "PersistentVolume",
            "PersistentVolumeClaim",
            "StorageClass",
            "CSINode",
            "CSIDriver",
            "CSIStorageCapacity",
            "VolumeAttachment",
        ];
        let storage = kinds.into_iter().filter(|_| has_claims).flat_map(changes_of);
        RetryHint { retry_at: None, retry_after: changes.into_iter().chain(storage).collect() }
    }

    /// Returns whether the hint has neither a time nor a change.
    pub fn is_empty(&self) -> bool {
        self.retry_at.is_none() && self.retry_after.is_empty()
    }

    /// Adds another hint about the same pod: keeps the earlier time, and all changes.
    pub fn add(&mut self, other: impl Into<RetryHint>) {
        let other = other.into();
        self.retry_at = self.retry_at.into_iter().chain(other.retry_at).min();
        self.retry_after.extend(other.retry_after);
    }
}

impl fmt::Display for RetryHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = |change: &String| match change.split_once('/') {
            Some((_, kind)) => kind.to_owned(),
            None if change.starts_with("pod-") => "pods".to_owned(),
            None if change.starts_with("node-") => "nodes".to_owned(),
            None => change.clone(),
        };
        let changes: BTreeSet<String> = self.retry_after.iter().map(what).collect();
        let changes = (!changes.is_empty())
            .then(|| format!("after a change of {}", changes.into_iter().collect::<Vec<_>>().join(", ")));
        let at = self.retry_at.map(|at| format!("at {}", time(at)));
        f.write_str(&at.into_iter().chain(changes).collect::<Vec<_>>().join(", or "))
    }
}

impl Session {
    /// Stores the time of the next attempt for a pod, or removes it.
    pub(super) fn remember_retry(&mut self, pod: PodId, retry: &RetryHint) {
        self.due.set_retry(pod, retry.retry_at);
    }

    /// Returns the next time at which a pending pod may be schedulable, or a queue gives back pods, without any change. In nanoseconds since 1970.
    pub(super) fn next_retry(&self) -> Option<i64> {
        let is_pending = |pod: PodId| self.mirror.pod(pod).is_some_and(|pod| self.occupancy.is_pending(pod));
        self.due.next(self.mirror.now(), is_pending, self.pending().next().is_some())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::driver::VirtualDriver;
    use crate::session::testing::{ALL, Scripted, ScriptedEffects, ScriptedReply, session};
    use crate::session::{SessionInput, StepOutput};
    use crate::verify::testing::{node, pod, with};

    fn wake_at(session: &mut VirtualDriver, input: SessionInput) -> Option<i64> {
        let step: StepOutput = session.session.handle(input).unwrap();
        step.wake_at
    }

    fn attempt(session: &mut VirtualDriver, pod: &str) -> Option<i64> {
        wake_at(session, SessionInput::Attempt(pod.to_owned()))
    }

    const LATER: &[&str] = &["pod-removed", "object-upserted/ElasticQuota"];

    #[test]
    fn the_session_wakes_when_the_first_pod_may_be_schedulable() {
        let policy = Scripted::deciding(ALL)
            .reply("pre-filter default/a", ScriptedReply::Later("too soon", Some(30), LATER))
            .reply("pre-filter default/b", ScriptedReply::Later("too soon", Some(20), &[]));
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0), pod("b", 1, 0)]);
        assert_eq!(attempt(&mut session, "default/a"), Some(30));
        assert_eq!(attempt(&mut session, "default/b"), Some(20));
        // A past time is never returned, and neither is the time of a bound or removed pod.
        assert_eq!(wake_at(&mut session, SessionInput::Clock(20)), Some(30));
        assert_eq!(wake_at(&mut session, SessionInput::Removed("Pod/default/a".to_owned())), None);
    }

    #[test]
    fn an_attempt_that_succeeds_has_nothing_to_wait_for() {
        let policy =
            Scripted::deciding(ALL).reply("pre-filter default/a", ScriptedReply::Later("too soon", Some(30), LATER));
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0)]);
        session.try_pod("default/a").unwrap();
        assert_eq!(session.session.next_retry(), Some(30));
        assert!(session.try_pod("default/a").unwrap().retry.is_empty());
        assert_eq!(session.session.next_retry(), None);
    }

    #[test]
    fn what_pre_filter_and_post_filter_say_is_one_hint() {
        let policy = Scripted::deciding(ALL)
            .reply("pre-filter default/a", ScriptedReply::RefusedUntil("the quota is full", Some(50), &["pod-removed"]))
            .reply("post-filter default/a", ScriptedReply::Later("too soon", Some(40), &["node-upserted"]));
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0)]);
        let attempt = session.try_pod("default/a").unwrap();
        assert_eq!(attempt.retry.retry_at, Some(40));
        let shown = serde_json::to_value(&attempt).unwrap();
        assert_eq!(shown["retryAt"], json!("1970-01-01T00:00:00.00000004Z"));
        assert_eq!(shown["retryAfter"], json!(["node-upserted", "pod-removed"]));
        let sentence = "at 1970-01-01T00:00:00.00000004Z, or after a change of nodes, pods";
        assert_eq!(attempt.retry.to_string(), sentence);
    }

    #[test]
    fn a_pod_for_which_no_node_fits_waits_for_nodes_whatever_else_it_waits_for() {
        let policy = Scripted::deciding(ALL)
            .reply("filter default/a", ScriptedReply::Fits(&[]))
            .reply("post-filter default/a", ScriptedReply::Later("the last plan is not done", None, &["pod-removed"]));
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0)]);
        let hint = session.try_pod("default/a").unwrap().retry;
        assert_eq!(hint.retry_after.into_iter().collect::<Vec<_>>(), ["node-upserted", "pod-removed", "pod-upserted"]);
    }

    #[test]
    fn a_pod_with_a_claim_waits_for_claims_and_volumes_too() {
        let policy = Scripted::deciding(ALL).reply("filter default/a", ScriptedReply::Fits(&[]));
        let claim = json!([{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]);
        let mut session = session(&policy, [node("n1", 4), with(pod("a", 1, 0), "/spec", "volumes", claim)]);
        let hint = session.try_pod("default/a").unwrap().retry;
        assert!(hint.retry_after.contains("object-removed/VolumeAttachment"), "{hint:?}");
        assert_eq!(
            hint.to_string(),
            "after a change of CSIDriver, CSINode, CSIStorageCapacity, PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttachment, nodes, pods"
        );
    }

    #[test]
    fn an_attempt_without_a_hint_shows_none() {
        let policy =
            Scripted::deciding(ALL).reply("permit default/a", ScriptedReply::Reject("no", ScriptedEffects::default()));
        let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0)]);
        let shown = serde_json::to_value(session.try_pod("default/a").unwrap()).unwrap();
        assert!(shown.get("retryAt").is_none() && shown.get("retryAfter").is_none(), "{shown}");
    }
}
