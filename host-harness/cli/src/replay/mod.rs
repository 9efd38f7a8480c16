//! `lictor replay`: repeats a recording, and reports whether the result is the same.

mod repeat;
mod report;
mod text;

use std::path::PathBuf;

use clap::Args;

use self::report::{Replayed, Report};
use super::choice::{Choice, Chosen};
use super::exit::Exit;
use super::failure::Failure;
use super::progress::Progress;
use super::recorded;
use super::screen::{TextOrJson, print_json};
use lictor_host::recording::{Entry, Header, ReadError, Recorded};

/// Repeat a recording: is every answer and command the same? With another policy, say what it decides otherwise
///
/// With the policy that was recorded, in its component or natively, the session is repeated bit for bit; the first answer or command
/// that differs is named. With another policy, its decisions are compared step by step, while the cluster changes as recorded. Exit
/// status 0: all is the same; 1: something differs.
#[derive(Debug, Args)]
pub(super) struct Asked {
    /// What `--record` has written
    #[arg(value_name = "RECORDING")]
    recording: PathBuf,
    #[command(flatten)]
    policy: Choice,
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    output: TextOrJson,
}

/// Replays the recording, and prints the differences.
pub(super) fn run(asked: &Asked) -> Result<Exit, Failure> {
    let file = asked.recording.display().to_string();
    let mut reader = recorded::read(&asked.recording)?;
    let chosen = asked.policy.find()?;
    let progress = Progress::of("replaying");
    let mut sessions: Vec<Replayed> = Vec::new();
    let mut open: Option<Session> = None;
    let unreadable = |error: ReadError| Failure::Recording { file: file.clone(), error };
    while let Some(entry) = reader.next_entry().map_err(unreadable)? {
        match entry {
            Entry::Session(header) => {
                sessions.extend(open.take().map(Session::end));
                open = Some(Session::begin(*header, &chosen)?);
            }
            Entry::Step(step) => {
                if let Some(session) = &mut open {
                    session.step(*step)?;
                }
            }
        }
    }
    sessions.extend(open.take().map(Session::end));
    drop(progress);
    let tail = reader.tail();
    if sessions.is_empty() {
        return Err(unreadable(ReadError::Nothing));
    }
    if let Some(tail) = tail {
        recorded::warn(&file, tail, "what stands before it is used");
    }
    let report = Report::new(file, chosen.source.clone(), tail, sessions);
    match asked.output {
        TextOrJson::Text => text::page(&report).print()?,
        TextOrJson::Json => print_json(&report)?,
    }
    Ok(if report.same { Exit::Done } else { Exit::Failed })
}

/// A session that is being repeated: with the recorded policy, or with another one.
enum Session {
    Same(Box<repeat::Same>),
    Other(Box<repeat::Other>),
}

impl Session {
    fn begin(header: Header, chosen: &Chosen) -> Result<Session, Failure> {
        let policy = chosen.start()?;
        Ok(if chosen.digest() == header.policy.component {
            Session::Same(Box::new(repeat::Same::new(header, policy)))
        } else {
            Session::Other(Box::new(repeat::Other::open(header, policy)?))
        })
    }

    fn step(&mut self, step: Recorded) -> Result<(), Failure> {
        match self {
            Session::Same(same) => same.step(step),
            Session::Other(other) => {
                other.step(&step);
                Ok(())
            }
        }
    }

    fn end(self) -> Replayed {
        match self {
            Session::Same(same) => same.end(),
            Session::Other(other) => other.end(),
        }
    }
}
