//! The state of the controller: the loop updates it, and other tasks read it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::metrics::Metrics;

/// The time without a beat after which the loop counts as dead.
const DEAD_AFTER: Duration = Duration::from_secs(60);

/// The state of a running controller. The loop and its readers share it in an `Arc`.
#[derive(Debug)]
pub struct Status {
    /// The metrics.
    pub metrics: Metrics,
    start: Instant,
    /// Milliseconds from the start to the last beat of the loop.
    last_heartbeat: AtomicU64,
    is_synced: AtomicBool,
    is_standby: AtomicBool,
    is_leader: AtomicBool,
    is_stopping: AtomicBool,
    /// The kinds that cannot be read, and why.
    unreadable: Mutex<BTreeMap<String, String>>,
    /// The rights that are missing.
    missing: Mutex<Vec<String>>,
}

impl Default for Status {
    fn default() -> Status {
        Status {
            metrics: Metrics::default(),
            start: Instant::now(),
            last_heartbeat: AtomicU64::new(0),
            is_synced: AtomicBool::new(false),
            is_standby: AtomicBool::new(false),
            is_leader: AtomicBool::new(false),
            is_stopping: AtomicBool::new(false),
            unreadable: Mutex::default(),
            missing: Mutex::default(),
        }
    }
}

/// The state of health: good, or bad with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// All is well; the text is for people.
    Healthy(&'static str),
    /// What is wrong.
    Unhealthy(String),
}

impl Status {
    /// Notes that the loop is alive. The loop must call this at least every few seconds, also when nothing happens.
    pub fn record_heartbeat(&self) {
        self.last_heartbeat.store(self.age(), Ordering::Relaxed);
    }

    /// Sets whether every watch has delivered all its objects.
    pub fn set_synced(&self, synced: bool) {
        self.is_synced.store(synced, Ordering::Relaxed);
    }

    /// Forgets what could not be read: a time of leading begins, and its watches report anew.
    pub fn clear_unreadable(&self) {
        locked(&self.unreadable).clear();
    }

    /// Records that the objects of a kind cannot be read, and why. An empty reason: they can be read again.
    pub fn set_unreadable(&self, kind: &str, why: &str) {
        let mut unreadable = locked(&self.unreadable);
        match why {
            "" => drop(unreadable.remove(kind)),
            why => drop(unreadable.insert(kind.to_owned(), why.to_owned())),
        }
    }

    /// Records the rights that are missing, each as a sentence. Returns those that were not missing before.
    pub fn set_missing_rights(&self, now: Vec<String>) -> Vec<String> {
        let mut missing = locked(&self.missing);
        let new = now.iter().filter(|right| !missing.contains(right)).cloned().collect();
        *missing = now;
        new
    }

    /// Returns what keeps the installation from working. `None`: nothing does.
    fn installation_problem(&self) -> Option<String> {
        let unreadable = locked(&self.unreadable);
        let kinds = unreadable.iter().map(|(kind, why)| format!("{kind} cannot be read: {why}"));
        let all: Vec<String> = locked(&self.missing).iter().cloned().chain(kinds).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// Records whether this process leads, or stands by for another that does. Before the first call it does neither. What a process knows of the cluster
    /// ends with its time of leading.
    pub fn set_leader(&self, leads: bool) {
        self.record_heartbeat();
        if !leads {
            self.set_synced(false);
        }
        self.is_leader.store(leads, Ordering::Relaxed);
        self.is_standby.store(!leads, Ordering::Relaxed);
    }

    /// Records that the controller is about to end.
    pub fn set_stopping(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Returns whether the process is alive: the loop turns, or the process stands by. A restart mends a bad state.
    pub fn health(&self) -> Health {
        self.health_at(self.age())
    }

    fn health_at(&self, now: u64) -> Health {
        if !self.is_leader.load(Ordering::Relaxed) {
            // A standby has no loop.
            return Health::Healthy("ok");
        }
        let silent = Duration::from_millis(now.saturating_sub(self.last_heartbeat.load(Ordering::Relaxed)));
        if silent < DEAD_AFTER {
            return Health::Healthy("ok");
        }
        Health::Unhealthy(format!("the loop has not turned for {} s", silent.as_secs()))
    }

    /// Returns whether the process can do its work: it knows the cluster and leads, or could take over.
    pub fn readiness(&self) -> Health {
        let is = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        if is(&self.is_stopping) {
            Health::Unhealthy("the controller is about to end".to_owned())
        } else if is(&self.is_standby) {
            Health::Healthy("ok: stands by")
        } else if !is(&self.is_leader) {
            Health::Unhealthy("neither leads nor stands by: the Lease has not been read".to_owned())
        } else if let Some(lacks) = self.installation_problem() {
            Health::Unhealthy(lacks)
        } else if !is(&self.is_synced) {
            Health::Unhealthy("the objects of the cluster are still being read".to_owned())
        } else {
            Health::Healthy("ok: leads")
        }
    }

    fn age(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_that_does_not_turn_for_a_minute_is_dead() {
        let status = Status::default();
        assert_eq!(status.health_at(100_000), Health::Healthy("ok"), "it does not lead");
        status.set_leader(true);
        status.last_heartbeat.store(10_000, Ordering::Relaxed);
        assert_eq!(status.health_at(69_999), Health::Healthy("ok"));
        assert_eq!(status.health_at(70_000), Health::Unhealthy("the loop has not turned for 60 s".to_owned()));
        assert_eq!(status.health_at(5_000), Health::Healthy("ok"), "a beat from the future is a beat");
    }

    #[test]
    fn it_is_ready_when_it_knows_the_cluster_and_leads_or_stands_by() {
        let status = Status::default();
        let ready = || matches!(status.readiness(), Health::Healthy(_));
        assert!(!ready());
        status.set_synced(true);
        assert!(!ready(), "nobody knows who leads");
        status.set_synced(false);
        status.set_leader(false);
        assert_eq!(status.readiness(), Health::Healthy("ok: stands by"), "who stands by reads nothing");
        status.set_leader(true);
        assert!(!ready());
        status.set_synced(true);
        assert_eq!(status.readiness(), Health::Healthy("ok: leads"));
        status.set_leader(false);
        status.set_leader(true);
        assert!(!ready(), "it has to read the cluster anew");
        status.set_synced(true);
        status.set_synced(false);
        assert!(!ready(), "a watch is behind");
        status.set_synced(true);
        status.set_unreadable("Namespace", "may not list namespaces");
        let missing = vec!["may not create pods/eviction".to_owned()];
        assert_eq!(status.set_missing_rights(missing.clone()), missing);
        let lacks = "may not create pods/eviction; Namespace cannot be read: may not list namespaces";
        assert_eq!(status.readiness(), Health::Unhealthy(lacks.to_owned()));
        assert!(status.set_missing_rights(missing).is_empty(), "it is not new");
        status.set_missing_rights(Vec::new());
        status.set_unreadable("Namespace", "");
        assert!(ready());
        status.set_stopping();
        assert!(!ready());
    }
}
