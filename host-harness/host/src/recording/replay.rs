//! Repeats a recorded session, and compares every answer and every command.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::tap::{ObservedPolicy, RecordedReply, ReplyObserver};
use super::{Header, RecordedResult, RecordedStep};
use crate::compare::Differences;
use crate::policy::{Policy, PolicyUsage};
use crate::session::{OpenError, Session, SessionError, StepOutput};

/// A recorded session that is repeated with a policy that should answer the same.
///
/// A recorded fault is repeated. Where the policy answers this time, its answer is discarded and the fault is taken from the recording, so that the
/// following steps can be compared. [`discarded`](Replay::discarded) counts these.
pub struct Replay {
    session: Session,
    script: Arc<Mutex<ReplayScript>>,
}

/// The recorded answers that are still to come, and the first difference.
#[derive(Debug, Default)]
struct ReplayScript {
    answers: VecDeque<RecordedReply>,
    first: Option<(Option<RecordedReply>, Option<RecordedReply>)>,
    compared: usize,
    discarded: usize,
    recycle_bytes: Option<u64>,
    /// The current calls were not recorded, so they are not compared.
    is_uncompared: bool,
}

/// The first difference from the recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Divergence {
    /// The policy answers differently, or is called for something else.
    Answer {
        /// The names of the pods and nodes of the call, as far as they are known.
        about: Vec<String>,
        /// The recorded call. `None`: no call was recorded.
        then: Option<RecordedReply>,
        /// The call of this policy. `None`: this policy was not called.
        now: Option<RecordedReply>,
    },
    /// The answers are the same, but the session decides differently.
    Result {
        /// The recorded result.
        then: Box<RecordedResult>,
        /// The result now.
        now: Box<RecordedResult>,
        /// The different decisions.
        differences: Differences,
    },
}

impl Replay {
    /// Opens the session again. Also returns the first difference of the opening. `opening` is the first step of the recorded session.
    ///
    /// # Errors
    /// The policy refuses the configuration that was recorded, or fails.
    pub fn open(
        policy: Box<dyn Policy>,
        header: &Header,
        opening: &RecordedStep,
    ) -> Result<(Replay, Option<Divergence>), OpenError> {
        let (answers, recycle_bytes) = (opening.replies.clone(), header.recycle_bytes());
        let script = Arc::new(Mutex::new(ReplayScript { answers, recycle_bytes, ..ReplayScript::default() }));
        let policy = Box::new(ObservedPolicy::new(policy, script.clone()));
        let mut session = Session::open(policy, &header.system, &header.arguments)?;
        session.set_fault_rules(header.fault_rules);
        session.set_rails(header.rails.clone());
        if !header.schedulers.is_empty() {
            session.set_schedulers(header.schedulers.iter().cloned());
        }
        let replay = Replay { session, script };
        let first = replay.answers_differ();
        Ok((replay, first))
    }

    /// Repeats a step. Returns the first difference in it. After a difference the rest of the session cannot be compared.
    pub fn step(&mut self, recorded: RecordedStep) -> Option<Divergence> {
        self.replay_step(recorded).0
    }

    /// Repeats a step. Returns the first difference in it, and the result of the step.
    pub fn replay_step(&mut self, recorded: RecordedStep) -> (Option<Divergence>, Result<StepOutput, SessionError>) {
        let RecordedStep { call: told, replies: answers, result: came } = recorded;
        self.with_script(|script| script.answers = answers);
        let is_input = told.has_step();
        let result = told.apply(&mut self.session);
        let now = RecordedResult::of(&self.session, &result);
        if let Some(first) = self.answers_differ() {
            return (Some(first), result);
        }
        let then = came.filter(|then| is_input && *then != now);
        let divergence = then.map(|then| Divergence::Result {
            differences: Differences::between(&then.decisions, &now.decisions),
            then: Box::new(then),
            now: Box::new(now),
        });
        (divergence, result)
    }

    /// Repeats a step with explanations. The policy gets more calls than were recorded, so the answers are not compared. Returns whether the result
    /// is the recorded one, and the result. Where it differs, the following steps cannot be repeated.
    pub fn explain(&mut self, recorded: RecordedStep) -> (bool, Result<StepOutput, SessionError>) {
        let RecordedStep { call: told, result: then, .. } = recorded;
        let result = self.call_uncompared(|session| {
            session.explain()?;
            told.apply(session)
        });
        let now = RecordedResult::of(&self.session, &result);
        (then.is_none_or(|then| then == now), result)
    }

    /// Calls a function of the session that was not recorded. The answers of the policy are not compared.
    pub fn call_uncompared<T>(&mut self, ask: impl FnOnce(&mut Session) -> T) -> T {
        self.with_script(|script| script.is_uncompared = true);
        let answer = ask(&mut self.session);
        self.with_script(|script| script.is_uncompared = false);
        answer
    }

    /// Returns the number of answers that were compared so far.
    pub fn compared(&self) -> usize {
        self.with_script(|script| script.compared)
    }

    /// Returns the number of recorded faults that did not occur again.
    pub fn discarded(&self) -> usize {
        self.with_script(|script| script.discarded)
    }

    /// Returns the current session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    fn with_script<T>(&self, look: impl FnOnce(&mut ReplayScript) -> T) -> T {
        look(&mut self.script.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the first answer that differs from the recording, or that is missing. `None`: the step is as recorded.
    fn answers_differ(&self) -> Option<Divergence> {
        let (then, now) = self.with_script(|script| {
            let missing = script.answers.pop_front().map(|then| (Some(then), None));
            script.first.take().or(missing)
        })?;
        let asked = now.as_ref().or(then.as_ref())?;
        let about = named(asked, &self.session);
        Some(Divergence::Answer { about, then, now })
    }
}

/// Returns the names of the pods and nodes of a call.
fn named(answer: &RecordedReply, session: &Session) -> Vec<String> {
    let mirror = session.mirror();
    let pod = |id: &u32| mirror.pod_name(*id).map(str::to_owned);
    let node = |id: &u32| mirror.node(*id).map(|node| node.name.clone());
    match (answer.call.as_str(), answer.ids.as_slice()) {
        ("apply", _) => Vec::new(),
        ("reserve" | "marks", [first, second]) => pod(first).into_iter().chain(node(second)).collect(),
        (_, pods) => pods.iter().filter_map(pod).collect(),
    }
}

impl ReplyObserver for ReplayScript {
    fn on_reply(&mut self, now: RecordedReply) -> Option<String> {
        if self.first.is_some() || self.is_uncompared {
            return None;
        }
        let then = self.answers.pop_front();
        self.compared = self.compared.saturating_add(1);
        let broke = then.as_ref().and_then(RecordedReply::broke);
        if let (Some(then), Some(cause)) = (&then, broke)
            && (&then.call, &then.ids) == (&now.call, &now.ids)
        {
            self.discarded = self.discarded.saturating_add(usize::from(now.broke().is_none()));
            return Some(cause);
        }
        if then.as_ref() != Some(&now) {
            self.first = Some((then, Some(now)));
        }
        None
    }

    /// Reports the recorded memory, so that an instance is replaced at the same step as in the recording.
    fn on_usage(&mut self, usage: PolicyUsage, _recycle_bytes: Option<u64>) -> PolicyUsage {
        let memory = self.answers.front().and_then(RecordedReply::memory);
        self.answers.drain(..usize::from(memory.is_some()));
        PolicyUsage { memory_bytes: memory.unwrap_or(0), ..usage }
    }

    fn recycle_bytes(&self, _own: Option<u64>) -> Option<u64> {
        self.recycle_bytes
    }
}
