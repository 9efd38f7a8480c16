//! The exit status of the command.

use std::process::ExitCode;

/// The exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// Success: 0.
    Done,
    /// An expectation failed, a plan was refused, or the policy failed: 1.
    Failed,
    /// The command could not run, for example because of a mistake on the command line: 2.
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
