//! The condition of pods that wait: `lictor.dev/Admitted`.

use serde_json::{Value, json};

use super::object::{ApiWrite, ReportedObject, WriteOperation, time};
use super::refusal::ReportedState;

/// The type of the condition. It is false as long as a pod waits for a law or for room, and its message names which; it becomes true when the pod is
/// let go. A pod that never waited has no such condition.
pub const ADMITTED: &str = "lictor.dev/Admitted";

/// Returns the condition of an object that waits: of a pod, or of a Reservation as Koordinator writes it (`SetReservationUnschedulable` in
/// `pkg/util/reservation`). The condition of a Reservation that has its node is written where it is placed. `None`: other kinds have no condition.
pub(super) fn of(subject: &ReportedObject, told: &ReportedState, now: i64) -> Option<ApiWrite> {
    match (subject.name.group.as_str(), subject.name.kind.as_str(), told) {
        ("", "Pod", _) => Some(of_pod(subject, told, now)),
        (
            "scheduling.koordinator.sh",
            "Reservation",
            ReportedState::Refused(said) | ReportedState::Nominated(_, said),
        ) => Some(of_reservation(subject, &said.message, now)),
        _ => None,
    }
}

/// Returns the write of a Reservation's condition. The list of conditions is replaced: the others are kept as they were read.
fn of_reservation(subject: &ReportedObject, message: &str, now: i64) -> ApiWrite {
    let known = subject.status.get("conditions").and_then(Value::as_array).cloned().unwrap_or_default();
    let others = known.into_iter().filter(|it| it.get("type").and_then(Value::as_str) != Some("Scheduled"));
    let (kind, reason, at) = ("Scheduled", "Unschedulable", time(now));
    let waits = json!({
        "type": kind, "status": "False", "reason": reason, "message": message, "lastProbeTime": at, "lastTransitionTime": at,
    });
    let conditions: Vec<Value> = others.chain([waits]).collect();
    subject
        .write(WriteOperation::Status(json!({"metadata": {"uid": subject.uid}, "status": {"conditions": conditions}})))
}

/// Returns the condition of a pod that was let go and whose room is taken. `None`: the object is no pod.
pub(super) fn capacity_taken(pod: &ReportedObject, message: &str, now: i64) -> Option<ApiWrite> {
    let is_pod = pod.name.group.is_empty() && pod.name.kind == "Pod";
    is_pod.then(|| condition(pod, ("False", super::CAPACITY_TAKEN, message), now))
}

/// Returns the condition of a pod. The uid is a precondition: another pod of the same name is not changed.
fn of_pod(pod: &ReportedObject, told: &ReportedState, now: i64) -> ApiWrite {
    let (status, reason, message) = match told {
        ReportedState::Placed => ("True", "Admitted".to_owned(), String::new()),
        ReportedState::Refused(refusal) => ("False", reason(&refusal.law, "Refused"), refusal.message.clone()),
        ReportedState::Nominated(node, said) => {
            let message = format!("nominated to {node}: {}", said.message);
            ("False", reason(&said.law, "Nominated"), message)
        }
    };
    condition(pod, (status, &reason, &message), now)
}

fn condition(pod: &ReportedObject, (status, reason, message): (&str, &str, &str), now: i64) -> ApiWrite {
    let condition = json!({
        "type": ADMITTED,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": time(now),
    });
    let body = json!({"metadata": {"uid": pod.uid}, "status": {"conditions": [condition]}});
    pod.write(WriteOperation::StrategicStatus(body))
}

/// Returns the law as the reason of a condition; without a law, the word.
fn reason(law: &str, word: &str) -> String {
    if law.is_empty() { word.to_owned() } else { camel_case(law) }
}

/// Returns the code of a law as the API conventions demand the reason of a condition: `engine/no-node` is `EngineNoNode`.
pub(crate) fn camel_case(code: &str) -> String {
    let words = code.split(|c: char| !c.is_ascii_alphanumeric()).map(str::chars);
    words.flat_map(|mut word| word.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::camel_case;

    #[test]
    fn a_law_is_a_reason_that_the_api_conventions_allow() {
        for (code, reason) in [
            ("engine/no-node", "EngineNoNode"),
            ("koordinator/non-preemptible-job-fits-min", "KoordinatorNonPreemptibleJobFitsMin"),
            ("yunikorn/4", "Yunikorn4"),
            ("", ""),
        ] {
            assert_eq!(camel_case(code), reason);
        }
    }
}
