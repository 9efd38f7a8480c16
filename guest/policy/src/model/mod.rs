//! The model: one cluster in numbers, as all five systems see it.
//!
//! Nodes, pods, jobs and queues refer to each other by index; a name is kept to be shown and to break ties (as a rank), never
//! to be looked up while deciding. [`Cluster`] owns everything; [`Trial`] tries changes on it and takes them back; [`Ledger`] remembers
//! the plans under way.

mod budget;
mod class;
mod cluster;
mod index;
mod job;
mod ledger;
mod node;
mod pod;
mod queue;
mod rank;
mod reservation_terms;
mod resources;
mod saved_pod;
#[cfg(test)]
mod tests;
mod totals;
mod trial;

pub use budget::Budget;
pub use cluster::{Cluster, Shortage};
pub use index::{BudgetIx, ClassIx, JobIx, NodeIx, PodIx, QueueIx, ShapeIx, Symbol, Symbols, Table};
pub use job::{Elastic, Gang, Job, JobKey, Match, PodGroupSpec, Sizes};
pub use ledger::Ledger;
pub use node::Node;
pub use pod::{Class, Kind, Place, Pod, PodAttributes, PodName, Task};
pub use queue::{Bounds, Policy, Queue, QueueDefinition, QueueRank, QueueSpec, Usage};
pub use reservation_terms::ReservationTerms;
pub use resources::{Amounts, Bound, Request, ResourceIx, within};
pub use saved_pod::{PodsByName, SavedPod};
pub use totals::Overflow;
pub use trial::Trial;
