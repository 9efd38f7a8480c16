//! The scheduling queue of kube-scheduler 1.37 (`pkg/scheduler/backend/queue`), with its features as they come.

use std::collections::BTreeMap;

use super::world::{Object, SECOND, name_of, node_of, uid_of};

/// The backoff of a pod that was refused: it doubles from the first to the longest.
const FIRST_BACKOFF: i64 = SECOND;
const LONGEST_BACKOFF: i64 = 10 * SECOND;
/// How long a refused pod waits for an event, and how often it is looked for one that has waited longer.
const LONGEST_REFUSED: i64 = 300 * SECOND;
const FLUSH: i64 = 30 * SECOND;
/// The length of the windows of time in which backoffs are over together.
const WINDOW: i64 = SECOND;

/// An event that may let a refused pod pass.
#[derive(Debug, Clone)]
pub(super) enum QueueEvent {
    /// A pod that has a node is there, or was given one.
    PodAdded(Object),
    /// The labels of a pod have changed.
    PodChanged(Object),
    /// A pod has left its node, or the node that it was to have.
    PodRemoved(Object),
    NodeAdded(Object),
    /// A plugin has the pod tried again (`Activate`).
    Activated,
}

/// The plugins that have refused a pod.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Rejectors {
    pub(super) lictor: bool,
    pub(super) resources: bool,
}

impl Rejectors {
    pub(super) const LICTOR: Rejectors = Rejectors { lictor: true, resources: false };

    pub(super) fn is_none(self) -> bool {
        !self.lictor && !self.resources
    }
}

/// Returns the beginning of the window of time in which a moment is (`alignToWindow` in `backoff_queue.go`).
fn window(moment: i64) -> i64 {
    moment - moment.rem_euclid(WINDOW)
}

/// A pod in the queue.
#[derive(Debug, Clone)]
pub(super) struct QueuedPodInfo {
    pub(super) pod: Object,
    /// When it was put here, in nanoseconds since 1970.
    since: i64,
    refused: u32,
    errors: u32,
    pub(super) rejectors: Rejectors,
    /// When it was flushed last, because it had been refused for long; 0: never.
    flushed: i64,
    /// Whether this is why it is tried.
    pub(super) is_flushed: bool,
}

impl QueuedPodInfo {
    pub(super) fn new(pod: Object, now: i64) -> QueuedPodInfo {
        let (since, rejectors, is_flushed) = (now, Rejectors::default(), false);
        QueuedPodInfo { pod, since, refused: 0, errors: 0, rejectors, flushed: 0, is_flushed }
    }

    /// Takes note of an attempt in vain.
    pub(super) fn failed(&mut self, pod: Object, rejectors: Rejectors, now: i64) {
        (self.pod, self.rejectors, self.since, self.is_flushed) = (pod, rejectors, now, false);
        if rejectors.is_none() {
            self.errors += 1;
        } else {
            (self.refused, self.errors) = (self.refused + 1, 0);
        }
    }

    /// Returns the window of time in which its backoff is over (`getBackoffTime` in `backoff_queue.go`).
    fn free(&self) -> i64 {
        match if self.errors > 0 { self.errors } else { self.refused } {
            0 => 0,
            count => window(self.since + (FIRST_BACKOFF << (count - 1).min(5)).min(LONGEST_BACKOFF)),
        }
    }

    /// Returns whether its backoff is not over (`isEntityBackingoff`).
    fn is_backing_off(&self, now: i64) -> bool {
        self.free() >= window(now)
    }

    /// Returns when it is flushed though nothing happens that may help it.
    fn flush_at(&self) -> i64 {
        let late = self.since.max(self.flushed) + LONGEST_REFUSED;
        late - late.rem_euclid(FLUSH) + FLUSH
    }

    pub(super) fn priority(&self) -> i64 {
        self.pod["spec"]["priority"].as_i64().unwrap_or_default()
    }
}

/// The queue: pods by uid.
#[derive(Debug, Default)]
pub(super) struct SchedulingQueue {
    pub(super) active: BTreeMap<String, QueuedPodInfo>,
    backoff: BTreeMap<String, QueuedPodInfo>,
    pub(super) unschedulable: BTreeMap<String, QueuedPodInfo>,
    /// The pods that are being tried or bound, and what has happened since.
    pub(super) in_flight: BTreeMap<String, Vec<QueueEvent>>,
    /// The pods that are nominated, and their nodes.
    pub(super) nominated: BTreeMap<String, (String, Object)>,
}

impl SchedulingQueue {
    /// Returns whether a pod waits in one of the queues.
    pub(super) fn has(&self, uid: &str) -> bool {
        [&self.active, &self.backoff, &self.unschedulable].iter().any(|queue| queue.contains_key(uid))
    }

    /// Takes a pod out of all queues.
    pub(super) fn delete(&mut self, uid: &str) {
        for queue in [&mut self.active, &mut self.backoff, &mut self.unschedulable] {
            queue.remove(uid);
        }
        self.nominated.remove(uid);
    }

    /// Replaces a pod where it waits. Returns whether it waits.
    pub(super) fn replace(&mut self, pod: &Object) -> bool {
        for queue in [&mut self.active, &mut self.backoff, &mut self.unschedulable] {
            if let Some(entry) = queue.get_mut(uid_of(pod)) {
                entry.pod = pod.clone();
                return true;
            }
        }
        false
    }

    /// Takes note of an event for the pods that are being tried.
    pub(super) fn record_event(&mut self, event: &QueueEvent) {
        self.in_flight.values_mut().for_each(|events| events.push(event.clone()));
    }

    /// Puts a pod that is worth another attempt after its backoff, or at once.
    pub(super) fn requeue(&mut self, entry: QueuedPodInfo, now: i64) {
        let queue = if entry.is_backing_off(now) { &mut self.backoff } else { &mut self.active };
        queue.insert(uid_of(&entry.pod).to_owned(), entry);
    }

    /// Removes a pod that must become active at once. `None`: the pod does not wait for another attempt.
    pub(super) fn activate(&mut self, uid: &str) -> Option<QueuedPodInfo> {
        let entry = self.unschedulable.remove(uid).or_else(|| self.backoff.remove(uid));
        if entry.is_none()
            && let Some(events) = self.in_flight.get_mut(uid)
        {
            events.push(QueueEvent::Activated);
        }
        entry
    }

    /// Returns whether a pod may be tried though its backoff is not over.
    pub(super) fn has_early(&self) -> bool {
        self.backoff.values().any(|entry| entry.errors == 0)
    }

    /// Moves the pods whose backoff is over.
    pub(super) fn flush(&mut self, now: i64) -> Vec<QueuedPodInfo> {
        self.backoff.extract_if(.., |_, entry| !entry.is_backing_off(now)).map(|(_, entry)| entry).collect()
    }

    /// Returns when the next backoff is over, or a refused pod has waited too long.
    pub(super) fn due(&self) -> Option<i64> {
        let backoff = self.backoff.values().map(|entry| entry.free() + WINDOW);
        backoff.chain(self.unschedulable.values().map(QueuedPodInfo::flush_at)).min()
    }

    /// Takes the pods that have been refused for too long (`flushUnschedulableEntitiesLeftover`).
    pub(super) fn flush_refused(&mut self, now: i64) -> Vec<QueuedPodInfo> {
        let late = self.unschedulable.extract_if(.., |_, entry| entry.flush_at() <= now);
        late.map(|(_, entry)| QueuedPodInfo { flushed: now, is_flushed: true, ..entry }).collect()
    }

    /// Takes the pod that is tried next, as this order has it. Where none is active, the one is taken whose backoff is over first, unless it
    /// is there for an error (`SchedulerPopFromBackoffQ`; `lessBackoffCompletedWithPriority`).
    pub(super) fn pop(&mut self, key: impl Fn(&QueuedPodInfo) -> PodSortKey) -> Option<QueuedPodInfo> {
        let active = self.active.iter().min_by(|(_, one), (_, other)| key(one).compare(&key(other)));
        let entry = match active.map(|(uid, _)| uid.clone()) {
            Some(uid) => self.active.remove(&uid),
            None => {
                let early = self.backoff.iter().filter(|(_, entry)| entry.errors == 0);
                let first = early.min_by(|(_, one), (_, other)| {
                    one.free().cmp(&other.free()).then_with(|| key(one).compare(&key(other)))
                });
                let uid = first.map(|(uid, _)| uid.clone())?;
                self.backoff.remove(&uid)
            }
        }?;
        self.in_flight.insert(uid_of(&entry.pod).to_owned(), Vec::new());
        Some(entry)
    }

    /// Nominates a pod, or takes its nomination back.
    pub(super) fn nominate(&mut self, pod: &Object, node: &str, known: Option<&Object>) {
        self.nominated.remove(uid_of(pod));
        if !node.is_empty() && known.is_some_and(|known| node_of(known).is_empty()) {
            self.nominated.insert(uid_of(pod).to_owned(), (node.to_owned(), pod.clone()));
        }
    }
}

/// The order of two pods in the queue (`Less` in `keys.go`).
#[derive(Debug)]
pub(super) struct PodSortKey {
    pub(super) key: Option<String>,
    pub(super) priority: i64,
    pub(super) since: i64,
    pub(super) name: String,
}

impl PodSortKey {
    pub(super) fn of(entry: &QueuedPodInfo, key: Option<&String>) -> PodSortKey {
        PodSortKey { key: key.cloned(), priority: entry.priority(), since: entry.since, name: name_of(&entry.pod) }
    }

    fn compare(&self, other: &PodSortKey) -> std::cmp::Ordering {
        if let (Some(one), Some(another)) = (&self.key, &other.key)
            && one != another
        {
            return one.cmp(another);
        }
        let others = (self.since, &self.name);
        other.priority.cmp(&self.priority).then(others.cmp(&(other.since, &other.name)))
    }
}
