//! Changes of a cluster as objects: to be added to it, or to stand instead of those of the same kind and name.

mod bound;
mod drain;
mod job;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use lictor_host::cluster::Object;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::problem::Problem;
use super::snapshot::Snapshot;

/// A change that somebody asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind", deny_unknown_fields)]
pub enum Edit {
    /// A new job.
    Job(Job),
    /// Another amount in a bound of a quota or queue.
    Bound {
        /// The name of the quota; the whole path of a queue. With its namespace, `namespace/name`, where several are called so.
        queue: String,
        /// The bound, such as `max`.
        bound: String,
        /// The resource, as the quota writes it.
        resource: String,
        /// The quantity.
        amount: String,
    },
    /// Another priority of a pod, or of all pods of a job.
    Priority {
        /// The pods, as `namespace/name`.
        pods: Vec<String>,
        /// The priority.
        priority: i32,
    },
    /// A node takes no more pods, and its pods leave and are pending again, but those of DaemonSets.
    Drain {
        /// The node.
        node: String,
    },
}

/// A job that is added.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "NewJob"))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Job {
    /// Its name.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub name: String,
    /// Its namespace.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub namespace: String,
    /// How many pods it has.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub pods: u32,
    /// How many of them start together, or none; 0 for pods that start one by one.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub min: u32,
    /// What each pod requests, by resource.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub requests: BTreeMap<String, String>,
    /// Its queue or quota; empty for none.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub queue: String,
    /// Its priority.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub priority: i32,
}

/// A bound that can be changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Bound {
    /// The name of the quota, with its namespace where several are called so; the whole path of a queue.
    pub queue: String,
    /// The bound, such as `max`.
    pub bound: String,
    /// Its amounts by resource, as they are written.
    pub amounts: BTreeMap<String, String>,
}

/// The objects of a change in a cluster of this system.
///
/// # Errors
/// What cannot be changed so, with what to do instead.
pub fn edit(snapshot: &Snapshot, system: &str, edit: &Edit) -> Result<Vec<Value>, Problem> {
    match edit {
        Edit::Job(job) => job::objects(snapshot, system, job),
        Edit::Bound { queue, bound, resource, amount } => bound::object(snapshot, queue, bound, (resource, amount)),
        Edit::Priority { pods, priority } => {
            let keys: Vec<String> = pods.iter().map(|pod| format!("Pod/{pod}")).collect();
            let found = snapshot.objects.iter().filter(|object| keys.contains(&object.key()));
            let found: Vec<Value> = found.filter_map(value).map(|pod| with_priority(pod, *priority)).collect();
            if found.is_empty() { Err(unknown("pod", &pods.join(", "))) } else { Ok(found) }
        }
        Edit::Drain { node } => drain::objects(snapshot, node),
    }
}

/// The bounds of quotas and queues, in the order of the objects.
pub fn bounds(snapshot: &Snapshot) -> Vec<Bound> {
    bound::all(snapshot)
}

fn value(object: &Object) -> Option<Value> {
    serde_json::from_str(&object.json()).ok()
}

/// A pod with this priority, which no class says any more.
fn with_priority(mut pod: Value, priority: i32) -> Value {
    if let Some(spec) = pod.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("priority".to_owned(), priority.into());
        spec.remove("priorityClassName");
    }
    pod
}

fn unknown(what: &str, name: &str) -> Problem {
    Problem::error(format!("there is no {what} `{name}`")).remedy("name one of the cluster that is open")
}
