//! What came of an input.

use std::collections::BTreeMap;

use lictor_contract::Finding;
use serde::{Deserialize, Serialize};

use crate::compare::Decisions;
use crate::session::{Command, NamedHold, Session, SessionError, StepOutput};

/// The result of an input, as it is recorded. Together with the answers of the policy, this is everything that the input has caused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedResult {
    /// The commands for the cluster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<Command>,
    /// The decisions, or the error where the input was not served.
    #[serde(default, skip_serializing_if = "Decisions::is_empty")]
    pub decisions: Decisions,
    /// The findings for the authors of objects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// The time at which the session must receive the time again, in nanoseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake_at: Option<i64>,
    /// The pods that are held at permit at the end of the step.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub held: BTreeMap<String, NamedHold>,
}

impl RecordedResult {
    /// Returns the result of the last input of a session.
    pub fn of(session: &Session, came: &Result<StepOutput, SessionError>) -> RecordedResult {
        let held = session.permit_holds();
        match came {
            Ok(step) => RecordedResult {
                commands: step.commands.clone(),
                decisions: Decisions::of_step(&step.happened, &held),
                findings: step.findings.clone(),
                wake_at: step.wake_at,
                held,
            },
            Err(error) => {
                RecordedResult { decisions: Decisions::failed(&error.cause), held, ..RecordedResult::default() }
            }
        }
    }
}
