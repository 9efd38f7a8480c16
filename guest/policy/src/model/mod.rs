//! The model: one cluster in numbers, as all five systems see it.
//!
//! Nodes, pods, jobs and queues refer to each other by index; a name is kept to be shown and to break ties (as a rank), never
//! to be looked up while deciding. [`Cluster`] owns everything; [`Trial`] tries changes on it and takes them back; [`PlansInFlight`] remembers
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

pub use budget::DisruptionBudget;
pub use cluster::{Cluster, MissingMembers, NominatedConstraints, ReservationAllocation};
pub use evictions::SavedEvictions;
pub use ext::Extensions;
pub use ext::coscheduling::Borrowing;
pub use ext::koordinator::ReservationTerms;
pub use ext::kubernetes::KubernetesPodGroup;
pub use ext::volcano::{ElasticSettings, ElasticSizes, QueueSpec, VolcanoPodGroup};
pub use ext::yunikorn::{QueuePreemptionPolicy, QueueRank};
pub use index::{
    BudgetIx, ClassIx, DomainCountsIx, InterPodIx, JobIx, NameId, NameTable, NodeIx, PodIx, QueueIx, SelectorIx,
    ShapeIx, Table, TopologyIx, VictimClassIx, hash,
};
pub use inter_pod::{
    Affinity, DomainCountOverlay, InterPodConstraints, InterPodState, InterPodTerm, InterPodViolation,
    SpreadConstraint, TopologyDomains,
};
pub use job::{Gang, GangRound, Job, JobKey, MatchPolicy, RoundFailure, SCHEDULER_NAME};
pub use ledger::PlansInFlight;
pub use meaning::{
    AmountKind, BoundAmount, Deserved, Freed, Guaranteed, Max, Promised, Requested, ResourceBound, Summand, Used,
};
pub use node::NodeInfo;
pub use node_set::NodeSet;
pub use paged::PagedTable;
pub use pod::{
    NO_CONTROLLER, NO_PODS, PodAttributes, PodController, PodInfo, PodKind, PodLocation, PodName, PodRequirements,
    PodState, PodTimes, Preemptibility, TaskAttributes,
};
pub use queue::{Bounds, Queue, QueueDefinition, QueueUsage};
pub use residents::{NodePod, NodePods};
pub use resources::{Amounts, NO_AMOUNTS, ResourceIx, ResourceRequest, min_pods_to_free};
pub use rooms::{CapacityColumns, CapacityScan, Insufficient};
pub use saved_pod::{PodIdentity, PodsByName};
pub use totals::SumOverflow;
pub use trial::{Savepoint, Trial};
