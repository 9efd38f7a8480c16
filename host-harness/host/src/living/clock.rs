//! The clock whose time a session receives.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A clock that takes the time of day once, at the start, and then adds the elapsed time. A clock of the machine that is set forward or back does not
/// affect anything in flight.
#[derive(Debug, Clone, Copy)]
pub struct SessionClock {
    read: fn() -> Instant,
    begun: Instant,
    at: i64,
}

impl SessionClock {
    /// Starts a clock at the time of day.
    pub fn start() -> SessionClock {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        SessionClock::reading(Instant::now, nanoseconds(since_1970))
    }

    /// Creates a clock that shows `at` now, in nanoseconds since 1970. `read` returns the elapsed time, so that tests can supply their own.
    pub fn reading(read: fn() -> Instant, at: i64) -> SessionClock {
        SessionClock { read, begun: read(), at }
    }

    /// Returns the time, in nanoseconds since 1970.
    pub fn now(&self) -> i64 {
        self.at.saturating_add(nanoseconds((self.read)().saturating_duration_since(self.begun)))
    }

    /// Moves the clock forward to this time, where it shows an earlier one. An earlier process with a fast clock may have given the session a later
    /// time, and the session's time would stand still until then.
    pub fn advance_to(&mut self, at: i64) {
        self.at = self.at.saturating_add(at.saturating_sub(self.now()).max(0));
    }

    /// Returns the time until `then`; zero where `then` is past.
    pub fn until(&self, then: i64) -> Duration {
        Duration::from_nanos(u64::try_from(then.saturating_sub(self.now())).unwrap_or(0))
    }
}

/// Returns a duration in nanoseconds.
pub fn nanoseconds(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_goes_on_from_a_time_that_is_ahead_of_it_and_never_back() {
        let mut clock = SessionClock::start();
        let (hour, before) = (nanoseconds(Duration::from_secs(3600)), clock.now());
        clock.advance_to(before.saturating_add(hour));
        assert!(clock.now() >= before.saturating_add(hour));
        let then = clock.now();
        clock.advance_to(before);
        assert!(clock.now() >= then, "an earlier time changes nothing");
        std::thread::sleep(Duration::from_millis(2));
        assert!(clock.now() > then, "it does not stand still");
        assert!(clock.now() < then.saturating_add(hour));
    }
}
