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
const PATIENCE: i64 = 2_000_000_000;

/// The controllers that make a deleted pod anew and count no failure. A Job counts one, and may fail.
const REMAKERS: [(&str, &str); 2] = [("apps/v1", "ReplicaSet"), ("apps/v1", "StatefulSet")];

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
    over: Vec<UnschedulablePod>,
}

#[derive(Debug)]
struct TrackedUnschedulablePod {
    refusal: UnschedulablePod,
    since: i64,
    is_said: bool,
    is_deleted: bool,
}

/// An action about a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnschedulableAction {
    /// Report it.
    Say(UnschedulablePod),
    /// Delete the pod, so that its owner makes another.
    Delete(UnschedulablePod),
    /// Report its end: the pod is not refused any more, or is gone.
    Over(UnschedulablePod),
}

impl UnschedulablePods {
    /// Makes an empty list of refusals. Pods are deleted after `grace` nanoseconds; `None`: never.
    pub fn new(grace: Option<i64>) -> UnschedulablePods {
        UnschedulablePods { grace, pods: BTreeMap::new(), over: Vec::new() }
    }

    /// Takes a change of an object: a refusal begins, continues or ends.
    pub fn see(&mut self, news: &ObjectChange, now: i64) {
        match news {
            ObjectChange::Marked(..) => {}
            ObjectChange::Gone(key) => self.ends(key),
            ObjectChange::Shown(shown) => match refusal(shown) {
                None => self.ends(&shown.key),
                Some(refusal) => {
                    let before = self.pods.get(&shown.key).filter(|before| before.refusal.pod == refusal.pod);
                    let (since, is_said, is_deleted) =
                        before.map_or((now, false, false), |it| (it.since, it.is_said, it.is_deleted));
                    self.pods
                        .insert(shown.key.clone(), TrackedUnschedulablePod { refusal, since, is_said, is_deleted });
                }
            },
        }
    }

    fn ends(&mut self, key: &str) {
        self.over.extend(self.pods.remove(key).filter(|known| known.is_said).map(|known| known.refusal));
    }

    /// Returns the actions that are due now. Each is returned once.
    pub fn due(&mut self, now: i64) -> Vec<UnschedulableAction> {
        let mut due: Vec<UnschedulableAction> = self.over.drain(..).map(UnschedulableAction::Over).collect();
        for known in self.pods.values_mut() {
            let age = now.saturating_sub(known.since);
            if age >= PATIENCE && !known.is_said {
                known.is_said = true;
                due.push(UnschedulableAction::Say(known.refusal.clone()));
            }
            let is_over = self.grace.is_some_and(|grace| age >= grace.max(PATIENCE));
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
            let said = (!known.is_said).then(|| known.since.saturating_add(PATIENCE));
            let deleted = self.grace.filter(|_| known.refusal.replaceable && !known.is_deleted);
            let deleted = deleted.map(|grace| known.since.saturating_add(grace.max(PATIENCE)));
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
fn refusal(shown: &VisibleObject) -> Option<UnschedulablePod> {
    let pod = shown.raw.as_deref().filter(|_| shown.standing == AdmissionState::LetGo)?;
    let conditions = pod.pointer("/status/conditions").and_then(Value::as_array);
    let refused = conditions.into_iter().flatten().find(|condition| {
        let [kind, status, reason] = ["/type", "/status", "/reason"].map(|field| text(condition, field));
        (kind, status, reason) == ("PodScheduled", "False", "Unschedulable")
    })?;
    let owners = pod.pointer("/metadata/ownerReferences").and_then(Value::as_array);
    let remakes = |owner: &Value| {
        owner.get("controller") == Some(&Value::Bool(true))
            && REMAKERS.contains(&(text(owner, "/apiVersion"), text(owner, "/kind")))
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
    use crate::names::NODE;
    use crate::report::SECOND;

    fn news(uid: &str, status: &str, owned: bool) -> ObjectChange {
        let pin = json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]});
        let pod = json!({
            "metadata": {"name": "a", "namespace": "default", "uid": uid, "annotations": {NODE: "n1"},
                         "ownerReferences": [{"apiVersion": if owned { "apps/v1" } else { "batch/v1" }, "name": "o",
                                              "kind": if owned { "ReplicaSet" } else { "Job" }, "controller": true}]},
            "spec": {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
                     {"nodeSelectorTerms": [pin]}}}},
            "status": {"conditions": [{"type": "PodScheduled", "status": status, "reason": "Unschedulable",
                                       "message": "0/1 nodes are available"}]},
        });
        ObjectChange::Shown(VisibleObject {
            key: "Pod/default/a".to_owned(),
            object: json!({}),
            standing: AdmissionState::LetGo,
            raw: Some(Arc::new(pod)),
        })
    }

    fn words(due: &[UnschedulableAction]) -> Vec<&'static str> {
        due.iter()
            .map(|due| match due {
                UnschedulableAction::Say(_) => "say",
                UnschedulableAction::Delete(_) => "delete",
                UnschedulableAction::Over(_) => "over",
            })
            .collect()
    }

    #[test]
    fn a_refusal_is_said_once_and_the_pod_deleted_after_the_grace() {
        let mut refusals = UnschedulablePods::new(Some(60 * SECOND));
        refusals.see(&news("1", "False", true), 0);
        assert!(refusals.due(SECOND).is_empty(), "its picture may be old");
        assert_eq!(refusals.next(), Some(2 * SECOND));
        assert_eq!(words(&refusals.due(2 * SECOND)), ["say"]);
        refusals.see(&news("1", "False", true), 3 * SECOND);
        assert_eq!(refusals.next(), Some(60 * SECOND), "it is as old as it was");
        assert!(refusals.due(59 * SECOND).is_empty());
        assert_eq!(words(&refusals.due(60 * SECOND)), ["delete"]);
        assert!(refusals.due(90 * SECOND).is_empty());
        assert_eq!(refusals.next(), None);
    }

    #[test]
    fn a_pod_of_a_job_is_never_deleted() {
        let mut refusals = UnschedulablePods::new(Some(60 * SECOND));
        refusals.see(&news("1", "False", false), 0);
        assert_eq!(words(&refusals.due(100 * SECOND)), ["say"]);
        let mut never = UnschedulablePods::new(None);
        never.see(&news("1", "False", true), 0);
        assert_eq!(words(&never.due(100 * SECOND)), ["say"]);
    }

    #[test]
    fn who_is_scheduled_or_gone_is_not_refused_and_a_successor_begins_anew() {
        let mut refusals = UnschedulablePods::new(Some(60 * SECOND));
        refusals.see(&news("1", "False", true), 0);
        refusals.see(&news("1", "True", true), SECOND);
        assert_eq!(refusals.count(), 0);
        refusals.see(&news("1", "False", true), 0);
        refusals.see(&news("2", "False", true), 50 * SECOND);
        assert_eq!(refusals.next(), Some(52 * SECOND));
        refusals.see(&ObjectChange::Gone("Pod/default/a".to_owned()), 51 * SECOND);
        assert_eq!(refusals.count(), 0);
    }
}
