//! The state machine of one candidate. Its caller passes the time: how long the process has run, and, for what is written, the time of day.

use std::time::Duration;

use jiff::Timestamp;

use super::{LeaseRecord, LeaseRequest, LeaseResponse, LeaseTimings, ObservedLease};

/// The next action of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ElectorAction {
    /// Send this request now.
    Send(LeaseRequest),
    /// Wait until this moment, in time of the process.
    Wait(Duration),
    /// End: the candidate has given the lease back, or has none to give back.
    Ended,
}

/// The lease as it was read or written last, and since when it has not changed.
#[derive(Debug, Clone)]
struct LeaseObservation {
    lease: ObservedLease,
    since: Duration,
}

/// A candidate for a lease. Times are counted from the start of its process, by a monotonic clock.
#[derive(Debug, Clone)]
pub struct Elector {
    identity: String,
    terms: LeaseTimings,
    observed: Option<LeaseObservation>,
    /// When the last accepted renewal was sent. `None`: the candidate does not lead.
    renewed: Option<Duration>,
    /// Whether the known copy of the lease may be out of date: then it is read before anything is written.
    stale: bool,
    /// Whether the lease was just read and is written next.
    writes: bool,
    next: Duration,
    /// Until when the candidate tries to give the lease back. `None`: it has not begun to.
    release_until: Option<Duration>,
    ended: bool,
}

impl Elector {
    /// Makes a candidate with a unique name, such as the name of its pod and something random.
    pub fn new(identity: impl Into<String>, terms: LeaseTimings) -> Elector {
        Elector {
            identity: identity.into(),
            terms,
            observed: None,
            renewed: None,
            stale: true,
            writes: false,
            next: Duration::ZERO,
            release_until: None,
            ended: false,
        }
    }

    /// Returns whether the candidate leads at this moment.
    pub fn leads(&self, now: Duration) -> bool {
        self.leads_until().is_some_and(|until| now < until)
    }

    /// Returns when the candidate stops leading if nothing is renewed. `None`: the candidate does not lead.
    pub fn leads_until(&self) -> Option<Duration> {
        self.renewed.filter(|_| self.release_until.is_none()).map(|sent| sent.saturating_add(self.terms.renew))
    }

    /// Returns the holder of the lease as it was seen last. Empty: the lease has no holder, or was not seen.
    pub fn holder(&self) -> &str {
        self.observed.as_ref().map_or("", |observed| &observed.lease.record.holder)
    }

    /// Ends the leadership from now on, and gives the lease back where the candidate holds it.
    pub fn release(&mut self, now: Duration) {
        if self.release_until.is_none() {
            self.ended = self.renewed.is_none();
            self.release_until = Some(now.saturating_add(self.terms.renew));
            self.next = now;
        }
    }

    /// Returns what to do at this moment. The answer to a request must be passed to [`Elector::handle_response`] before the next call.
    pub fn next(&mut self, now: Duration, time: Timestamp) -> ElectorAction {
        if self.leads_until().is_some_and(|until| until <= now) {
            self.renewed = None;
        }
        if self.ended || self.release_until.is_some_and(|until| until <= now) {
            return ElectorAction::Ended;
        }
        if now < self.next {
            return ElectorAction::Wait(self.leads_until().map_or(self.next, |until| until.min(self.next)));
        }
        let optimistic = self.renewed.is_some() && !self.stale;
        match &self.observed {
            Some(observed) if optimistic || self.writes => {
                let record = self.record_to_write(Some(&observed.lease.record), time);
                ElectorAction::Send(LeaseRequest::Replace(ObservedLease {
                    version: observed.lease.version.clone(),
                    record,
                }))
            }
            None if self.writes => ElectorAction::Send(LeaseRequest::Create(self.record_to_write(None, time))),
            _ => ElectorAction::Send(LeaseRequest::Read),
        }
    }

    /// Takes the answer to a request that was sent at the moment `sent`, and answered at the moment `now`.
    pub fn handle_response(&mut self, request: &LeaseRequest, sent: Duration, now: Duration, answer: LeaseResponse) {
        let wrote = !matches!(request, LeaseRequest::Read);
        self.writes = false;
        match answer {
            LeaseResponse::Lease(seen) if wrote => {
                self.stale = false;
                self.ended = self.release_until.is_some();
                self.renewed = Some(sent).filter(|_| self.release_until.is_none());
                self.observed = Some(LeaseObservation { lease: seen, since: sent });
                self.next = sent.saturating_add(self.terms.retry);
            }
            LeaseResponse::Lease(seen) => self.observe(seen, now),
            LeaseResponse::Missing => {
                self.observed = None;
                self.renewed = None;
                self.writes = !wrote && self.release_until.is_none();
                self.ended = self.release_until.is_some();
                self.stale = true;
                self.next = if self.writes { now } else { self.next_attempt(now) };
            }
            // A leader reads at once: its own renewal may have been carried out without an answer.
            LeaseResponse::Conflict => {
                self.stale = true;
                self.next =
                    if self.renewed.is_some() || self.release_until.is_some() { now } else { self.next_attempt(now) };
            }
            LeaseResponse::Failed => {
                self.stale = true;
                self.next = self.next_attempt(now);
            }
        }
    }

    /// Takes the lease as it was read, and decides whether to write it next.
    fn observe(&mut self, seen: ObservedLease, now: Duration) {
        let since = match &self.observed {
            Some(observed) if observed.lease.record == seen.record => observed.since,
            _ => now,
        };
        let holder_lasts = seen
            .record
            .seconds
            .map_or(self.terms.duration, |seconds| Duration::from_secs(u64::try_from(seconds).unwrap_or_default()));
        let is_free = seen.record.holder.is_empty() || since.saturating_add(holder_lasts) <= now;
        let is_ours = seen.record.holder == self.identity;
        self.observed = Some(LeaseObservation { lease: seen, since });
        self.stale = false;
        self.writes = if self.release_until.is_some() { is_ours } else { is_ours || is_free };
        if !is_ours {
            self.renewed = None;
            self.ended = self.release_until.is_some();
        }
        self.next = if self.writes { now } else { self.next_attempt(now) };
    }

    /// Returns the record to write over the record `old`.
    fn record_to_write(&self, old: Option<&LeaseRecord>, time: Timestamp) -> LeaseRecord {
        let transitions = old.map_or(0, |old| old.transitions);
        if self.release_until.is_some() {
            let (holder, now) = (String::new(), Some(time));
            return LeaseRecord { holder, seconds: Some(1), acquired: now, renewed: now, transitions };
        }
        let own = old.filter(|old| old.holder == self.identity);
        LeaseRecord {
            holder: self.identity.clone(),
            seconds: Some(i32::try_from(self.terms.duration.as_secs()).unwrap_or(i32::MAX).max(1)),
            acquired: own.and_then(|own| own.acquired).or(Some(time)),
            renewed: Some(time),
            transitions: if own.is_some() || old.is_none() { transitions } else { transitions.saturating_add(1) },
        }
    }

    /// Returns when to make the next attempt. Candidates that wait spread their attempts, as in client-go: up to 2.2 times the time between two
    /// attempts.
    fn next_attempt(&self, now: Duration) -> Duration {
        let retry = self.terms.retry;
        if self.renewed.is_some() || self.release_until.is_some() {
            return now.saturating_add(retry);
        }
        let mixed = self
            .identity
            .bytes()
            .fold(now.subsec_nanos(), |mixed, byte| mixed.wrapping_mul(16_777_619) ^ u32::from(byte));
        let spread = retry.saturating_mul(mixed % 13).checked_div(10).unwrap_or_default();
        now.saturating_add(retry).saturating_add(spread)
    }
}
