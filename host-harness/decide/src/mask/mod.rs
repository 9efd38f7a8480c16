//! Names are replaced by invented ones before a cluster is shared.
//!
//! What is replaced: the names and namespaces of objects wherever they stand, and the values of labels. What a decision does not depend on
//! is left out: images, commands, environments, addresses, annotations of others. Invented names sort like the names they stand for, so that
//! ties are broken alike. Keys of labels, classes of priority and of storage, and numbers stay as they are.

mod places;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lictor_host::cluster::load::read;
use lictor_host::cluster::{InputError, Object};
use serde_json::Value;

use super::record::Cycle;
use super::snapshot::Snapshot;
use words::Words;

/// Kinds that a decision may depend on; others are left out.
const KINDS: [&str; 15] = [
    "Job",
    "Node",
    "Pod",
    "Namespace",
    "ConfigMap",
    "PriorityClass",
    "PodDisruptionBudget",
    "ElasticQuota",
    "PodGroup",
    "Reservation",
    "Queue",
    "PersistentVolumeClaim",
    "PersistentVolume",
    "StorageClass",
    "CSINode",
];

/// Kinds whose names say what a pod is.
const CLASSES: [&str; 2] = ["PriorityClass", "StorageClass"];

/// The ConfigMap of YuniKorn, and its key with the queues.
const CONFIG: (&str, &str) = ("yunikorn-configs", "queues.yaml");

/// A cluster under other names.
#[derive(Debug, Clone)]
pub struct Masked {
    /// The cluster.
    pub snapshot: Snapshot,
    words: Words,
}

impl Masked {
    /// Masks a cluster.
    ///
    /// # Errors
    /// An object is not one any more under its new name.
    pub fn of(snapshot: &Snapshot) -> Result<Masked, InputError> {
        let parsed = snapshot.objects.iter().filter_map(|object| serde_json::from_str::<Value>(&object.json()).ok());
        let mut values: Vec<Value> = parsed.filter(is_kept).collect();
        let mut names = BTreeSet::new();
        values.iter_mut().for_each(|value| {
            each(value, &mut |name| {
                names.insert(name.clone());
            });
        });
        let words = Words::of(&names);
        values.iter_mut().for_each(|value| each(value, &mut |name| *name = words.name(name)));
        let file: Arc<str> = Arc::from("masked.yaml");
        let objects = values.into_iter().map(|value| Object::from_json(value, &file));
        let objects = objects.collect::<Result<Vec<_>, _>>()?;
        Ok(Masked { snapshot: Snapshot { objects, files: vec![file.to_string()], ..Snapshot::default() }, words })
    }

    /// Whether the same was decided about the cluster and about the masked one, up to the names: who is bound, nominated and held where,
    /// who is evicted, and who still waits.
    pub fn is_alike<'c>(
        &self,
        cycles: impl IntoIterator<Item = &'c Cycle>,
        masked: impl IntoIterator<Item = &'c Cycle>,
    ) -> bool {
        let name = |name: &String| self.name(name);
        let ours = cycles.into_iter().map(|cycle| Fates::of(cycle, &name));
        ours.eq(masked.into_iter().map(|cycle| Fates::of(cycle, &String::clone)))
    }

    /// The invented name for a name, such as that of a pod with its namespace.
    pub fn name(&self, name: &str) -> String {
        self.words.name(name)
    }
}

/// What became of the pods in a cycle.
#[derive(Debug, PartialEq, Eq)]
struct Fates {
    /// Who is bound, nominated and held, with the nodes.
    placed: [BTreeMap<String, String>; 3],
    /// Who is evicted, and who still waits.
    pods: [BTreeSet<String>; 2],
}

impl Fates {
    fn of(cycle: &Cycle, name: &dyn Fn(&String) -> String) -> Fates {
        let happened = &cycle.happened;
        let map = |map: &BTreeMap<String, String>| map.iter().map(|(pod, node)| (name(pod), name(node))).collect();
        Fates {
            placed: [map(&happened.bound), map(&happened.nominated), map(&cycle.waiting)],
            pods: [happened.victims.keys().map(name).collect(), cycle.still_pending.iter().map(name).collect()],
        }
    }
}

fn kind(value: &Value) -> &str {
    value.get("kind").and_then(Value::as_str).unwrap_or_default()
}

fn is_kept(value: &Value) -> bool {
    let name = value.pointer("/metadata/name").and_then(Value::as_str);
    KINDS.contains(&kind(value)) && (kind(value) != "ConfigMap" || name == Some(CONFIG.0))
}

/// Visits every name of an object.
fn each(value: &mut Value, visit: &mut dyn FnMut(&mut String)) {
    if CLASSES.contains(&kind(value)) {
        let name = value.pointer("/metadata/name").cloned();
        places::each(value, visit);
        value.pointer_mut("/metadata/name").into_iter().zip(name).for_each(|(place, name)| *place = name);
        return;
    }
    if kind(value) != "ConfigMap" {
        return places::each(value, visit);
    }
    if let Some(data) = value.get_mut("data").and_then(Value::as_object_mut) {
        data.retain(|key, _| key == CONFIG.1);
    }
    let Some(place) = value.pointer_mut("/data").and_then(|data| data.get_mut(CONFIG.1)) else { return };
    let written = place.as_str().and_then(|text| read(CONFIG.1, text).ok()?.into_iter().next());
    // What cannot be read cannot be masked: it is not shared.
    let Some(mut queues) = written else { return *place = Value::Null };
    let partitions = queues.value.get_mut("partitions").and_then(Value::as_array_mut);
    for partition in partitions.into_iter().flatten() {
        partition.get_mut("queues").into_iter().for_each(|queues| places::each(queues, visit));
        let rules = partition.get_mut("placementrules").and_then(Value::as_array_mut);
        rules.into_iter().flatten().for_each(|rule| each_of_rule(rule, visit));
    }
    *place = Value::String(queues.value.to_string());
}

/// A rule of placement and its parents: only a fixed one names a queue.
fn each_of_rule(rule: &mut Value, visit: &mut dyn FnMut(&mut String)) {
    let is_fixed = rule.get("name").and_then(Value::as_str) == Some("fixed");
    if is_fixed && let Some(Value::String(queue)) = rule.get_mut("value") {
        visit(queue);
    }
    rule.get_mut("parent").into_iter().for_each(|parent| each_of_rule(parent, visit));
}
