//! The replacement of the policy: what the session does in each of its states. See [`crate::replace`].

use lictor_contract::*;

use super::candidate::CandidatePolicy;
use super::{FailureCause, Session, SessionError};
use crate::policy::{CallError, Policy};
use crate::replace::{
    ComparisonReport, ComparisonTotals, Machine, MachineInput, ReplacementState, ReplacementTerms, Shadow,
    StateTransfer, Transition, TransitionReason,
};

/// The reason why the replacement of a policy cannot begin. The session continues as before.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    /// Another replacement has not ended.
    #[error("the policy is being replaced already")]
    InProgress,
    /// The new policy fails.
    #[error(transparent)]
    CallError(#[from] CallError),
    /// The new policy reads objects or fields that the session does not hold.
    #[error("the new policy reads other {0} than the old one: start a session with it instead")]
    Interests(String),
    /// The old policy fails.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// The state of a replacement, apart from the policies.
pub(super) struct Replacement {
    machine: Machine,
    /// The cycles that were served since the replacement began.
    cycles: u64,
    /// The totals before the current state.
    before: ComparisonTotals,
    /// The number of transitions that have been handed out.
    delivered: usize,
    /// The report of a replacement that has ended.
    report: ComparisonReport,
}

/// The progress of the replacement of a session's policy.
#[derive(Debug, Clone, Copy)]
pub struct ReplacementOverview<'a> {
    /// The state.
    pub state: ReplacementState,
    /// The transitions so far.
    pub history: &'a [Transition],
    /// The comparison so far.
    pub report: &'a ComparisonReport,
}

impl Session {
    /// Begins to replace the policy by another one. The replacement advances with every input of the session.
    ///
    /// # Errors
    /// The new policy reads objects or fields that the session does not hold; the old one fails; another replacement has not ended.
    pub fn replace(&mut self, candidate: CandidatePolicy, terms: ReplacementTerms) -> Result<(), ReplaceError> {
        if self.replacement_state().is_some_and(|state| !state.is_final()) {
            return Err(ReplaceError::InProgress);
        }
        let CandidatePolicy { mut policy, configuration } = candidate;
        if let Some(what) = differing_interests(&self.configuration.interests, &configuration.interests) {
            return Err(ReplaceError::Interests(what));
        }
        if self.instance.noted != NotedPods::None && policy.has(Interface::Explain) {
            policy.record_notes(&self.instance.noted)?;
        }
        let mut new = Some((policy, configuration));
        self.run_input(
            || "replacement".to_owned(),
            |session| {
                session.ensure_instance()?;
                let Some((policy, configuration)) = new.take() else { return Ok(()) };
                let mut shadow = Shadow::new(policy, configuration);
                shadow.compare_with(&session.configuration.points, session.configuration.judges_room);
                session.policy.shadow = Some(Box::new(shadow));
                session.replacement = Some(Box::new(Replacement {
                    machine: Machine::new(terms, session.mirror.now()),
                    cycles: 0,
                    before: ComparisonTotals::default(),
                    delivered: 0,
                    report: ComparisonReport::default(),
                }));
                Ok(())
            },
        )?;
        Ok(())
    }

    /// Returns the progress of the current or last replacement of the policy. `None`: the policy was never replaced.
    pub fn replacement(&self) -> Option<ReplacementOverview<'_>> {
        let replacement = self.replacement.as_deref()?;
        let report = self.policy.shadow.as_deref().map_or(&replacement.report, |shadow| &shadow.comparison.report);
        Some(ReplacementOverview { state: replacement.machine.state(), history: replacement.machine.history(), report })
    }

    /// Aborts the replacement: the old policy stays, or is back. Does nothing where no replacement is in progress.
    pub fn abort_replacement(&mut self, why: &str) {
        if self.replacement_state().is_some_and(|state| !state.is_final()) {
            self.enter(ReplacementState::RolledBack, TransitionReason::GivenUp { why: why.to_owned() });
        }
    }

    pub(super) fn replacement_state(&self) -> Option<ReplacementState> {
        Some(self.replacement.as_deref()?.machine.state())
    }

    /// Counts a cycle that is served.
    pub(super) fn count_cycle(&mut self) {
        if let Some(replacement) = &mut self.replacement {
            replacement.cycles = replacement.cycles.saturating_add(1);
        }
    }

    /// Returns the transitions that have not been handed out.
    pub(super) fn take_transitions(&mut self) -> Vec<Transition> {
        let Some(replacement) = &mut self.replacement else { return Vec::new() };
        let history = replacement.machine.history();
        let new = history.get(replacement.delivered..).unwrap_or_default().to_vec();
        replacement.delivered = history.len();
        new
    }

    /// Exchanges the policies between two inputs, where the new policy is ready to take over.
    pub(super) fn switch(&mut self) {
        if !self.instance.needs_restart && self.replacement_state() == Some(ReplacementState::Switching) {
            self.swap_policies();
            self.report_lost_state();
            self.enter(ReplacementState::Watching, TransitionReason::Switched);
        }
    }

    /// Advances the replacement after an input. `failed` is the error of the input.
    pub(super) fn advance_replacement(&mut self, failed: Option<&FailureCause>) {
        let Some(state) = self.replacement_state().filter(|state| !state.is_final()) else { return };
        self.compare_shadow_replies();
        if !self.instance.needs_restart {
            self.instance.needs_restart |= self.prepare(state).is_err();
        }
        let Some(shadow) = self.policy.shadow.as_deref() else { return };
        let Some(replacement) = self.replacement.as_deref() else { return };
        let wrong = match state {
            ReplacementState::Watching => self.instance.needs_restart.then(|| fault_of(failed)).flatten(),
            _ => shadow.fault.clone(),
        };
        let seen = MachineInput {
            now: self.mirror.now(),
            cycles: replacement.cycles,
            loaded: shadow.progress.state_transfer.clone().filter(|_| !self.instance.needs_restart),
            totals: shadow.comparison.report.totals().since(replacement.before),
            fault: wrong,
        };
        if let Some((to, reason)) = replacement.machine.next(&seen) {
            self.enter(to, reason);
        }
    }

    /// Prepares the shadow policy for the next input: continues to load it, or aligns its memory before a switch.
    fn prepare(&mut self, state: ReplacementState) -> Result<(), FailureCause> {
        let held: Vec<(PodId, NodeId)> =
            self.occupancy.permit_holds().iter().map(|(pod, place)| (pod, place.node)).collect();
        if state == ReplacementState::Loading {
            return self.continue_loading(held);
        }
        let compared = self
            .policy
            .shadow
            .as_deref()
            .map_or_else(ComparisonTotals::default, |shadow| shadow.comparison.report.totals());
        let due = self.replacement.as_ref().is_some_and(|replacement| {
            let compared = compared.since(replacement.before).compared;
            replacement.machine.is_due(self.mirror.now(), replacement.cycles, compared)
        });
        if state == ReplacementState::Shadow && due {
            self.policy.reserve_in_shadow(&held);
            return Ok(self.policy.sync_shadow_state()?);
        }
        Ok(self.policy.resync_diverged()?)
    }

    /// Enters a state, and acts on it.
    fn enter(&mut self, to: ReplacementState, reason: TransitionReason) {
        let Some(from) = self.replacement_state() else { return };
        if from == ReplacementState::Watching && to == ReplacementState::RolledBack {
            // An instance that broke, or that did not get the same reservations, is restarted, as after any fault.
            let points = &self.configuration.points;
            self.instance.needs_restart |=
                self.policy.shadow.as_ref().is_some_and(|shadow| !shadow.has_same_reserves(points));
            self.swap_policies();
            self.report_lost_state();
        }
        let totals = self.policy.shadow.as_ref().map(|shadow| shadow.comparison.report.totals()).unwrap_or_default();
        let ended = to.is_final().then(|| self.policy.drop_shadow()).flatten();
        let now = self.mirror.now();
        let Some(replacement) = &mut self.replacement else { return };
        if let Some(shadow) = ended {
            replacement.report = shadow.comparison.report;
        }
        replacement.before = totals;
        replacement.machine.enter(to, reason, (now, replacement.cycles));
    }

    /// Exchanges the two policies, and with them their configurations.
    fn swap_policies(&mut self) {
        self.policy.swap();
        self.instance.baseline_memory_bytes = self.policy.usage().memory_bytes;
        let now = self.mirror.now();
        let Some(shadow) = &mut self.policy.shadow else { return };
        let other = &mut shadow.configuration;
        std::mem::swap(&mut self.configuration, other);
        let both = other.points.contains(&ExtensionPoint::Enforce);
        let enforces = self.configuration.points.contains(&ExtensionPoint::Enforce);
        let due = if both { shadow.enforce_at } else { enforces.then_some(now) };
        shadow.enforce_at = std::mem::replace(&mut self.due.enforce_at, due);
        let found = std::mem::take(&mut shadow.findings);
        self.findings.extend_new(found);
    }

    /// Adds a finding where the policy in force lacks the memory of the other one.
    fn report_lost_state(&mut self) {
        let memory = self.policy.shadow.as_ref().and_then(|shadow| shadow.progress.state_transfer.clone());
        if let Some(StateTransfer::Rebuilt { why }) = memory {
            self.record_lost_checkpoint(&why);
        }
    }
}

/// Returns the fault or lie of the policy in force, from the error of an input. `None`: the policy could not count an object, which is no fault. Both
/// policies are then restarted without the object.
fn fault_of(failed: Option<&FailureCause>) -> Option<TransitionReason> {
    let message = failed.map_or_else(|| "the policy broke in `save`".to_owned(), FailureCause::to_string);
    Some(match failed {
        Some(FailureCause::CallError(CallError::Refused { error: PolicyError::Overflow(_), .. })) => return None,
        Some(FailureCause::ProtocolError { call, .. }) => TransitionReason::Lie { call: (*call).to_owned(), message },
        Some(FailureCause::CallError(error)) => TransitionReason::Fault { call: error.call().to_owned(), message },
        Some(_) => TransitionReason::Fault { call: "configure".to_owned(), message },
        None => TransitionReason::Fault { call: "save".to_owned(), message },
    })
}

/// Returns what the two policies read differently. `None`: they read the same.
fn differing_interests(old: &Interests, new: &Interests) -> Option<String> {
    let parts = [
        ("labels", old.labels == new.labels),
        ("labels of who is leaving", old.leaving_labels == new.leaving_labels),
        ("annotations", old.annotations == new.annotations),
        ("fields of pods", old.pod_fields == new.pod_fields),
        ("labels of nodes", old.node_labels == new.node_labels),
        ("kinds of objects", old.kinds == new.kinds),
        ("placed kinds", old.placed_kinds == new.placed_kinds),
    ];
    parts.into_iter().find(|(_, same)| !same).map(|(name, _)| name.to_owned())
}
