//! Pods that others evict, outside of this policy's laws.
//!
//! kube-scheduler evicts by its own rules for a pod whose capacity was taken, unless that pod must not preempt. Any client may use the Eviction API.
//! The session continues from the cluster that it sees. Such evictions are logged and counted, because no plan and no law justifies them.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::names::EVICTED_FOR;
use crate::view::{annotation, text};
use crate::watch::store::ObjectChange;

/// The cause of an eviction that is not this process's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExternalEvictionCause {
    /// kube-scheduler, for a pod of higher priority.
    Scheduler,
    /// Another client, by the Eviction API.
    EvictionApi,
}

impl ExternalEvictionCause {
    /// Returns the cause as one word, as metrics name it.
    pub fn word(self) -> &'static str {
        match self {
            ExternalEvictionCause::Scheduler => "preemption",
            ExternalEvictionCause::EvictionApi => "eviction",
        }
    }
}

/// A pod that others evict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalEviction {
    /// The pod, `namespace/name`.
    pub pod: String,
    /// Its node.
    pub node: String,
    /// The cause of the eviction.
    pub by: ExternalEvictionCause,
    /// The message of the pod's condition.
    pub message: String,
}

/// The pods that others evict now, by name and uid: each is returned once.
#[derive(Debug, Default)]
pub struct ExternalEvictions(BTreeSet<(String, String)>);

impl ExternalEvictions {
    /// Takes a change of an object. Returns the pod of that object, if others have begun to evict it.
    pub fn observe(&mut self, news: &ObjectChange) -> Option<ExternalEviction> {
        match news {
            ObjectChange::Deleted(key) => {
                self.0.retain(|(known, _)| known != key);
                None
            }
            ObjectChange::Marked(..) => None,
            ObjectChange::Upserted(shown) => {
                let foreign = external_eviction(shown.key.strip_prefix("Pod/")?, &shown.object)?;
                let uid = text(&shown.object, "/metadata/uid").to_owned();
                self.0.insert((shown.key.clone(), uid)).then_some(foreign)
            }
        }
    }
}

/// Returns the eviction of a pod by others: the pod's condition names it, and the pod lacks this process's annotation. `None`: others do not evict
/// it.
fn external_eviction(name: &str, pod: &Value) -> Option<ExternalEviction> {
    if !annotation(pod, EVICTED_FOR).is_empty() {
        return None;
    }
    let conditions = pod.pointer("/status/conditions").and_then(Value::as_array)?;
    conditions.iter().find_map(|condition| {
        let [kind, status, reason] = ["/type", "/status", "/reason"].map(|field| text(condition, field));
        let by = match (kind, status, reason) {
            ("DisruptionTarget", "True", "PreemptionByScheduler") => ExternalEvictionCause::Scheduler,
            ("DisruptionTarget", "True", "EvictionByEvictionAPI") => ExternalEvictionCause::EvictionApi,
            _ => return None,
        };
        let [node, message] = [text(pod, "/spec/nodeName"), text(condition, "/message")].map(str::to_owned);
        Some(ExternalEviction { pod: name.to_owned(), node, by, message })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::view::AdmissionState;
    use crate::watch::store::VisibleObject;

    fn upserted(uid: &str, reason: &str, annotations: Value) -> ObjectChange {
        let object = json!({
            "metadata": {"name": "a", "namespace": "default", "uid": uid, "annotations": annotations},
            "spec": {"nodeName": "n1"},
            "status": {"conditions": [{"type": "DisruptionTarget", "status": "True", "reason": reason, "message": "why"}]},
        });
        ObjectChange::Upserted(VisibleObject {
            key: "Pod/default/a".to_owned(),
            object,
            admission_state: AdmissionState::Unmanaged,
            raw: None,
        })
    }

    #[test]
    fn each_pod_that_others_evict_is_named_once() {
        let mut foreigners = ExternalEvictions::default();
        let by = |foreign: Option<ExternalEviction>| foreign.map(|foreign| foreign.by);
        assert_eq!(
            by(foreigners.observe(&upserted("1", "PreemptionByScheduler", json!({})))),
            Some(ExternalEvictionCause::Scheduler)
        );
        assert_eq!(foreigners.observe(&upserted("1", "PreemptionByScheduler", json!({}))), None);
        // Its successor is another pod.
        assert_eq!(
            by(foreigners.observe(&upserted("2", "EvictionByEvictionAPI", json!({})))),
            Some(ExternalEvictionCause::EvictionApi)
        );
        foreigners.observe(&ObjectChange::Deleted("Pod/default/a".to_owned()));
        assert!(foreigners.0.is_empty());
    }

    #[test]
    fn our_own_victims_and_pods_that_leave_for_another_reason_are_not_foreign() {
        let mut foreigners = ExternalEvictions::default();
        let ours = json!({EVICTED_FOR: "plan 3"});
        for news in [upserted("1", "PreemptionByScheduler", ours), upserted("2", "TerminationByKubelet", json!({}))] {
            assert_eq!(foreigners.observe(&news), None);
        }
    }
}
