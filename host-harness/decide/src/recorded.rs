//! A recording, moment by moment: it is repeated, and stops where a decision was made.

mod growing;

use lictor_contract::{Description, QueueAccount, Severity, SystemInfo};
use lictor_host::cluster::Mirror;
use lictor_host::policy::Policy;
use lictor_host::recording::{
    Divergence, Header, IncompleteTail, MemoryReader, MemoryRecording, RecordedStep, RecordingEntry, RecordingError,
    RecordingReader, Replay, SessionCall,
};
use lictor_host::session::{SessionError, SessionInput};
use serde_json::{Map, Value};

use super::failure::DecideError;
use super::jobs::Memberships;
use super::problem::Problem;
use super::record::{CycleReport, DecisionReport, PolicySource, usage};

pub use growing::{ReadPosition, TailedRecording};
pub use lictor_host::recording::START;

/// A function that starts a fresh policy for each session of the recording.
pub type PolicyFactory<'p> = &'p mut dyn FnMut() -> Box<dyn Policy>;

/// A recording that is being repeated.
pub struct RecordingReplay {
    reader: RecordingReader<MemoryReader>,
    described: Description,
    open: Option<(Header, Replay)>,
    /// The next step with a decision, where all steps before it are repeated and it is not.
    next_decision: Option<Box<RecordedStep>>,
    /// Why nothing more can be repeated.
    ended: Option<Problem>,
    /// Whether a repeated step with explanations differs from its recording without them.
    has_diverged: bool,
}

/// The cluster of a recording before a decision.
pub struct ClusterBeforeDecision<'a> {
    /// The cluster.
    pub mirror: &'a Mirror,
    /// The queue and the job of each pod.
    pub memberships: &'a Memberships,
}

impl RecordingReplay {
    /// Begins to read a recording; `name` is its name in messages.
    ///
    /// # Errors
    /// The bytes are no recording, or one of another version.
    pub fn open(name: &str, bytes: &MemoryRecording, described: Description) -> Result<RecordingReplay, DecideError> {
        let reader = RecordingReader::open(bytes.reader(), name)?;
        Ok(RecordingReplay { reader, described, open: None, next_decision: None, ended: None, has_diverged: false })
    }

    /// Returns the cluster as it is now. `None`: no session has begun.
    pub fn mirror(&self) -> Option<&Mirror> {
        self.open.as_ref().map(|(_, replay)| replay.session().mirror())
    }

    /// Returns the system whose laws apply. `None`: no session has begun, or the policy does not describe the system.
    pub fn system(&self) -> Option<&SystemInfo> {
        self.open.as_ref().and_then(|(header, _)| self.described.system(&header.system))
    }

    /// Repeats the steps before the next one with a decision. Returns what `look` returns there. `None`: no session has begun.
    ///
    /// # Errors
    /// Those of [`RecordingReplay::next`].
    pub fn inspect<T>(
        &mut self,
        start: PolicyFactory<'_>,
        look: impl FnOnce(ClusterBeforeDecision<'_>) -> T,
    ) -> Result<Option<T>, DecideError> {
        self.next_decision = self.find(start)?;
        let Some((_, replay)) = &mut self.open else { return Ok(None) };
        let memberships = memberships(replay);
        Ok(Some(look(ClusterBeforeDecision { mirror: replay.session().mirror(), memberships: &memberships })))
    }

    /// Finds the next step with a decision, and repeats it. Returns what `look` returned before it, and the decisions. `None`: the recording has
    /// ended, or the last step was decided differently from its recording, so that the following steps cannot be repeated.
    ///
    /// # Errors
    /// The recording is damaged, or the policy fails.
    pub fn next<T>(
        &mut self,
        explained: bool,
        start: PolicyFactory<'_>,
        look: impl FnOnce(ClusterBeforeDecision<'_>) -> T,
    ) -> Result<Option<(T, DecisionReport)>, DecideError> {
        self.find(start)?.map(|step| self.decide(*step, explained, look)).transpose()
    }

    /// Finds the next step with a decision, and repeats it without looking. Returns whether there is one, as in [`RecordingReplay::next`].
    ///
    /// # Errors
    /// Those of [`RecordingReplay::next`].
    pub fn skip(&mut self, start: PolicyFactory<'_>) -> Result<bool, DecideError> {
        let Some(step) = self.find(start)? else { return Ok(false) };
        if let Some((_, replay)) = &mut self.open {
            self.ended = replay.step(*step).map(|first| divergence_problem(&first));
        }
        Ok(true)
    }

    /// Continues at the end of the recording, after more was written.
    ///
    /// # Errors
    /// The new part cannot be read.
    pub fn resume(&mut self) -> Result<(), DecideError> {
        Ok(self.reader.resume()?)
    }

    /// Repeats the steps without a decision, up to the next one with a decision.
    fn find(&mut self, start: PolicyFactory<'_>) -> Result<Option<Box<RecordedStep>>, DecideError> {
        if self.next_decision.is_some() {
            return Ok(self.next_decision.take());
        }
        while self.ended.is_none() {
            match self.reader.next_entry()? {
                None => break,
                Some(RecordingEntry::Session(header)) => self.begin(*header, start)?,
                Some(RecordingEntry::Step(step)) if is_decision(&step) => return Ok(Some(step)),
                Some(RecordingEntry::Step(step)) => {
                    let Some((_, replay)) = &mut self.open else { continue };
                    self.ended = replay.step(*step).map(|first| divergence_problem(&first));
                }
            }
        }
        Ok(None)
    }

    /// Returns the problem to report at the end: a lost tail, or a decision that differs from its recording. `None`: there is no problem.
    pub fn end(&self) -> Option<Problem> {
        let lost = |tail: IncompleteTail| {
            Problem::error(tail.to_string()).of(Severity::Warning).remedy("what stands before it is shown")
        };
        self.ended.clone().or_else(|| self.reader.tail().map(lost))
    }

    /// Returns the problem of a decision that differs from its recording: the steps after it cannot be repeated. `None`: no decision differs.
    pub fn divergence(&self) -> Option<&Problem> {
        self.ended.as_ref()
    }

    /// Returns whether a repeated step with explanations differs from its recording without them. The caller should repeat no further step then.
    pub fn has_diverged(&self) -> bool {
        self.has_diverged
    }

    fn begin(&mut self, header: Header, start: PolicyFactory<'_>) -> Result<(), DecideError> {
        let Some(RecordingEntry::Step(opening)) = self.reader.next_entry()? else {
            return Err(RecordingError::Nothing.into());
        };
        let (replay, first) = Replay::open(start(), &header, &opening).map_err(DecideError::Open)?;
        self.ended = first.map(|first| divergence_problem(&first));
        self.open = Some((header, replay));
        Ok(())
    }

    fn decide<T>(
        &mut self,
        step: RecordedStep,
        explained: bool,
        look: impl FnOnce(ClusterBeforeDecision<'_>) -> T,
    ) -> Result<(T, DecisionReport), DecideError> {
        let RecordingReplay { described, open, ended, has_diverged: is_astray, .. } = self;
        let Some((header, replay)) = open else { return Err(RecordingError::Nothing.into()) };
        let system = described.system(&header.system);
        let (before, memberships) = (accounts(replay), memberships(replay));
        let mirror = replay.session().mirror();
        let arguments: Map<String, Value> = serde_json::from_str(&header.arguments).unwrap_or_default();
        let mut record = DecisionReport::new(described, system, PolicySource::default(), arguments, mirror);
        let seen = look(ClusterBeforeDecision { mirror, memberships: &memberships });
        let told = match explained {
            true => {
                // The policy of the recording may not provide standings: its decisions are shown all the same.
                record.standings = replay.call_uncompared(|session| session.standings()).unwrap_or_default();
                let (is_same, told) = replay.explain(step);
                *is_astray |= !is_same;
                told
            }
            false => {
                let (first, told) = replay.replay_step(step);
                *ended = first.map(|first| divergence_problem(&first));
                told
            }
        };
        match told {
            Ok(step) => record.cycles.push(CycleReport::decided(1, step.happened, replay.session())),
            Err(SessionError { cause, .. }) => record.findings.push(Problem::error(cause.to_string())),
        }
        record.findings.extend(ended.clone());
        let after = accounts(replay);
        record.accounts = usage::compare(&before, &after, replay.session().mirror().resources());
        Ok((seen, record))
    }
}

/// Returns whether a step tries or decides something.
fn is_decision(step: &RecordedStep) -> bool {
    let tries = matches!(
        step.call,
        SessionCall::Input(SessionInput::Cycle | SessionInput::Attempt(_) | SessionInput::CycleAttempts(_))
            | SessionCall::PluginRequest(_)
    );
    tries || step.result.as_ref().is_some_and(|came| !came.decisions.is_empty())
}

/// Returns the usage of quotas and queues; empty where the policy has none.
fn accounts(replay: &mut Replay) -> Vec<QueueAccount> {
    replay.call_uncompared(|session| session.accounts()).unwrap_or_default()
}

/// Returns the queue and the job of each pod; empty where the policy fails.
fn memberships(replay: &mut Replay) -> Memberships {
    replay.call_uncompared(|session| session.memberships()).unwrap_or_default()
}

fn divergence_problem(first: &Divergence) -> Problem {
    let what = match first {
        Divergence::Answer { about, then, now } => {
            let call = then.as_ref().or(now.as_ref()).map(|answer| answer.call.clone()).unwrap_or_default();
            format!("`{call}` {}", about.join(", "))
        }
        Divergence::Result { .. } => "what came of the answers".to_owned(),
    };
    Problem::error(format!("here this version of the policy decides otherwise than was recorded: {}", what.trim_end()))
        .of(Severity::Warning)
        .remedy("what follows cannot be repeated; open it with the version that has recorded it")
}
