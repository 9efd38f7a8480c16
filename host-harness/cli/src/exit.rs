//! How the command ends.

use std::process::ExitCode;

/// The exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// Done: 0.
    Done,
    /// An expectation failed, a plan was refused, or the policy broke: 1.
    Failed,
    /// It could not run: 2, as with a mistake on the command line.
    Unable,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        match exit {
            Exit::Done => ExitCode::SUCCESS,
            Exit::Failed => ExitCode::from(1),
            Exit::Unable => ExitCode::from(2),
        }
    }
}
