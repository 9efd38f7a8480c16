//! Golden cases for the oracle itself: clusters whose outcome upstream's own unit tests state. The oracle alone judges: it accepts that
//! outcome, and refuses each other outcome of the case. So a misreading that oracle and policy share is seen.
//!
//! Each case names the file and the case of upstream. Amounts are upstream's; names are shortened.
#![expect(clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod coscheduling;
mod koordinator;
mod kubernetes;
mod volcano;
mod volcano_elastic;
mod volcano_waiting;
mod yunikorn;

use std::collections::BTreeMap;

use lictor_oracle::{CaseStep, FuzzCase, RoundKind, Stopped, SystemKind, play};
use serde_json::{Value, json};

/// A case, and the pods in the order of the queue.
struct Golden {
    case: FuzzCase,
    order: Vec<&'static str>,
}

/// The judged steps have been played: the rest of the case is of no interest.
struct Accepted;

impl Golden {
    /// Returns a cluster in which these pods are tried.
    fn attempts(system: SystemKind, objects: Vec<Value>, order: &[&'static str]) -> Golden {
        Golden { case: FuzzCase::by_hand(system, RoundKind::Attempts, objects), order: order.to_vec() }
    }

    /// Returns a cluster in which one cycle is run.
    fn cycle(objects: Vec<Value>) -> Golden {
        Golden { case: FuzzCase::by_hand(SystemKind::Volcano, RoundKind::Cycles, objects), order: Vec::new() }
    }

    /// Returns the same cluster some seconds later.
    fn after(mut self, seconds: i64) -> Golden {
        self.case.drive.first = seconds;
        self
    }

    /// Adds objects that come once the cluster has been seen without them.
    fn later(mut self, objects: Vec<Value>) -> Golden {
        self.case.later = objects;
        self
    }

    /// Plays the case with these outcomes, one for each attempt or cycle, and for each usage of the queues between two cycles. Returns the law that is
    /// broken first.
    fn judge(&self, outcomes: &[Value]) -> Option<String> {
        let (mut outcomes, mut waiting) = (outcomes.iter(), json!([]));
        let take = |step: &CaseStep| match step {
            CaseStep::Order => {
                let holds = |pod: &&&str| waiting.as_array().is_some_and(|held| held.contains(&json!(pod)));
                let order: Vec<&&str> = self.order.iter().filter(|pod| !holds(pod)).collect();
                Ok(json!({"order": order, "waiting": waiting}))
            }
            CaseStep::Schedule(_) | CaseStep::Cycle | CaseStep::Usage(_) => {
                let outcome = outcomes.next().ok_or(Accepted)?;
                waiting = outcome["waiting"].clone();
                Ok(outcome.clone())
            }
            CaseStep::Advance(_) | CaseStep::Apply(_) | CaseStep::EvictionsComplete if outcomes.len() > 0 => {
                Ok(json!({"waiting": waiting}))
            }
            _ => Err(Accepted),
        };
        match play(&self.case, take) {
            Ok(played) => played.breaches.first().map(|breach| format!("{}: {}", breach.law, breach.text)),
            Err(Stopped::Step(Accepted)) => None,
            Err(Stopped::Read(error)) => panic!("{error}"),
        }
    }

    /// Checks that the oracle accepts upstream's outcome and refuses the others, each by this law.
    fn holds(&self, name: &str, right: Value, wrong: &[(&str, Value)]) {
        assert!(self.case.is_fair(), "{name}: the cluster is impossible");
        assert_eq!(self.judge(&[right]), None, "{name}: upstream's own outcome is refused");
        for (law, outcome) in wrong {
            let broken = self.judge(std::slice::from_ref(outcome));
            let broken = broken.unwrap_or_else(|| panic!("{name}: {outcome} is accepted"));
            assert!(broken.starts_with(&format!("{law}: ")), "{name}: expected {law}, found {broken}");
        }
    }
}

/// Returns an attempt that ends without a node.
fn ends(result: &str) -> Value {
    json!({"result": result, "bound": {}, "nominated": {}, "victims": [], "waiting": [], "standing": {}, "reason": ""})
}

/// Returns an attempt that binds the pod.
fn binds(pod: &str, node: &str) -> Value {
    json!({"result": "Scheduled", "node": node, "bound": {pod: node}, "nominated": {}, "victims": [], "waiting": [],
        "standing": {}})
}

/// Returns an attempt after which the pod waits at permit.
fn waits(pod: &str, node: &str) -> Value {
    json!({"result": "Waiting", "node": node, "bound": {}, "nominated": {}, "victims": [], "waiting": [pod],
        "standing": {}})
}

/// Returns a plan for one pod.
fn evicts(pod: &str, node: &str, victims: &[&str]) -> Value {
    plans(&[(pod, node)], victims)
}

/// Returns a plan for several pods; the first one was tried.
fn plans(pods: &[(&str, &str)], victims: &[&str]) -> Value {
    let nominated: BTreeMap<&str, &str> = pods.iter().copied().collect();
    let (lead, node) = pods.first().copied().unwrap_or_default();
    let plan = json!({"plan": 1, "preemptor": lead, "nominated": nominated, "victims": victims});
    json!({"result": "Nominated", "node": node, "bound": {}, "nominated": nominated, "victims": victims, "plans": [plan],
        "waiting": [], "standing": nominated, "eviction": "Delete"})
}

/// Returns a cycle that binds these pods.
fn cycle(bound: &[(&str, &str)]) -> Value {
    let bound: BTreeMap<&str, &str> = bound.iter().copied().collect();
    json!({"bound": bound, "nominated": {}, "victims": [], "plans": [], "waiting": [], "standing": {}})
}

/// Returns a cycle that makes a plan for one pod.
fn reclaims(pod: &str, node: &str, victims: &[&str]) -> Value {
    let mut outcome = evicts(pod, node, victims);
    let fields = outcome.as_object_mut();
    fields.into_iter().for_each(|fields| drop(fields.remove("result")));
    outcome
}

/// Returns a node with these amounts.
fn node(name: &str, mut amounts: Value) -> Value {
    amounts.as_object_mut().into_iter().for_each(|amounts| drop(amounts.insert("pods".to_owned(), json!("10"))));
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "status": {"allocatable": amounts}})
}

/// Returns a pod with these requests; `namespace/name`. It runs if it has a node.
fn pod(name: &str, requests: Value, priority: i64, on: Option<&str>) -> Value {
    let (namespace, name) = name.split_once('/').unwrap_or(("default", name));
    let mut pod = json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": {}, "annotations": {},
            "creationTimestamp": "1970-01-01T00:00:00Z"},
        "spec": {"priority": priority, "containers": [{"name": "main", "resources": {"requests": requests}}]},
        "status": {"phase": if on.is_some() { "Running" } else { "Pending" }}});
    if let Some(on) = on {
        set(&mut pod, "/spec", "nodeName", json!(on));
        set(&mut pod, "/status", "startTime", json!("1970-01-01T00:00:00Z"));
    }
    pod
}

/// Sets a field of an object.
fn set(object: &mut Value, pointer: &str, key: &str, value: Value) {
    let part = object.pointer_mut(pointer).and_then(Value::as_object_mut);
    part.into_iter().for_each(|part| drop(part.insert(key.to_owned(), value.clone())));
}

/// Returns the same object with a label.
fn labelled(mut object: Value, key: &str, value: &str) -> Value {
    set(&mut object, "/metadata/labels", key, json!(value));
    object
}
