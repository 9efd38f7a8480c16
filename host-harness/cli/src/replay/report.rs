//! The result of a replay, as data.

use lictor_host::compare::Differences;
use lictor_host::recording::{Divergence, Header, IncompleteTail, RecordedReply, RecordedResult, RecordedStep};
use serde::Serialize;
use serde_json::Value;

use lictor_decide::record::PolicySource;

/// The result of a replay.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReplayReport {
    api_version: &'static str,
    kind: &'static str,
    pub(super) file: String,
    /// The policy that repeats the recording.
    pub(super) replayed_with: PolicySource,
    /// The part that is missing at the end of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lost_tail: Option<TruncatedTail>,
    pub(super) sessions: Vec<ReplayedSession>,
    /// Whether everything is the same.
    pub(super) same: bool,
}

/// The part that is missing at the end of a file.
#[derive(Debug, Serialize)]
pub(super) struct TruncatedTail {
    at: u64,
    bytes: u64,
    damaged: bool,
}

/// The result of one session.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReplayedSession {
    /// The header of the recording.
    #[serde(rename = "recorded")]
    pub(super) header: Header,
    #[serde(flatten)]
    pub(super) count: SessionCounts,
    /// Recorded faults that did not occur again; they were taken from the recording.
    pub(super) discarded: usize,
    /// With the recorded policy: the first difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) first: Option<FirstDifference>,
    /// With another policy: the steps in which it decides differently.
    #[serde(rename = "differences", skip_serializing_if = "Option::is_none")]
    pub(super) other: Option<Vec<StepDifference>>,
}

/// The size of a session.
#[derive(Debug, Default, Clone, Serialize)]
pub(super) struct SessionCounts {
    pub(super) steps: usize,
    pub(super) answers: usize,
    pub(super) commands: usize,
}

/// A step in which another policy decides differently.
#[derive(Debug, Serialize)]
pub(super) struct StepDifference {
    pub(super) step: usize,
    pub(super) told: String,
    #[serde(flatten)]
    pub(super) differences: Differences,
}

/// The first difference.
#[derive(Debug, Serialize)]
pub(super) struct FirstDifference {
    /// The step, from 1; the first is the opening of the session.
    pub(super) step: usize,
    /// The input of the step.
    pub(super) told: String,
    /// The pods and nodes that the answer is about. Empty: no answer differs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) about: Vec<String>,
    /// The function whose answer differs. `None`: the answers are the same, and the session made something else of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) call: Option<String>,
    /// The place of the difference in the answer or in the result: a JSON pointer.
    pub(super) path: String,
    /// The recorded value.
    pub(super) then: Value,
    /// The value in the repetition.
    pub(super) now: Value,
    /// The changed decisions, where no answer differs.
    #[serde(skip_serializing_if = "Differences::is_empty")]
    pub(super) differences: Differences,
}

impl ReplayReport {
    pub(super) fn new(
        file: String,
        replayed_with: PolicySource,
        tail: Option<IncompleteTail>,
        sessions: Vec<ReplayedSession>,
    ) -> ReplayReport {
        let lost_tail = tail.map(|IncompleteTail { at, bytes, damaged }| TruncatedTail { at, bytes, damaged });
        let same = sessions.iter().all(ReplayedSession::is_same);
        ReplayReport {
            api_version: "lictor.dev/v1alpha1",
            kind: "Replay",
            file,
            replayed_with,
            lost_tail,
            sessions,
            same,
        }
    }
}

impl ReplayedSession {
    /// Returns whether nothing differs.
    pub(super) fn is_same(&self) -> bool {
        self.first.is_none() && self.other.as_ref().is_none_or(Vec::is_empty)
    }
}

impl SessionCounts {
    pub(super) fn add(&mut self, step: &RecordedStep) {
        let commands = step.result.as_ref().map_or(0, |came| came.commands.len());
        self.steps = self.steps.saturating_add(1);
        self.answers = self.answers.saturating_add(step.replies.len());
        self.commands = self.commands.saturating_add(commands);
    }
}

impl FirstDifference {
    pub(super) fn of(step: usize, told: String, divergence: Divergence) -> FirstDifference {
        let (about, call, then, now, differences) = match divergence {
            Divergence::Answer { about, then, now } => {
                let call = now.as_ref().or(then.as_ref()).map(|answer| answer.call.clone());
                (about, call, then.map(data), now.map(data), Differences::default())
            }
            Divergence::Result { then, now, differences } => {
                (Vec::new(), None, Some(value(&then)), Some(value(&now)), differences)
            }
        };
        let (then, now) = (then.unwrap_or(Value::Null), now.unwrap_or(Value::Null));
        let (path, then, now) = first(then, now);
        FirstDifference { step, told, about, call, path, then, now, differences }
    }
}

/// Returns a call with its answer as JSON.
fn data(answer: RecordedReply) -> Value {
    let RecordedReply { call, ids: asked, reply: said } = answer;
    let (word, text) = match said.strip_prefix('+') {
        Some(text) => ("answered", text),
        None => ("failed", said.strip_prefix('-').unwrap_or(&said)),
    };
    let said = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
    let mut data = serde_json::Map::new();
    data.insert("call".to_owned(), call.into());
    data.insert("asked".to_owned(), asked.into());
    data.insert(word.to_owned(), said);
    data.into()
}

fn value(came: &RecordedResult) -> Value {
    serde_json::to_value(came).unwrap_or_default()
}

/// Returns the first place at which two values differ, as a JSON pointer, with both values there. Only parts that exist on both sides are entered.
fn first(then: Value, now: Value) -> (String, Value, Value) {
    let child = match (&then, &now) {
        (Value::Object(old), Value::Object(new)) => {
            let mut keys = old.keys().chain(new.keys());
            let key = keys.find(|key| old.get(*key) != new.get(*key));
            key.map(|key| (key.clone(), old.get(key).cloned(), new.get(key).cloned()))
        }
        (Value::Array(old), Value::Array(new)) => {
            let at = (0..old.len().max(new.len())).find(|at| old.get(*at) != new.get(*at));
            at.map(|at| (at.to_string(), old.get(at).cloned(), new.get(at).cloned()))
        }
        _ => None,
    };
    let Some((key, old, new)) = child else { return (String::new(), then, now) };
    let (rest, old, new) = first(old.unwrap_or(Value::Null), new.unwrap_or(Value::Null));
    (format!("/{}{rest}", key.replace('~', "~0").replace('/', "~1")), old, new)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_place_that_differs_is_found() {
        let then = json!({"a": 1, "b": {"c/d": [1, 2, 3]}});
        assert_eq!(
            first(then.clone(), json!({"a": 1, "b": {"c/d": [1, 7, 8]}})),
            ("/b/c~1d/1".to_owned(), json!(2), json!(7))
        );
        assert_eq!(first(then, json!({"a": 1, "b": {"c/d": [1, 2]}})), ("/b/c~1d/2".to_owned(), json!(3), Value::Null));
        assert_eq!(first(json!(1), Value::Null), (String::new(), json!(1), Value::Null));
    }
}
