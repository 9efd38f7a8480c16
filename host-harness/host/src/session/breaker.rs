//! The breaker: a policy that fails again and again is not asked for a while, and nothing is decided.

use serde::{Deserialize, Serialize};

/// The rules for a policy that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FaultRules {
    /// Whether an input that fails by a fault of the policy is tried once more, on a fresh instance. True by default.
    pub second_try: bool,
    /// The number of such failed inputs in a row after which the policy gets no more calls. 5 by default; 0: never.
    pub breaker_faults: u32,
    /// The time for which the policy gets no calls, in nanoseconds of the session's clock. 30 s by default. The next input after it is a trial.
    pub breaker_wait: i64,
}

impl FaultRules {
    /// The rules without second try and without breaker, for tests of a policy that must see each fault.
    pub const ONCE: FaultRules = FaultRules { second_try: false, breaker_faults: 0, breaker_wait: 1 };
}

impl Default for FaultRules {
    fn default() -> FaultRules {
        FaultRules { second_try: true, breaker_faults: 5, breaker_wait: 30_000_000_000 }
    }
}

/// The state of the breaker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BreakerState {
    /// The policy is called.
    #[default]
    Closed,
    /// The policy is not called: every decision is refused.
    Open {
        /// The end of this state, in nanoseconds since 1970.
        until: i64,
    },
    /// The next decision is a trial. A failure opens the breaker at once, a success closes it.
    HalfOpen,
}

/// The breaker of a session.
#[derive(Debug, Clone, Default)]
pub(super) struct Breaker {
    pub(super) rules: FaultRules,
    pub(super) state: BreakerState,
    /// The failed inputs since the last decision that was served.
    pub(super) consecutive_faults: u32,
    /// The fault that opened the breaker.
    pub(super) last_fault: String,
    pub(super) opened: u64,
    pub(super) half_opened: u64,
    pub(super) closed: u64,
}

impl Breaker {
    /// Returns the time before which nothing is decided, in nanoseconds since 1970. `None`: the policy may be called.
    pub(super) fn until(&self) -> Option<i64> {
        match self.state {
            BreakerState::Open { until } => Some(until),
            BreakerState::Closed | BreakerState::HalfOpen => None,
        }
    }

    /// Updates the state to the current time, in nanoseconds since 1970.
    pub(super) fn advance_clock(&mut self, now: i64) {
        if self.until().is_some_and(|until| until <= now) {
            self.state = BreakerState::HalfOpen;
            self.half_opened = self.half_opened.saturating_add(1);
        }
    }

    /// Returns whether a failed input is tried once more. A trial has no second try.
    pub(super) fn allows_retry(&self) -> bool {
        self.rules.second_try && self.state == BreakerState::Closed
    }

    /// Counts an input that failed by a fault of the policy, and opens the breaker where the rules say so.
    pub(super) fn record_failure(&mut self, now: i64, fault: impl FnOnce() -> String) {
        self.consecutive_faults = self.consecutive_faults.saturating_add(1);
        let enough = self.rules.breaker_faults > 0 && self.consecutive_faults >= self.rules.breaker_faults;
        if enough || self.state == BreakerState::HalfOpen {
            self.state = BreakerState::Open { until: now.saturating_add(self.rules.breaker_wait.max(1)) };
            self.opened = self.opened.saturating_add(1);
            self.last_fault = fault();
        }
    }

    /// Records a decision that was served, which closes the breaker after a trial.
    pub(super) fn record_success(&mut self) {
        self.consecutive_faults = 0;
        if self.state == BreakerState::HalfOpen {
            self.state = BreakerState::Closed;
            self.closed = self.closed.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(breaker: &mut Breaker, now: i64, times: u32) -> BreakerState {
        (0..times).for_each(|_| breaker.record_failure(now, String::new));
        breaker.state
    }

    #[test]
    fn it_opens_after_faults_in_a_row_and_a_decision_that_is_served_breaks_the_row() {
        let mut breaker = Breaker::default();
        assert_eq!(failed(&mut breaker, 7, 4), BreakerState::Closed);
        breaker.record_success();
        assert_eq!(failed(&mut breaker, 7, 4), BreakerState::Closed);
        assert_eq!(failed(&mut breaker, 7, 1), BreakerState::Open { until: 30_000_000_007 });
        assert_eq!((breaker.opened, breaker.half_opened, breaker.closed), (1, 0, 0));
    }

    #[test]
    fn a_trial_that_fails_opens_it_again_at_once_and_one_that_is_served_closes_it() {
        let rules = FaultRules { breaker_faults: 2, breaker_wait: 10, ..FaultRules::default() };
        let mut breaker = Breaker { rules, ..Breaker::default() };
        failed(&mut breaker, 0, 2);
        breaker.advance_clock(9);
        assert_eq!(breaker.until(), Some(10));
        breaker.advance_clock(10);
        assert_eq!((breaker.state, breaker.allows_retry()), (BreakerState::HalfOpen, false));
        assert_eq!(failed(&mut breaker, 10, 1), BreakerState::Open { until: 20 });
        breaker.advance_clock(25);
        breaker.record_success();
        assert_eq!((breaker.state, breaker.allows_retry()), (BreakerState::Closed, true));
        assert_eq!((breaker.opened, breaker.half_opened, breaker.closed), (2, 2, 1));
        assert_eq!(failed(&mut breaker, 25, 1), BreakerState::Closed);
    }

    #[test]
    fn a_breaker_of_no_faults_never_opens() {
        let rules = FaultRules { breaker_faults: 0, ..FaultRules::default() };
        let mut breaker = Breaker { rules, ..Breaker::default() };
        assert_eq!(failed(&mut breaker, 0, 1000), BreakerState::Closed);
    }
}
