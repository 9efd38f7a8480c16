//! A cluster as it is drawn: nodes, queues and jobs in few numbers. A page reads a picture without the engine; the feature
//! `draw` makes one.

#[cfg(feature = "draw")]
mod draw;

use serde::{Deserialize, Serialize};

#[cfg(feature = "draw")]
pub use draw::{picture, pods_on};

/// A cluster as it is drawn. Amounts are in the order of `resources`, in the resource's own unit: cpu in thousandths.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Picture {
    /// The resources that are drawn: cpu, memory, and the extended ones that pods hold.
    pub resources: Vec<String>,
    /// The names of queues; of namespaces, for pods of no queue.
    pub queues: Vec<String>,
    /// The nodes by name.
    pub nodes: Vec<Node>,
    /// The jobs by name; a pod of no job is a job of its own.
    pub jobs: Vec<Job>,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "DrawnNode"))]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// Its name.
    pub name: String,
    /// What pods may request of it in sum.
    pub allocatable: Vec<i64>,
    /// What pods hold of it, by queue and priority.
    pub held: Vec<Held>,
}

/// What pods of one queue and priority hold of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Held {
    /// Their queue, as the index in `queues`.
    pub queue: usize,
    /// Their priority.
    pub priority: i32,
    /// How many pods.
    pub pods: usize,
    /// How much.
    pub amounts: Vec<i64>,
}

/// A job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "DrawnJob"))]
#[serde(rename_all = "camelCase")]
pub struct Job {
    /// Its name, with its namespace.
    pub name: String,
    /// Its queue, as the index in `queues`.
    pub queue: usize,
    /// The highest priority of its pods.
    pub priority: i32,
    /// Its pods that have not ended.
    pub pods: Vec<Pod>,
}

/// A pod of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "DrawnPod"))]
#[serde(rename_all = "camelCase")]
pub struct Pod {
    /// Its name, with its namespace.
    pub name: String,
    /// Whether it has a node.
    pub placed: bool,
}

/// A pod on a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Placed {
    /// Its name, with its namespace.
    pub name: String,
    /// Its priority.
    pub priority: i32,
    /// What it holds, as quantities, in the order of the resources that are drawn.
    pub amounts: Vec<String>,
}
