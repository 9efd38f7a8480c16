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
    pub nodes: Vec<DrawnNode>,
    /// The jobs by name; a pod of no job is a job of its own.
    pub jobs: Vec<DrawnJob>,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "DrawnNode"))]
#[serde(rename_all = "camelCase")]
pub struct DrawnNode {
    /// Its name.
    pub name: String,
    /// What pods may request of it in sum.
    pub allocatable: Vec<i64>,
    /// What pods hold of it, by queue and priority.
    pub held: Vec<NodeUsage>,
}

impl DrawnNode {
    /// Counts the pods of the node.
    pub fn pods(&self) -> usize {
        self.held.iter().fold(0, |sum, held| sum.saturating_add(held.pods))
    }

    /// Adds up what all pods on the node hold of the resource with this index.
    pub fn usage_of(&self, resource: usize) -> i64 {
        let amounts = self.held.iter().filter_map(|held| held.amounts.get(resource));
        amounts.fold(0, |sum, amount| sum.saturating_add(*amount))
    }

    /// Returns how full the node is by its scarcest resource, in millionths; more than a million where pods hold more than the node has.
    pub fn fullness(&self) -> i128 {
        let of = |(at, there): (usize, &i64)| ratio(self.usage_of(at), *there, 1_000_000);
        self.allocatable.iter().enumerate().map(of).max().unwrap_or(0)
    }
}

/// Returns the part of `whole` that `amount` is, in parts of `of`; 0 where `whole` is 0.
pub fn ratio(amount: i64, whole: i64, of: i128) -> i128 {
    i128::from(amount).saturating_mul(of).checked_div(whole.into()).unwrap_or(0)
}

/// The amounts that the pods of one queue and priority hold of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Held"))]
#[serde(rename_all = "camelCase")]
pub struct NodeUsage {
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
pub struct DrawnJob {
    /// Its name, with its namespace.
    pub name: String,
    /// Its queue, as the index in `queues`.
    pub queue: usize,
    /// The highest priority of its pods.
    pub priority: i32,
    /// Its pods that have not ended.
    pub pods: Vec<DrawnPod>,
}

/// A pod of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "DrawnPod"))]
#[serde(rename_all = "camelCase")]
pub struct DrawnPod {
    /// Its name, with its namespace.
    pub name: String,
    /// Whether it has a node.
    pub placed: bool,
}

/// A pod on a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Placed"))]
#[serde(rename_all = "camelCase")]
pub struct PodOnNode {
    /// Its name, with its namespace.
    pub name: String,
    /// Its priority.
    pub priority: i32,
    /// What it holds, as quantities, in the order of the resources that are drawn.
    pub amounts: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_as_full_as_its_scarcest_resource() {
        let held = |pods, cpu, gpu| NodeUsage { queue: 0, priority: 0, pods, amounts: vec![cpu, gpu, 0] };
        let node =
            DrawnNode { name: "n".to_owned(), allocatable: vec![4, 4, 0], held: vec![held(2, 1, 1), held(1, 0, 2)] };
        assert_eq!((node.pods(), node.usage_of(0), node.usage_of(1), node.usage_of(7)), (3, 1, 3, 0));
        assert_eq!(node.fullness(), 750_000);
    }
}
