//! The condition of pods that wait: `lictor.dev/Admitted`.

use serde_json::json;

use super::object::{Change, Subject, Write, time};
use super::refusal::Told;

/// The type of the condition. It is false as long as a pod waits for a law or for room, and says which; it becomes true when the pod is let
/// go. A pod that never waited has none.
pub const ADMITTED: &str = "lictor.dev/Admitted";

/// The condition of a pod. The uid is a precondition: another pod of the same name gets nothing of it.
pub(super) fn of_pod(pod: &Subject, told: &Told, now: i64) -> Write {
    let (status, reason, message) = match told {
        Told::Placed => ("True", "Admitted".to_owned(), String::new()),
        Told::Refused(refusal) => ("False", reason(&refusal.law, "Refused"), refusal.message.clone()),
        Told::Nominated(node, said) => {
            let message = format!("nominated to {node}: {}", said.message);
            ("False", reason(&said.law, "Nominated"), message)
        }
    };
    let condition = json!({
        "type": ADMITTED,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": time(now),
    });
    let body = json!({"metadata": {"uid": pod.uid}, "status": {"conditions": [condition]}});
    pod.write(Change::StrategicStatus(body))
}

/// The law; where there is none, a word.
fn reason(law: &str, word: &str) -> String {
    if law.is_empty() { word.to_owned() } else { law.to_owned() }
}
