//! Changes of a cluster as objects that are added to it, or that replace those of the same kind and name.

mod bound;
mod drain;
mod job;
mod object;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use lictor_contract::SystemInfo;
use lictor_host::cluster::KubernetesObject;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::priorities::{Priorities, PriorityChange, value};
use super::problem::Problem;

/// A change that a user requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind", deny_unknown_fields)]
pub enum Edit {
    /// A new job.
    Job(NewJob),
    /// Another amount in a bound of a quota or queue.
    Bound {
        /// The name of the quota; the whole path of a queue. With its namespace, `namespace/name`, where several have the name.
        queue: String,
        /// The bound, such as `max`.
        bound: String,
        /// The resource, as the quota writes it.
        resource: String,
        /// The quantity.
        amount: String,
    },
    /// Another priority of a pod, or of all pods of a job. Where their PodGroup decides about it, the group is changed, too.
    Priority {
        /// The pods, as `namespace/name`.
        pods: Vec<String>,
        /// The priority.
        priority: i32,
    },
    /// A node takes no more pods.
    Cordon {
        /// The node.
        node: String,
    },
    /// A node takes no more pods, and its pods leave and are pending again, except those of DaemonSets.
    Drain {
        /// The node.
        node: String,
    },
    /// An object as it is, for the user to change it.
    Object {
        /// `Kind/namespace/name`, or `Kind/name` where it has no namespace; `Kind.group` where kinds of two groups have this name.
        key: String,
    },
    /// Given objects, such as those of a change that lets a job in.
    Objects {
        /// The objects.
        objects: Vec<Value>,
    },
}

/// A job that is added.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "NewJob"))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct NewJob {
    /// Its name.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub name: String,
    /// Its namespace.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub namespace: String,
    /// The number of its pods.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub pods: u32,
    /// The number of them that start together, or none does; 0 for pods that start one by one.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub min: u32,
    /// The requests of each pod, by resource.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub requests: BTreeMap<String, String>,
    /// Its queue or quota. Empty: the job has none.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub queue: String,
    /// Its priority.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub priority: i32,
}

/// A bound that can be changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Bound"))]
#[serde(rename_all = "camelCase")]
pub struct EditableBound {
    /// The name of the quota, with its namespace where several have the name; the whole path of a queue.
    pub queue: String,
    /// The bound, such as `max`.
    pub bound: String,
    /// The amounts of the bound by resource, as they are written.
    pub amounts: BTreeMap<String, String>,
}

/// The cluster to change, and how it is decided about.
#[derive(Debug, Clone, Copy)]
pub struct EditedCluster<'a> {
    /// The objects.
    pub objects: &'a [&'a KubernetesObject],
    /// The system whose laws apply.
    pub system: Option<&'a SystemInfo>,
    /// The schedulers whose pods are decided about; empty: those that the system stands for.
    pub schedulers: &'a [String],
}

/// Returns the objects of a change in a cluster.
///
/// # Errors
/// Why the change is not possible, with what to do instead.
pub fn edit(cluster: &EditedCluster<'_>, edit: &Edit) -> Result<Vec<Value>, Problem> {
    match edit {
        Edit::Job(job) => job::objects(cluster, job),
        Edit::Bound { queue, bound, resource, amount } => {
            bound::object(cluster.objects, queue, bound, (resource, amount))
        }
        Edit::Priority { pods, priority } => with_priority(cluster, pods, *priority),
        Edit::Cordon { node } => Ok(vec![drain::cordoned(cluster.objects, node)?]),
        Edit::Drain { node } => drain::objects(cluster.objects, node),
        Edit::Object { key } => Ok(vec![object::named(cluster.objects, key)?]),
        Edit::Objects { objects } => object::given(objects),
    }
}

/// Returns the bounds of quotas and queues, in the order of the objects.
pub fn bounds(objects: &[&KubernetesObject]) -> Vec<EditableBound> {
    bound::all(objects)
}

fn with_priority(cluster: &EditedCluster<'_>, pods: &[String], priority: i32) -> Result<Vec<Value>, Problem> {
    let keys: Vec<String> = pods.iter().map(|pod| format!("Pod/{pod}")).collect();
    let found = cluster.objects.iter().filter(|object| keys.contains(&object.key()));
    let found: Vec<Value> = found.filter_map(|object| value(object)).collect();
    if found.is_empty() {
        return Err(unknown("pod", &pods.join(", ")));
    }
    Ok(Priorities::of(cluster.objects, cluster.system).set(found, PriorityChange::Exactly(priority.into())))
}

fn unknown(what: &str, name: &str) -> Problem {
    Problem::error(format!("there is no {what} `{name}`")).remedy("name one of the cluster that is open")
}
