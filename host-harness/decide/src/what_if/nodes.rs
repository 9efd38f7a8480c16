//! The least number of nodes to add, all copies of an existing one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lictor_contract::quantity::{Unit, parse};
use lictor_host::cluster::KubernetesObject;
use serde_json::Value;

use super::super::failure::DecideError;
use super::bounds::least;
use super::{ChangeKind, ChangedField, SufficientChange, TrialRunner};

/// The number of kinds of nodes that are tried: the most frequent ones that are large enough for a pod.
const KINDS: usize = 16;

/// The prefix of the keys of added nodes.
const ADDED: &str = "Node/what-if-";

/// The label with the name of the node.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// Returns how many nodes are needed of each kind of which more would let the job in. The kinds of which the fewest are needed come first.
pub(super) fn changes(trials: &mut TrialRunner<'_, '_>) -> Result<Vec<SufficientChange>, DecideError> {
    let most = i64::try_from(trials.pods.len()).unwrap_or(i64::MAX);
    let mut changes: Vec<(i64, SufficientChange)> = Vec::new();
    let mut kinds = kinds(&trials.case.snapshot.objects);
    kinds.retain(|(_, node)| is_large_enough(&trials.requests, node));
    for (name, node) in kinds.into_iter().take(KINDS) {
        if added(trials, &node, most)?.is_none() {
            continue;
        }
        let count = least(most, |count| Ok(count > 0 && added(trials, &node, count)?.is_some()))?;
        let victims = added(trials, &node, count)?.unwrap_or_default();
        let fields = vec![ChangedField { name: "nodes".to_owned(), from: "0".to_owned(), to: count.to_string() }];
        let objects = copies_of(&trials.case.snapshot.objects, &node, count);
        changes.push((count, SufficientChange::of(ChangeKind::Nodes, name, fields, victims, objects)));
    }
    changes.sort_by_key(|(count, _)| *count);
    Ok(changes.into_iter().map(|(_, change)| change).collect())
}

/// Returns the first node of each kind, the most frequent kind first: nodes that differ only in their name are of one kind.
fn kinds(objects: &[KubernetesObject]) -> Vec<(String, Value)> {
    let mut kinds: BTreeMap<String, (usize, String, Value)> = BTreeMap::new();
    for object in objects.iter().filter(|object| object.key().starts_with("Node/")) {
        let Ok(node) = serde_json::from_str::<Value>(&object.json()) else { continue };
        let name = node.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let kind = renamed(&node, "").to_string();
        let (count, ..) = kinds.entry(kind).or_insert((0, name, node));
        *count = count.saturating_add(1);
    }
    let mut kinds: Vec<(usize, String, Value)> = kinds.into_values().collect();
    kinds.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    kinds.into_iter().map(|(_, name, node)| (name, node)).collect()
}

/// Returns whether an empty node like this one has room for at least one of the pods.
fn is_large_enough(requests: &[BTreeMap<String, i64>], node: &Value) -> bool {
    let allocatable = node.pointer("/status/allocatable");
    let there = |resource: &str| {
        let text = allocatable.and_then(|all| all.get(resource)).and_then(Value::as_str);
        text.and_then(|text| parse(text, Unit::of(resource)).ok()).unwrap_or(0)
    };
    // Host ports and volumes are resources only internally.
    let fits =
        |(resource, amount): (&String, &i64)| lictor_contract::is_of_host(resource) || *amount <= there(resource);
    requests.iter().any(|requests| requests.iter().all(fits))
}

/// Returns a copy of a node under another name.
fn renamed(node: &Value, name: &str) -> Value {
    let mut node = node.clone();
    if let Some(metadata) = node.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("name".to_owned(), Value::String(name.to_owned()));
        if let Some(hostname) = metadata.get_mut("labels").and_then(|labels| labels.get_mut(HOSTNAME)) {
            *hostname = Value::String(name.to_owned());
        }
    }
    node
}

/// Returns the number of victims with `count` more nodes. `None`: the job does not get in.
fn added(trials: &mut TrialRunner<'_, '_>, node: &Value, count: i64) -> Result<Option<usize>, DecideError> {
    let mut objects: Vec<KubernetesObject> = trials.case.snapshot.objects.to_vec();
    let file = Arc::from("what if");
    let more = copies_of(&objects, node, count);
    objects.extend(more.into_iter().filter_map(|node| KubernetesObject::from_json(node, &file).ok()));
    trials.is_in(&objects)
}

/// Returns `count` copies of a node, under names that no object has.
fn copies_of(objects: &[KubernetesObject], node: &Value, count: i64) -> Vec<Value> {
    let taken: BTreeSet<String> =
        objects.iter().map(KubernetesObject::key).filter(|key| key.starts_with(ADDED)).collect();
    let names = (0..).map(|at: u64| format!("{ADDED}{at}")).filter(|key| !taken.contains(key));
    let names = names.take(usize::try_from(count).unwrap_or(0));
    names.map(|key| renamed(node, key.trim_start_matches("Node/"))).collect()
}
