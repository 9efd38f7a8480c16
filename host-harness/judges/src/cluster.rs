//! The cluster of a case as objects, as an API server would show them after each step.

use std::collections::BTreeMap;

use lictor_oracle::Step;
use serde_json::{Map, Value, json};

/// The objects of a case, in the order in which they came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cluster {
    /// Seconds since 1970.
    now: i64,
    objects: Vec<Value>,
    /// The nodes of the pods that wait at permit.
    held: BTreeMap<String, String>,
}

impl Cluster {
    /// A cluster of these objects.
    pub(crate) fn of(objects: &[Value]) -> Cluster {
        Cluster { objects: objects.to_vec(), ..Cluster::default() }
    }

    /// The present, in RFC 3339.
    pub(crate) fn now(&self) -> String {
        stamp(self.now)
    }

    /// Returns the objects as a scheduler has them: a pod that waits at permit uses its node.
    pub(crate) fn shown(&self) -> Vec<Value> {
        let shown = |object: &Value| {
            let mut object = object.clone();
            if let Some(node) = name(&object).and_then(|name| self.held.get(&name)) {
                put(&mut object, "/spec", "nodeName", json!(node));
            }
            object
        };
        self.objects.iter().map(shown).collect()
    }

    /// Returns the objects of a kind.
    pub(crate) fn all<'c>(&'c self, kind: &'c str) -> impl Iterator<Item = &'c Value> {
        self.objects.iter().filter(move |object| text(object, "/kind") == kind)
    }

    /// Returns a pod by `namespace/name`.
    pub(crate) fn pod(&self, wanted: &str) -> Option<&Value> {
        self.all("Pod").find(|pod| name(pod).as_deref() == Some(wanted))
    }

    /// Applies what a step has come to.
    pub(crate) fn take(&mut self, step: &Step, outcome: &Value) {
        match step {
            Step::Advance(seconds) => self.now = self.now.saturating_add(*seconds),
            Step::Apply(objects) => objects.iter().for_each(|object| self.put(object)),
            Step::EvictionsComplete => self.objects.retain(|object| !leaves(object)),
            Step::Order | Step::Schedule(_) | Step::Cycle | Step::Usage(_) => {}
        }
        self.hold(step, outcome);
        for (pod, node) in texts(outcome, "bound") {
            let now = self.now();
            self.change(&pod, |pod| {
                put(pod, "/spec", "nodeName", json!(node));
                put(pod, "", "status", json!({"phase": "Running", "startTime": now}));
            });
        }
        if let Some(standing) = outcome.get("standing").and_then(Value::as_object) {
            self.nominate(standing);
        }
        for victim in list(outcome, "victims") {
            let now = self.now();
            self.change(&victim, |pod| evict(pod, &now));
        }
    }

    /// Adds an object, or replaces the one of this name.
    fn put(&mut self, object: &Value) {
        let same = |other: &&mut Value| text(other, "/kind") == text(object, "/kind") && name(other) == name(object);
        match self.objects.iter_mut().find(same) {
            Some(old) => *old = object.clone(),
            None => self.objects.push(object.clone()),
        }
    }

    /// Remembers who waits at permit.
    fn hold(&mut self, step: &Step, outcome: &Value) {
        let waiting = list(outcome, "waiting");
        self.held.retain(|pod, _| waiting.contains(pod));
        if let (Step::Schedule(pod), Some(node)) = (step, outcome.get("node").and_then(Value::as_str))
            && waiting.contains(pod)
        {
            self.held.insert(pod.clone(), node.to_owned());
        }
    }

    /// Writes the nominations that stand.
    fn nominate(&mut self, standing: &Map<String, Value>) {
        let pending = |pod: &&mut Value| text(pod, "/kind") == "Pod" && text(pod, "/spec/nodeName").is_empty();
        for pod in self.objects.iter_mut().filter(pending) {
            let node = name(pod).and_then(|name| standing.get(&name)).cloned();
            match (node, pod.pointer_mut("/status").and_then(Value::as_object_mut)) {
                (Some(node), _) => put(pod, "/status", "nominatedNodeName", node),
                (None, Some(status)) => drop(status.remove("nominatedNodeName")),
                (None, None) => {}
            }
        }
    }

    /// Changes a pod. A pod that is not there is passed over: the oracle judges what a policy says of such a pod.
    fn change(&mut self, wanted: &str, change: impl FnMut(&mut Value)) {
        let is_wanted = |object: &&mut Value| text(object, "/kind") == "Pod" && name(object).as_deref() == Some(wanted);
        self.objects.iter_mut().find(is_wanted).into_iter().for_each(change);
    }
}

/// Marks a running pod as one that is being preempted. A pod that waited at permit is pending again.
fn evict(pod: &mut Value, now: &str) {
    if text(pod, "/spec/nodeName").is_empty() {
        return;
    }
    put(pod, "/metadata", "deletionTimestamp", json!(now));
    let condition = json!({"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"});
    put(pod, "/status", "conditions", json!([condition]));
}

/// Returns whether an object is being deleted.
pub(crate) fn leaves(object: &Value) -> bool {
    object.pointer("/metadata/deletionTimestamp").is_some()
}

/// Returns `namespace/name`, or the name of an object without a namespace.
pub(crate) fn name(object: &Value) -> Option<String> {
    let name = object.pointer("/metadata/name")?.as_str()?;
    let namespace = object.pointer("/metadata/namespace").and_then(Value::as_str);
    let namespace = namespace.or_else(|| (text(object, "/kind") == "Pod").then_some("default"));
    Some(namespace.map_or_else(|| name.to_owned(), |namespace| format!("{namespace}/{name}")))
}

/// Returns the text at a JSON pointer; empty where there is none.
pub(crate) fn text<'v>(object: &'v Value, pointer: &str) -> &'v str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Returns a list of texts under a key of an outcome.
pub(crate) fn list(outcome: &Value, key: &str) -> Vec<String> {
    let entries = outcome.get(key).and_then(Value::as_array).into_iter().flatten();
    entries.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns a map of texts under a key of an outcome.
pub(crate) fn texts(outcome: &Value, key: &str) -> BTreeMap<String, String> {
    let entries = outcome.get(key).and_then(Value::as_object).into_iter().flatten();
    entries.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

/// Writes a field below a JSON pointer, and the object there where it is missing.
fn put(object: &mut Value, parent: &str, key: &str, value: Value) {
    if object.pointer(parent).is_none()
        && let Some(fields) = object.as_object_mut()
    {
        fields.insert(parent.trim_start_matches('/').to_owned(), json!({}));
    }
    if let Some(fields) = object.pointer_mut(parent).and_then(Value::as_object_mut) {
        fields.insert(key.to_owned(), value);
    }
}

/// Writes a time of 1970-01-01, given in seconds.
fn stamp(seconds: i64) -> String {
    let part = |divisor: i64, modulus: i64| seconds.div_euclid(divisor).rem_euclid(modulus);
    format!("1970-01-01T{:02}:{:02}:{:02}Z", part(3600, 24), part(60, 60), part(1, 60))
}
