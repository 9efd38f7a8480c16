//! The inputs and calls of a session, as a recording has them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cluster::{InputError, KubernetesObject};
use crate::session::{
    CommandId, CommandOutcome, PluginRequest, Session, SessionCheckpoint, SessionError, SessionInput, StepOutput,
};

/// An event that a session received, or a function that was called. Each of them may call the policy, so each is recorded.
#[derive(Debug, Clone)]
pub enum SessionCall {
    /// The opening; see [`Session::open`].
    Open,
    /// An input; see [`Session::handle`].
    Input(SessionInput),
    /// A question of a scheduler; see [`Session::serve_request`].
    PluginRequest(PluginRequest),
    /// A call of [`Session::explain`].
    Explain,
    /// A call of [`Session::explain_pods`].
    ExplainPods(Vec<String>),
    /// A call of [`Session::accounts`].
    Accounts,
    /// A call of [`Session::memberships`].
    Memberships,
    /// A call of [`Session::standings`].
    Standings,
    /// A call of [`Session::standings_of`].
    StandingsOf(Vec<String>),
    /// A call of [`Session::queue`].
    Queue,
    /// A call of [`Session::set_outcome_timeout`].
    OutcomeTimeout(i64),
    /// A call of [`Session::checkpoint`].
    Checkpoint,
    /// A call of [`Session::restore`].
    Restore(Box<SessionCheckpoint>),
}

/// The JSON form of an input or a call.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum SessionCallJson {
    Open,
    Objects(Vec<Value>),
    Listed(Vec<Value>),
    Removed(String),
    Clock(i64),
    Attempt(String),
    Cycle,
    Part(u32),
    Outcomes(Vec<(CommandId, CommandOutcome)>),
    Question(PluginRequest),
    Explain,
    ExplainPods(Vec<String>),
    Accounts,
    Memberships,
    Standings,
    StandingsOf(Vec<String>),
    Queue,
    Patience(i64),
    Checkpoint,
    Restore(Box<SessionCheckpoint>),
}

/// The reason why a line cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallReadError {
    #[error("{0}")]
    Line(#[from] serde_json::Error),
    #[error("{0}")]
    Object(#[from] InputError),
}

impl SessionCall {
    /// Returns whether the session answers with a step: it does for inputs and questions.
    pub(super) fn has_step(&self) -> bool {
        matches!(self, SessionCall::Input(_) | SessionCall::PluginRequest(_))
    }

    /// Returns the line of a recording for an input.
    pub(super) fn line_of(input: &SessionInput) -> Result<String, serde_json::Error> {
        serde_json::to_string(&match input {
            SessionInput::Objects(objects) => return Ok(lines_of(r#"{"objects":["#, objects)),
            SessionInput::InitialList(objects) => return Ok(lines_of(r#"{"listed":["#, objects)),
            SessionInput::Removed(key) => SessionCallJson::Removed(key.clone()),
            SessionInput::Clock(now) => SessionCallJson::Clock(*now),
            SessionInput::Attempt(pod) => SessionCallJson::Attempt(pod.clone()),
            SessionInput::Cycle => SessionCallJson::Cycle,
            SessionInput::CycleAttempts(most) => SessionCallJson::Part(*most),
            SessionInput::Outcomes(outcomes) => SessionCallJson::Outcomes(outcomes.clone()),
        })
    }

    /// Returns the line of a recording.
    pub(super) fn line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(&match self {
            SessionCall::Input(input) => return SessionCall::line_of(input),
            SessionCall::Open => SessionCallJson::Open,
            SessionCall::PluginRequest(question) => SessionCallJson::Question(question.clone()),
            SessionCall::Explain => SessionCallJson::Explain,
            SessionCall::ExplainPods(pods) => SessionCallJson::ExplainPods(pods.clone()),
            SessionCall::Accounts => SessionCallJson::Accounts,
            SessionCall::Memberships => SessionCallJson::Memberships,
            SessionCall::Standings => SessionCallJson::Standings,
            SessionCall::StandingsOf(pods) => SessionCallJson::StandingsOf(pods.clone()),
            SessionCall::Queue => SessionCallJson::Queue,
            SessionCall::OutcomeTimeout(nanoseconds) => SessionCallJson::Patience(*nanoseconds),
            SessionCall::Checkpoint => SessionCallJson::Checkpoint,
            SessionCall::Restore(checkpoint) => SessionCallJson::Restore(checkpoint.clone()),
        })
    }

    /// Reads a line of a recording. `file` names the recording in messages.
    pub(super) fn read(line: &str, file: &Arc<str>) -> Result<SessionCall, CallReadError> {
        let objects = |values: Vec<Value>| {
            values
                .into_iter()
                .map(|value| KubernetesObject::from_json(value, file))
                .collect::<Result<Vec<KubernetesObject>, InputError>>()
        };
        Ok(match serde_json::from_str(line)? {
            SessionCallJson::Open => SessionCall::Open,
            SessionCallJson::Objects(values) => SessionCall::Input(SessionInput::Objects(objects(values)?)),
            SessionCallJson::Listed(values) => SessionCall::Input(SessionInput::InitialList(objects(values)?)),
            SessionCallJson::Removed(key) => SessionCall::Input(SessionInput::Removed(key)),
            SessionCallJson::Clock(now) => SessionCall::Input(SessionInput::Clock(now)),
            SessionCallJson::Attempt(pod) => SessionCall::Input(SessionInput::Attempt(pod)),
            SessionCallJson::Cycle => SessionCall::Input(SessionInput::Cycle),
            SessionCallJson::Part(most) => SessionCall::Input(SessionInput::CycleAttempts(most)),
            SessionCallJson::Outcomes(outcomes) => SessionCall::Input(SessionInput::Outcomes(outcomes)),
            SessionCallJson::Question(question) => SessionCall::PluginRequest(question),
            SessionCallJson::Explain => SessionCall::Explain,
            SessionCallJson::ExplainPods(pods) => SessionCall::ExplainPods(pods),
            SessionCallJson::Accounts => SessionCall::Accounts,
            SessionCallJson::Memberships => SessionCall::Memberships,
            SessionCallJson::Standings => SessionCall::Standings,
            SessionCallJson::StandingsOf(pods) => SessionCall::StandingsOf(pods),
            SessionCallJson::Queue => SessionCall::Queue,
            SessionCallJson::Patience(nanoseconds) => SessionCall::OutcomeTimeout(nanoseconds),
            SessionCallJson::Checkpoint => SessionCall::Checkpoint,
            SessionCallJson::Restore(checkpoint) => SessionCall::Restore(checkpoint),
        })
    }

    /// Repeats this in an open session. Only inputs and questions return a step with content; all other results follow from the answers of the
    /// policy.
    ///
    /// # Errors
    /// Those of the function of the session.
    pub fn apply(self, session: &mut Session) -> Result<StepOutput, SessionError> {
        let nothing = StepOutput::default;
        match self {
            SessionCall::Open => Ok(nothing()),
            SessionCall::Input(input) => session.handle(input),
            SessionCall::PluginRequest(question) => session.serve_request(&question).map(|(_, step)| step),
            SessionCall::Explain => session.explain().map(|_| nothing()),
            SessionCall::ExplainPods(pods) => session.explain_pods(&pods).map(|_| nothing()),
            SessionCall::Accounts => session.accounts().map(|_| nothing()),
            SessionCall::Memberships => session.memberships().map(|_| nothing()),
            SessionCall::Standings => session.standings().map(|_| nothing()),
            SessionCall::StandingsOf(pods) => session.standings_of(&pods).map(|_| nothing()),
            SessionCall::Queue => session.queue().map(|_| nothing()),
            SessionCall::OutcomeTimeout(nanoseconds) => {
                session.set_outcome_timeout(nanoseconds);
                Ok(nothing())
            }
            SessionCall::Checkpoint => session.checkpoint().map(|_| nothing()),
            SessionCall::Restore(checkpoint) => session.restore(*checkpoint).map(|()| nothing()),
        }
    }
}

/// Returns a line of objects, in their order: `head`, the objects separated by commas, and the closing brackets.
fn lines_of(head: &str, objects: &[KubernetesObject]) -> String {
    let mut line = head.to_owned();
    for (place, object) in objects.iter().enumerate() {
        line.push_str(if place == 0 { "" } else { "," });
        line.push_str(&object.json());
    }
    line.push_str("]}");
    line
}

impl fmt::Display for SessionCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionCall::Input(input) => input.fmt(f),
            SessionCall::PluginRequest(question) => question.fmt(f),
            SessionCall::Open => f.write_str("opening"),
            SessionCall::Explain => f.write_str("explain"),
            SessionCall::ExplainPods(pods) => write!(f, "explain {}", pods.join(", ")),
            SessionCall::Accounts => f.write_str("accounts"),
            SessionCall::Memberships => f.write_str("memberships"),
            SessionCall::Standings => f.write_str("standings"),
            SessionCall::StandingsOf(pods) => write!(f, "standings of {} pods", pods.len()),
            SessionCall::Queue => f.write_str("queue"),
            SessionCall::OutcomeTimeout(nanoseconds) => write!(f, "patience of {nanoseconds} ns"),
            SessionCall::Checkpoint => f.write_str("checkpoint"),
            SessionCall::Restore(_) => f.write_str("restored checkpoint"),
        }
    }
}
