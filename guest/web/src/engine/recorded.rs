//! A recording, moment by moment.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_decide::explain::{ExplanationReport, NameIndex};
use lictor_decide::record::ClusterCounts;
use lictor_decide::recorded::{ClusterBeforeDecision, ReadPosition, RecordingReplay, TailedRecording};
use lictor_decide::{DecideError, DecisionReport, Native, Problem};
use lictor_host::policy::Policy;
use lictor_host::recording::MemoryRecording;
use lictor_picture::{Picture, PodOnNode, picture, pods_on};

use super::explained::{ExplainedCycle, ExplainedSubject, cached_or_decide};
use super::time::CycleSnapshot;
use super::{InputSummary, PageEngine, problem};
use crate::told::{InputKind, OpenInput};

#[cfg(test)]
mod tests;

/// An open recording.
pub(super) struct OpenRecording {
    name: String,
    bytes: MemoryRecording,
    /// The known bytes, where the recording is being written.
    growing: Option<TailedRecording>,
    recording: RecordingReplay,
    /// The number of moments that were repeated.
    last_number: usize,
    record: Option<DecisionReport>,
    explained: Option<ExplainedCycle<RecordingReplay>>,
}

fn start() -> Box<dyn Policy> {
    Box::<Native>::default()
}

fn draw_before(before: ClusterBeforeDecision<'_>) -> Picture {
    picture(before.mirror, before.memberships)
}

impl OpenRecording {
    pub(super) fn open(told: &OpenInput) -> Result<OpenRecording, Vec<Problem>> {
        let bytes = STANDARD.decode(&told.recording);
        let bytes =
            MemoryRecording::from(bytes.map_err(|error| problem(&error.to_string(), "choose the file once more"))?);
        let recording = opened(&told.name, &bytes).map_err(|failure| failure.problems())?;
        Ok(OpenRecording {
            name: told.name.clone(),
            bytes,
            growing: None,
            recording,
            last_number: 0,
            record: None,
            explained: None,
        })
    }

    pub(super) fn summary(&self) -> InputSummary {
        InputSummary {
            kind: InputKind::Recording,
            system: String::new(),
            systems: Vec::new(),
            cluster: ClusterCounts { now: None, nodes: 0, placed: 0, pending: 0, ended: 0 },
            findings: Vec::new(),
        }
    }

    /// Returns how many moments were repeated.
    pub(super) fn last(&self) -> usize {
        self.last_number
    }

    pub(super) fn cycle(&mut self) -> Result<Option<CycleSnapshot<'_>>, Vec<Problem>> {
        if self.growing.is_some() {
            self.recording.resume().map_err(|failure| failure.problems())?;
        }
        let next = self.recording.next(false, &mut start, draw_before).map_err(|failure| failure.problems())?;
        let Some((picture, record)) = next else {
            // Where the recording is being written, the rest of its last step will follow.
            let end = match self.growing {
                Some(_) => self.recording.divergence().cloned(),
                None => self.recording.end(),
            };
            return end.map_or(Ok(None), |end| Err(vec![end]));
        };
        self.last_number = self.last_number.saturating_add(1);
        Ok(Some(CycleSnapshot {
            number: self.last_number,
            left: Vec::new(),
            picture,
            record: self.record.insert(record),
        }))
    }

    /// Returns the cluster before the next moment; empty where the recording has no cluster yet.
    pub(super) fn picture(&mut self) -> Result<Picture, Vec<Problem>> {
        let drawn = self.recording.resume().and_then(|()| self.recording.inspect(&mut start, draw_before));
        drawn.map(Option::unwrap_or_default).map_err(|failure| failure.problems())
    }

    /// Adds the bytes that were written since, from the byte `from` on.
    fn append(&mut self, from: u64, more: &[u8]) -> Result<ReadPosition, DecideError> {
        let OpenRecording { name, bytes, growing, .. } = self;
        let growing = match growing {
            Some(growing) => growing,
            None => growing.insert(TailedRecording::open(name, bytes.clone())?),
        };
        growing.append(from, more)
    }

    /// Repeats at most `most` moments, without drawing them. Returns the number of the last one.
    fn skip(&mut self, most: u32) -> Result<usize, DecideError> {
        self.recording.resume()?;
        for _ in 0..most {
            if !self.recording.skip(&mut start)? {
                let end = self.recording.divergence().cloned();
                return end.map_or(Ok(self.last_number), |end| Err(DecideError::Objects(vec![end])));
            }
            self.last_number = self.last_number.saturating_add(1);
        }
        Ok(self.last_number)
    }

    pub(super) fn explain<T>(
        &mut self,
        name: &str,
        number: usize,
        tell: impl FnOnce(ExplanationReport<'_>) -> T,
    ) -> Result<T, DecideError> {
        self.explained(number)?.with_answer(name, tell)
    }

    pub(super) fn pods_on(&mut self, node: &str, number: usize) -> Result<Vec<PodOnNode>, DecideError> {
        let recording = if number == self.last_number { &self.recording } else { &self.explained(number)?.after };
        Ok(recording.mirror().map(|mirror| pods_on(mirror, node)).unwrap_or_default())
    }

    /// Returns the moment with this number, with explanations.
    fn explained(&mut self, number: usize) -> Result<&ExplainedCycle<RecordingReplay>, DecideError> {
        let OpenRecording { name, bytes, explained, .. } = self;
        cached_or_decide(explained, (number, None), |earlier| {
            match earlier.and_then(|earlier| continue_to(earlier, number)) {
                Some(known) => Ok(known),
                None => replay_to(name, bytes, number),
            }
        })
    }
}

impl PageEngine {
    /// Adds to the open recording what was written to it since, from the byte `from` on: the end of the last whole step. From then on the recording
    /// has no end: where [`PageEngine::cycle`] returns nothing, more may follow.
    ///
    /// # Errors
    /// No recording is open, it continues at another byte, or it is damaged.
    pub fn append(&mut self, from: u64, more: &[u8]) -> Result<ReadPosition, Vec<Problem>> {
        self.open_recording_mut()?.append(from, more).map_err(|failure| failure.problems())
    }

    /// Repeats at most `most` moments of the recording, without drawing them. Returns the number of the last one.
    ///
    /// # Errors
    /// No recording is open, or it is damaged.
    pub fn skip(&mut self, most: u32) -> Result<usize, Vec<Problem>> {
        self.open_recording_mut()?.skip(most).map_err(|failure| failure.problems())
    }

    fn open_recording_mut(&mut self) -> Result<&mut OpenRecording, Vec<Problem>> {
        self.recording.as_mut().ok_or_else(|| problem("no recording is open", "open one"))
    }
}

/// Returns the moment with this number, repeated from an explained moment before it, so that the recording is not repeated from its beginning.
/// `None`: it cannot be repeated from there.
fn continue_to(earlier: ExplainedCycle<RecordingReplay>, number: usize) -> Option<ExplainedCycle<RecordingReplay>> {
    let ExplainedCycle { number: mut last, after: mut recording, .. } = earlier;
    recording.resume().ok()?;
    loop {
        if recording.has_diverged() {
            return None;
        }
        let (names, record) = recording.next(true, &mut start, named).ok()??;
        last = last.saturating_add(1);
        if last == number {
            return Some(ExplainedCycle { number, subject: ExplainedSubject::All, names, record, after: recording });
        }
    }
}

fn named(before: ClusterBeforeDecision<'_>) -> NameIndex {
    NameIndex::of(before.mirror, before.memberships)
}

fn replay_to(
    name: &str,
    bytes: &MemoryRecording,
    number: usize,
) -> Result<ExplainedCycle<RecordingReplay>, DecideError> {
    let mut recording = opened(name, bytes)?;
    for _ in 1..number {
        recording.skip(&mut start)?;
    }
    let next = recording.next(true, &mut start, named)?;
    let missing = || DecideError::Objects(problem(&format!("there is no moment {number}"), "choose another one"));
    let (names, record) = next.ok_or_else(missing)?;
    Ok(ExplainedCycle { number, subject: ExplainedSubject::All, names, record, after: recording })
}

fn opened(name: &str, bytes: &MemoryRecording) -> Result<RecordingReplay, DecideError> {
    RecordingReplay::open(name, bytes, lictor_policy::Engine::describe())
}
