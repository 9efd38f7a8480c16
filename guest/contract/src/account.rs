//! `wit/account.wit`: the books of queues and quotas.

use serde::Serialize;

use super::Amount;

/// A bound of a queue, under the name its own system has for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bound {
    /// `min`, `max`, `guaranteed`, `deserved`, `capability`, `runtime`.
    pub name: String,
    /// The amounts it names; a resource that is not named is not bounded.
    pub amounts: Vec<Amount>,
}

/// A quota or queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QueueAccount {
    /// `quota` or `queue`, as its own system calls it.
    pub kind: String,
    /// Its name; with its path where names are not unique.
    pub name: String,
    /// The name of its parent; none for a root.
    pub parent: Option<String>,
    /// Its bounds.
    pub bounds: Vec<Bound>,
    /// What its pods hold: bound pods and those that have been reserved a node.
    pub used: Vec<Amount>,
    /// What pods nominated by plans under way will hold.
    pub promised: Vec<Amount>,
    /// What its pods that wait for a node ask for.
    pub pending: Vec<Amount>,
}

/// The queue and the job of a pod.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Membership {
    /// The queue that it counts against: the lowest of those that count it. None where none does.
    pub queue: Option<String>,
    /// The job that it is decided about with, as `namespace/name`. None for a pod that is a job of its own.
    pub job: Option<String>,
}
