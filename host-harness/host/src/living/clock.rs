//! The time that a session is told.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The time of day when it was started, and from then on the time that has passed: a clock of the machine that is set forward or back
/// changes nothing that is under way.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    read: fn() -> Instant,
    begun: Instant,
    at: i64,
}

impl Clock {
    /// A clock that shows the time of day.
    pub fn start() -> Clock {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Clock::reading(Instant::now, nanoseconds(since_1970))
    }

    /// Makes a clock that shows `at` now, in nanoseconds since 1970. It takes the time that passes from `read`: tests have a time of their own.
    pub fn reading(read: fn() -> Instant, at: i64) -> Clock {
        Clock { read, begun: read(), at }
    }

    /// The time, nanoseconds since 1970.
    pub fn now(&self) -> i64 {
        self.at.saturating_add(nanoseconds((self.read)().saturating_duration_since(self.begun)))
    }

    /// Goes on from this time where it shows an earlier one: the session was told that one by a process whose clock was ahead, and its time
    /// would stand still until then.
    pub fn not_before(&mut self, at: i64) {
        self.at = self.at.saturating_add(at.saturating_sub(self.now()).max(0));
    }

    /// How long it is until then; nothing where it is past.
    pub fn until(&self, then: i64) -> Duration {
        Duration::from_nanos(u64::try_from(then.saturating_sub(self.now())).unwrap_or(0))
    }
}

/// A length of time in nanoseconds.
pub fn nanoseconds(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_goes_on_from_a_time_that_is_ahead_of_it_and_never_back() {
        let mut clock = Clock::start();
        let (hour, before) = (nanoseconds(Duration::from_secs(3600)), clock.now());
        clock.not_before(before.saturating_add(hour));
        assert!(clock.now() >= before.saturating_add(hour));
        let then = clock.now();
        clock.not_before(before);
        assert!(clock.now() >= then, "an earlier time changes nothing");
        std::thread::sleep(Duration::from_millis(2));
        assert!(clock.now() > then, "it does not stand still");
        assert!(clock.now() < then.saturating_add(hour));
    }
}
