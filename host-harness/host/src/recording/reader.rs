//! Reads a recording step by step.

use std::collections::VecDeque;
use std::fmt;
use std::io::{Read, Seek};
use std::sync::Arc;

use super::error::{Damage, ReadError};
use super::frame::{Found, Frames};
use super::tap::Answer;
use super::{Came, Header, Told};

/// The most bytes of text in a step: 1 GiB. So a small file cannot fill the memory.
const STEP: usize = 1 << 30;

/// What stands in a recording.
#[derive(Debug)]
pub enum Entry {
    /// A session begins. What follows up to the next one is of this session.
    Session(Box<Header>),
    /// Something that the session was told, and what came of it. The first one of a session is its opening.
    Step(Box<Recorded>),
}

/// A step of a recorded session.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// What the session was told or asked.
    pub told: Told,
    /// What the policy was called for, and what it answered, in order.
    pub answers: VecDeque<Answer>,
    /// What came of it, where it is an input.
    pub came: Option<Came>,
}

/// The end of a recording that was not written to its end, as after a crash. What stands before it is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tail {
    /// Where it begins: so many bytes are whole.
    pub at: u64,
    /// How many bytes are lost.
    pub bytes: u64,
    /// It is as long as it should be, but not as it was written.
    pub damaged: bool,
}

impl fmt::Display for Tail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tail { at, bytes, damaged } = self;
        let lost = if *damaged { "is damaged" } else { "was cut" };
        write!(f, "the recording {lost} at its end: {bytes} bytes from byte {at} on are no whole step")
    }
}

/// Reads a recording.
pub struct Reader<R> {
    frames: Frames<R>,
    file: Arc<str>,
    /// What was read and is not handed out.
    entries: VecDeque<Entry>,
    /// The end of the last whole step.
    whole: u64,
    tail: Option<Tail>,
    over: bool,
}

impl<R: Read> Reader<R> {
    /// Begins to read. `file` names the recording in messages about its objects.
    ///
    /// # Errors
    /// It is no recording, of another version, or cannot be read.
    pub fn open(from: R, file: &str) -> Result<Reader<R>, ReadError> {
        let frames = Frames::open(from)?;
        let (entries, whole) = (VecDeque::new(), frames.at);
        Ok(Reader { frames, file: Arc::from(file), entries, whole, tail: None, over: false })
    }

    /// The next session or step; none at the end. Then [`tail`](Reader::tail) says whether something is missing.
    ///
    /// # Errors
    /// The recording is damaged before its end, or cannot be read.
    pub fn next_entry(&mut self) -> Result<Option<Entry>, ReadError> {
        while self.entries.is_empty() {
            let Some(text) = self.step()? else { return Ok(None) };
            self.entries = self.read(&text)?;
        }
        Ok(self.entries.pop_front())
    }

    /// What was lost at the end, as far as it was read.
    pub fn tail(&self) -> Option<Tail> {
        self.tail
    }

    /// Where the last whole step ends.
    pub fn whole(&self) -> u64 {
        self.whole
    }

    /// The text of the next whole step.
    fn step(&mut self) -> Result<Option<Vec<u8>>, ReadError> {
        let mut text = Vec::new();
        while !self.over {
            let damaged = match self.frames.next()? {
                Found::Frame(frame) => {
                    text.extend_from_slice(&frame.text);
                    if frame.ends_step {
                        self.whole = self.frames.at;
                        return Ok(Some(text));
                    }
                    if text.len() > STEP {
                        return Err(self.content(format!("a step has more than {STEP} bytes")));
                    }
                    continue;
                }
                Found::End | Found::Cut => false,
                Found::DamagedEnd => true,
            };
            self.over = true;
            let bytes = self.frames.skip_rest()?.saturating_sub(self.whole);
            self.tail = (bytes > 0).then_some(Tail { at: self.whole, bytes, damaged });
        }
        Ok(None)
    }

    fn read(&self, text: &[u8]) -> Result<VecDeque<Entry>, ReadError> {
        let damaged = |_| ReadError::Damaged { at: self.whole, damage: Damage::Body };
        let text = std::str::from_utf8(text).map_err(damaged)?;
        let mut entries = VecDeque::new();
        let mut step: Option<Recorded> = None;
        for line in text.lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match (word, &mut step) {
                ("session", None) => {
                    let header = serde_json::from_str(rest).map_err(|error| self.content(error))?;
                    entries.push_back(Entry::Session(Box::new(header)));
                }
                ("told", None) => {
                    let told = Told::read(rest, &self.file).map_err(|error| self.content(error))?;
                    step = Some(Recorded { told, answers: VecDeque::new(), came: None });
                }
                ("answer", Some(step)) => {
                    let answer = Answer::read(rest).ok_or_else(|| self.content("an answer has no parts"))?;
                    step.answers.push_back(answer);
                }
                ("came", Some(step)) => {
                    step.came = Some(serde_json::from_str(rest).map_err(|error| self.content(error))?);
                }
                _ => return Err(self.content(format!("`{word}` is not expected here"))),
            }
        }
        entries.extend(step.map(|step| Entry::Step(Box::new(step))));
        Ok(entries)
    }

    fn content(&self, what: impl ToString) -> ReadError {
        ReadError::Content { at: self.whole, what: what.to_string() }
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Goes on behind the last whole step, once the end was reached: what was written since is read. What was a tail then is read once more,
    /// with the rest of it, or with what stands there instead.
    ///
    /// # Errors
    /// It cannot be read there.
    pub fn go_on(&mut self) -> Result<(), ReadError> {
        self.frames.go_to(self.whole)?;
        (self.tail, self.over) = (None, false);
        Ok(())
    }
}

/// Where a recording can go on: the end of its last whole step, and what is lost behind it. Who appends cuts the file there first.
///
/// # Errors
/// It is no recording, of another version, damaged before its end, or cannot be read. [`ReadError::Nothing`]: there is nothing to keep,
/// so that a new one can begin in its place.
pub fn end_of(from: impl Read) -> Result<(u64, Option<Tail>), ReadError> {
    let mut reader = Reader::open(from, "")?;
    while reader.step()?.is_some() {}
    Ok((reader.whole, reader.tail))
}
