//! The client of a running process's socket.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use serde::Serialize;

use super::{ExplainRequest, LiveExplanation, MAX_RESPONSE_BYTES, SOCKET_TIMEOUT, SocketResponse, UpgradeCommand};
use crate::upgrade::ReplacementProgress;

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// No process listens at the socket.
    #[error("no controller listens at {socket}: {error}")]
    NotListening {
        /// The socket.
        socket: String,
        /// Why it cannot be reached.
        error: io::Error,
    },
    /// The connection broke.
    #[error("the controller did not answer: {0}")]
    Disconnected(io::Error),
    /// The process sent a line that is no answer.
    #[error("what came is no answer: {0}")]
    InvalidResponse(String),
    /// The controller refuses the question.
    #[error("{message}")]
    Refused {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
    },
}

/// Asks why a pod is in its state.
///
/// # Errors
/// No process answers, or the pod does not exist.
pub fn request_explanation(socket: &Path, question: &ExplainRequest) -> Result<LiveExplanation, SocketError> {
    match send_request(socket, question)? {
        SocketResponse::Answer(answer) => Ok(*answer),
        _ => Err(SocketError::InvalidResponse("it is about something else".to_owned())),
    }
}

/// Orders the replacement of the policy, or asks for its progress.
///
/// # Errors
/// No process answers, or the process does not decide.
pub fn request_upgrade(socket: &Path, order: &UpgradeCommand) -> Result<ReplacementProgress, SocketError> {
    match send_request(socket, order)? {
        SocketResponse::Progress(progress) => Ok(*progress),
        _ => Err(SocketError::InvalidResponse("it is about something else".to_owned())),
    }
}

/// Sends one line, and reads the answer.
fn send_request(socket: &Path, line: &impl Serialize) -> Result<SocketResponse, SocketError> {
    let nobody = |error| SocketError::NotListening { socket: socket.display().to_string(), error };
    let stream = UnixStream::connect(socket).map_err(nobody)?;
    let line = exchange(stream, line).map_err(SocketError::Disconnected)?;
    match serde_json::from_str(&line) {
        Ok(SocketResponse::Error { message, hint }) => Err(SocketError::Refused { message, hint }),
        Ok(answered) => Ok(answered),
        Err(error) => Err(SocketError::InvalidResponse(error.to_string())),
    }
}

fn exchange(mut stream: UnixStream, question: &impl Serialize) -> io::Result<String> {
    // The process waits for its loop as long as this; the answer of a loop that is late should still arrive.
    stream.set_read_timeout(Some(SOCKET_TIMEOUT.saturating_mul(3)))?;
    stream.set_write_timeout(Some(SOCKET_TIMEOUT))?;
    writeln!(stream, "{}", serde_json::to_string(question)?)?;
    let mut line = String::new();
    BufReader::new(stream.take(MAX_RESPONSE_BYTES)).read_line(&mut line)?;
    Ok(line)
}
