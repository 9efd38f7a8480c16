//! Reads a recording step by step.

use std::collections::VecDeque;
use std::fmt;
use std::io::{Read, Seek};
use std::sync::Arc;

use super::error::{Damage, RecordingError};
use super::frame::{FrameRead, FrameReader};
use super::tap::RecordedReply;
use super::{Header, RecordedResult, SessionCall};

/// The maximum bytes of text in a step: 1 GiB. So a small file cannot fill the memory.
const MAX_STEP_TEXT: usize = 1 << 30;

/// An entry of a recording.
#[derive(Debug)]
pub enum RecordingEntry {
    /// A session begins. The entries up to the next session belong to this one.
    Session(Box<Header>),
    /// An input or question of the session, with its result. The first step of a session is its opening.
    Step(Box<RecordedStep>),
}

/// A step of a recorded session.
#[derive(Debug, Clone)]
pub struct RecordedStep {
    /// The input or question.
    pub call: SessionCall,
    /// The calls of the policy and its answers, in order.
    pub replies: VecDeque<RecordedReply>,
    /// The result, where the step is an input.
    pub result: Option<RecordedResult>,
}

/// The incomplete end of a recording, as after a crash. Everything before it is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IncompleteTail {
    /// The offset where the tail begins: so many bytes are complete.
    pub at: u64,
    /// The number of lost bytes.
    pub bytes: u64,
    /// The last frame has its full length, but is damaged.
    pub damaged: bool,
}

impl fmt::Display for IncompleteTail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let IncompleteTail { at, bytes, damaged } = self;
        let lost = if *damaged { "is damaged" } else { "was cut" };
        write!(f, "the recording {lost} at its end: {bytes} bytes from byte {at} on are no whole step")
    }
}

/// A reader of a recording.
pub struct RecordingReader<R> {
    frames: FrameReader<R>,
    file: Arc<str>,
    /// The entries that were read and not returned yet.
    entries: VecDeque<RecordingEntry>,
    /// The offset of the end of the last complete step.
    complete_bytes: u64,
    tail: Option<IncompleteTail>,
    is_finished: bool,
}

impl<R: Read> RecordingReader<R> {
    /// Begins to read. `file` names the recording in messages about its objects.
    ///
    /// # Errors
    /// The file is not a recording, has another version, or cannot be read.
    pub fn open(from: R, file: &str) -> Result<RecordingReader<R>, RecordingError> {
        let frames = FrameReader::open(from)?;
        let (entries, whole) = (VecDeque::new(), frames.at);
        Ok(RecordingReader {
            frames,
            file: Arc::from(file),
            entries,
            complete_bytes: whole,
            tail: None,
            is_finished: false,
        })
    }

    /// Returns the next session or step. `None`: the recording has ended, and [`tail`](RecordingReader::tail) tells whether something is missing.
    ///
    /// # Errors
    /// The recording is damaged before its end, or cannot be read.
    pub fn next_entry(&mut self) -> Result<Option<RecordingEntry>, RecordingError> {
        while self.entries.is_empty() {
            let Some(text) = self.step()? else { return Ok(None) };
            self.entries = self.read(&text)?;
        }
        Ok(self.entries.pop_front())
    }

    /// Returns the incomplete end. `None`: the end was not reached yet, or nothing is missing.
    pub fn tail(&self) -> Option<IncompleteTail> {
        self.tail
    }

    /// Returns the offset where the last complete step ends.
    pub fn complete_bytes(&self) -> u64 {
        self.complete_bytes
    }

    /// Reads the text of the next complete step. `None`: the recording has ended.
    fn step(&mut self) -> Result<Option<Vec<u8>>, RecordingError> {
        let mut text = Vec::new();
        while !self.is_finished {
            let damaged = match self.frames.next()? {
                FrameRead::Frame(frame) => {
                    text.extend_from_slice(&frame.text);
                    if frame.ends_step {
                        self.complete_bytes = self.frames.at;
                        return Ok(Some(text));
                    }
                    if text.len() > MAX_STEP_TEXT {
                        return Err(self.content_error(format!("a step has more than {MAX_STEP_TEXT} bytes")));
                    }
                    continue;
                }
                FrameRead::End | FrameRead::Truncated => false,
                FrameRead::DamagedEnd => true,
            };
            self.is_finished = true;
            let bytes = self.frames.skip_rest()?.saturating_sub(self.complete_bytes);
            self.tail = (bytes > 0).then_some(IncompleteTail { at: self.complete_bytes, bytes, damaged });
        }
        Ok(None)
    }

    fn read(&self, text: &[u8]) -> Result<VecDeque<RecordingEntry>, RecordingError> {
        let damaged = |_| RecordingError::Damaged { at: self.complete_bytes, damage: Damage::Body };
        let text = std::str::from_utf8(text).map_err(damaged)?;
        let mut entries = VecDeque::new();
        let mut step: Option<RecordedStep> = None;
        for line in text.lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match (word, &mut step) {
                ("session", None) => {
                    let header = serde_json::from_str(rest).map_err(|error| self.content_error(error))?;
                    entries.push_back(RecordingEntry::Session(Box::new(header)));
                }
                ("told", None) => {
                    let told = SessionCall::read(rest, &self.file).map_err(|error| self.content_error(error))?;
                    step = Some(RecordedStep { call: told, replies: VecDeque::new(), result: None });
                }
                ("answer", Some(step)) => {
                    let answer =
                        RecordedReply::read(rest).ok_or_else(|| self.content_error("an answer has no parts"))?;
                    step.replies.push_back(answer);
                }
                ("came", Some(step)) => {
                    step.result = Some(serde_json::from_str(rest).map_err(|error| self.content_error(error))?);
                }
                _ => return Err(self.content_error(format!("`{word}` is not expected here"))),
            }
        }
        entries.extend(step.map(|step| RecordingEntry::Step(Box::new(step))));
        Ok(entries)
    }

    fn content_error(&self, what: impl ToString) -> RecordingError {
        RecordingError::Content { at: self.complete_bytes, what: what.to_string() }
    }
}

impl<R: Read + Seek> RecordingReader<R> {
    /// Continues after the last complete step, once the end was reached, and so reads what was written since. A former tail is read again, with its
    /// rest or with its replacement.
    ///
    /// # Errors
    /// The file cannot be read at that offset.
    pub fn resume(&mut self) -> Result<(), RecordingError> {
        self.frames.seek_to(self.complete_bytes)?;
        (self.tail, self.is_finished) = (None, false);
        Ok(())
    }
}

/// Returns the offset where a recording can be continued: the end of its last complete step. Also returns the tail after it. A writer that appends
/// cuts the file at this offset first.
///
/// # Errors
/// The file is not a recording, has another version, is damaged before its end, or cannot be read. [`RecordingError::Nothing`]: the file has no step to
/// keep, so that a new recording can begin in its place.
pub fn end_of(from: impl Read) -> Result<(u64, Option<IncompleteTail>), RecordingError> {
    let mut reader = RecordingReader::open(from, "")?;
    while reader.step()?.is_some() {}
    Ok((reader.complete_bytes, reader.tail))
}
