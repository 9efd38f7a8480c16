//! Events and conditions: what people see with `kubectl describe` and `kubectl get events`.
//!
//! [`Reporter`] is told what came of each input, and answers with what is to be written; it does no input or output and knows no clock.
//! [`Writer`] writes. The names of reasons, actions and types of conditions are those of kube-scheduler, Volcano and Koordinator where they
//! have one; the text is ours: the code of the law and its sentence, with numbers.
//!
//! Three rules keep the API server at peace. A refusal is reported when it has stood for a second: most pods are placed before. The same
//! event is written once; when it comes again, a series counts it, as client-go does. Events about refusals are bounded in rate, and what is
//! dropped is counted. Events about evictions are never dropped.
//!
//! What is not written, because somebody else does: `PodScheduled` (the API server while a pod is gated, then kube-scheduler), `Scheduled`
//! (kube-scheduler), and `DisruptionTarget` of a pod that leaves by the Eviction API, which sets it itself, with reason
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
use lictor_host::session::Step;

pub use conditions::ADMITTED;
use events::Events;
pub use events::Origin;
use groups::Groups;
pub use groups::group_of;
pub(crate) use object::time;
pub use object::{Change, Members, Name, Objects, Subject, Write};
use pods::Pods;
pub use seen::Seen;
pub use writer::{WriteError, Writer};

/// A second, in nanoseconds.
pub(crate) const SECOND: i64 = 1_000_000_000;

/// What the controller does with what the session decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It carries it out.
    CarriesOut,
    /// It only says what it would do: events have reasons of their own (`WouldPreempt`), and no status is written.
    OnlySays,
}

/// Decides what is to be written, and remembers what was.
#[derive(Debug)]
pub struct Reporter {
    mode: Mode,
    system: String,
    events: Events,
    pods: Pods,
    groups: Groups,
    /// When the status of quotas and queues was written last.
    accounts_at: Option<i64>,
    /// What was written of them last, and over which object: what a cluster does not keep is not written again and again.
    accounted: BTreeMap<(Name, usize), (Change, Subject)>,
    /// What is to be written, in order.
    writes: Vec<Write>,
}

impl Reporter {
    /// A reporter of a controller that has reported nothing yet.
    pub fn new(mode: Mode, system: impl Into<String>, origin: Origin) -> Reporter {
        Reporter {
            mode,
            system: system.into(),
            events: Events::new(origin),
            pods: Pods::default(),
            groups: Groups::default(),
            accounts_at: None,
            accounted: BTreeMap::new(),
            writes: Vec::new(),
        }
    }

    /// What came of an input, at this time in nanoseconds since 1970. What is to be written comes with [`Reporter::due`].
    pub fn step(&mut self, now: i64, step: &Step, objects: &dyn Objects) {
        for notice in notice::of(step, self.mode, objects) {
            self.writes.extend(self.events.tell(now, &notice));
        }
        for (pod, told) in refusal::of(step) {
            if let Some(again) = self.pods.told(now, &pod, told) {
                self.events.again(now, &again);
            }
        }
    }

    /// What is to be written now. Empty most of the time; it is asked again at [`Reporter::wake_at`].
    pub fn due(&mut self, now: i64, objects: &dyn Objects) -> Vec<Write> {
        let mut writes = std::mem::take(&mut self.writes);
        for (pod, said) in self.pods.due(now) {
            let Some(subject) = objects.pod(&pod) else { continue };
            if let Some(refusal) = said.refused() {
                let notice = refusal.notice(self.mode, subject.clone());
                self.pods.remember(&pod, notice.key());
                writes.extend(self.events.tell(now, &notice));
            }
            if self.mode == Mode::OnlySays {
                continue;
            }
            writes.extend(conditions::of(&subject, &said, now));
            let group = objects.group_of(&pod).and_then(|name| objects.object(&name));
            writes.extend(group.and_then(|group| self.groups.member(&group, &said, objects.members(&group.name), now)));
        }
        writes.extend(self.events.sweep(now));
        writes
    }

    /// When something is due next, nanoseconds since 1970.
    pub fn wake_at(&self) -> Option<i64> {
        let now = (!self.writes.is_empty()).then_some(i64::MIN);
        now.into_iter().chain(self.pods.wake_at()).chain(self.events.wake_at()).min()
    }

    /// Whether quotas or queues have a status that is written.
    pub fn keeps_books(&self) -> bool {
        self.mode == Mode::CarriesOut && accounts::has_status(&self.system)
    }

    /// The books of quotas and queues: their status, where upstream writes it, is written at most once a second, and where it changed.
    pub fn accounts(
        &mut self,
        now: i64,
        accounts: &[QueueAccount],
        resources: &[Resource],
        objects: &dyn Objects,
    ) -> Vec<Write> {
        let early = self.accounts_at.is_some_and(|at| now < at.saturating_add(SECOND));
        if !self.keeps_books() || early {
            return Vec::new();
        }
        self.accounts_at = Some(now);
        let mut writes = Vec::new();
        let of_queues = accounts::status(&self.system, accounts, resources, objects);
        for (object, changes) in of_queues.into_iter().chain(self.groups.phases(&self.system, objects)) {
            for (place, change) in changes.into_iter().enumerate() {
                let key = (object.name.clone(), place);
                let written = (change, object.clone());
                if self.accounted.get(&key) != Some(&written) {
                    writes.push(object.write(written.0.clone()));
                    self.accounted.insert(key, written);
                }
            }
        }
        writes
    }

    /// A PodGroup is new or has changed: Volcano's is let into the queue at once, because there is no stage before it.
    pub fn group_told(&self, group: &Subject) -> Option<Write> {
        (self.mode == Mode::CarriesOut).then(|| groups::enqueue(group)).flatten()
    }

    /// A pod is gone, or another of its name is there: `namespace/name`.
    pub fn forget(&mut self, pod: &str) {
        self.pods.forget(pod);
    }

    /// How many events were not written because there were too many, so far.
    pub fn dropped(&self) -> u64 {
        self.events.dropped()
    }
}

/// Amounts as a list of resources has them.
type Amounts = BTreeMap<String, String>;
