//! Updates of the metrics by the loop.

use std::time::Duration;

use lictor_host::rails::rail_of;
use lictor_host::replace::ReplacementState;
use lictor_host::session::{CommandOutcome, Counters, Session, StepOutput};

use super::labels::{self, Ended, How, Kind, Outcome, System, Verb};
use super::{Metrics, gauge};

/// The number of pending pods in each state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PendingCounts {
    /// Pods that are tried.
    pub active: usize,
    /// Pods with a gate of another controller.
    pub gated: usize,
    /// Pods for which a plan makes room.
    pub nominated: usize,
    /// Pods that are held at permit.
    pub held: usize,
}

impl PendingCounts {
    /// Counts the pending pods of a session.
    pub fn of(session: &Session) -> PendingCounts {
        let mut pending = PendingCounts { held: session.permit_holds().len(), ..PendingCounts::default() };
        for id in session.pending() {
            let is_nominated = session.mirror().pod(id).is_some_and(|pod| pod.nominated.is_some());
            let place = if is_nominated { &mut pending.nominated } else { &mut pending.active };
            *place = place.saturating_add(1);
        }
        let gated = session.mirror().pods().filter(|pod| pod.gated && !pod.template.foreign && pod.node.is_none());
        pending.gated = gated.count();
        pending
    }

    /// Returns the sum of both, per state.
    pub fn with(self, other: PendingCounts) -> PendingCounts {
        PendingCounts {
            active: self.active.saturating_add(other.active),
            gated: self.gated.saturating_add(other.gated),
            nominated: self.nominated.saturating_add(other.nominated),
            held: self.held.saturating_add(other.held),
        }
    }
}

impl Metrics {
    /// Counts an eviction of a pod by others.
    pub fn record_external_eviction(&self, kind: &str) {
        self.foreign_evictions.get_or_create(&Kind { kind: kind.to_owned() }).inc();
    }

    /// Records the time after which all pending pods were decided about.
    pub fn decided(&self, system: &str, took: Duration) {
        self.decision_duration.get_or_create(&System { system: system.to_owned() }).observe(took.as_secs_f64());
    }

    /// Counts the results of a step: attempts, plans, nominations, evictions and replacements.
    pub fn step(&self, system: &str, step: &StepOutput) {
        let of = || System { system: system.to_owned() };
        let result = |result: &str| labels::SystemResult { system: system.to_owned(), result: result.to_owned() };
        for attempt in &step.happened.attempts {
            self.schedule_attempts.get_or_create(&result(&attempt.result.to_string().to_lowercase())).inc();
        }
        for plan in &step.happened.plans {
            if plan.victims.is_empty() {
                self.nominations.get_or_create(&of()).inc();
                continue;
            }
            self.plans.get_or_create(&result("made")).inc();
            self.preemption_victims
                .get_or_create(&of())
                .observe(f64::from(u32::try_from(plan.victims.len()).unwrap_or(u32::MAX)));
        }
        for refused in &step.happened.refused {
            self.plans.get_or_create(&result("refused")).inc();
            if let Some(rail) = rail_of(&refused.reason.code) {
                self.rail_refusals.get_or_create(&labels::Reason { reason: rail.to_owned() }).inc();
            }
        }
        for victim in step.happened.victims.values() {
            let how = victim.how.metric_label().to_owned();
            self.evictions.get_or_create(&How { system: system.to_owned(), how }).inc();
        }
        for transition in &step.replacement {
            let result = match transition.to {
                ReplacementState::Done => "done",
                ReplacementState::RolledBack => "rolled-back",
                _ => continue,
            };
            self.replacements.get_or_create(&Ended { result: result.to_owned() }).inc();
        }
    }

    /// Counts a plan that was given up, by its reason in a word.
    pub fn given_up(&self, reason: &str) {
        self.plans_given_up.get_or_create(&labels::Reason { reason: reason.to_owned() }).inc();
    }

    /// Records how many pods that were let go are refused, and how many victims still run a minute after they were marked.
    pub fn set_overdue_counts(&self, refused: usize, overdue: usize) {
        self.refused_pods.set(gauge(refused));
        self.overdue(overdue);
    }

    /// Records how many victims still run a minute after they were marked.
    pub fn overdue(&self, victims: usize) {
        self.overdue_victims.set(gauge(victims));
    }

    /// Counts an event, a condition, a status or a mark that was not written.
    pub fn report_lost(&self, kind: &str) {
        self.reports_lost.get_or_create(&Kind { kind: kind.to_owned() }).inc();
    }

    /// Counts attempts that failed with an error.
    pub fn failed(&self, system: &str, attempts: usize) {
        if attempts > 0 {
            let error = labels::SystemResult { system: system.to_owned(), result: "error".to_owned() };
            self.schedule_attempts.get_or_create(&error).inc_by(u64::try_from(attempts).unwrap_or(u64::MAX));
        }
    }

    /// Records what the session has counted since it was opened. `before`: its counters at the last call.
    pub fn session(&self, before: &Counters, now: &Counters) {
        for (kind, count) in &now.faults {
            let known = before.faults.get(kind).copied().unwrap_or_default();
            let kind = serde_json::to_value(kind).ok().and_then(|name| Some(name.as_str()?.to_owned()));
            let kind = Kind { kind: kind.unwrap_or_default() };
            self.faults.get_or_create(&kind).inc_by(count.saturating_sub(known));
        }
        self.restarts.inc_by(now.restarts.saturating_sub(before.restarts));
        self.breaker_opened.inc_by(now.breaker.opened.saturating_sub(before.breaker.opened));
    }

    /// Counts a command of this action by its outcome.
    pub fn command(&self, action: &str, outcome: &CommandOutcome) {
        let outcome = match outcome {
            CommandOutcome::Accepted => "accepted",
            CommandOutcome::Done => "done",
            CommandOutcome::Failed(_) => "failed",
            CommandOutcome::Refused { .. } => "refused",
        };
        self.commands.get_or_create(&Outcome { action: action.to_owned(), outcome: outcome.to_owned() }).inc();
    }

    /// Counts a request to the API server, and records its time. `code` is `None` where no answer arrived.
    pub fn request(&self, verb: &str, code: Option<u16>, took: Duration) {
        let code = code.unwrap_or_default().to_string();
        self.api_requests.get_or_create(&labels::Request { verb: verb.to_owned(), code }).inc();
        self.api_duration.get_or_create(&Verb { verb: verb.to_owned() }).observe(took.as_secs_f64());
    }

    /// Counts a pod that was let go, and records the time since its creation.
    pub fn admitted(&self, system: &str, waited: Duration) {
        let of = System { system: system.to_owned() };
        self.bound.get_or_create(&of).inc();
        self.admission_duration.get_or_create(&of).observe(waited.as_secs_f64());
    }

    /// Records the time from the making of a plan until a pod of the plan is bound.
    pub fn preempted(&self, system: &str, took: Duration) {
        self.preemption_duration.get_or_create(&System { system: system.to_owned() }).observe(took.as_secs_f64());
    }
}
