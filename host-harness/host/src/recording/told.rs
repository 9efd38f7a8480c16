//! The inputs and calls of a session, as a recording has them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cluster::{InputError, Object};
use crate::session::{CommandId, CommandOutcome, Input, Question, Session, SessionCheckpoint, SessionError, Step};

/// An event that a session received, or a function that was called. Each of them may call the policy, so each is recorded.
#[derive(Debug, Clone)]
pub enum Told {
    /// The opening; see [`Session::open`].
    Open,
    /// An input; see [`Session::handle`].
    Input(Input),
    /// A question of a scheduler; see [`Session::question`].
    Question(Question),
    /// A call of [`Session::explain`].
    Explain,
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
    /// A call of [`Session::set_patience`].
    Patience(i64),
    /// A call of [`Session::checkpoint`].
    Checkpoint,
    /// A call of [`Session::restore`].
    Restore(Box<SessionCheckpoint>),
}

/// The JSON form of an input or a call.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Written {
    Open,
    Objects(Vec<Value>),
    Listed(Vec<Value>),
    Removed(String),
    Clock(i64),
    Attempt(String),
    Cycle,
    Part(u32),
    Outcomes(Vec<(CommandId, CommandOutcome)>),
    Question(Question),
    Explain,
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
pub(super) enum NotTold {
    #[error("{0}")]
    Line(#[from] serde_json::Error),
    #[error("{0}")]
    Object(#[from] InputError),
}

impl Told {
    /// Returns whether the session answers with a step: it does for inputs and questions.
    pub(super) fn has_step(&self) -> bool {
        matches!(self, Told::Input(_) | Told::Question(_))
    }

    /// Returns the line of a recording for an input.
    pub(super) fn line_of(input: &Input) -> Result<String, serde_json::Error> {
        serde_json::to_string(&match input {
            Input::Objects(objects) => return Ok(lines_of(r#"{"objects":["#, objects)),
            Input::Listed(objects) => return Ok(lines_of(r#"{"listed":["#, objects)),
            Input::Removed(key) => Written::Removed(key.clone()),
            Input::Clock(now) => Written::Clock(*now),
            Input::Attempt(pod) => Written::Attempt(pod.clone()),
            Input::Cycle => Written::Cycle,
            Input::Part(most) => Written::Part(*most),
            Input::Outcomes(outcomes) => Written::Outcomes(outcomes.clone()),
        })
    }

    /// Returns the line of a recording.
    pub(super) fn line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(&match self {
            Told::Input(input) => return Told::line_of(input),
            Told::Open => Written::Open,
            Told::Question(question) => Written::Question(question.clone()),
            Told::Explain => Written::Explain,
            Told::Accounts => Written::Accounts,
            Told::Memberships => Written::Memberships,
            Told::Standings => Written::Standings,
            Told::StandingsOf(pods) => Written::StandingsOf(pods.clone()),
            Told::Queue => Written::Queue,
            Told::Patience(nanoseconds) => Written::Patience(*nanoseconds),
            Told::Checkpoint => Written::Checkpoint,
            Told::Restore(checkpoint) => Written::Restore(checkpoint.clone()),
        })
    }

    /// Reads a line of a recording. `file` names the recording in messages.
    pub(super) fn read(line: &str, file: &Arc<str>) -> Result<Told, NotTold> {
        let objects = |values: Vec<Value>| {
            values.into_iter().map(|value| Object::from_json(value, file)).collect::<Result<Vec<Object>, InputError>>()
        };
        Ok(match serde_json::from_str(line)? {
            Written::Open => Told::Open,
            Written::Objects(values) => Told::Input(Input::Objects(objects(values)?)),
            Written::Listed(values) => Told::Input(Input::Listed(objects(values)?)),
            Written::Removed(key) => Told::Input(Input::Removed(key)),
            Written::Clock(now) => Told::Input(Input::Clock(now)),
            Written::Attempt(pod) => Told::Input(Input::Attempt(pod)),
            Written::Cycle => Told::Input(Input::Cycle),
            Written::Part(most) => Told::Input(Input::Part(most)),
            Written::Outcomes(outcomes) => Told::Input(Input::Outcomes(outcomes)),
            Written::Question(question) => Told::Question(question),
            Written::Explain => Told::Explain,
            Written::Accounts => Told::Accounts,
            Written::Memberships => Told::Memberships,
            Written::Standings => Told::Standings,
            Written::StandingsOf(pods) => Told::StandingsOf(pods),
            Written::Queue => Told::Queue,
            Written::Patience(nanoseconds) => Told::Patience(nanoseconds),
            Written::Checkpoint => Told::Checkpoint,
            Written::Restore(checkpoint) => Told::Restore(checkpoint),
        })
    }

    /// Repeats this in an open session. Only inputs and questions return a step with content; all other results follow from the answers of the
    /// policy.
    ///
    /// # Errors
    /// Those of the function of the session.
    pub fn tell(self, session: &mut Session) -> Result<Step, SessionError> {
        let nothing = Step::default;
        match self {
            Told::Open => Ok(nothing()),
            Told::Input(input) => session.handle(input),
            Told::Question(question) => session.question(&question).map(|(_, step)| step),
            Told::Explain => session.explain().map(|_| nothing()),
            Told::Accounts => session.accounts().map(|_| nothing()),
            Told::Memberships => session.memberships().map(|_| nothing()),
            Told::Standings => session.standings().map(|_| nothing()),
            Told::StandingsOf(pods) => session.standings_of(&pods).map(|_| nothing()),
            Told::Queue => session.queue().map(|_| nothing()),
            Told::Patience(nanoseconds) => {
                session.set_patience(nanoseconds);
                Ok(nothing())
            }
            Told::Checkpoint => session.checkpoint().map(|_| nothing()),
            Told::Restore(checkpoint) => session.restore(*checkpoint).map(|()| nothing()),
        }
    }
}

/// Returns a line of objects, in their order: `head`, the objects separated by commas, and the closing brackets.
fn lines_of(head: &str, objects: &[Object]) -> String {
    let mut line = head.to_owned();
    for (place, object) in objects.iter().enumerate() {
        line.push_str(if place == 0 { "" } else { "," });
        line.push_str(&object.json());
    }
    line.push_str("]}");
    line
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Told::Input(input) => input.fmt(f),
            Told::Question(question) => question.fmt(f),
            Told::Open => f.write_str("opening"),
            Told::Explain => f.write_str("explain"),
            Told::Accounts => f.write_str("accounts"),
            Told::Memberships => f.write_str("memberships"),
            Told::Standings => f.write_str("standings"),
            Told::StandingsOf(pods) => write!(f, "standings of {} pods", pods.len()),
            Told::Queue => f.write_str("queue"),
            Told::Patience(nanoseconds) => write!(f, "patience of {nanoseconds} ns"),
            Told::Checkpoint => f.write_str("checkpoint"),
            Told::Restore(_) => f.write_str("restored checkpoint"),
        }
    }
}
