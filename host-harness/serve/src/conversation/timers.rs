//! The times at which the session needs an input, or queues are asked for their excess.

/// The least time between two inputs for the time where nothing is due, in nanoseconds.
const TICK: i64 = 1_000_000;

/// The time between two questions for the excess of queues, while something happens. 1 s.
const ENFORCE_INTERVAL: i64 = 1_000_000_000;

/// The time between two inputs for the time while a policy is replaced: 100 ms.
const REPLACEMENT_TICK: i64 = 100_000_000;

/// The times of a conversation, in nanoseconds since 1970.
pub(super) struct ConversationTimers {
    last_input_at: i64,
    /// When the session needs the next input for the time. `None`: it does not wait for a time.
    wake_at: Option<i64>,
    /// When queues are next asked for their excess. `None`: nothing has happened since the last time.
    enforce_at: Option<i64>,
    /// Whether the policy takes excess from queues at all.
    enforces: bool,
}

impl ConversationTimers {
    pub(super) fn new(enforces: bool) -> ConversationTimers {
        ConversationTimers { last_input_at: 0, wake_at: None, enforce_at: None, enforces }
    }

    /// Returns when the next input is needed; during a replacement of the policy, soon.
    pub(super) fn wake_at(&self, is_replacing: bool) -> Option<i64> {
        let turn = is_replacing.then(|| self.last_input_at.saturating_add(REPLACEMENT_TICK));
        self.wake_at.into_iter().chain(self.enforce_at).chain(turn).min()
    }

    /// Checks whether the session is to be given the time, and takes note of it.
    pub(super) fn begin_input(&mut self, now: i64, is_replacing: bool) -> bool {
        let is_due = self.wake_at(is_replacing).is_some_and(|at| at <= now);
        let begins = is_due || now.saturating_sub(self.last_input_at) >= TICK;
        if begins {
            self.last_input_at = now;
        }
        begins
    }

    /// Takes note of a change: queues may have excess.
    pub(super) fn record_change(&mut self) {
        if self.enforces {
            self.enforce_at.get_or_insert(self.last_input_at);
        }
    }

    /// Takes the time that the session waits for.
    pub(super) fn set_wake(&mut self, at: Option<i64>) {
        self.wake_at = at;
    }

    /// Checks whether queues are to be asked for their excess, and ends that time.
    pub(super) fn begin_enforcement(&mut self, now: i64) -> bool {
        let is_due = self.enforce_at.is_some_and(|at| at <= now);
        if is_due {
            self.enforce_at = None;
        }
        is_due
    }

    /// Postpones the next question for the excess of queues: it is asked again after a while.
    pub(super) fn repeat_enforcement(&mut self, now: i64) {
        self.enforce_at = Some(now.saturating_add(ENFORCE_INTERVAL));
    }
}
