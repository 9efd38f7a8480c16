//! The API server: objects with their versions, the changes that its watches have not delivered yet, and its answers to requests.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use jiff::Timestamp;
use json_patch::merge;
use serde_json::{Value, json};

/// An object as it was at a moment.
pub(super) type Object = Rc<Value>;

pub(super) const SECOND: i64 = 1_000_000_000;

/// Returns the text at a pointer; none is empty.
pub(super) fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Returns `namespace/name`, or `name` where there is no namespace.
pub(super) fn name_of(object: &Value) -> String {
    match text(object, "/metadata/namespace") {
        "" => text(object, "/metadata/name").to_owned(),
        namespace => format!("{namespace}/{}", text(object, "/metadata/name")),
    }
}

pub(super) fn uid_of(object: &Value) -> &str {
    text(object, "/metadata/uid")
}

/// Returns the version of an object: each change of any object has a higher one.
pub(super) fn version_of(object: &Value) -> u64 {
    text(object, "/metadata/resourceVersion").parse().unwrap()
}

/// Returns the node of a pod.
pub(super) fn node_of(pod: &Value) -> &str {
    text(pod, "/spec/nodeName")
}

/// Returns the node to which a pod is nominated.
pub(super) fn nominated(pod: &Value) -> &str {
    text(pod, "/status/nominatedNodeName")
}

/// Returns whether an object is being deleted.
pub(super) fn is_being_deleted(object: &Value) -> bool {
    !text(object, "/metadata/deletionTimestamp").is_empty()
}

/// Returns whether a pod has ended.
pub(super) fn has_ended(pod: &Value) -> bool {
    matches!(text(pod, "/status/phase"), "Succeeded" | "Failed")
}

/// Returns what the protocol calls the kind of an object: `Kind` or `Kind.group`.
pub(super) fn kind_of(object: &Value) -> String {
    match text(object, "/apiVersion").rsplit_once('/') {
        Some((group, _)) => format!("{}.{group}", text(object, "/kind")),
        None => text(object, "/kind").to_owned(),
    }
}

/// A change that a watch reports.
#[derive(Debug, Clone)]
pub(super) enum StoreChange {
    Upserted(Object),
    Deleted(Object),
}

/// A request about an object of a kind, by its name; `uid`: a precondition, where it is not empty.
#[derive(Debug, Clone)]
pub(super) struct SchedulerApiRequest {
    pub(super) verb: &'static str,
    pub(super) pod: String,
    pub(super) uid: String,
    pub(super) body: Value,
}

/// The objects, by kind and then by name.
#[derive(Debug, Default)]
pub(super) struct SimulatedApiServer {
    pub(super) objects: BTreeMap<(String, String), Object>,
    /// The changes that the watches of each kind have not delivered yet.
    pub(super) watches: BTreeMap<String, VecDeque<StoreChange>>,
    /// Verbs that the role of the scheduler does not grant.
    pub(super) forbidden: BTreeSet<&'static str>,
    /// Counts writes: the resource version of the last one.
    pub(super) version: u64,
    uids: u64,
    /// The time, in nanoseconds since 1970.
    pub(super) now: i64,
}

impl SimulatedApiServer {
    /// Returns an empty cluster at this time.
    pub(super) fn at(now: i64) -> SimulatedApiServer {
        SimulatedApiServer { now, ..SimulatedApiServer::default() }
    }

    pub(super) fn get(&self, kind: &str, name: &str) -> Option<&Object> {
        self.objects.get(&(kind.to_owned(), name.to_owned()))
    }

    pub(super) fn pod(&self, name: &str) -> Option<&Object> {
        self.get("Pod", name)
    }

    /// Returns the objects of a kind.
    pub(super) fn all<'w>(&'w self, kind: &'w str) -> impl Iterator<Item = &'w Object> {
        self.objects.iter().filter(move |((of, _), _)| of == kind).map(|(_, object)| object)
    }

    fn notify(&mut self, kind: &str, change: StoreChange) {
        self.watches.entry(kind.to_owned()).or_default().push_back(change);
    }

    /// Creates an object. Returns false where an object of its name exists.
    pub(super) fn create(&mut self, mut object: Value) -> bool {
        let key = (kind_of(&object), name_of(&object));
        if self.objects.contains_key(&key) {
            return false;
        }
        (self.uids, self.version) = (self.uids + 1, self.version + 1);
        object["metadata"]["uid"] = format!("u{}", self.uids).into();
        object["metadata"]["creationTimestamp"] = moment(self.now).into();
        object["metadata"]["resourceVersion"] = self.version.to_string().into();
        let object = Rc::new(object);
        self.notify(&key.0, StoreChange::Upserted(object.clone()));
        self.objects.insert(key, object);
        true
    }

    /// Changes an object, where it is there. What changes nothing is no write.
    pub(super) fn change(&mut self, kind: &str, name: &str, change: impl FnOnce(&mut Value)) -> Option<Object> {
        let before = self.get(kind, name)?.clone();
        let mut after = (*before).clone();
        change(&mut after);
        if after == *before {
            return Some(before);
        }
        self.version += 1;
        after["metadata"]["resourceVersion"] = self.version.to_string().into();
        let after = Rc::new(after);
        self.objects.insert((kind.to_owned(), name.to_owned()), after.clone());
        // kube-scheduler watches no pods that have ended: for it, they are gone.
        let change = if has_ended(&after) { StoreChange::Deleted } else { StoreChange::Upserted };
        self.notify(kind, change(after.clone()));
        Some(after)
    }

    /// Removes an object at once.
    pub(super) fn remove(&mut self, kind: &str, name: &str) {
        if let Some(object) = self.objects.remove(&(kind.to_owned(), name.to_owned())) {
            self.version += 1;
            self.notify(kind, StoreChange::Deleted(object));
        }
    }

    /// Stops a pod: one that has no node is gone at once, any other has its grace.
    pub(super) fn stop(&mut self, name: &str) {
        let Some(pod) = self.pod(name).cloned() else { return };
        if node_of(&pod).is_empty() {
            return self.remove("Pod", name);
        }
        let grace = pod["spec"]["terminationGracePeriodSeconds"].as_i64().unwrap_or_default();
        let ends = moment(self.now + grace * SECOND);
        self.change("Pod", name, |pod| {
            if !is_being_deleted(pod) {
                pod["metadata"]["deletionTimestamp"] = ends.into();
                pod["metadata"]["deletionGracePeriodSeconds"] = grace.into();
            }
        });
    }

    /// Serves a request, or refuses it with a code as the real API server does.
    pub(super) fn serve(&mut self, request: &SchedulerApiRequest) -> Result<Object, u16> {
        let SchedulerApiRequest { verb, pod: name, uid, body } = request;
        if self.forbidden.contains(verb) {
            return Err(403);
        }
        let pod = self.pod(name).cloned().ok_or(404_u16)?;
        let is_it = uid.is_empty() || uid_of(&pod) == uid;
        match *verb {
            "get" => Ok(pod),
            "delete" | "bind" if !is_it => Err(409),
            // That `metadata.uid` does not change is validated, not a precondition.
            _ if !is_it => Err(422),
            "delete" => {
                self.stop(name);
                Ok(pod)
            }
            "bind" if !node_of(&pod).is_empty() || is_being_deleted(&pod) => Err(409),
            "bind" => Ok(self.bind(name, text(body, "/node"))),
            "patch status" => Ok(self.patch(name, "status", body)),
            _ => Ok(self.patch(name, "metadata", body)),
        }
    }

    /// Binds a pod. Its nomination is cleared with it (`ClearingNominatedNodeNameAfterBinding`).
    fn bind(&mut self, name: &str, node: &str) -> Object {
        let bound = self.change("Pod", name, |pod| {
            pod["spec"]["nodeName"] = node.into();
            pod["status"].as_object_mut().unwrap().remove("nominatedNodeName");
            conditions(pod, &json!([{"type": "PodScheduled", "status": "True", "message": ""}]));
        });
        bound.unwrap()
    }

    fn patch(&mut self, name: &str, part: &str, body: &Value) -> Object {
        let changed = self.change("Pod", name, |pod| {
            if let Some(said) = body[part].get("conditions") {
                conditions(pod, said);
            }
            let mut rest = body[part].clone();
            if let Some(rest) = rest.as_object_mut() {
                rest.remove("conditions");
            }
            merge(&mut pod[part], &rest);
        });
        changed.unwrap()
    }
}

/// Merges conditions by their type, as strategic merge patches do.
pub(super) fn conditions(pod: &mut Value, said: &Value) {
    if !pod["status"]["conditions"].is_array() {
        pod["status"]["conditions"] = json!([]);
    }
    let known = pod["status"]["conditions"].as_array_mut().unwrap();
    for condition in said.as_array().into_iter().flatten() {
        match known.iter_mut().find(|it| it["type"] == condition["type"]) {
            Some(same) => merge(same, condition),
            None => known.push(condition.clone()),
        }
    }
}

/// Returns the condition of a pod that says whether it is scheduled: its message where it is not.
pub(super) fn refusal(pod: &Value) -> &str {
    let all = pod.pointer("/status/conditions").and_then(Value::as_array);
    let scheduled = all.into_iter().flatten().find(|it| it["type"] == "PodScheduled" && it["status"] == "False");
    scheduled.map_or("", |condition| text(condition, "/message"))
}

/// Returns a moment as metadata has it, in whole seconds.
pub(super) fn moment(nanoseconds: i64) -> String {
    Timestamp::from_second(nanoseconds / SECOND).unwrap().to_string()
}

/// Returns the nanoseconds since 1970 of a moment as metadata has it.
pub(super) fn nanoseconds(moment: &str) -> i64 {
    moment.parse::<Timestamp>().unwrap().as_second() * SECOND
}
