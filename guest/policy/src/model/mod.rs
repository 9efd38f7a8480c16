//! The model: one cluster in numbers, as all five systems see it.
//!
//! Nodes, pods, jobs and queues refer to each other by index; a name is kept to be shown and to break ties (as a rank), never
//! to be looked up while deciding. [`Cluster`] owns everything; [`Trial`] tries changes on it and takes them back; [`Ledger`] remembers
//! the plans under way.

mod bits;
mod budget;
mod class;
mod cluster;
mod evictions;
mod ext;
mod index;
mod inter_pod;
mod job;
mod ledger;
mod meaning;
mod node;
mod node_order;
mod node_set;
mod paged;
mod pod;
mod queue;
mod rank;
mod residents;
mod resources;
mod rooms;
mod saved_pod;
mod sweep;
#[cfg(test)]
mod tests;
mod totals;
mod trial;

pub use budget::Budget;
pub use cluster::{Cluster, Nominated, ReservationAllocation, Shortage};
pub use evictions::SavedEvictions;
pub use ext::Extensions;
pub use ext::coscheduling::Borrows;
pub use ext::koordinator::ReservationTerms;
pub use ext::kubernetes::SchedulingGroup;
pub use ext::volcano::{Elastic, PodGroupSpec, QueueSpec, Sizes};
pub use ext::yunikorn::{Policy, QueueRank};
pub use index::{
    BookIx, BudgetIx, ClassIx, InterPodIx, JobIx, NodeIx, PodIx, QueueIx, SelectorIx, ShapeIx, Symbol, Symbols, Table,
    TopologyIx, VictimClassIx, hash,
};
pub use inter_pod::{Affinity, InterPod, InterPodLack, InterPods, Spread, Term as InterPodTerm, Topology, WhatIf};
pub use job::{Failure, Gang, Job, JobKey, Match, Round, SCHEDULER_NAME};
pub use ledger::Ledger;
pub use meaning::{Bound, Deserved, Freed, Guaranteed, Limit, Max, Meaning, Promised, Requested, Term, Used};
pub use node::Node;
pub use node_set::NodeSet;
pub use paged::Paged;
pub use pod::{Kind, NO_CONTROLLER, NO_PODS, Place, Pod, PodAttributes, PodName, Preemptibility, Task};
pub use queue::{Bounds, Queue, QueueDefinition, Usage};
pub use residents::{Resident, Residents};
pub use resources::{Amounts, Request, ResourceIx, count_for};
pub use rooms::{Lacks, Rooms, Scan};
pub use saved_pod::{PodsByName, SavedPod};
pub use totals::Overflow;
pub use trial::{Mark, Trial};
