//! Feeds a session with the changes of the cluster, and turns its decisions into tasks. No input or output.

pub mod foreign;
pub mod leftovers;
pub mod lives;
mod pauses;
mod plans;
mod recover;
pub mod refused;
pub mod stopping;
mod talk;
#[cfg(test)]
mod tests;
pub mod victims;

use std::collections::BTreeMap;

use lictor_contract::{ExtensionPoint, Pod};
use lictor_host::cluster::KubernetesObject;
use lictor_host::session::{
    Command, CommandAction, CommandId, CommandOutcome, ObjectRef, Session, SessionCheckpoint, SessionError,
    SessionInput, StepOutput,
};
use serde::{Deserialize, Serialize};

use crate::carry_out::ExecutorTask;
use lives::{GivenUpPlan, PlanLifecycles};
use pauses::RefusalBackoff;
use plans::CommandSequencer;
pub use talk::RecordableSession;

/// The extent to which decisions are carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunMode {
    /// Carry out what the policy decides.
    Enforce,
    /// Carry out nothing: what would be done to the pods that our gate holds is only reported.
    DryRun,
    /// Carry out nothing: what would be done to all pending pods, gated or not, is only reported.
    Observe,
}

/// A fact about the cluster that the session receives.
#[derive(Debug, Clone)]
pub enum SessionFact {
    /// An object that is new or has changed.
    Upserted(Box<KubernetesObject>),
    /// The key of an object that is gone.
    Deleted(String),
    /// The outcome of a command.
    Outcome(CommandId, CommandOutcome),
}

/// The result of facts or of a decision.
#[derive(Debug, Default)]
pub struct DeciderOutput {
    /// The tasks to carry out now.
    pub tasks: Vec<ExecutorTask>,
    /// Commands that are not needed any more: they are given up unless they were carried out.
    pub cancelled: Vec<CommandId>,
    /// The steps of the session.
    pub steps: Vec<StepOutput>,
    /// Inputs that could not be served.
    pub errors: Vec<SessionError>,
    /// Counts the attempts that failed by a fault of the policy.
    pub failed_attempts: usize,
    /// Plans that were given up.
    pub given_up: Vec<GivenUpPlan>,
}

/// The stored state from which another process continues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeciderCheckpoint {
    session: SessionCheckpoint,
    /// The commands whose end is not known.
    commands: BTreeMap<CommandId, Command>,
}

/// A session with the commands and plans under way.
pub struct Decider {
    session: RecordableSession,
    mode: RunMode,
    sequencer: CommandSequencer,
    plan_lifecycles: PlanLifecycles,
    backoff: RefusalBackoff,
    /// The commands whose end is not known.
    open: BTreeMap<CommandId, Command>,
    /// Something has changed since the last cycle.
    needs_cycle: bool,
    wake_at: Option<i64>,
    /// Queues may have an excess to give back, with or without pending pods.
    enforces: bool,
}

impl Decider {
    /// Begins with a session without inputs, the points at which its policy decides, the objects of the cluster, and the state of an earlier process.
    pub fn begin(
        session: RecordableSession,
        mode: RunMode,
        points: &[ExtensionPoint],
        now: i64,
        objects: Vec<KubernetesObject>,
        saved: Option<DeciderCheckpoint>,
    ) -> (Decider, DeciderOutput) {
        let enforces = points.contains(&ExtensionPoint::Enforce);
        let (sequencer, plan_lifecycles, backoff, open) = Default::default();
        let (needs_cycle, wake_at) = (true, None);
        let mut decider =
            Decider { session, mode, sequencer, plan_lifecycles, backoff, open, needs_cycle, wake_at, enforces };
        let mut turn = DeciderOutput::default();
        decider.feed(SessionInput::Clock(now), &mut turn);
        decider.feed(SessionInput::InitialList(objects), &mut turn);
        if let Some(DeciderCheckpoint { session, commands }) = saved {
            decider.open = commands;
            turn.errors.extend(decider.session.restore(session).err());
            // The outcomes of open commands come with the next step.
            decider.feed(SessionInput::Clock(now), &mut turn);
        }
        (decider, turn)
    }

    /// Returns the session.
    pub fn session(&self) -> &Session {
        self.session.session()
    }

    /// Returns the session with its recorder, for questions to the session.
    pub fn recordable_session(&mut self) -> &mut RecordableSession {
        &mut self.session
    }

    /// Returns by when the session or a plan needs the next input for the time, in nanoseconds since 1970. `None`: neither waits for a time.
    pub fn wake_at(&self) -> Option<i64> {
        self.wake_at.into_iter().chain(self.plan_lifecycles.next()).min()
    }

    /// Returns whether to decide now. A cycle is under way, or something has changed and there are pending pods or queues to enforce.
    pub fn is_due(&self) -> bool {
        self.is_in_cycle() || self.needs_cycle && (self.enforces || self.session().pending().next().is_some())
    }

    /// Returns whether the cycle under way has pods left to decide about.
    pub fn is_in_cycle(&self) -> bool {
        self.session().is_in_cycle()
    }

    /// Requests a decision, though nothing has changed.
    pub fn request_cycle(&mut self) {
        self.needs_cycle = true;
    }

    /// Takes facts about the cluster, in the order in which they happened.
    pub fn apply_facts(&mut self, now: i64, facts: Vec<SessionFact>) -> DeciderOutput {
        let mut turn = DeciderOutput::default();
        self.needs_cycle |= self.wake_at.is_some_and(|at| at <= now);
        self.feed(SessionInput::Clock(now), &mut turn);
        let (mut objects, mut outcomes) = (Vec::new(), Vec::new());
        for fact in facts {
            match fact {
                SessionFact::Upserted(object) => objects.push(*object),
                SessionFact::Deleted(key) => {
                    self.backoff.forget_key(&key);
                    self.feed_objects(&mut objects, &mut turn);
                    self.feed(SessionInput::Removed(key), &mut turn);
                    self.needs_cycle = true;
                }
                SessionFact::Outcome(id, outcome) => outcomes.push((id, outcome)),
            }
        }
        self.feed_objects(&mut objects, &mut turn);
        self.feed_outcomes(outcomes, &mut turn);
        self.check_plans(&mut turn);
        turn.cancelled = self.sequencer.obsolete_evictions(self.session.session());
        turn
    }

    /// Decides about at most `most` pending pods: the next ones of the cycle under way, or the first of a new one.
    ///
    /// Facts that arrive meanwhile are for the next cycle: pods that are refused again and again keep no other pod behind them from a turn.
    pub fn decide(&mut self, most: u32) -> DeciderOutput {
        let mut turn = DeciderOutput::default();
        if !self.session().is_in_cycle() {
            self.needs_cycle = false;
        }
        self.feed(SessionInput::CycleAttempts(most), &mut turn);
        // A decision that failed is tried again, whether or not anything changes.
        self.needs_cycle |= !turn.errors.is_empty();
        // The end of a plan is reported with the commands that end it: the process may be killed at any moment.
        self.check_plans(&mut turn);
        turn
    }

    /// Looks at the progress of the plans, and gives up those that must be.
    fn check_plans(&mut self, turn: &mut DeciderOutput) {
        let (given_up, tasks) = self.plan_lifecycles.check_progress(self.session.session());
        turn.given_up.extend(given_up);
        turn.tasks.extend(tasks);
    }

    /// Returns the state that another process needs to go on.
    ///
    /// # Errors
    /// The policy fails.
    pub fn checkpoint(&mut self) -> Result<DeciderCheckpoint, SessionError> {
        let session = self.session.checkpoint()?;
        Ok(DeciderCheckpoint { session, commands: self.open.clone() })
    }

    fn feed_objects(&mut self, objects: &mut Vec<KubernetesObject>, turn: &mut DeciderOutput) {
        if !objects.is_empty() {
            self.needs_cycle = true;
            self.feed(SessionInput::Objects(std::mem::take(objects)), turn);
        }
    }

    /// Hands outcomes of commands to the session, and then those that follow from them for other commands of their plans.
    fn feed_outcomes(&mut self, mut outcomes: Vec<(CommandId, CommandOutcome)>, turn: &mut DeciderOutput) {
        while !outcomes.is_empty() {
            let mut more = Vec::new();
            let now = self.session.session().mirror().now();
            for (id, outcome) in &mut outcomes {
                if let Some(command) = self.open.get(id) {
                    self.backoff.take(&command.object, outcome, now);
                    turn.given_up.extend(self.plan_lifecycles.settle(command, outcome));
                }
                let released = self.sequencer.settle(*id, outcome);
                turn.tasks.extend(released.ready.into_iter().map(ExecutorTask::Command));
                more.extend(released.failed);
                if *outcome != CommandOutcome::Accepted {
                    self.open.remove(id);
                }
                self.needs_cycle |= matches!(outcome, CommandOutcome::Failed(_)) && self.mode == RunMode::Enforce;
            }
            self.feed(SessionInput::Outcomes(outcomes), turn);
            outcomes = more;
        }
        if self.session().commands_in_flight() == 0 {
            self.open.clear();
        }
    }

    /// Hands an input to the session, and turns the commands of its step into tasks. An error of the session is added to the turn.
    fn feed(&mut self, input: SessionInput, turn: &mut DeciderOutput) {
        let is_attempt = matches!(input, SessionInput::CycleAttempts(_));
        let mut step = match self.session.handle(input) {
            Ok(step) => step,
            Err(error) => {
                let has_failed = is_attempt && error.cause.is_fault();
                turn.failed_attempts = turn.failed_attempts.saturating_add(usize::from(has_failed));
                turn.errors.push(error);
                return;
            }
        };
        self.wake_at = step.wake_at;
        if self.mode != RunMode::Enforce {
            let said = |command: Command| (command.id, CommandOutcome::Failed(DRY_RUN_REASON.to_owned()));
            let outcomes: Vec<_> = step.commands.drain(..).map(said).collect();
            step.happened.failed.clear();
            turn.steps.push(step);
            if !outcomes.is_empty() {
                self.feed(SessionInput::Outcomes(outcomes), turn);
            }
            return;
        }
        self.plan_lifecycles.take(&step, self.session.session());
        // Commands that wait for others of their plan are under way, too: the session asks for their outcomes.
        let begun = step.commands.iter().filter(|command| command.action != CommandAction::Confirm);
        self.open.extend(begun.map(|command| (command.id, command.clone())));
        for command in self.sequencer.take(&step) {
            turn.tasks.push(self.task(command));
        }
        turn.steps.push(step);
    }

    fn task(&self, command: Command) -> ExecutorTask {
        if command.action == CommandAction::Confirm {
            let of = self.open.get(&command.id).map(|asked| asked.action.clone());
            return ExecutorTask::Confirm(command.id, command.object, of);
        }
        ExecutorTask::Command(command)
    }
}

/// Why a command fails in a mode that carries nothing out.
const DRY_RUN_REASON: &str = "nothing is carried out";

/// Returns the pod that is meant. `None`: the pod is gone, or another pod has its name.
fn pod_of<'s>(session: &'s Session, meant: &ObjectRef) -> Option<&'s Pod> {
    let mirror = session.mirror();
    mirror.pod(mirror.pod_id(&meant.pod_name())?).filter(|pod| pod.uid == meant.uid)
}

/// Returns whether a pod is about to leave: the pod carries the mark of a victim, or a plan under way evicts it.
fn is_victim(session: &Session, pod: &Pod) -> bool {
    session.mirror().is_marked(pod) || session.victims().any(|victim| victim == pod.id)
}
