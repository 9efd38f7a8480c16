//! The inputs of the session, and the results of inputs.

use std::collections::VecDeque;
use std::fmt;

use lictor_contract::*;
use serde::Serialize;

use super::command::{Command, CommandId, CommandOutcome};
use super::counters::add;
use super::{FailureCause, Session, SessionError, SessionReport};
use crate::cluster::{BUDGET_KIND, KubernetesObject};
use crate::replace::Transition;

/// An input of the session.
#[derive(Debug, Clone)]
pub enum SessionInput {
    /// Objects that are new or have changed, or are repeated.
    Objects(Vec<KubernetesObject>),
    /// Objects that were read together. An object that occurs twice gives a warning.
    InitialList(Vec<KubernetesObject>),
    /// The removal of an object, named `Kind/namespace/name` or `Kind/name`. `Kind.group` gives its API group, where the name is ambiguous.
    Removed(String),
    /// The current time, in nanoseconds since 1970. An earlier time than the last one changes nothing.
    Clock(i64),
    /// One attempt for a pending pod, named `namespace/name`.
    Attempt(String),
    /// One scheduling cycle.
    Cycle,
    /// At most so many attempts of a scheduling cycle: of the cycle in progress, or of a new one. Their commands are handed out with them, not only
    /// at the end of the cycle. [`Session::is_in_cycle`] returns whether attempts are left.
    CycleAttempts(u32),
    /// The outcomes of commands.
    Outcomes(Vec<(CommandId, CommandOutcome)>),
}

impl SessionInput {
    /// Returns the part of the input to retry on a fresh instance, after its observations were stored.
    fn retry_input(&self) -> SessionInput {
        match self {
            SessionInput::Objects(_) | SessionInput::InitialList(_) | SessionInput::Removed(_) => {
                SessionInput::Objects(Vec::new())
            }
            SessionInput::Outcomes(_) => SessionInput::Outcomes(Vec::new()),
            SessionInput::Clock(_)
            | SessionInput::Attempt(_)
            | SessionInput::Cycle
            | SessionInput::CycleAttempts(_) => self.clone(),
        }
    }
}

impl fmt::Display for SessionInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionInput::Objects(objects) | SessionInput::InitialList(objects) => match objects.as_slice() {
                [object] => write!(f, "object {}", object.key()),
                objects => write!(f, "{} objects", objects.len()),
            },
            SessionInput::Removed(key) => write!(f, "removal of {key}"),
            SessionInput::Clock(now) => write!(f, "clock at {now} ns"),
            SessionInput::Attempt(pod) => write!(f, "attempt for {pod}"),
            SessionInput::Cycle => f.write_str("cycle"),
            SessionInput::CycleAttempts(most) => write!(f, "{most} attempts of a cycle"),
            SessionInput::Outcomes(outcomes) => match outcomes.as_slice() {
                [(id, _)] => write!(f, "outcome of command {id}"),
                outcomes => write!(f, "{} outcomes", outcomes.len()),
            },
        }
    }
}

/// The result of an input.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct StepOutput {
    /// The commands for the driver.
    pub commands: Vec<Command>,
    /// The events of the step, in names.
    pub happened: SessionReport,
    /// The findings for the authors of objects since the last step, and one of the recorder, about no object, where the recording cannot be written.
    pub findings: Vec<Finding>,
    /// The time at which the session must receive the time again, at the latest, in nanoseconds since 1970.
    pub wake_at: Option<i64>,
    /// The transitions of the replacement of the policy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replacement: Vec<Transition>,
}

impl Session {
    /// Serves an input.
    ///
    /// # Errors
    /// The input could not be served. Its observations are kept: objects, the time, outcomes. Its decisions are not: none of its commands is handed
    /// out, and no pod is held or nominated by it. Commands that follow from the observations come with the next step. The next input is served, by a
    /// new instance of the policy where the policy is at fault.
    ///
    /// An error is the second failure: after a fault of the policy the input is tried once more on a fresh instance. After several such inputs in a
    /// row, decisions are refused for a while ([`FailureCause::BreakerOpen`]) and only observations are kept; [`FaultRules`](super::FaultRules) has the
    /// numbers.
    pub fn handle(&mut self, input: SessionInput) -> Result<StepOutput, SessionError> {
        let (name, again) = (input.to_string(), input.retry_input());
        let is_decision =
            matches!(input, SessionInput::Attempt(_) | SessionInput::Cycle | SessionInput::CycleAttempts(_));
        let (mut input, faults) = (Some(input), self.instance.breaker.consecutive_faults);
        self.run_input(|| name, |session| session.serve(input.take().unwrap_or_else(|| again.clone())))?;
        // A policy that answers, but breaks over its checkpoint, does not end the row of faults.
        if is_decision && self.instance.breaker.consecutive_faults == faults {
            self.instance.breaker.record_success();
        }
        Ok(self.step())
    }

    /// Returns the result of the input that was just served.
    pub(super) fn step(&mut self) -> StepOutput {
        let findings = self.findings.deliver();
        add(&mut self.instance.counters.plans_refused, self.journal.report.refused.len());
        StepOutput {
            commands: std::mem::take(&mut self.pending_commands.outbox),
            happened: std::mem::take(&mut self.journal.report),
            findings,
            wake_at: self.wake_at(),
            replacement: self.take_transitions(),
        }
    }

    /// Returns the next time at which something is due, in nanoseconds since 1970.
    fn wake_at(&self) -> Option<i64> {
        let permit = self.occupancy.permit_holds().next().map(|(_, deadline)| deadline);
        // While the breaker is open, no decision of the policy is due.
        let refused = self.planned_evictions.next_try(self.mirror.now());
        let decision = permit.into_iter().chain(self.next_retry()).chain(refused).min();
        let decision = self.instance.breaker.until().or(decision);
        decision.into_iter().chain(self.pending_commands.next_due()).min()
    }

    fn serve(&mut self, input: SessionInput) -> Result<(), FailureCause> {
        match input {
            SessionInput::Objects(objects) => {
                if objects.iter().any(|object| object.id.kind == BUDGET_KIND) {
                    self.planned_evictions.budget_changed();
                }
                objects.into_iter().for_each(|object| self.mirror.upsert(object));
                self.objects_changed()
            }
            SessionInput::InitialList(objects) => {
                self.mirror.load_objects(objects);
                self.objects_changed()
            }
            SessionInput::Removed(key) => {
                if key.split(['.', '/']).next() == Some(BUDGET_KIND) {
                    self.planned_evictions.budget_changed();
                }
                let keys = self.mirror.ambiguous(&key);
                if !keys.is_empty() {
                    return Err(FailureCause::Ambiguous { key, keys });
                }
                if self.instance.is_breaker_open() {
                    self.mirror.remove(&key);
                    self.forget_deleted();
                    return self.observe_only();
                }
                let removed = self.ensure_instance().and_then(|()| self.remove(&key)).and_then(|()| self.sync());
                // The object is gone, even where the policy fails over it.
                self.mirror.remove(&key);
                self.forget_deleted();
                removed
            }
            SessionInput::Clock(now) => self.advance_clock(now),
            SessionInput::Attempt(pod) => {
                self.ensure_instance()?;
                let id = self.mirror.pod_id(&pod).ok_or(FailureCause::NoSuchPod(pod))?;
                self.attempt(id)?;
                // A binding is reported before it can fail.
                self.sync()
            }
            SessionInput::Cycle => {
                self.count_cycle();
                self.ensure_instance()?;
                self.cycle()?;
                self.sync()
            }
            SessionInput::CycleAttempts(most) => {
                self.ensure_instance()?;
                self.run_cycle_attempts(most)?;
                if self.due.remaining_queue.is_empty() {
                    self.count_cycle();
                }
                self.sync()
            }
            SessionInput::Outcomes(outcomes) => {
                outcomes.into_iter().for_each(|(id, outcome)| self.apply_outcome(id, outcome));
                self.forget_deleted();
                self.commit();
                if self.instance.is_breaker_open() {
                    return self.observe_only();
                }
                self.ensure_instance()?;
                self.sync()
            }
        }
    }

    /// Advances the clock: releases expired reservations, reminds of commands without outcome, and calls `enforce` where it is due.
    fn advance_clock(&mut self, now: i64) -> Result<(), FailureCause> {
        self.instance.breaker.advance_clock(now);
        if self.instance.is_breaker_open() {
            self.mirror.set_clock(now);
            self.confirm_overdue();
            return self.observe_only();
        }
        let due = self.ensure_instance().and_then(|()| self.expire_holds(now));
        self.mirror.set_clock(now);
        due?;
        self.confirm_overdue();
        self.enforce_if_due()?;
        self.sync()
    }

    /// Handles new objects: settles commands that they show, and updates reservations and nominations.
    fn objects_changed(&mut self) -> Result<(), FailureCause> {
        self.reconcile_observed();
        self.commit();
        if self.instance.is_breaker_open() {
            return self.observe_only();
        }
        if self.instance.needs_restart {
            return self.ensure_instance();
        }
        let rounds = self.unreserve_replaced()?;
        self.reconcile_holds()?;
        self.apply_effects(rounds)?;
        self.sync()
    }

    /// Stores the observations only. The policy receives them with its next call.
    pub(super) fn observe_only(&mut self) -> Result<(), FailureCause> {
        self.apply_changes();
        self.commit();
        Ok(())
    }

    /// Unreserves held pods that another pod of the same name has replaced, before the policy receives their removal.
    fn unreserve_replaced(&mut self) -> Result<VecDeque<Effects>, FailureCause> {
        let held = self.occupancy.permit_holds().iter().map(|(pod, _)| pod);
        let gone: Vec<PodId> = held.filter(|pod| self.mirror.pod(*pod).is_none()).collect();
        let mut rounds = VecDeque::new();
        for pod in gone {
            rounds.extend(self.unreserve_removed(pod)?);
        }
        Ok(rounds)
    }
}
