//! Nodes.

use super::{Amounts, PodIx};

/// A node: its capacity and the pods that use it.
#[derive(Debug, Clone)]
pub struct NodeInfo {
    /// Its name.
    pub name: String,
    /// The position of its name among the names of all nodes.
    pub rank: u64,
    /// The amounts that pods may request in sum.
    pub allocatable: Amounts,
    /// The allocatable amounts that are left. Negative where the pods of the node request more.
    pub free: Amounts,
    /// The pods that are bound to it or reserved on it, in no order.
    pub pods: Vec<PodIx>,
    /// The pods nominated to it, in no order. They use nothing yet, but capacity is kept for them.
    pub nominated: Vec<PodIx>,
}
