//! The exit status of the command.

use std::process::ExitCode;

/// The exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// Success: 0.
    Success,
    /// An expectation failed, a plan was refused for a mistake of the policy, or the policy failed: 1.
    Failure,
    /// The command could not run, for example because of a mistake on the command line: 2.
    Error,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        match exit {
            Exit::Success => ExitCode::SUCCESS,
            Exit::Failure => ExitCode::from(1),
            Exit::Error => ExitCode::from(2),
        }
    }
}
