//! The state of sessions that metrics show.

use lictor_host::session::{BreakerState, Session};

use super::labels::{Queue, State};
use super::{Metrics, PendingCounts, gauge};

/// The state of a session that metrics show, or of several sessions in sum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SessionState {
    /// The pending pods.
    pub pending: PendingCounts,
    /// The number of plans under way.
    pub plans: usize,
    /// The memory of the policies, in bytes.
    pub policy_memory: u64,
    /// The state of the breaker; of several, the worst one.
    pub breaker: BreakerState,
}

impl SessionState {
    /// Returns the state of a session with this number of plans under way.
    pub fn of(session: &Session, plans: usize) -> SessionState {
        let counters = session.counters();
        let (policy_memory, breaker) = (counters.policy.memory_bytes, counters.breaker.state);
        SessionState { pending: PendingCounts::of(session), plans, policy_memory, breaker }
    }

    /// Returns the sum of both.
    pub fn with(self, other: SessionState) -> SessionState {
        SessionState {
            pending: self.pending.with(other.pending),
            plans: self.plans.saturating_add(other.plans),
            policy_memory: self.policy_memory.saturating_add(other.policy_memory),
            breaker: if severity(other.breaker) > severity(self.breaker) { other.breaker } else { self.breaker },
        }
    }
}

/// Returns how bad a state of the breaker is: the higher, the fewer decisions are made.
fn severity(state: BreakerState) -> u8 {
    match state {
        BreakerState::Closed => 0,
        BreakerState::HalfOpen => 1,
        BreakerState::Open { .. } => 2,
    }
}

impl Metrics {
    /// Shows the state of the sessions.
    pub fn set_session_state(&self, state: SessionState) {
        let SessionState { pending: PendingCounts { active, gated, nominated, held }, plans, policy_memory, breaker } =
            state;
        for (queue, count) in [("active", active), ("gated", gated), ("nominated", nominated), ("held", held)] {
            self.pending_pods.get_or_create(&Queue { queue: queue.to_owned() }).set(gauge(count));
        }
        self.plans_in_flight.set(gauge(plans));
        self.policy_memory.set(i64::try_from(policy_memory).unwrap_or(i64::MAX));
        let shown = match breaker {
            BreakerState::Closed => "closed",
            BreakerState::Open { .. } => "open",
            BreakerState::HalfOpen => "half-open",
        };
        for each in ["closed", "open", "half-open"] {
            self.breaker_state.get_or_create(&State { state: each.to_owned() }).set(i64::from(each == shown));
        }
    }
}
