//! Failures because of which nothing can be decided.

use lictor_host::cluster::InputError;
use lictor_host::policy::CallError;
use lictor_host::recording::RecordingError;
use lictor_host::session::{FailureCause, OpenError, SessionError};

use super::problem::Problem;

/// Why nothing can be decided.
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    /// The input has mistakes.
    #[error("the input has mistakes")]
    Input(Vec<InputError>),
    /// The objects do not allow a decision.
    #[error("the objects have mistakes")]
    Objects(Vec<Problem>),
    /// There is nothing to decide.
    #[error("there is no {what} in {}", .files.join(", "))]
    Nothing {
        /// The kind of things that is missing.
        what: &'static str,
        /// The files that were read.
        files: Vec<String>,
        /// What to do.
        remedy: &'static str,
    },
    /// The policy refuses the system or its arguments.
    #[error("{}", .0.message)]
    Refused(Box<Problem>),
    /// The policy could not be configured.
    #[error("{0}")]
    Open(OpenError),
    /// The policy failed, or gave an invalid answer.
    #[error("{0}")]
    Session(FailureCause),
    /// The recording cannot be read.
    #[error("{0}")]
    Recording(RecordingError),
    /// The pod or job does not exist; names that are spelled similarly.
    #[error("there is no pod and no job `{0}`")]
    UnknownName(String, Vec<String>),
    /// A name matches more than one pod or job.
    #[error("`{0}` matches several pods or jobs")]
    SeveralNames(String, Vec<String>),
}

impl From<Vec<InputError>> for DecideError {
    fn from(mistakes: Vec<InputError>) -> DecideError {
        DecideError::Input(mistakes)
    }
}

impl From<SessionError> for DecideError {
    fn from(error: SessionError) -> DecideError {
        // A decision about a snapshot has only one input: the snapshot itself.
        DecideError::Session(error.cause)
    }
}

impl From<CallError> for DecideError {
    fn from(error: CallError) -> DecideError {
        DecideError::Session(error.into())
    }
}

impl From<RecordingError> for DecideError {
    fn from(error: RecordingError) -> DecideError {
        DecideError::Recording(error)
    }
}

impl DecideError {
    /// Returns all problems to report.
    pub fn problems(&self) -> Vec<Problem> {
        let this = || Problem::error(self.to_string());
        match self {
            DecideError::Input(mistakes) => mistakes.iter().map(Problem::from).collect(),
            DecideError::Objects(problems) => problems.clone(),
            DecideError::Refused(problem) => vec![Problem::clone(problem)],
            DecideError::Nothing { remedy, .. } => vec![this().remedy(*remedy)],
            DecideError::UnknownName(_, near) if near.is_empty() => {
                vec![this().remedy("name a pod or a job of the snapshot as `namespace/name`")]
            }
            DecideError::UnknownName(_, near) => vec![this().remedy(format!("did you mean {}?", either(near)))],
            DecideError::SeveralNames(_, meant) => vec![this().remedy(format!("name one of them: {}", either(meant)))],
            DecideError::Recording(_) => vec![this().remedy("open a file that `--record` has written")],
            DecideError::Open(_) | DecideError::Session(_) => vec![this()],
        }
    }
}

/// Returns the names in backticks, joined by `or`.
pub fn either(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(" or ")
}
