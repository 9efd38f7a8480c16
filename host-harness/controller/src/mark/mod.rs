//! The marks that show users which of their running pods are safe: a label to select pods by, and a condition that names the law.
//!
//! The standings of pods are one thing, the marks in the cluster another: [`StandingMarks`] compares both and writes where they differ. A write counts when
//! the watch shows it. So a refused write is tried again, and a removed mark comes back, both later each time. [`StandingScan`] chooses the pods whose
//! standings are due. [`StandingMarker`] ties both to the loop.
//!
//! A mark is hidden from the session (`view`): no decision, no retry and no recording of inputs follows from it.

mod listener;
mod marks;
mod pace;
mod sweep;
#[cfg(test)]
mod tests;

use lictor_host::session::PodStanding;
use serde_json::{Map, Value, json};

use crate::names::STANDING;
use crate::report::{ApiWrite, ReportedObject, WriteOperation, camel_case};
use crate::view::text;

pub use listener::StandingMarker;
pub use marks::StandingMarks;
pub use sweep::StandingScan;

/// The type of the condition. True: no preemptor may evict the pod, and `reason` is the law that protects it. False: `message` names the pods or
/// queues that may evict it.
pub const SAFE: &str = "lictor.dev/Safe";

/// The reason of a condition that is false.
const EVICTABLE: &str = "MayBeEvicted";

/// The longest message of a condition, in characters.
const LONGEST: usize = 1_024;

/// The label and the condition of a pod. Empty: it has neither.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct StandingMark {
    label: String,
    status: String,
    reason: String,
    message: String,
}

impl StandingMark {
    /// Returns the mark that says this standing.
    pub fn of(standing: &PodStanding) -> StandingMark {
        let laws = standing.threats.iter().filter_map(|threat| threat.spared.as_ref());
        let (label, status, reason) = match standing.safe {
            true => ("safe", "True", laws.map(|law| camel_case(&law.code)).next().unwrap_or_else(|| "Safe".to_owned())),
            false => ("evictable", "False", EVICTABLE.to_owned()),
        };
        let message = standing.sentence.chars().take(LONGEST).collect();
        StandingMark { label: label.to_owned(), status: status.to_owned(), reason, message }
    }

    /// Reads the mark that a pod has.
    pub fn read(pod: &Value) -> StandingMark {
        let condition = pod.pointer("/status/conditions").and_then(Value::as_array);
        let condition = condition.and_then(|all| all.iter().find(|condition| text(condition, "/type") == SAFE));
        let of = |field| condition.map(|condition| text(condition, field).to_owned()).unwrap_or_default();
        let label = pod.pointer("/metadata/labels").and_then(|labels| labels.get(STANDING)).and_then(Value::as_str);
        let label = label.unwrap_or_default().to_owned();
        StandingMark { label, status: of("/status"), reason: of("/reason"), message: of("/message") }
    }

    /// Takes the mark off a pod. A list that becomes empty is removed, as if the mark had never been there.
    pub fn remove_from(pod: &mut Value) {
        if let Some(status) = pod.get_mut("status").and_then(Value::as_object_mut)
            && let Some(conditions) = status.get_mut("conditions").and_then(Value::as_array_mut)
        {
            let before = conditions.len();
            conditions.retain(|condition| text(condition, "/type") != SAFE);
            if conditions.is_empty() && before > 0 {
                status.remove("conditions");
            }
        }
        let Some(metadata) = pod.get_mut("metadata").and_then(Value::as_object_mut) else { return };
        let Some(labels) = metadata.get_mut("labels").and_then(Value::as_object_mut) else { return };
        if labels.remove(STANDING).is_some() && labels.is_empty() {
            metadata.remove("labels");
        }
    }

    /// Returns whether both marks say the same, if in other words.
    fn has_same_meaning(&self, other: &StandingMark) -> bool {
        (&self.label, &self.status, &self.reason) == (&other.label, &other.status, &other.reason)
    }

    /// Returns the writes after which a pod that has another mark has this one. The uid is a precondition: another pod of the same name
    /// gets nothing of them.
    fn writes(&self, pod: &ReportedObject, has: &StandingMark, now: Value) -> Vec<ApiWrite> {
        let mut writes = Vec::new();
        if self.label != has.label {
            let label = if self.label.is_empty() { Value::Null } else { json!(self.label) };
            let labels = Map::from_iter([(STANDING.to_owned(), label)]);
            let body = json!({"metadata": {"uid": pod.uid, "labels": labels}});
            writes.push(pod.write(WriteOperation::Merge(body)));
        }
        if (&self.status, &self.reason, &self.message) != (&has.status, &has.reason, &has.message) {
            let mut condition = match self.status.is_empty() {
                true => json!({"type": SAFE, "$patch": "delete"}),
                false => json!({
                    "type": SAFE, "status": self.status, "reason": self.reason, "message": self.message,
                }),
            };
            if !self.status.is_empty()
                && self.status != has.status
                && let Some(fields) = condition.as_object_mut()
            {
                fields.insert("lastTransitionTime".to_owned(), now);
            }
            let body = json!({"metadata": {"uid": pod.uid}, "status": {"conditions": [condition]}});
            writes.push(pod.write(WriteOperation::StrategicStatus(body)));
        }
        writes
    }
}
