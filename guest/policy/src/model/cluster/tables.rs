//! The tables of a cluster, by what they are about.

use super::*;
use crate::model::class::EquivalenceClasses;
use crate::model::evictions::Evictions;
use crate::model::node_order::NodeOrder;
use crate::model::rank::Ranks;
use crate::model::sweep::SweepSchedule;
use crate::model::totals::ResourceTotals;

/// A resource the host announced.
#[derive(Debug, Clone)]
pub(super) struct AnnouncedResource {
    /// The name of the resource.
    pub name: String,
    /// The amount of every node that does not name the resource.
    pub everywhere: i64,
}

/// The resources of a cluster.
#[derive(Debug, Clone, Default)]
pub(super) struct ResourceTables {
    /// The resources by number.
    pub announced: Vec<AnnouncedResource>,
    /// The sums of the allocatable amounts of all nodes.
    pub allocatable: ResourceTotals,
    /// The sums of the requests of all pods.
    pub requested: ResourceTotals,
}

/// The nodes of a cluster, and what searches read of them.
#[derive(Debug, Clone, Default)]
pub(super) struct NodeTables {
    /// The nodes by number.
    pub table: Table<NodeIx, NodeInfo>,
    /// A dense copy of the free capacity of the nodes, for scans.
    pub capacity: CapacityColumns,
    /// A dense copy of the pods on the nodes, for searches.
    pub pods: NodePods,
    /// The order of the names of the nodes.
    pub ranks: Ranks<String>,
    /// The nodes in the order of their names.
    pub order: NodeOrder,
}

impl NodeTables {
    /// Marks a node as changed in the dense copies.
    pub fn mark_stale(&mut self, ix: NodeIx) {
        self.capacity.mark_stale(ix);
        self.pods.mark_stale(ix);
    }
}

/// The pods of a cluster, and the sets of those that are found by their state.
#[derive(Debug, Clone, Default)]
pub(super) struct PodTables {
    /// The pods by number.
    pub table: PagedTable<PodIx, PodInfo>,
    /// The order of the names of the pods.
    pub ranks: Ranks<PodName>,
    /// The pods that are nominated to a node.
    pub nominated: BTreeSet<PodIx>,
    /// The pods that leave, wherever they are.
    pub leaving: BTreeSet<PodIx>,
    /// The pods of DaemonSets that were tried and did not fit on the one node that they may run on.
    pub required_node_reservations: BTreeSet<PodIx>,
    /// The pending pods of DaemonSets that may run on one node only.
    pub pinned_daemon_pods: BTreeSet<PodIx>,
    /// The names of reservations, each with the reservation and the pods that use it.
    pub reservation_groups: BTreeMap<NameId, Vec<PodIx>>,
}

/// The shapes, classes and constraints that the requirements of pods refer to.
#[derive(Debug, Clone, Default)]
pub(super) struct RequirementTables {
    /// The nodes of each shape.
    pub shapes: Table<ShapeIx, Vec<u64>>,
    /// The classes of pods with the same requirements.
    pub classes: EquivalenceClasses,
    /// The constraints between pods, and the number of pods of each set in each domain.
    pub inter_pods: InterPodState,
}

/// The jobs of a cluster.
#[derive(Debug, Clone, Default)]
pub(super) struct JobTables {
    /// The jobs by number.
    pub table: PagedTable<JobIx, Job>,
    /// The numbers of the jobs by name.
    pub names: BTreeMap<JobKey, JobIx>,
    /// The schedule by which unused jobs are removed.
    pub sweep: SweepSchedule,
    /// The gangs whose round has failed, and for which nothing has changed since.
    pub stuck_gangs: BTreeSet<JobIx>,
    /// The number of evictions of each job.
    pub evictions: Evictions,
}

impl JobTables {
    /// Returns the job of this name, and creates it if there is none. `None`: there are too many jobs to number.
    pub fn named_or_new(&mut self, key: &JobKey) -> Option<JobIx> {
        if let Some(job) = self.names.get(key) {
            return Some(*job);
        }
        let job = self.table.push(Job::new(key.clone()))?;
        self.names.insert(key.clone(), job);
        Some(job)
    }
}

/// The queues of a cluster.
#[derive(Debug, Clone, Default)]
pub(super) struct QueueTables {
    /// The queues by number, parents before children.
    pub table: Table<QueueIx, Queue>,
    /// The numbers of the queues by name.
    pub names: BTreeMap<NameId, QueueIx>,
    /// The word of the system for a queue, if it is another word.
    pub term: Option<&'static str>,
    /// A counter of the queue trees that were read.
    pub trees: u64,
}
