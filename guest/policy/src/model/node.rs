//! Nodes.

use super::{Amounts, PodIx};

/// A node: what it has and who holds it.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Its place among the names of all nodes.
    pub rank: u64,
    /// What pods may request in sum.
    pub allocatable: Amounts,
    /// What is left of it. Negative where more is bound than there is room for.
    pub free: Amounts,
    /// The pods that are bound to it or reserved on it, in no order.
    pub pods: Vec<PodIx>,
    /// The pods nominated to it, in no order. They hold nothing, but room is kept for them.
    pub nominated: Vec<PodIx>,
}
