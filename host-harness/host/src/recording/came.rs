//! What came of an input.

use std::collections::BTreeMap;

use lictor_contract::Finding;
use serde::{Deserialize, Serialize};

use crate::compare::Decisions;
use crate::session::{Command, Held, Session, SessionError, Step};

/// What came of an input, as it is kept. With the answers of the policy, it is all that the input has led to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Came {
    /// What is to be done in the cluster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<Command>,
    /// What was decided, or why the input was not served.
    #[serde(default, skip_serializing_if = "Decisions::is_empty")]
    pub decisions: Decisions,
    /// What the authors of objects should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// When the session wants to be told the time, nanoseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake_at: Option<i64>,
    /// The pods that are held at permit at the end.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub held: BTreeMap<String, Held>,
}

impl Came {
    /// What came of the last input of a session.
    pub fn of(session: &Session, came: &Result<Step, SessionError>) -> Came {
        let held = session.held();
        match came {
            Ok(step) => Came {
                commands: step.commands.clone(),
                decisions: Decisions::of_step(&step.happened, &held),
                findings: step.findings.clone(),
                wake_at: step.wake_at,
                held,
            },
            Err(error) => Came { decisions: Decisions::failed(&error.cause), held, ..Came::default() },
        }
    }
}
