//! Repeats one session of a recording.

use super::super::failure::Failure;
use super::report::{Count, First, Replayed, StepDifference};
use lictor_host::compare::Differences;
use lictor_host::policy::Policy;
use lictor_host::recording::{Divergence, Follow, Header, Recorded, Replay};

/// A session with the recorded policy: everything is compared, up to the first difference.
pub(super) struct Same {
    header: Header,
    /// The policy until the session is opened; `None` afterwards.
    policy: Option<Box<dyn Policy>>,
    replay: Option<Replay>,
    count: Count,
    first: Option<First>,
}

impl Same {
    pub(super) fn new(header: Header, policy: Box<dyn Policy>) -> Same {
        Same { header, policy: Some(policy), replay: None, count: Count::default(), first: None }
    }

    pub(super) fn step(&mut self, step: Recorded) -> Result<(), Failure> {
        self.count.add(&step);
        if self.first.is_some() {
            return Ok(());
        }
        let title = step.told.to_string();
        let divergence = match (&mut self.replay, self.policy.take()) {
            (None, Some(policy)) => {
                let (replay, first) = Replay::open(policy, &self.header, &step).map_err(Failure::from)?;
                self.replay = Some(replay);
                first
            }
            (Some(replay), _) => replay.step(step),
            (None, None) => None,
        };
        let of = |divergence: Divergence| First::of(self.count.steps, title, divergence);
        self.first = divergence.map(of);
        Ok(())
    }

    pub(super) fn end(self) -> Replayed {
        let discarded = self.replay.map_or(0, |replay| replay.discarded());
        Replayed { header: self.header, count: self.count, discarded, first: self.first, other: None }
    }
}

/// A session with another policy: its decisions are compared while the cluster changes as recorded.
pub(super) struct Other {
    header: Header,
    follow: Follow,
    count: Count,
    steps: Vec<StepDifference>,
}

impl Other {
    pub(super) fn open(header: Header, policy: Box<dyn Policy>) -> Result<Other, Failure> {
        let follow = Follow::open_as(policy, &header).map_err(Failure::from)?;
        Ok(Other { header, follow, count: Count::default(), steps: Vec::new() })
    }

    pub(super) fn step(&mut self, step: &Recorded) {
        self.count.add(step);
        let now = self.follow.recorded(step);
        let Some(then) = &step.came else { return };
        let differences = Differences::between(&then.decisions, &now);
        if !differences.is_empty() {
            self.steps.push(StepDifference { step: self.count.steps, told: step.told.to_string(), differences });
        }
    }

    pub(super) fn end(self) -> Replayed {
        Replayed { header: self.header, count: self.count, discarded: 0, first: None, other: Some(self.steps) }
    }
}
