//! What the session is told, and what it answers.

use std::collections::VecDeque;
use std::fmt;

use lictor_contract::*;
use serde::Serialize;

use super::command::{Command, CommandId, CommandOutcome};
use super::{Cause, Happened, Session, SessionError};
use crate::cluster::Object;
use crate::replace::Transition;

/// Something that the session is told.
#[derive(Debug, Clone)]
pub enum Input {
    /// These objects are new or have changed, or are told again.
    Objects(Vec<Object>),
    /// The same, of objects that were read together: one that is there twice is a warning.
    Listed(Vec<Object>),
    /// An object is gone, named `Kind/namespace/name` or `Kind/name`; `Kind.group` says its API group, where it has to be said.
    Removed(String),
    /// The time is now this. A time before the last one changes nothing.
    Clock(i64),
    /// One attempt for a pending pod, named `namespace/name`.
    Attempt(String),
    /// One scheduling cycle.
    Cycle,
    /// What became of commands.
    Outcomes(Vec<(CommandId, CommandOutcome)>),
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Objects(objects) | Input::Listed(objects) => match objects.as_slice() {
                [object] => write!(f, "object {}", object.key()),
                objects => write!(f, "{} objects", objects.len()),
            },
            Input::Removed(key) => write!(f, "removal of {key}"),
            Input::Clock(now) => write!(f, "clock at {now} ns"),
            Input::Attempt(pod) => write!(f, "attempt for {pod}"),
            Input::Cycle => f.write_str("cycle"),
            Input::Outcomes(outcomes) => match outcomes.as_slice() {
                [(id, _)] => write!(f, "outcome of command {id}"),
                outcomes => write!(f, "{} outcomes", outcomes.len()),
            },
        }
    }
}

/// What came of an input.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What is to be done in the cluster.
    pub commands: Vec<Command>,
    /// What happened, in names.
    pub happened: Happened,
    /// What the authors of objects should know that they have not been told.
    pub findings: Vec<Finding>,
    /// When the session wants to be told the time, at the latest.
    pub wake_at: Option<i64>,
    /// How the replacement of the policy went on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replacement: Vec<Transition>,
}

impl Session {
    /// Serves an input.
    ///
    /// # Errors
    /// The input, and why it could not be served. What the cluster says is kept: objects, the time, outcomes. Nothing that was decided
    /// is: no command of it is handed out, and no pod is held or nominated by it. Commands that follow from what the cluster says come
    /// with the next step. The next input is served, by a new instance of the policy where the fault is its.
    pub fn handle(&mut self, input: Input) -> Result<Step, SessionError> {
        let name = input.to_string();
        self.run(|| name, |session| session.take(input))?;
        Ok(self.step())
    }

    /// What came of the input that was just served.
    fn step(&mut self) -> Step {
        let findings = self.findings.get(self.told_findings..).unwrap_or_default().to_vec();
        self.told_findings = self.findings.len();
        Step {
            commands: std::mem::take(&mut self.asked.outbox),
            happened: std::mem::take(&mut self.happened),
            findings,
            wake_at: self.wake_at(),
            replacement: self.take_transitions(),
        }
    }

    /// The next time at which something is due.
    fn wake_at(&self) -> Option<i64> {
        let permit = self.occupancy.held().next().map(|(_, deadline)| deadline);
        let outcome = self.asked.open.values().map(|ask| ask.since.saturating_add(self.patience)).min();
        [permit, outcome, self.next_retry()].into_iter().flatten().min()
    }

    fn take(&mut self, input: Input) -> Result<(), Cause> {
        match input {
            Input::Objects(objects) => {
                objects.into_iter().for_each(|object| self.mirror.upsert(object));
                self.came()
            }
            Input::Listed(objects) => {
                self.mirror.load_objects(objects);
                self.came()
            }
            Input::Removed(key) => {
                let keys = self.mirror.ambiguous(&key);
                if !keys.is_empty() {
                    return Err(Cause::Ambiguous { key, keys });
                }
                let removed = self.up().and_then(|()| self.remove(&key)).and_then(|()| self.sync());
                // Whatever the policy says of it, the object is gone.
                self.mirror.remove(&key);
                self.sweep();
                removed
            }
            Input::Clock(now) => {
                let due = self.up().and_then(|()| self.run_out(now));
                self.mirror.set_clock(now);
                due?;
                self.remind();
                self.enforce_in_time()?;
                self.sync()
            }
            Input::Attempt(pod) => {
                self.up()?;
                let id = self.mirror.pod_id(&pod).ok_or(Cause::NoSuchPod(pod))?;
                self.attempt(id)?;
                // A binding is told before it can fail.
                self.sync()
            }
            Input::Cycle => {
                self.count_cycle();
                self.up()?;
                self.cycle()?;
                self.sync()
            }
            Input::Outcomes(outcomes) => {
                outcomes.into_iter().for_each(|(id, outcome)| self.settle(id, outcome));
                self.sweep();
                self.commit();
                self.up()?;
                self.sync()
            }
        }
    }

    /// Objects came.
    fn came(&mut self) -> Result<(), Cause> {
        self.look_at_what_came();
        self.commit();
        if self.down {
            return self.up();
        }
        let rounds = self.unreserve_replaced()?;
        self.reconcile()?;
        self.carry(rounds)?;
        self.sync()
    }

    /// Unreserves pods that another of the same name has replaced, before the policy is told that they are gone.
    fn unreserve_replaced(&mut self) -> Result<VecDeque<Effects>, Cause> {
        let held = self.occupancy.held().iter().map(|(pod, _)| pod);
        let gone: Vec<PodId> = held.filter(|pod| self.mirror.pod(*pod).is_none()).collect();
        let mut rounds = VecDeque::new();
        for pod in gone {
            rounds.extend(self.unreserve_gone(pod)?);
        }
        Ok(rounds)
    }
}
