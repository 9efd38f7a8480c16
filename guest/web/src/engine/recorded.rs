//! A recording, moment by moment.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_decide::explain::{Answer, Names};
use lictor_decide::record::Counted;
use lictor_decide::recorded::{Before, Growing, Known, Recording};
use lictor_decide::{Failure, Native, Problem, Record};
use lictor_host::policy::Policy;
use lictor_host::recording::Memory;
use lictor_picture::{Picture, Placed, picture, pods_on};

use super::explained::{Explained, kept};
use super::time::Moment;
use super::{Engine, Summary, problem};
use crate::told::{Kind, Told};

#[cfg(test)]
mod tests;

/// An open recording.
pub(super) struct Play {
    name: String,
    bytes: Memory,
    /// The known bytes, where the recording is being written.
    growing: Option<Growing>,
    recording: Recording,
    /// The number of moments that were repeated.
    last: usize,
    record: Option<Record>,
    explained: Option<Explained<Recording>>,
}

fn start() -> Box<dyn Policy> {
    Box::<Native>::default()
}

fn drawn(before: Before<'_>) -> Picture {
    picture(before.mirror, before.memberships)
}

impl Play {
    pub(super) fn open(told: &Told) -> Result<Play, Vec<Problem>> {
        let bytes = STANDARD.decode(&told.recording);
        let bytes = Memory::from(bytes.map_err(|error| problem(&error.to_string(), "choose the file once more"))?);
        let recording = opened(&told.name, &bytes).map_err(|failure| failure.problems())?;
        Ok(Play { name: told.name.clone(), bytes, growing: None, recording, last: 0, record: None, explained: None })
    }

    pub(super) fn summary(&self) -> Summary {
        Summary {
            kind: Kind::Recording,
            system: String::new(),
            systems: Vec::new(),
            cluster: Counted { now: None, nodes: 0, placed: 0, pending: 0, ended: 0 },
            findings: Vec::new(),
        }
    }

    /// Returns how many moments were repeated.
    pub(super) fn last(&self) -> usize {
        self.last
    }

    pub(super) fn cycle(&mut self) -> Result<Option<Moment<'_>>, Vec<Problem>> {
        if self.growing.is_some() {
            self.recording.go_on().map_err(|failure| failure.problems())?;
        }
        let next = self.recording.next(false, &mut start, drawn).map_err(|failure| failure.problems())?;
        let Some((picture, record)) = next else {
            // Where the recording is being written, the rest of its last step will follow.
            let end = match self.growing {
                Some(_) => self.recording.otherwise().cloned(),
                None => self.recording.end(),
            };
            return end.map_or(Ok(None), |end| Err(vec![end]));
        };
        self.last = self.last.saturating_add(1);
        Ok(Some(Moment { number: self.last, left: Vec::new(), picture, record: self.record.insert(record) }))
    }

    /// Returns the cluster before the next moment; empty where the recording has no cluster yet.
    pub(super) fn picture(&mut self) -> Result<Picture, Vec<Problem>> {
        let drawn = self.recording.go_on().and_then(|()| self.recording.look(&mut start, drawn));
        drawn.map(Option::unwrap_or_default).map_err(|failure| failure.problems())
    }

    /// Adds the bytes that were written since, from the byte `from` on.
    fn append(&mut self, from: u64, more: &[u8]) -> Result<Known, Failure> {
        let Play { name, bytes, growing, .. } = self;
        let growing = match growing {
            Some(growing) => growing,
            None => growing.insert(Growing::open(name, bytes.clone())?),
        };
        growing.append(from, more)
    }

    /// Repeats at most `most` moments, without drawing them. Returns the number of the last one.
    fn skip(&mut self, most: u32) -> Result<usize, Failure> {
        self.recording.go_on()?;
        for _ in 0..most {
            if !self.recording.skip(&mut start)? {
                let end = self.recording.otherwise().cloned();
                return end.map_or(Ok(self.last), |end| Err(Failure::Objects(vec![end])));
            }
            self.last = self.last.saturating_add(1);
        }
        Ok(self.last)
    }

    pub(super) fn explain<T>(
        &mut self,
        name: &str,
        number: usize,
        tell: impl FnOnce(Answer<'_>) -> T,
    ) -> Result<T, Failure> {
        self.explained(number)?.tell(name, tell)
    }

    pub(super) fn pods_on(&mut self, node: &str, number: usize) -> Result<Vec<Placed>, Failure> {
        let recording = if number == self.last { &self.recording } else { &self.explained(number)?.after };
        Ok(recording.mirror().map(|mirror| pods_on(mirror, node)).unwrap_or_default())
    }

    /// Returns the moment with this number, with explanations.
    fn explained(&mut self, number: usize) -> Result<&Explained<Recording>, Failure> {
        let Play { name, bytes, explained, .. } = self;
        kept(explained, number, |earlier| match earlier.and_then(|earlier| behind(earlier, number)) {
            Some(known) => Ok(known),
            None => once_more(name, bytes, number),
        })
    }
}

impl Engine {
    /// Adds to the open recording what was written to it since, from the byte `from` on: the end of the last whole step. From then on the recording
    /// has no end: where [`Engine::cycle`] returns nothing, more may follow.
    ///
    /// # Errors
    /// No recording is open, it continues at another byte, or it is damaged.
    pub fn append(&mut self, from: u64, more: &[u8]) -> Result<Known, Vec<Problem>> {
        self.play_mut()?.append(from, more).map_err(|failure| failure.problems())
    }

    /// Repeats at most `most` moments of the recording, without drawing them. Returns the number of the last one.
    ///
    /// # Errors
    /// No recording is open, or it is damaged.
    pub fn skip(&mut self, most: u32) -> Result<usize, Vec<Problem>> {
        self.play_mut()?.skip(most).map_err(|failure| failure.problems())
    }

    fn play_mut(&mut self) -> Result<&mut Play, Vec<Problem>> {
        self.recorded.as_mut().ok_or_else(|| problem("no recording is open", "open one"))
    }
}

/// Returns the moment with this number, repeated from an explained moment before it, so that the recording is not repeated from its beginning.
/// `None`: it cannot be repeated from there.
fn behind(earlier: Explained<Recording>, number: usize) -> Option<Explained<Recording>> {
    let Explained { number: mut last, names: _, record: _, after: mut recording } = earlier;
    recording.go_on().ok()?;
    loop {
        if recording.is_astray() {
            return None;
        }
        let (names, record) = recording.next(true, &mut start, named).ok()??;
        last = last.saturating_add(1);
        if last == number {
            return Some(Explained { number, names, record, after: recording });
        }
    }
}

fn named(before: Before<'_>) -> Names {
    Names::of(before.mirror, before.memberships)
}

fn once_more(name: &str, bytes: &Memory, number: usize) -> Result<Explained<Recording>, Failure> {
    let mut recording = opened(name, bytes)?;
    for _ in 1..number {
        recording.skip(&mut start)?;
    }
    let next = recording.next(true, &mut start, named)?;
    let missing = || Failure::Objects(problem(&format!("there is no moment {number}"), "choose another one"));
    let (names, record) = next.ok_or_else(missing)?;
    Ok(Explained { number, names, record, after: recording })
}

fn opened(name: &str, bytes: &Memory) -> Result<Recording, Failure> {
    Recording::open(name, bytes, lictor_policy::Engine::describe())
}
