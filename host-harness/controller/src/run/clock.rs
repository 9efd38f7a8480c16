//! The time that a session is told.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The time of day when it was started, and from then on the time that has passed: a clock of the machine that is set forward or back
/// changes nothing that is under way.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    begun: Instant,
    at: i64,
}

impl Clock {
    /// A clock that shows the time of day.
    pub fn start() -> Clock {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Clock { begun: Instant::now(), at: nanoseconds(since_1970) }
    }

    /// The time, nanoseconds since 1970.
    pub fn now(&self) -> i64 {
        self.at.saturating_add(nanoseconds(self.begun.elapsed()))
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
