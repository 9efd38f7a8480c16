//! Events and conditions: what people see with `kubectl describe` and `kubectl get events`.
//!
//! [`Reporter`] takes the results of each input, and returns what to write; it does no input or output and knows no clock. [`ReportWriter`] writes. The
//! names of reasons, actions and types of conditions are those of kube-scheduler, Volcano and Koordinator where they have one; the text is ours: the
//! code of the law and its sentence, with numbers.
//!
//! Three rules protect the API server. A refusal is reported when it has lasted for a second: most pods are placed before. The same event is written
//! once; when it occurs again, a series counts it, as client-go does. Events about refusals are bounded in rate, and dropped events are counted.
//! Events about evictions are never dropped.
//!
//! Some conditions are not written, because others write them: `PodScheduled` (the API server while a pod is gated, then kube-scheduler), `Scheduled`
//! (kube-scheduler), and `DisruptionTarget` of a pod that is evicted by the Eviction API. That API sets it itself, with reason
//! `EvictionByEvictionAPI`, and would replace ours.

mod accounts;
mod conditions;
mod events;
mod groups;
mod notice;
mod object;
mod pods;
mod refusal;
mod seen;
#[cfg(test)]
mod tests;
mod writer;

use std::collections::BTreeMap;

use lictor_contract::{QueueAccount, Resource};
use lictor_host::session::StepOutput;

pub use conditions::ADMITTED;
pub(crate) use conditions::camel_case;
pub use events::EventSource;
use events::Events;
use groups::GroupConditions;
pub use groups::group_of;
use notice::EventRecord;
pub(crate) use object::time;
pub use object::{ApiWrite, MemberCounts, ObjectLookup, QualifiedName, ReportedObject, WriteOperation};
use pods::PodReports;
use refusal::ReportedState;
pub(crate) use refusal::cause;
pub use seen::ReportIndex;
pub use writer::{ReportWriter, WriteError};

/// The reason of pods that were let go and whose room others have taken.
const CAPACITY_TAKEN: &str = "RoomTaken";

/// A second, in nanoseconds.
pub(crate) const SECOND: i64 = 1_000_000_000;

/// The mode of the reports: whether the controller carries out the decisions of the session, or only reports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportMode {
    /// The controller carries them out.
    Enforce,
    /// The controller only reports what it would do: events have reasons of their own (`WouldPreempt`), and no status is written.
    DryRun,
}

/// The reporter: decides what to write, and remembers what was written.
#[derive(Debug)]
pub struct Reporter {
    mode: ReportMode,
    system: String,
    events: Events,
    pods: PodReports,
    groups: GroupConditions,
    /// When the status of quotas and queues was written last.
    accounts_at: Option<i64>,
    /// The last writes to quotas and queues, and the objects that they changed: a change that a cluster does not keep is not written again and again.
    last_quota_writes: BTreeMap<(QualifiedName, usize), (WriteOperation, ReportedObject)>,
    /// The notices about victims, by pod, until the API server has accepted their eviction.
    pending_evictions: BTreeMap<String, EventRecord>,
    /// Victims whose eviction was accepted since the last turn.
    evicted: Vec<EventRecord>,
    /// Pods that were refused after they were let go, and are not any more.
    ended_refusals: Vec<String>,
    /// The writes that are due, in order.
    writes: Vec<ApiWrite>,
}

/// A problem of a pod that operators must solve. It becomes an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The pod, as the session names it.
    pub pod: String,
    /// One word in camel case.
    pub reason: &'static str,
    /// The action that failed, such as `Preempting`.
    pub action: &'static str,
    /// The text.
    pub note: String,
}

/// The advice about victims that still run long after they were marked.
pub const OVERDUE_HINT: &str = "a PodDisruptionBudget forbids its eviction, or no controller deletes what is marked (koordinator: podShouldBeDeletedWhenPreempted)";

impl Reporter {
    /// Makes a reporter that has reported nothing yet.
    pub fn new(mode: ReportMode, system: impl Into<String>, origin: EventSource) -> Reporter {
        Reporter {
            mode,
            system: system.into(),
            events: Events::new(origin),
            pods: PodReports::default(),
            groups: GroupConditions::default(),
            accounts_at: None,
            last_quota_writes: BTreeMap::new(),
            pending_evictions: BTreeMap::new(),
            evicted: Vec::new(),
            ended_refusals: Vec::new(),
            writes: Vec::new(),
        }
    }

    /// Takes the results of an input at `now`, in nanoseconds since 1970. The writes come with [`Reporter::due`].
    pub fn step(&mut self, now: i64, step: &StepOutput, objects: &dyn ObjectLookup) {
        for failed in &step.happened.failed {
            self.pending_evictions.remove(&failed.pod);
        }
        for (pod, notice) in notice::victims(step, self.mode, &self.system, objects) {
            let is_awaited = self.mode == ReportMode::Enforce && notice::is_carried_out(step, pod);
            if is_awaited {
                self.pending_evictions.insert(pod.clone(), notice);
            } else {
                self.writes.extend(self.events.report(now, &notice));
            }
        }
        for notice in notice::of(step, self.mode, objects) {
            self.writes.extend(self.events.report(now, &notice));
        }
        for (pod, told) in refusal::of(step) {
            if let Some(again) = self.pods.observe(now, &pod, told) {
                self.events.record_repeat(now, &again);
            }
        }
    }

    /// Reports that the API server has accepted the eviction of a pod.
    pub fn evicted(&mut self, pod: &str) {
        self.evicted.extend(self.pending_evictions.remove(pod));
    }

    /// Forgets a pod that was refused after it was let go: it has a node now, or is gone.
    pub fn refusal_ended(&mut self, pod: &str) {
        self.ended_refusals.push(pod.to_owned());
    }

    /// Reports a problem of a pod as an event. A pod whose room is taken also has a condition for it.
    pub fn warn(&mut self, now: i64, warning: &Warning, objects: &dyn ObjectLookup) {
        let Some(regarding) = objects.pod(&warning.pod) else { return };
        if warning.reason == CAPACITY_TAKEN && self.mode == ReportMode::Enforce {
            self.writes.extend(conditions::capacity_taken(&regarding, &warning.note, now));
        }
        self.writes.extend(self.events.report(now, &EventRecord::of(warning, regarding)));
    }

    /// Returns what to write now, mostly nothing. The next call is due at [`Reporter::wake_at`].
    pub fn due(&mut self, now: i64, objects: &dyn ObjectLookup) -> Vec<ApiWrite> {
        let mut writes = std::mem::take(&mut self.writes);
        for notice in std::mem::take(&mut self.evicted) {
            writes.extend(self.events.report(now, &notice));
        }
        for pod in std::mem::take(&mut self.ended_refusals) {
            let subject = objects.pod(&pod).filter(|_| self.mode == ReportMode::Enforce);
            writes.extend(subject.and_then(|subject| conditions::of(&subject, &ReportedState::Placed, now)));
        }
        for (pod, said) in self.pods.due(now) {
            let Some(subject) = objects.pod(&pod) else { continue };
            if let Some(refusal) = said.refused() {
                let notice = refusal.notice(self.mode, subject.clone());
                self.pods.remember(&pod, notice.key());
                writes.extend(self.events.report(now, &notice));
            }
            if self.mode == ReportMode::DryRun {
                continue;
            }
            writes.extend(conditions::of(&subject, &said, now));
            let group = objects.group_of(&pod).and_then(|name| objects.object(&name));
            writes.extend(group.and_then(|group| self.groups.member(&group, &said, objects.members(&group.name), now)));
        }
        writes.extend(self.events.finish_series(now));
        writes
    }

    /// Returns when the next write is due, in nanoseconds since 1970. `None`: nothing waits.
    pub fn wake_at(&self) -> Option<i64> {
        let is_due = !(self.writes.is_empty() && self.evicted.is_empty() && self.ended_refusals.is_empty());
        let now = is_due.then_some(i64::MIN);
        now.into_iter().chain(self.pods.wake_at()).chain(self.events.wake_at()).min()
    }

    /// Returns whether the status of quotas or queues is written.
    pub fn writes_quota_status(&self) -> bool {
        self.mode == ReportMode::Enforce && accounts::has_status(&self.system)
    }

    /// Returns the changes of the status of quotas and queues, for systems where upstream writes it. Empty within a second after the last call that
    /// wrote.
    pub fn accounts(
        &mut self,
        now: i64,
        accounts: &[QueueAccount],
        resources: &[Resource],
        objects: &dyn ObjectLookup,
    ) -> Vec<ApiWrite> {
        let early = self.accounts_at.is_some_and(|at| now < at.saturating_add(SECOND));
        if !self.writes_quota_status() || early {
            return Vec::new();
        }
        self.accounts_at = Some(now);
        let mut writes = Vec::new();
        let of_queues = accounts::status(&self.system, accounts, resources, objects);
        for (object, changes) in of_queues.into_iter().chain(self.groups.phases(&self.system, objects)) {
            for (place, change) in changes.into_iter().enumerate() {
                let key = (object.name.clone(), place);
                let written = (change, object.clone());
                if self.last_quota_writes.get(&key) != Some(&written) {
                    writes.push(object.write(written.0.clone()));
                    self.last_quota_writes.insert(key, written);
                }
            }
        }
        writes
    }

    /// Takes a PodGroup that is new or has changed. Returns the write that puts a group of Volcano into the queue at once, because no stage comes
    /// before.
    pub fn group_changed(&self, group: &ReportedObject) -> Option<ApiWrite> {
        (self.mode == ReportMode::Enforce).then(|| groups::enqueue(group)).flatten()
    }

    /// Forgets a pod that is gone, or whose name another pod has now: `namespace/name`.
    pub fn forget(&mut self, pod: &str) {
        // A victim may be gone before the answer of the API server arrives.
        self.evicted(pod);
        self.pods.forget(pod);
    }

    /// Forgets what was written of an object that is no pod and is gone.
    pub fn forget_object(&mut self, name: &QualifiedName) {
        self.groups.forget(name);
        self.last_quota_writes.retain(|(known, _), _| known != name);
    }

    /// Returns how many events were not written so far because there were too many.
    pub fn dropped(&self) -> u64 {
        self.events.dropped()
    }
}

/// Amounts as a list of resources has them.
type Amounts = BTreeMap<String, String>;
