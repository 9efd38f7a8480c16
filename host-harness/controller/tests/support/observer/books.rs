//! The pods and nodes that the observer knows, and the violations that it finds. It receives what the API server sends, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::placement::misplaced;
use super::requests::{Amounts, amounts, requests};

/// Pods and nodes come on two watches, and a scheduler decides upon what it saw a moment ago: a pod is well placed on its node as
/// it was at any time in this long.
const RECENT: Duration = Duration::from_secs(5);

/// A kind of event in the life of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    Created,
    Bound,
    Running,
    /// The pod is being deleted: it has a deletion timestamp.
    Deleted,
    Gone,
}

/// A moment in the life of a pod.
#[derive(Debug, Clone)]
pub struct Moment {
    pub at: Instant,
    pub what: What,
    /// Namespace and name.
    pub pod: String,
    pub uid: String,
    /// Where it is bound to; empty where it is not.
    pub node: String,
}

/// A pod as it is.
#[derive(Debug)]
struct Pod {
    object: Value,
    takes: Amounts,
    node: String,
    is_finished: bool,
}

impl Pod {
    fn read(object: Value) -> Self {
        let is_finished = matches!(text(&object, "/status/phase"), "Succeeded" | "Failed");
        Self { takes: requests(&object), node: text(&object, "/spec/nodeName").to_owned(), is_finished, object }
    }
}

/// A node as it is and was.
#[derive(Debug, Default)]
struct Node {
    /// Each with the moment from which it is out of date.
    earlier: Vec<(Value, Instant)>,
    now: Option<Value>,
}

/// All that is known, and all that is wrong.
#[derive(Debug, Default)]
pub struct Books {
    pods: BTreeMap<String, Pod>,
    nodes: BTreeMap<String, Node>,
    /// Bound to a node that is not known yet, by uid.
    unjudged: BTreeMap<String, Instant>,
    /// The pods have been listed once. What was there before is not judged: it may be what an earlier test has left.
    is_listed: bool,
    pub moments: Vec<Moment>,
    pub violations: Vec<String>,
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn uid(object: &Value) -> String {
    text(object, "/metadata/uid").to_owned()
}

fn name(object: &Value) -> String {
    format!("{}/{}", text(object, "/metadata/namespace"), text(object, "/metadata/name"))
}

impl Books {
    /// Returns the resource version of each pod, by uid.
    pub fn versions(&self) -> BTreeMap<String, String> {
        let version = |pod: &Pod| text(&pod.object, "/metadata/resourceVersion").to_owned();
        self.pods.iter().map(|(uid, pod)| (uid.clone(), version(pod))).collect()
    }

    /// Records a pod that was added or has changed.
    pub fn pod(&mut self, object: Value, now: Instant) {
        let uid = uid(&object);
        let before = self.pods.remove(&uid);
        let pod = Pod::read(object);
        let was = before.as_ref().map(|before| stages(&before.object)).unwrap_or_default();
        for what in stages(&pod.object).difference(&was) {
            self.note(*what, &pod.object, now);
        }
        let bound_to = before.map(|before| before.node).filter(|node| !node.is_empty());
        let is_new = bound_to.is_none() && !pod.node.is_empty() && !pod.is_finished;
        if let Some(other) = bound_to.filter(|other| *other != pod.node) {
            self.violations.push(format!("{} was bound to {other}, and then to {}", name(&pod.object), pod.node));
        }
        self.pods.insert(uid.clone(), pod);
        if is_new {
            self.judge(&uid, now);
        }
    }

    /// Records a pod that is gone.
    pub fn pod_gone(&mut self, object: &Value, now: Instant) {
        let uid = uid(object);
        if let Some(pod) = self.pods.remove(&uid) {
            self.note(What::Gone, &pod.object, now);
        }
        self.unjudged.remove(&uid);
    }

    /// Records a list of all pods. Removals come first: they freed capacity for the new pods.
    pub fn all_pods(&mut self, objects: Vec<Value>, now: Instant) {
        let here: BTreeSet<String> = objects.iter().map(uid).collect();
        let gone: Vec<Value> =
            self.pods.iter().filter(|(uid, _)| !here.contains(*uid)).map(|(_, pod)| pod.object.clone()).collect();
        gone.iter().for_each(|object| self.pod_gone(object, now));
        if std::mem::replace(&mut self.is_listed, true) {
            objects.into_iter().for_each(|object| self.pod(object, now));
        } else {
            self.pods.extend(objects.into_iter().map(|object| (uid(&object), Pod::read(object))));
        }
    }

    /// Records a node that was added or has changed.
    pub fn node(&mut self, object: Value, now: Instant) {
        let name = text(&object, "/metadata/name").to_owned();
        let node = self.nodes.entry(name.clone()).or_default();
        node.earlier.retain(|(_, until)| now.duration_since(*until) < RECENT);
        let before = node.now.replace(object);
        node.earlier.extend(before.map(|before| (before, now)));
        let waiting: Vec<String> = self.unjudged.keys().filter(|uid| self.is_on(uid, &name)).cloned().collect();
        for uid in waiting {
            self.unjudged.remove(&uid);
            self.judge(&uid, now);
        }
    }

    fn is_on(&self, uid: &str, node: &str) -> bool {
        self.pods.get(uid).is_some_and(|pod| pod.node == node)
    }

    /// Records a node that is gone.
    pub fn node_gone(&mut self, name: &str, now: Instant) {
        if let Some(node) = self.nodes.get_mut(name) {
            node.earlier.extend(node.now.take().map(|before| (before, now)));
        }
    }

    /// Records a list of all nodes.
    pub fn all_nodes(&mut self, objects: Vec<Value>, now: Instant) {
        let here: BTreeSet<&str> = objects.iter().map(|object| text(object, "/metadata/name")).collect();
        let gone: Vec<String> = self.nodes.keys().filter(|name| !here.contains(name.as_str())).cloned().collect();
        gone.iter().for_each(|name| self.node_gone(name, now));
        objects.into_iter().for_each(|object| self.node(object, now));
    }

    /// Checks whether a pod that has just been bound may run on its node, and fits there.
    fn judge(&mut self, uid: &str, now: Instant) {
        let Some(pod) = self.pods.get(uid) else { return };
        let Some(node) = self.nodes.get(&pod.node).filter(|node| node.recent(now).next().is_some()) else {
            self.unjudged.insert(uid.to_owned(), now);
            return;
        };
        // It may run where it could lately: only where every version of the node denies it, it is misplaced.
        let reasons: Option<Vec<String>> = node.recent(now).map(|node| misplaced(&pod.object, node)).collect();
        if let Some(reason) = reasons.as_ref().and_then(|reasons| reasons.last()) {
            self.violations.push(format!("{} is misplaced on {}: {reason}", name(&pod.object), pod.node));
        }
        let on_it = || self.pods.values().filter(|other| other.node == pod.node && !other.is_finished);
        for (resource, _) in pod.takes.iter().filter(|(_, takes)| **takes > 0) {
            let taken: i128 = on_it().filter_map(|other| other.takes.get(resource)).sum();
            let most = node
                .recent(now)
                .map(|node| amounts(node.pointer("/status/allocatable")).get(resource).copied().unwrap_or(0))
                .max();
            if most.is_none_or(|most| taken > most) {
                let by: Vec<String> = on_it().map(|other| name(&other.object)).collect();
                self.violations.push(format!(
                    "{} is overcommitted since {} is there: {resource} {taken} of {} billionths, by {}",
                    pod.node,
                    name(&pod.object),
                    most.unwrap_or(0),
                    by.join(", "),
                ));
            }
        }
    }

    /// Records the mistake that only the end can show: a pod on a node that never existed.
    pub fn close(&mut self) {
        for uid in std::mem::take(&mut self.unjudged).into_keys() {
            if let Some(pod) = self.pods.get(&uid) {
                self.violations.push(format!("{} is bound to {}, which is no node", name(&pod.object), pod.node));
            }
        }
    }

    fn note(&mut self, what: What, object: &Value, at: Instant) {
        let node = text(object, "/spec/nodeName").to_owned();
        self.moments.push(Moment { at, what, pod: name(object), uid: uid(object), node });
    }
}

impl Node {
    /// Returns the node as it is, and as it has been lately, the newest last.
    fn recent(&self, now: Instant) -> impl Iterator<Item = &Value> {
        let lately = self.earlier.iter().filter(move |(_, until)| now.duration_since(*until) < RECENT);
        lately.map(|(object, _)| object).chain(&self.now)
    }
}

/// Returns what has happened to a pod so far, as far as the object shows.
fn stages(object: &Value) -> BTreeSet<What> {
    let mut stages = BTreeSet::from([What::Created]);
    stages.extend((!text(object, "/spec/nodeName").is_empty()).then_some(What::Bound));
    stages.extend((text(object, "/status/phase") == "Running").then_some(What::Running));
    stages.extend((!text(object, "/metadata/deletionTimestamp").is_empty()).then_some(What::Deleted));
    stages
}
