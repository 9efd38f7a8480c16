//! An API server in memory: versions, preconditions, budgets and graces.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use jiff::Timestamp;
use json_patch::merge;
use lictor_host::driver::random::Random;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::connected::ConnectedProcess;
use super::observer::ControllerChecker;
use super::strike::InjectedFault;
use crate::carry_out::PatchTarget;
use crate::view::text;
use crate::watch::{GroupKind, WatchMessage};

/// The time of the cluster at which a play begins, in nanoseconds since 1970.
const BEGIN: i64 = 1_790_000_000 * SECOND;
pub(super) const SECOND: i64 = 1_000_000_000;

/// Shares of requests in a thousand that go wrong.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ControllerFaultRates {
    /// They are refused with 429, 500 or 503.
    pub(super) busy: usize,
    /// They are served, and their answer is lost.
    pub(super) lost: usize,
    /// They never reach the API server.
    pub(super) dropped: usize,
    /// Another client writes the object first.
    pub(super) overtaken: usize,
    /// They take seconds.
    pub(super) slow: usize,
    /// The process ends, or an object of the plan is deleted, in the middle of them.
    pub(super) injected: usize,
}

/// A request of a process.
#[derive(Debug, Clone)]
pub(super) enum ControllerApiRequest {
    Get,
    Patch(PatchTarget, Value),
    /// Evict the pod as long as it has this resource version.
    Evict(String),
    Delete,
}

impl ControllerApiRequest {
    /// Returns the name of the request, as roles have it.
    pub(super) fn verb(&self) -> &'static str {
        match self {
            ControllerApiRequest::Get => "get",
            ControllerApiRequest::Patch(PatchTarget::Object, _) => "patch",
            ControllerApiRequest::Patch(PatchTarget::Status, _) => "patch status",
            ControllerApiRequest::Evict(_) => "evict",
            ControllerApiRequest::Delete => "delete",
        }
    }
}

/// The faults of the API server.
#[derive(Default)]
pub(super) struct ApiServerFaults {
    /// Kinds that are not served.
    pub(super) absent: BTreeSet<GroupKind>,
    /// Verbs that the role of the processes does not grant.
    pub(super) forbidden: BTreeSet<&'static str>,
    /// Whether the path of evictions is not served.
    pub(super) is_unserved: bool,
    pub(super) chances: ControllerFaultRates,
    /// What strikes, and at which of the next requests.
    pub(super) injected: Option<(u64, InjectedFault)>,
}

/// The state of the API server.
pub(super) struct ApiServerState {
    /// The objects, by kind and then `namespace/name` or `name`.
    pub(super) objects: BTreeMap<(GroupKind, String), Value>,
    /// Until when pods count as disrupted that were counted against their budget and not evicted, by uid.
    pub(super) disrupted: BTreeMap<String, i64>,
    pub(super) faults: ApiServerFaults,
    /// The kind of the groups of gangs.
    pub(super) groups: GroupKind,
    /// The processes that run, by number. The one of the highest number leads.
    pub(super) processes: BTreeMap<u64, ConnectedProcess>,
    pub(super) random: Random,
    pub(super) observer: ControllerChecker,
    begun: Instant,
    /// How much the clock of the API server was set forward since the beginning, in nanoseconds; negative: back.
    pub(super) clock_offset: i64,
    /// Counts writes: the resource version of the last one.
    pub(super) version: u64,
    uids: u64,
}

/// A handle of the API server.
#[derive(Clone)]
pub(super) struct ApiServerHandle(Arc<Mutex<ApiServerState>>);

impl ApiServerHandle {
    pub(super) fn new(seed: u64) -> ApiServerHandle {
        ApiServerHandle(Arc::new(Mutex::new(ApiServerState {
            objects: BTreeMap::new(),
            disrupted: BTreeMap::new(),
            faults: ApiServerFaults::default(),
            groups: pods(),
            processes: BTreeMap::new(),
            random: Random::new(seed),
            observer: ControllerChecker::default(),
            begun: Instant::now(),
            clock_offset: 0,
            version: 0,
            uids: 0,
        })))
    }

    pub(super) fn state(&self) -> MutexGuard<'_, ApiServerState> {
        self.0.lock().unwrap()
    }
}

pub(super) fn pods() -> GroupKind {
    GroupKind::new("", "Pod")
}

/// Returns the name of an object within its kind.
pub(super) fn name_of(object: &Value) -> String {
    match text(object, "/metadata/namespace") {
        "" => text(object, "/metadata/name").to_owned(),
        namespace => format!("{namespace}/{}", text(object, "/metadata/name")),
    }
}

pub(super) fn kind_of(object: &Value) -> GroupKind {
    let group = text(object, "/apiVersion").rsplit_once('/').map_or("", |(group, _)| group);
    GroupKind::new(group, text(object, "/kind"))
}

impl ApiServerState {
    /// Returns the time of the test, in nanoseconds since 1970. No clock that is set changes it.
    pub(super) fn now(&self) -> i64 {
        BEGIN + i64::try_from(self.begun.elapsed().as_nanos()).unwrap()
    }

    /// Returns a moment as metadata has it: by the clock of the API server.
    pub(super) fn time(&self, nanoseconds: i64) -> Value {
        Timestamp::from_second((nanoseconds + self.clock_offset) / SECOND).unwrap().to_string().into()
    }

    /// Returns what strikes at the request that is served now.
    pub(super) fn next_fault(&mut self) -> Option<InjectedFault> {
        match &mut self.faults.injected {
            Some((0, strike)) => {
                let strike = *strike;
                self.faults.injected = None;
                Some(strike)
            }
            Some((left, _)) => {
                *left -= 1;
                None
            }
            None => None,
        }
    }

    /// Creates an object. Returns false where an object of its name exists.
    pub(super) fn create(&mut self, mut object: Value) -> bool {
        let (kind, name) = (kind_of(&object), name_of(&object));
        if self.objects.contains_key(&(kind.clone(), name.clone())) || self.faults.absent.contains(&kind) {
            return false;
        }
        (self.uids, self.version) = (self.uids + 1, self.version + 1);
        object["metadata"]["uid"] = format!("u{}", self.uids).into();
        object["metadata"]["creationTimestamp"] = self.time(self.now());
        object["metadata"]["resourceVersion"] = self.version.to_string().into();
        self.objects.insert((kind.clone(), name), object.clone());
        self.observer.reset_nominations();
        self.notify(&kind, &WatchMessage::Upserted(object));
        true
    }

    /// Changes an object, where it is there. What changes nothing is no write.
    pub(super) fn change(&mut self, kind: &GroupKind, name: &str, change: impl FnOnce(&mut Value)) -> Option<Value> {
        let object = self.objects.get_mut(&(kind.clone(), name.to_owned()))?;
        let before = object.clone();
        change(object);
        if *object == before {
            return Some(before);
        }
        self.version += 1;
        object["metadata"]["resourceVersion"] = self.version.to_string().into();
        let after = object.clone();
        self.observer
            .add_line(|| format!("version {}: {kind} {name}, {}", self.version, text(&after, "/status/phase")));
        self.observer.record_change(&before, &after);
        self.record_nominated();
        self.notify(kind, &WatchMessage::Upserted(after.clone()));
        Some(after)
    }

    /// Takes note of the pods that are nominated: a pod that is deleted a moment later was nominated all the same.
    pub(super) fn record_nominated(&mut self) {
        let (now, nominated) = (self.now(), self.nominated());
        self.observer.record_nominated(now, nominated);
    }

    /// Removes an object at once.
    pub(super) fn remove(&mut self, kind: &GroupKind, name: &str) {
        self.record_nominated();
        if let Some(mut object) = self.objects.remove(&(kind.clone(), name.to_owned())) {
            self.version += 1;
            object["metadata"]["resourceVersion"] = self.version.to_string().into();
            self.observer.add_line(|| format!("version {}: {kind} {name} is gone", self.version));
            self.observer.deleted(&object);
            self.notify(kind, &WatchMessage::Deleted(object));
        }
    }

    /// Stops a pod: one that has no node is gone at once, any other has its grace.
    pub(super) fn stop(&mut self, name: &str, reason: &str) {
        let Some(pod) = self.objects.get(&(pods(), name.to_owned())) else { return };
        if text(pod, "/spec/nodeName").is_empty() {
            return self.remove(&pods(), name);
        }
        let grace = pod["spec"]["terminationGracePeriodSeconds"].as_i64().unwrap();
        let ends = self.time(self.now() + grace * SECOND);
        let condition = json!({"type": "DisruptionTarget", "status": "True", "reason": reason, "message": reason});
        self.change(&pods(), name, |pod| {
            if text(pod, "/metadata/deletionTimestamp").is_empty() {
                pod["metadata"]["deletionTimestamp"] = ends;
                pod["metadata"]["deletionGracePeriodSeconds"] = grace.into();
                merge_conditions(pod, &json!([condition]));
            }
        });
    }
}

/// Merges conditions by their type, as strategic merge patches do.
pub(super) fn merge_conditions(object: &mut Value, conditions: &Value) {
    if !object["status"]["conditions"].is_array() {
        object["status"]["conditions"] = json!([]);
    }
    let known = object["status"]["conditions"].as_array_mut().unwrap();
    for condition in conditions.as_array().into_iter().flatten() {
        match known.iter_mut().find(|it| it["type"] == condition["type"]) {
            Some(same) => merge(same, condition),
            None => known.push(condition.clone()),
        }
    }
}
