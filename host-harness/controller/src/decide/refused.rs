//! Pods that were let go and that kube-scheduler refuses.
//!
//! Such a pod cannot be gated again. It keeps its room until it is bound or gone. The refusal is reported. Where the operator wants it, the pod is
//! deleted after a grace if it never ran and a ReplicaSet or StatefulSet makes another; never a pod of a Job, which would count a failure.

use std::collections::BTreeMap;

use lictor_host::session::ObjectRef;
use serde_json::Value;

use crate::view::{AdmissionState, pinned_to, text};
use crate::watch::store::{ObjectChange, VisibleObject};

/// How long kube-scheduler may refuse a pod before that is reported: its view of the cluster may be older than ours. 2 s.
const REPORT_DELAY: i64 = 2_000_000_000;

/// The controllers that make a deleted pod anew and count no failure. A Job counts one, and may fail.
const RECREATING_CONTROLLERS: [(&str, &str); 2] = [("apps/v1", "ReplicaSet"), ("apps/v1", "StatefulSet")];

/// A pod that was let go and that kube-scheduler refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnschedulablePod {
    /// The pod.
    pub pod: ObjectRef,
    /// The node that it was let go for.
    pub node: String,
    /// What kube-scheduler says.
    pub message: String,
    /// Whether it is deleted after the grace: a ReplicaSet or StatefulSet owns it, and it never ran.
    pub replaceable: bool,
}

/// The pods that are refused now.
#[derive(Debug)]
pub struct UnschedulablePods {
    /// The age of a refusal at which the pod is deleted, in nanoseconds. `None`: pods are never deleted.
    grace: Option<i64>,
    pods: BTreeMap<String, TrackedUnschedulablePod>,
    /// Refusals that were reported and have ended.
    ended: Vec<UnschedulablePod>,
}

#[derive(Debug)]
struct TrackedUnschedulablePod {
    refusal: UnschedulablePod,
    since: i64,
    is_reported: bool,
    is_deleted: bool,
}

/// An action about a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnschedulableAction {
    /// Report it.
    Report(UnschedulablePod),
    /// Delete the pod, so that its owner makes another.
    Delete(UnschedulablePod),
    /// Report its end: the pod is not refused any more, or is gone.
    ReportEnd(UnschedulablePod),
}

impl UnschedulablePods {
    /// Makes an empty list of refusals. Pods are deleted after `grace` nanoseconds; `None`: never.
    pub fn new(grace: Option<i64>) -> UnschedulablePods {
        UnschedulablePods { grace, pods: BTreeMap::new(), ended: Vec::new() }
    }

    /// Takes a change of an object: a refusal begins, continues or ends.
    pub fn observe(&mut self, news: &ObjectChange, now: i64) {
        match news {
            ObjectChange::Marked(..) => {}
            ObjectChange::Deleted(key) => self.end_refusal(key),
            ObjectChange::Upserted(shown) => match unschedulable_pod(shown) {
                None => self.end_refusal(&shown.key),
                Some(refusal) => {
                    let before = self.pods.get(&shown.key).filter(|before| before.refusal.pod == refusal.pod);
                    let (since, is_said, is_deleted) =
                        before.map_or((now, false, false), |it| (it.since, it.is_reported, it.is_deleted));
                    self.pods.insert(
                        shown.key.clone(),
                        TrackedUnschedulablePod { refusal, since, is_reported: is_said, is_deleted },
                    );
                }
            },
        }
    }

    fn end_refusal(&mut self, key: &str) {
        self.ended.extend(self.pods.remove(key).filter(|known| known.is_reported).map(|known| known.refusal));
    }

    /// Returns the actions that are due now. Each is returned once.
    pub fn due(&mut self, now: i64) -> Vec<UnschedulableAction> {
        let mut due: Vec<UnschedulableAction> = self.ended.drain(..).map(UnschedulableAction::ReportEnd).collect();
        for known in self.pods.values_mut() {
            let age = now.saturating_sub(known.since);
            if age >= REPORT_DELAY && !known.is_reported {
                known.is_reported = true;
                due.push(UnschedulableAction::Report(known.refusal.clone()));
            }
            let is_over = self.grace.is_some_and(|grace| age >= grace.max(REPORT_DELAY));
            if is_over && known.refusal.replaceable && !known.is_deleted {
                known.is_deleted = true;
                due.push(UnschedulableAction::Delete(known.refusal.clone()));
            }
        }
        due
    }

    /// Returns when the next action is due, in nanoseconds since 1970. `None`: none is expected.
    pub fn next(&self) -> Option<i64> {
        let at = |known: &TrackedUnschedulablePod| {
            let said = (!known.is_reported).then(|| known.since.saturating_add(REPORT_DELAY));
            let deleted = self.grace.filter(|_| known.refusal.replaceable && !known.is_deleted);
            let deleted = deleted.map(|grace| known.since.saturating_add(grace.max(REPORT_DELAY)));
            said.into_iter().chain(deleted).min()
        };
        self.pods.values().filter_map(at).min()
    }

    /// Returns how many pods are refused now.
    pub fn count(&self) -> usize {
        self.pods.len()
    }
}

/// Reads how kube-scheduler refuses a pod that was let go. `None`: the pod is not refused, or was not let go.
fn unschedulable_pod(shown: &VisibleObject) -> Option<UnschedulablePod> {
    let pod = shown.raw.as_deref().filter(|_| shown.admission_state == AdmissionState::Admitted)?;
    let conditions = pod.pointer("/status/conditions").and_then(Value::as_array);
    let refused = conditions.into_iter().flatten().find(|condition| {
        let [kind, status, reason] = ["/type", "/status", "/reason"].map(|field| text(condition, field));
        (kind, status, reason) == ("PodScheduled", "False", "Unschedulable")
    })?;
    let owners = pod.pointer("/metadata/ownerReferences").and_then(Value::as_array);
    let remakes = |owner: &Value| {
        owner.get("controller") == Some(&Value::Bool(true))
            && RECREATING_CONTROLLERS.contains(&(text(owner, "/apiVersion"), text(owner, "/kind")))
    };
    let is_owned = owners.into_iter().flatten().any(remakes);
    let never_ran = pod.pointer("/status/startTime").is_none_or(Value::is_null);
    let [namespace, name, uid] =
        ["/metadata/namespace", "/metadata/name", "/metadata/uid"].map(|field| text(pod, field).to_owned());
    Some(UnschedulablePod {
        pod: ObjectRef { kind: "Pod".to_owned(), namespace, name, uid },
        node: pinned_to(pod)?.to_owned(),
        message: text(refused, "/message").to_owned(),
        replaceable: is_owned && never_ran && text(pod, "/metadata/deletionTimestamp").is_empty(),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::names::ASSIGNED_NODE;
    use crate::report::SECOND;

    fn news(uid: &str, status: &str, owned: bool) -> ObjectChange {
        let pin = json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]});
        let pod = json!({
            "metadata": {"name": "a", "namespace": "default", "uid": uid, "annotations": {ASSIGNED_NODE: "n1"},
                         "ownerReferences": [{"apiVersion": if owned { "apps/v1" } else { "batch/v1" }, "name": "o",
                                              "kind": if owned { "ReplicaSet" } else { "Job" }, "controller": true}]},
            "spec": {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
                     {"nodeSelectorTerms": [pin]}}}},
            "status": {"conditions": [{"type": "PodScheduled", "status": status, "reason": "Unschedulable",
                                       "message": "0/1 nodes are available"}]},
        });
        ObjectChange::Upserted(VisibleObject {
            key: "Pod/default/a".to_owned(),
            object: json!({}),
            admission_state: AdmissionState::Admitted,
            raw: Some(Arc::new(pod)),
        })
    }

    fn words(due: &[UnschedulableAction]) -> Vec<&'static str> {
        due.iter()
            .map(|due| match due {
                UnschedulableAction::Report(_) => "say",
                UnschedulableAction::Delete(_) => "delete",
                UnschedulableAction::ReportEnd(_) => "over",
            })
            .collect()
    }

    #[test]
    fn a_refusal_is_said_once_and_the_pod_deleted_after_the_grace() {
        let mut refusals = UnschedulablePods::new(Some(60 * SECOND));
        refusals.observe(&news("1", "False", true), 0);
        assert!(refusals.due(SECOND).is_empty(), "its picture may be old");
        assert_eq!(refusals.next(), Some(2 * SECOND));
        assert_eq!(words(&refusals.due(2 * SECOND)), ["say"]);
        refusals.observe(&news("1", "False", true), 3 * SECOND);
        assert_eq!(refusals.next(), Some(60 * SECOND), "it is as old as it was");
        assert!(refusals.due(59 * SECOND).is_empty());
        assert_eq!(words(&refusals.due(60 * SECOND)), ["delete"]);
        assert!(refusals.due(90 * SECOND).is_empty());
        assert_eq!(refusals.next(), None);
    }

    #[test]
    fn a_pod_of_a_job_is_never_deleted() {
        let mut refusals = UnschedulablePods::new(Some(60 * SECOND));
        refusals.observe(&news("1", "False", false), 0);
        assert_eq!(words(&refusals.due(100 * SECOND)), ["say"]);
        let mut never = UnschedulablePods::new(None);
        never.observe(&news("1", "False", true), 0);
        assert_eq!(words(&never.due(100 * SECOND)), ["say"]);
    }

    #[test]
    fn who_is_scheduled_or_gone_is_not_refused_and_a_successor_begins_anew() {
        let mut refusals = UnschedulablePods::new(Some(60 * SECOND));
        refusals.observe(&news("1", "False", true), 0);
        refusals.observe(&news("1", "True", true), SECOND);
        assert_eq!(refusals.count(), 0);
        refusals.observe(&news("1", "False", true), 0);
        refusals.observe(&news("2", "False", true), 50 * SECOND);
        assert_eq!(refusals.next(), Some(52 * SECOND));
        refusals.observe(&ObjectChange::Deleted("Pod/default/a".to_owned()), 51 * SECOND);
        assert_eq!(refusals.count(), 0);
    }
}
