//! Recovers from a fault of the policy: a new instance receives the whole cluster again.

use std::collections::VecDeque;

use lictor_contract::*;

use super::counters::add;
use super::{FailureCause, ReleasedPod, Session, SessionError};
use crate::policy::{CallError, Policy};

impl Session {
    /// Runs an input to its end, or undoes its decisions and returns an error that names it.
    ///
    /// After a fault of the policy the input is run once more on a fresh instance. A policy that fails again and again costs these two attempts per
    /// input, until the breaker opens.
    pub(super) fn run_input<T>(
        &mut self,
        input: impl FnOnce() -> String,
        mut work: impl FnMut(&mut Session) -> Result<T, FailureCause>,
    ) -> Result<T, SessionError> {
        add(&mut self.instance.counters.inputs, 1);
        self.switch();
        let mut again = false;
        loop {
            self.commit();
            let left_out = self.instance.uncountable.len();
            let cause = match work(self) {
                Ok(done) => {
                    self.journal.undo_log.clear();
                    add(&mut self.instance.counters.rescued, again.into());
                    self.save_policy();
                    self.advance_replacement(None);
                    self.recycle();
                    return Ok(done);
                }
                Err(cause) => cause,
            };
            self.roll_back();
            self.instance.needs_restart |= cause.is_fault();
            self.advance_replacement(Some(&cause));
            // An object that cannot be counted is no fault of the policy. The next input leaves the object out.
            let is_fault = self.instance.uncountable.len() == left_out && self.count_fault(&cause);
            again = is_fault && !again && self.instance.breaker.allows_retry();
            if !again {
                let error = SessionError { input: input(), cause };
                if is_fault {
                    add(&mut self.instance.counters.failed, 1);
                    self.instance.breaker.record_failure(self.mirror.now(), || error.to_string());
                }
                return Err(error);
            }
            add(&mut self.instance.counters.second_tries, 1);
        }
    }

    /// Drops an instance that holds too much memory. The next input has a new one with the memory of this one. A cluster that takes as much in a new
    /// instance is no leak.
    fn recycle(&mut self) {
        let Some(mark) = self.policy.recycle_bytes().filter(|_| !self.instance.needs_restart) else { return };
        if !self.instance.has_leaked(self.policy.usage().memory_bytes, mark) {
            return;
        }
        self.instance.is_checkpoint_stale = true;
        self.save_policy();
        add(&mut self.instance.counters.recycles, 1);
        self.instance.needs_restart = true;
    }

    /// Makes sure that the policy works: starts a new instance where the last one failed.
    ///
    /// # Errors
    /// The breaker is open, or the new instance fails.
    pub(super) fn ensure_instance(&mut self) -> Result<(), FailureCause> {
        if !self.instance.needs_restart {
            return Ok(());
        }
        if let Some(until) = self.instance.breaker.until() {
            return Err(FailureCause::BreakerOpen {
                faults: self.instance.breaker.consecutive_faults,
                until,
                last: self.instance.breaker.last_fault.clone(),
            });
        }
        let found = self.replay_cluster()?;
        self.findings.extend_new(found);
        self.replay_reservations()?;
        self.restore_policy()?;
        if self.instance.noted != NotedPods::None {
            self.policy.record_notes(&self.instance.noted)?;
        }
        self.instance.needs_restart = false;
        self.instance.baseline_memory_bytes = self.policy.usage().memory_bytes;
        self.reconcile_holds()?;
        // The new instance has this state, whatever the result of the input.
        self.commit();
        Ok(())
    }

    /// Sends a new instance the cluster. Returns its findings. An instance that cannot count an object is replaced by one that does not receive the
    /// object.
    fn replay_cluster(&mut self) -> Result<Vec<Finding>, FailureCause> {
        loop {
            add(&mut self.instance.counters.restarts, 1);
            self.policy.restart()?;
            self.policy
                .configure(&self.configuration.system, &self.configuration.arguments)?
                .map_err(FailureCause::Refused)?;
            self.instance.used_plan_numbers.clear();
            self.apply_changes();
            let events = self.mirror.replay();
            let left_out = self.instance.uncountable.len();
            match self.apply_chunked(events) {
                Err(_) if self.instance.uncountable.len() > left_out => {}
                told => return told,
            }
        }
    }

    /// Reserves the nodes of the pods held at permit in the new instance. A pod that the instance refuses loses its place.
    pub(super) fn replay_reservations(&mut self) -> Result<(), FailureCause> {
        let held: Vec<(PodId, NodeId)> =
            self.occupancy.permit_holds().iter().map(|(pod, place)| (pod, place.node)).collect();
        for (pod, node) in held {
            let waits = self.mirror.pod(pod).is_some_and(|pod| crate::verify::is_waiting(&pod.status()));
            let is_there = waits && self.mirror.node(node).is_some();
            let taken = match (is_there, self.decides(ExtensionPoint::Reserve)) {
                (false, _) => false,
                (true, false) => true,
                (true, true) => match self.policy.reserve(pod, node) {
                    // The effects were applied when the pod was reserved first.
                    Ok(_) => true,
                    Err(CallError::Refused { .. }) => false,
                    Err(fault) => return Err(fault.into()),
                },
            };
            if !taken {
                self.release_hold(pod);
                self.clear_assumed_marks(pod);
                let (pod, node) = (self.pod_name(pod), self.node_name(node));
                self.journal.report.released.push(ReleasedPod { pod, node, cause: ReleaseCause::Failed });
            }
        }
        Ok(())
    }

    /// Takes a checkpoint of the policy where it has made or withdrawn a promise since the last one.
    fn save_policy(&mut self) {
        if !std::mem::take(&mut self.instance.is_checkpoint_stale) || self.instance.needs_restart {
            return;
        }
        match self.policy.save() {
            Ok(_) | Err(CallError::MissingInterface(_)) => {}
            // The input was served, and the next one has a new instance.
            Err(fault) => {
                let cause = fault.into();
                self.count_fault(&cause);
                self.instance.breaker.record_failure(self.mirror.now(), || cause.to_string());
                self.instance.needs_restart = true;
            }
        }
    }

    /// Stops holding pods that another system has bound, and unreserves held pods that have ended.
    pub(super) fn reconcile_holds(&mut self) -> Result<(), FailureCause> {
        self.sync()?;
        let mut rounds = VecDeque::new();
        for (pod, _) in self.occupancy.permit_holds().iter().collect::<Vec<_>>() {
            match self.mirror.pod(pod) {
                Some(known) if known.node.is_none() && known.phase == Phase::Pending => {}
                Some(known) if known.node.is_some() => {
                    self.release_hold(pod);
                    self.clear_assumed_marks(pod);
                }
                _ => rounds.extend(self.unreserve(pod, ReleaseCause::Removed)?),
            }
        }
        self.apply_effects(rounds)
    }
}
