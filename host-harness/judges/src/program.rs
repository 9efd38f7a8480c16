//! A judge: a process that answers questions, line by line.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use lictor_oracle::SystemKind;
use serde::Serialize;
use serde_json::Value;

use crate::departure::upstream;
use crate::question::JudgeRequest;

/// The longest time that an answer may take.
const DEADLINE: Duration = Duration::from_secs(60);

/// A running judge. It ends with its owner.
#[derive(Debug)]
pub struct Program {
    path: PathBuf,
    process: Child,
    questions: ChildStdin,
    answers: Receiver<std::io::Result<String>>,
    /// The number of the next question.
    next: u64,
}

/// Why a judge gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// The decisions of the system are not compared with those of a judge yet.
    #[error("the decisions of `{0}` are not compared with upstream's yet")]
    NotCompared(SystemKind),
    /// The program does not start.
    #[error("the judge {path} cannot be started: {source}")]
    Start {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The program has ended, or its output cannot be read.
    #[error("the judge {path} has ended: {message}")]
    Ended {
        /// The file.
        path: PathBuf,
        /// The cause.
        message: String,
    },
    /// The answer is no answer.
    #[error("the judge {path} answers `{line}`: {message}")]
    Answer {
        /// The file.
        path: PathBuf,
        /// What the judge wrote.
        line: String,
        /// What is wrong with it.
        message: String,
    },
}

impl Program {
    /// Starts the judge of a system.
    ///
    /// # Errors
    /// The system is not compared, or the program does not start.
    pub fn start(system: SystemKind, path: &Path) -> Result<Program, ProgramError> {
        if upstream(system).is_none() {
            return Err(ProgramError::NotCompared(system));
        }
        let failed = |source| ProgramError::Start { path: path.to_owned(), source };
        let mut process = Command::new(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (questions, output) = pipes.ok_or_else(|| failed(std::io::Error::other("it has no pipes")))?;
        let (send, answers) = channel();
        // The thread ends when the program closes its output, or the receiver is gone.
        thread::spawn(move || BufReader::new(output).lines().try_for_each(|line| send.send(line)));
        Ok(Program { path: path.to_owned(), process, questions, answers, next: 0 })
    }

    /// Asks one question. An answer to an earlier one, which came too late, is passed over.
    ///
    /// # Errors
    /// The program has ended, takes too long, or answers something else.
    pub fn request(&mut self, question: &JudgeRequest) -> Result<Value, ProgramError> {
        let number = self.next;
        self.next = number.saturating_add(1);
        let ended = |message: String| ProgramError::Ended { path: self.path.clone(), message };
        let mut line =
            serde_json::to_vec(&Numbered { id: number, question }).map_err(|error| ended(error.to_string()))?;
        line.push(b'\n');
        self.questions
            .write_all(&line)
            .and_then(|()| self.questions.flush())
            .map_err(|error| ended(error.to_string()))?;
        loop {
            let line = self.answers.recv_timeout(DEADLINE).map_err(|error| ended(format!("no answer ({error})")))?;
            let line = line.map_err(|error| ended(error.to_string()))?;
            let wrong = |message: String| ProgramError::Answer { path: self.path.clone(), line: line.clone(), message };
            if let Some(answer) = read(&line, number).map_err(wrong)? {
                return Ok(answer);
            }
        }
    }
}

/// Reads the answer to the question of this number. `None`: it is a late one to an earlier question.
pub(crate) fn read(line: &str, number: u64) -> Result<Option<Value>, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    match value.get("id").and_then(Value::as_u64) {
        Some(id) if id < number => return Ok(None),
        Some(id) if id == number => {}
        _ => return Err(format!("the question has number {number}")),
    }
    match value.get("error").and_then(Value::as_str) {
        Some(error) => Err(error.to_owned()),
        None => Ok(Some(value)),
    }
}

/// A question with the number that its answer repeats.
#[derive(Serialize)]
struct Numbered<'q> {
    id: u64,
    #[serde(flatten)]
    question: &'q JudgeRequest,
}

impl Drop for Program {
    fn drop(&mut self) {
        // A process that has ended cannot be killed, and needs not be.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
