//! Tells a session what happens in the cluster, and turns what it decides into tasks. No input or output.

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
use lictor_host::cluster::Object;
use lictor_host::session::{
    Action, Command, CommandId, CommandOutcome, Input, ObjectRef, Session, SessionCheckpoint, SessionError, Step,
};
use serde::{Deserialize, Serialize};

use crate::carry_out::Task;
use lives::{GivenUp, Lives};
use pauses::Pauses;
use plans::Plans;
pub use talk::Talk;

/// How much is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// What the policy decides.
    Act,
    /// Nothing: what would be done to the pods that our gate holds is only said.
    DryRun,
    /// Nothing: what would be done to all pending pods, gated or not, is only said.
    Observe,
}

/// Something that the session is told.
#[derive(Debug, Clone)]
pub enum Fact {
    /// An object is new or has changed.
    There(Box<Object>),
    /// An object is gone.
    Gone(String),
    /// What became of a command.
    Outcome(CommandId, CommandOutcome),
}

/// What came of telling, or of deciding.
#[derive(Debug, Default)]
pub struct Turn {
    /// What is to be done now.
    pub tasks: Vec<Task>,
    /// Commands that nobody needs any more: they are given up unless they were carried out.
    pub cancelled: Vec<CommandId>,
    /// What happened.
    pub steps: Vec<Step>,
    /// Inputs that could not be served.
    pub errors: Vec<SessionError>,
    /// Counts the attempts that failed by a fault of the policy.
    pub failed_attempts: usize,
    /// Plans that were given up.
    pub given_up: Vec<GivenUp>,
}

/// What is stored so that another process goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Saved {
    session: SessionCheckpoint,
    /// The commands whose end is not known.
    commands: BTreeMap<CommandId, Command>,
}

/// A session, and what is under way for it.
pub struct Decider {
    talk: Talk,
    mode: Mode,
    plans: Plans,
    lives: Lives,
    pauses: Pauses,
    /// The commands whose end is not known.
    open: BTreeMap<CommandId, Command>,
    /// Something has changed since the last cycle.
    due: bool,
    wake_at: Option<i64>,
    /// Queues may have to give back something, with or without pending pods.
    enforces: bool,
}

impl Decider {
    /// Begins with a session that was told nothing yet, these points at which its policy decides, and the cluster as it is.
    pub fn begin(
        talk: Talk,
        mode: Mode,
        points: &[ExtensionPoint],
        now: i64,
        objects: Vec<Object>,
        saved: Option<Saved>,
    ) -> (Decider, Turn) {
        let enforces = points.contains(&ExtensionPoint::Enforce);
        let (plans, lives, pauses, open) = Default::default();
        let mut decider = Decider { talk, mode, plans, lives, pauses, open, due: true, wake_at: None, enforces };
        let mut turn = Turn::default();
        decider.hand(Input::Clock(now), &mut turn);
        decider.hand(Input::Listed(objects), &mut turn);
        if let Some(Saved { session, commands }) = saved {
            decider.open = commands;
            turn.errors.extend(decider.talk.restore(session).err());
            // What is asked about comes with the next step.
            decider.hand(Input::Clock(now), &mut turn);
        }
        (decider, turn)
    }

    /// The session.
    pub fn session(&self) -> &Session {
        self.talk.session()
    }

    /// The session, to be asked something.
    pub fn talk(&mut self) -> &mut Talk {
        &mut self.talk
    }

    /// When the session wants to be told the time, at the latest, in nanoseconds since 1970.
    pub fn wake_at(&self) -> Option<i64> {
        self.wake_at.into_iter().chain(self.lives.next()).min()
    }

    /// Whether a cycle is under way, or a decision may come out otherwise than the last one and there is something to decide about.
    pub fn is_due(&self) -> bool {
        self.is_in_cycle() || self.due && (self.enforces || self.session().pending().next().is_some())
    }

    /// Whether there are pods that the cycle under way has still to decide about.
    pub fn is_in_cycle(&self) -> bool {
        self.session().is_in_cycle()
    }

    /// Somebody wants a decision, though nothing has changed.
    pub fn demand(&mut self) {
        self.due = true;
    }

    /// Takes what happened in the cluster, in its order.
    pub fn tell(&mut self, now: i64, facts: Vec<Fact>) -> Turn {
        let mut turn = Turn::default();
        self.due |= self.wake_at.is_some_and(|at| at <= now);
        self.hand(Input::Clock(now), &mut turn);
        let (mut objects, mut outcomes) = (Vec::new(), Vec::new());
        for fact in facts {
            match fact {
                Fact::There(object) => objects.push(*object),
                Fact::Gone(key) => {
                    self.pauses.gone(&key);
                    self.hand_objects(&mut objects, &mut turn);
                    self.hand(Input::Removed(key), &mut turn);
                    self.due = true;
                }
                Fact::Outcome(id, outcome) => outcomes.push((id, outcome)),
            }
        }
        self.hand_objects(&mut objects, &mut turn);
        self.hand_outcomes(outcomes, &mut turn);
        self.look(&mut turn);
        turn.cancelled = self.plans.pointless(self.talk.session());
        turn
    }

    /// Decides about so many of the pods that are pending, at most: the next ones of the cycle under way, or the first of a new one.
    ///
    /// What comes meanwhile is for the next cycle: pods that are refused again and again keep nobody behind them from a turn.
    pub fn decide(&mut self, most: u32) -> Turn {
        let mut turn = Turn::default();
        if !self.session().is_in_cycle() {
            self.due = false;
        }
        self.hand(Input::Part(most), &mut turn);
        // What could not be decided is tried again, whether or not anything changes.
        self.due |= !turn.errors.is_empty();
        // That a plan has ended is said with the commands that end it: the process may be killed at any moment.
        self.look(&mut turn);
        turn
    }

    /// Looks how far the plans are.
    fn look(&mut self, turn: &mut Turn) {
        let (given_up, tasks) = self.lives.look(self.talk.session());
        turn.given_up.extend(given_up);
        turn.tasks.extend(tasks);
    }

    /// What another process needs to go on.
    ///
    /// # Errors
    /// The policy fails.
    pub fn saved(&mut self) -> Result<Saved, SessionError> {
        let session = self.talk.checkpoint()?;
        Ok(Saved { session, commands: self.open.clone() })
    }

    fn hand_objects(&mut self, objects: &mut Vec<Object>, turn: &mut Turn) {
        if !objects.is_empty() {
            self.due = true;
            self.hand(Input::Objects(std::mem::take(objects)), turn);
        }
    }

    /// Tells what became of commands. What follows from it for others of their plan is told, too.
    fn hand_outcomes(&mut self, mut outcomes: Vec<(CommandId, CommandOutcome)>, turn: &mut Turn) {
        while !outcomes.is_empty() {
            let mut more = Vec::new();
            let now = self.talk.session().mirror().now();
            for (id, outcome) in &mut outcomes {
                if let Some(command) = self.open.get(id) {
                    self.pauses.take(&command.object, outcome, now);
                    turn.given_up.extend(self.lives.settle(command, outcome));
                }
                let released = self.plans.settle(*id, outcome);
                turn.tasks.extend(released.carry.into_iter().map(Task::Command));
                more.extend(released.failed);
                if *outcome != CommandOutcome::Accepted {
                    self.open.remove(id);
                }
                self.due |= matches!(outcome, CommandOutcome::Failed(_)) && self.mode == Mode::Act;
            }
            self.hand(Input::Outcomes(outcomes), turn);
            outcomes = more;
        }
        if self.session().under_way() == 0 {
            self.open.clear();
        }
    }

    /// Has the session serve an input; what it asks for.
    fn hand(&mut self, input: Input, turn: &mut Turn) {
        let is_attempt = matches!(input, Input::Part(_));
        let mut step = match self.talk.handle(input) {
            Ok(step) => step,
            Err(error) => {
                let has_failed = is_attempt && error.cause.is_fault();
                turn.failed_attempts = turn.failed_attempts.saturating_add(usize::from(has_failed));
                turn.errors.push(error);
                return;
            }
        };
        self.wake_at = step.wake_at;
        if self.mode != Mode::Act {
            let said = |command: Command| (command.id, CommandOutcome::Failed(NOTHING.to_owned()));
            let outcomes: Vec<_> = step.commands.drain(..).map(said).collect();
            step.happened.failed.clear();
            turn.steps.push(step);
            if !outcomes.is_empty() {
                self.hand(Input::Outcomes(outcomes), turn);
            }
            return;
        }
        self.lives.take(&step, self.talk.session());
        // Those that wait for others of their plan are under way, too: the session asks what became of them.
        let begun = step.commands.iter().filter(|command| command.action != Action::Confirm);
        self.open.extend(begun.map(|command| (command.id, command.clone())));
        for command in self.plans.take(&step) {
            turn.tasks.push(self.task(command));
        }
        turn.steps.push(step);
    }

    fn task(&self, command: Command) -> Task {
        if command.action == Action::Confirm {
            let of = self.open.get(&command.id).map(|asked| asked.action.clone());
            return Task::Confirm(command.id, command.object, of);
        }
        Task::Command(command)
    }
}

/// Why a command is not carried out where nothing is.
const NOTHING: &str = "nothing is carried out";

/// Returns the pod that is meant; none where it is gone, or another one has its name.
fn pod_of<'s>(session: &'s Session, meant: &ObjectRef) -> Option<&'s Pod> {
    let mirror = session.mirror();
    mirror.pod(mirror.pod_id(&meant.pod_name())?).filter(|pod| pod.uid == meant.uid)
}

/// Returns whether a pod is to leave: it carries the mark of a victim, or a plan under way evicts it.
fn is_victim(session: &Session, pod: &Pod) -> bool {
    session.mirror().is_marked(pod) || session.victims().any(|victim| victim == pod.id)
}
