//! What the session is told, and what it answers.

use std::collections::VecDeque;
use std::fmt;

use lictor_contract::*;
use serde::Serialize;

use super::command::{Command, CommandId, CommandOutcome};
use super::counters::add;
use super::{Cause, Happened, Session, SessionError};
use crate::cluster::Object;
use crate::replace::Transition;

/// The kind of objects that may keep the API server from evicting.
const BUDGET: &str = "PodDisruptionBudget";

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
    /// The next attempts of a scheduling cycle, at most so many: those of the cycle that is under way, or of a new one. What they decide is
    /// handed out with them, not only at the end of the cycle; [`Session::is_in_cycle`] says whether there are more.
    Part(u32),
    /// What became of commands.
    Outcomes(Vec<(CommandId, CommandOutcome)>),
}

impl Input {
    /// What of it is still to be done when what the cluster says in it has been kept.
    fn again(&self) -> Input {
        match self {
            Input::Objects(_) | Input::Listed(_) | Input::Removed(_) => Input::Objects(Vec::new()),
            Input::Outcomes(_) => Input::Outcomes(Vec::new()),
            Input::Clock(_) | Input::Attempt(_) | Input::Cycle | Input::Part(_) => self.clone(),
        }
    }
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
            Input::Part(most) => write!(f, "{most} attempts of a cycle"),
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
    ///
    /// An error is the second one: after a fault of the policy the input is tried once more on a fresh instance. After several inputs in
    /// a row that failed so, decisions are refused for a while ([`Cause::BreakerOpen`]) and what the cluster says is kept;
    /// [`FaultRules`](super::FaultRules) has the numbers.
    pub fn handle(&mut self, input: Input) -> Result<Step, SessionError> {
        let (name, again) = (input.to_string(), input.again());
        let is_decision = matches!(input, Input::Attempt(_) | Input::Cycle | Input::Part(_));
        let (mut input, faults) = (Some(input), self.breaker.in_row);
        self.run(|| name, |session| session.take(input.take().unwrap_or_else(|| again.clone())))?;
        // A policy that answers and breaks over its checkpoint is not sound.
        if is_decision && self.breaker.in_row == faults {
            self.breaker.served();
        }
        Ok(self.step())
    }

    /// What came of the input that was just served.
    pub(super) fn step(&mut self) -> Step {
        let findings = self.findings.get(self.told_findings..).unwrap_or_default().to_vec();
        self.told_findings = self.findings.len();
        self.forget_findings();
        add(&mut self.counters.plans_refused, self.happened.refused.len());
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
        // While nothing is decided, nothing that the policy would decide is due.
        let refused = self.departures.next_try(self.mirror.now());
        let decision = permit.into_iter().chain(self.next_retry()).chain(refused).min();
        let decision = self.breaker.until().or(decision);
        decision.into_iter().chain(outcome).chain(self.asked.next()).min()
    }

    fn take(&mut self, input: Input) -> Result<(), Cause> {
        match input {
            Input::Objects(objects) => {
                if objects.iter().any(|object| object.id.kind == BUDGET) {
                    self.departures.budget_changed();
                }
                objects.into_iter().for_each(|object| self.mirror.upsert(object));
                self.came()
            }
            Input::Listed(objects) => {
                self.mirror.load_objects(objects);
                self.came()
            }
            Input::Removed(key) => {
                if key.split(['.', '/']).next() == Some(BUDGET) {
                    self.departures.budget_changed();
                }
                let keys = self.mirror.ambiguous(&key);
                if !keys.is_empty() {
                    return Err(Cause::Ambiguous { key, keys });
                }
                if self.refuses() {
                    self.mirror.remove(&key);
                    self.sweep();
                    return self.only_note();
                }
                let removed = self.up().and_then(|()| self.remove(&key)).and_then(|()| self.sync());
                // Whatever the policy says of it, the object is gone.
                self.mirror.remove(&key);
                self.sweep();
                removed
            }
            Input::Clock(now) => self.passed(now),
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
            Input::Part(most) => {
                self.up()?;
                self.part(most)?;
                if self.untried.is_empty() {
                    self.count_cycle();
                }
                self.sync()
            }
            Input::Outcomes(outcomes) => {
                outcomes.into_iter().for_each(|(id, outcome)| self.settle(id, outcome));
                self.sweep();
                self.commit();
                if self.refuses() {
                    return self.only_note();
                }
                self.up()?;
                self.sync()
            }
        }
    }

    /// Time has passed.
    fn passed(&mut self, now: i64) -> Result<(), Cause> {
        self.breaker.clock(now);
        if self.refuses() {
            self.mirror.set_clock(now);
            self.remind();
            return self.only_note();
        }
        let due = self.up().and_then(|()| self.run_out(now));
        self.mirror.set_clock(now);
        due?;
        self.remind();
        self.enforce_in_time()?;
        self.sync()
    }

    /// Objects came.
    fn came(&mut self) -> Result<(), Cause> {
        self.look_at_what_came();
        self.commit();
        if self.refuses() {
            return self.only_note();
        }
        if self.down {
            return self.up();
        }
        let rounds = self.unreserve_replaced()?;
        self.reconcile()?;
        self.carry(rounds)?;
        self.sync()
    }

    /// Keeps what the cluster says. The policy is told of it when it is asked again.
    pub(super) fn only_note(&mut self) -> Result<(), Cause> {
        self.note_changes();
        self.commit();
        Ok(())
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
