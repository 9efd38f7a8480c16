//! A recording, moment by moment.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_decide::explain::{Answer, Names};
use lictor_decide::record::Counted;
use lictor_decide::recorded::{Before, Recording};
use lictor_decide::{Failure, Native, Problem, Record};
use lictor_host::policy::Policy;
use lictor_picture::{Picture, Placed, picture, pods_on};

use super::explained::{Explained, kept};
use super::time::Moment;
use super::{Summary, problem};
use crate::told::{Kind, Told};

#[cfg(test)]
mod tests;

/// A recording that is open.
pub(super) struct Play {
    name: String,
    bytes: Arc<[u8]>,
    recording: Recording,
    /// How many moments were repeated.
    last: usize,
    record: Option<Record>,
    explained: Option<Explained<Recording>>,
}

fn start() -> Box<dyn Policy> {
    Box::<Native>::default()
}

fn drawn(before: Before<'_>) -> Picture {
    picture(before.mirror, before.accounts, before.system)
}

impl Play {
    pub(super) fn open(told: &Told) -> Result<Play, Vec<Problem>> {
        let bytes = STANDARD.decode(&told.recording);
        let bytes: Arc<[u8]> = bytes.map_err(|error| problem(&error.to_string(), "choose the file once more"))?.into();
        let recording = opened(&told.name, &bytes).map_err(|failure| failure.problems())?;
        Ok(Play { name: told.name.clone(), bytes, recording, last: 0, record: None, explained: None })
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

    /// How many moments were repeated.
    pub(super) fn last(&self) -> usize {
        self.last
    }

    pub(super) fn cycle(&mut self) -> Result<Option<Moment<'_>>, Vec<Problem>> {
        let next = self.recording.next(false, &mut start, drawn).map_err(|failure| failure.problems())?;
        let Some((picture, record)) = next else {
            return self.recording.end().map_or(Ok(None), |end| Err(vec![end]));
        };
        self.last = self.last.saturating_add(1);
        Ok(Some(Moment { number: self.last, left: Vec::new(), picture, record: self.record.insert(record) }))
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

    /// The moment with this number, with explanations.
    fn explained(&mut self, number: usize) -> Result<&Explained<Recording>, Failure> {
        let Play { name, bytes, explained, .. } = self;
        kept(explained, number, || once_more(name, bytes, number))
    }
}

fn once_more(name: &str, bytes: &Arc<[u8]>, number: usize) -> Result<Explained<Recording>, Failure> {
    let mut recording = opened(name, bytes)?;
    for _ in 1..number {
        recording.next(false, &mut start, |_| ())?;
    }
    let next = recording.next(true, &mut start, |before| Names::of(before.mirror, before.system))?;
    let missing = || Failure::Objects(problem(&format!("there is no moment {number}"), "choose another one"));
    let (names, record) = next.ok_or_else(missing)?;
    Ok(Explained { number, names, record, after: recording })
}

fn opened(name: &str, bytes: &Arc<[u8]>) -> Result<Recording, Failure> {
    Recording::open(name, bytes.clone(), lictor_policy::Engine::describe())
}
