//! Repeats one session of a recording.

use super::super::failure::CommandError;
use super::report::{FirstDifference, ReplayedSession, SessionCounts, StepDifference};
use lictor_host::compare::Differences;
use lictor_host::policy::Policy;
use lictor_host::recording::{Divergence, Header, RecordedFollower, RecordedStep, Replay};

/// A session with the recorded policy: everything is compared, up to the first difference.
pub(super) struct RepeatedSession {
    header: Header,
    /// The policy until the session is opened; `None` afterwards.
    policy: Option<Box<dyn Policy>>,
    replay: Option<Replay>,
    count: SessionCounts,
    first: Option<FirstDifference>,
}

impl RepeatedSession {
    pub(super) fn new(header: Header, policy: Box<dyn Policy>) -> RepeatedSession {
        RepeatedSession { header, policy: Some(policy), replay: None, count: SessionCounts::default(), first: None }
    }

    pub(super) fn step(&mut self, step: RecordedStep) -> Result<(), CommandError> {
        self.count.add(&step);
        if self.first.is_some() {
            return Ok(());
        }
        let title = step.call.to_string();
        let divergence = match (&mut self.replay, self.policy.take()) {
            (None, Some(policy)) => {
                let (replay, first) = Replay::open(policy, &self.header, &step).map_err(CommandError::from)?;
                self.replay = Some(replay);
                first
            }
            (Some(replay), _) => replay.step(step),
            (None, None) => None,
        };
        let of = |divergence: Divergence| FirstDifference::of(self.count.steps, title, divergence);
        self.first = divergence.map(of);
        Ok(())
    }

    pub(super) fn end(self) -> ReplayedSession {
        let discarded = self.replay.map_or(0, |replay| replay.discarded());
        ReplayedSession { header: self.header, count: self.count, discarded, first: self.first, other: None }
    }
}

/// A session with another policy: its decisions are compared while the cluster changes as recorded.
pub(super) struct SubstituteSession {
    header: Header,
    follow: RecordedFollower,
    count: SessionCounts,
    steps: Vec<StepDifference>,
}

impl SubstituteSession {
    pub(super) fn open(header: Header, policy: Box<dyn Policy>) -> Result<SubstituteSession, CommandError> {
        let follow = RecordedFollower::open(policy, &header).map_err(CommandError::from)?;
        Ok(SubstituteSession { header, follow, count: SessionCounts::default(), steps: Vec::new() })
    }

    pub(super) fn step(&mut self, step: &RecordedStep) {
        self.count.add(step);
        let now = self.follow.decide_recorded(step);
        let Some(then) = &step.result else { return };
        let differences = Differences::between(&then.decisions, &now);
        if !differences.is_empty() {
            self.steps.push(StepDifference { step: self.count.steps, told: step.call.to_string(), differences });
        }
    }

    pub(super) fn end(self) -> ReplayedSession {
        ReplayedSession { header: self.header, count: self.count, discarded: 0, first: None, other: Some(self.steps) }
    }
}
