//! `lictor replay`: repeats a recording, and reports whether the result is the same.

mod repeat;
mod report;
mod text;

use std::path::PathBuf;

use clap::Args;

use self::report::{ReplayReport, ReplayedSession};
use super::choice::{LoadedPolicy, PolicyArgs};
use super::exit::Exit;
use super::failure::CommandError;
use super::progress::ProgressDisplay;
use super::recorded;
use super::screen::{TextOrJson, print_json};
use lictor_host::recording::{Header, RecordedStep, RecordingEntry, RecordingError};

/// Repeat a recording: is every answer and command the same? With another policy, say what it decides otherwise
///
/// With the policy that was recorded, in its component or natively, the session is repeated bit for bit; the first answer or command
/// that differs is named. With another policy, its decisions are compared step by step, while the cluster changes as recorded. Exit
/// status 0: all is the same; 1: something differs, or the recording was cut, so that its end cannot be compared.
#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// What `--record` has written
    #[arg(value_name = "RECORDING")]
    recording: PathBuf,
    #[command(flatten)]
    policy: PolicyArgs,
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    output: TextOrJson,
}

/// Replays the recording, and prints the differences.
pub(super) fn run(asked: &ReplayArgs) -> Result<Exit, CommandError> {
    let file = asked.recording.display().to_string();
    let mut reader = recorded::read(&asked.recording)?;
    let chosen = asked.policy.load_policy()?;
    let progress = ProgressDisplay::of("replaying");
    let mut sessions: Vec<ReplayedSession> = Vec::new();
    let mut open: Option<ReplaySession> = None;
    let unreadable = |error: RecordingError| CommandError::Recording { file: file.clone(), error };
    while let Some(entry) = reader.next_entry().map_err(unreadable)? {
        match entry {
            RecordingEntry::Session(header) => {
                sessions.extend(open.take().map(ReplaySession::end));
                open = Some(ReplaySession::begin(*header, &chosen)?);
            }
            RecordingEntry::Step(step) => {
                if let Some(session) = &mut open {
                    session.step(*step)?;
                }
            }
        }
    }
    sessions.extend(open.take().map(ReplaySession::end));
    drop(progress);
    let tail = reader.tail();
    if sessions.is_empty() {
        return Err(unreadable(RecordingError::Nothing));
    }
    if let Some(tail) = tail {
        recorded::warn(&file, tail, "what stands before it is used");
    }
    let report = ReplayReport::new(file, chosen.source.clone(), tail, sessions);
    match asked.output {
        TextOrJson::Text => text::page(&report).print()?,
        TextOrJson::Json => print_json(&report)?,
    }
    Ok(if report.same && tail.is_none() { Exit::Success } else { Exit::Failure })
}

/// A session that is being repeated: with the recorded policy, or with another one.
enum ReplaySession {
    Same(Box<repeat::RepeatedSession>),
    Other(Box<repeat::SubstituteSession>),
}

impl ReplaySession {
    fn begin(header: Header, chosen: &LoadedPolicy) -> Result<ReplaySession, CommandError> {
        let policy = chosen.start()?;
        Ok(if chosen.digest() == header.policy.component {
            ReplaySession::Same(Box::new(repeat::RepeatedSession::new(header, policy)))
        } else {
            ReplaySession::Other(Box::new(repeat::SubstituteSession::open(header, policy)?))
        })
    }

    fn step(&mut self, step: RecordedStep) -> Result<(), CommandError> {
        match self {
            ReplaySession::Same(same) => same.step(step),
            ReplaySession::Other(other) => {
                other.step(&step);
                Ok(())
            }
        }
    }

    fn end(self) -> ReplayedSession {
        match self {
            ReplaySession::Same(same) => same.end(),
            ReplaySession::Other(other) => other.end(),
        }
    }
}
