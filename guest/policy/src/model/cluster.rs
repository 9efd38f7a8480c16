//! The cluster: all tables, and the books that follow from them.

mod budgets;
mod evictions;
mod inter_pods;
mod jobs;
mod nodes;
mod pods;
mod queues;
mod required_nodes;
mod reservation_allocation;
mod reservations;
mod rounds;
mod sweeps;

use std::collections::{BTreeMap, BTreeSet};

pub use inter_pods::NominatedConstraints;
pub use jobs::MissingMembers;
pub use reservation_allocation::ReservationAllocation;

use super::*;
use super::{
    class::EquivalenceClasses, evictions::Evictions, node_order::NodeOrder, rank::Ranks, sweep::SweepSchedule,
    totals::ResourceTotals,
};

/// A resource the host announced.
#[derive(Debug, Clone)]
struct AnnouncedResource {
    name: String,
    /// The amount of every node that does not name the resource.
    everywhere: i64,
}

/// One cluster.
#[derive(Debug, Clone, Default)]
pub struct Cluster {
    now: i64,
    /// A counter of the changes of nodes, pods and queues. Trials do not count.
    version: u64,
    queue_trees: u64,
    /// The number of nested trials that are running.
    trials: u32,
    names: NameTable,
    resources: Vec<AnnouncedResource>,
    /// The sums of the allocatable amounts of all nodes.
    allocatable: ResourceTotals,
    /// The sums of the requests of all pods.
    requested: ResourceTotals,
    nodes: Table<NodeIx, NodeInfo>,
    /// A dense copy of the free capacity of the nodes, for scans.
    capacity_columns: CapacityColumns,
    /// A dense copy of the pods on the nodes, for searches.
    node_pods: NodePods,
    node_ranks: Ranks<String>,
    node_order: NodeOrder,
    pods: PagedTable<PodIx, PodInfo>,
    pod_ranks: Ranks<PodName>,
    jobs: PagedTable<JobIx, Job>,
    job_names: BTreeMap<JobKey, JobIx>,
    job_sweep: SweepSchedule,
    /// The gangs whose round has failed, and for which nothing has changed since.
    stuck_gangs: BTreeSet<JobIx>,
    queues: Table<QueueIx, Queue>,
    /// The word of the system for a queue, if it is another word.
    queue_term: Option<&'static str>,
    queue_names: BTreeMap<NameId, QueueIx>,
    shapes: Table<ShapeIx, Vec<u64>>,
    classes: EquivalenceClasses,
    /// The constraints between pods, and the number of pods of each set in each domain.
    inter_pods: InterPodState,
    /// The pods that are nominated to a node.
    nominated: BTreeSet<PodIx>,
    /// The pods that leave, wherever they are.
    leaving: BTreeSet<PodIx>,
    /// The pods of DaemonSets that were tried and did not fit on the one node that they may run on.
    required_node_reservations: BTreeSet<PodIx>,
    /// The pending pods of DaemonSets that may run on one node only.
    pinned_daemon_pods: BTreeSet<PodIx>,
    budgets: Table<BudgetIx, DisruptionBudget>,
    /// The number of evictions of each job.
    evictions: Evictions,
    /// The names of reservations, each with the reservation and the pods that use it.
    reservation_groups: BTreeMap<NameId, Vec<PodIx>>,
    /// The tables that belong to one system each.
    pub(in crate::model) ext: Extensions,
}

impl Cluster {
    /// Returns the time, in nanoseconds since 1970.
    pub fn now(&self) -> i64 {
        self.now
    }

    /// Returns a number that differs whenever nodes, pods or queues have changed. Trials do not change it.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Checks whether a trial is running, so that the cluster is not as it is but as it would be.
    pub fn in_trial(&self) -> bool {
        self.trials > 0
    }

    pub(super) fn begin_trial(&mut self) {
        self.trials = self.trials.saturating_add(1);
    }

    pub(super) fn end_trial(&mut self) {
        self.trials = self.trials.saturating_sub(1);
    }

    /// Moves the clock; it never runs backwards.
    pub fn set_now(&mut self, now: i64) {
        self.now = self.now.max(now);
    }

    /// Returns the number of a name, and gives it a new one if it has none.
    pub fn intern(&mut self, name: &str) -> NameId {
        self.names.intern(name)
    }

    /// Returns the number of a name. `None`: the name was never interned.
    pub fn name_id(&self, name: &str) -> Option<NameId> {
        self.names.get(name)
    }

    /// Returns a node. `None`: the number is unknown.
    pub fn node(&self, node: NodeIx) -> Option<&NodeInfo> {
        self.nodes.get(node)
    }

    /// Returns all nodes, by number.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = (NodeIx, &NodeInfo)> {
        self.nodes.iter()
    }

    /// Returns one more than the largest node number.
    pub fn node_span(&self) -> usize {
        self.nodes.len_with_holes()
    }

    /// Makes ready what [`Cluster::scan`] reads.
    pub fn prepare_scan(&mut self, request: &ResourceRequest) {
        self.capacity_columns.refresh(&self.nodes, request);
    }

    /// Returns the capacity of all nodes for a request, as it was when the scan was prepared.
    pub fn scan(&self, request: &ResourceRequest) -> CapacityScan<'_> {
        self.capacity_columns.scan(request)
    }

    /// Prepares what a search for these requests reads: the capacity of nodes, their order, and the pods on them. In a trial, the list of pods on
    /// nodes is that outside of the trial.
    pub fn prepare_search<'a>(&mut self, requests: impl IntoIterator<Item = &'a ResourceRequest>) {
        requests.into_iter().for_each(|request| self.capacity_columns.refresh(&self.nodes, request));
        self.node_order.refresh(&self.nodes);
        self.classes.refresh_shares(|request| nodes::cluster_share(&self.allocatable, request));
        if !self.in_trial() {
            self.node_pods.refresh(&self.nodes, &self.pods);
        }
    }

    /// Returns the capacity of all nodes, as it was when a search or a scan was prepared.
    pub fn capacity_columns(&self) -> &CapacityColumns {
        &self.capacity_columns
    }

    /// Returns the pods of all nodes, as they were when a search was prepared. Evictions and placements of a trial do not show.
    pub fn node_pods(&self) -> &NodePods {
        &self.node_pods
    }

    /// Returns the leaving pods that still use a node.
    pub fn leaving(&self) -> impl Iterator<Item = PodIx> + '_ {
        let holds_a_node = |ix: &PodIx| self.pod(*ix).is_some_and(|pod| pod.node().is_some());
        self.leaving.iter().copied().filter(holds_a_node)
    }

    /// Returns a pod. `None`: the number is unknown.
    pub fn pod(&self, pod: PodIx) -> Option<&PodInfo> {
        self.pods.get(pod)
    }

    /// Returns all pods, by number.
    pub fn pods(&self) -> impl DoubleEndedIterator<Item = (PodIx, &PodInfo)> {
        self.pods.iter()
    }

    /// Returns the pods whose capacity is kept: nominated, and still waiting for their node.
    pub fn nominated(&self) -> impl Iterator<Item = (PodIx, &PodInfo)> {
        let pods = self.nominated.iter().filter_map(|ix| Some((*ix, self.pod(*ix)?)));
        pods.filter(|(_, pod)| pod.is_pending())
    }

    /// Returns a job. `None`: the number is unknown.
    pub fn job(&self, job: JobIx) -> Option<&Job> {
        self.jobs.get(job)
    }

    /// Returns a job for changes. `None`: the number is unknown.
    pub fn job_mut(&mut self, job: JobIx) -> Option<&mut Job> {
        self.jobs.get_mut(job)
    }

    /// Returns all jobs, by number.
    pub fn jobs(&self) -> impl Iterator<Item = (JobIx, &Job)> {
        self.jobs.iter()
    }

    /// Returns the job of this name. `None`: there is no such job.
    pub fn job_named(&self, key: &JobKey) -> Option<JobIx> {
        self.job_names.get(key).copied()
    }

    /// Returns the job of this name, and creates it if there is none. `None`: there are too many jobs to number.
    pub fn job_or_new(&mut self, key: &JobKey) -> Option<JobIx> {
        if let Some(job) = self.job_named(key) {
            return Some(job);
        }
        let job = self.jobs.push(Job::new(key.clone()))?;
        self.job_names.insert(key.clone(), job);
        Some(job)
    }

    /// Returns a queue. `None`: the number is unknown.
    pub fn queue(&self, queue: QueueIx) -> Option<&Queue> {
        self.queues.get(queue)
    }

    /// Returns all queues, parents before children.
    pub fn queues(&self) -> impl Iterator<Item = (QueueIx, &Queue)> {
        self.queues.iter()
    }

    /// Returns the word of the system for a queue, such as `quota`.
    pub fn queue_term(&self) -> &'static str {
        self.queue_term.unwrap_or("queue")
    }

    /// Sets the word of the system for a queue.
    pub fn set_queue_term(&mut self, term: &'static str) {
        self.queue_term = Some(term);
    }

    /// Returns the queue of this name. `None`: there is no such queue.
    pub fn queue_named(&self, name: NameId) -> Option<QueueIx> {
        self.queue_names.get(&name).copied()
    }

    /// Returns a queue and its ancestors, from the queue up. Empty without a queue.
    pub fn path(&self, queue: Option<QueueIx>) -> impl Iterator<Item = (QueueIx, &Queue)> {
        let entry = |ix: QueueIx| Some((ix, self.queue(ix)?));
        std::iter::successors(queue.and_then(entry), move |(_, queue)| queue.parent.and_then(entry))
    }

    /// Announces a resource; it takes the next number. Where the nodes would have more of it together than can be counted it is not
    /// announced.
    pub fn announce(&mut self, name: String, everywhere: i64) -> Result<(), SumOverflow> {
        let resource = ResourceIx(u32::try_from(self.resources.len()).unwrap_or(u32::MAX));
        let nodes = i64::try_from(self.nodes.iter().count()).unwrap_or(i64::MAX);
        let together = [(resource, everywhere.saturating_mul(nodes))];
        self.allocatable.check_sum_fits(|_| 0, together.into_iter())?;
        self.resources.push(AnnouncedResource { name, everywhere });
        if everywhere != 0 {
            self.allocatable.add(together.into_iter());
            self.classes.forget_shares();
            for (_, node) in self.nodes.iter_mut() {
                node.allocatable.set(resource, everywhere);
                node.free.set(resource, everywhere);
            }
            self.capacity_columns.mark_all_stale();
        }
        Ok(())
    }

    /// Returns the number of announced resources.
    pub fn resource_count(&self) -> usize {
        self.resources.len()
    }

    /// Returns the number of a resource by its name. `None`: the name was not announced.
    pub fn resource_named(&self, name: &str) -> Option<ResourceIx> {
        let at = self.resources.iter().position(|info| info.name == name)?;
        u32::try_from(at).ok().map(ResourceIx)
    }

    /// Returns the name of a resource; `?` for an unknown number.
    pub fn resource_name(&self, resource: ResourceIx) -> &str {
        let info = usize::try_from(resource.0).ok().and_then(|at| self.resources.get(at));
        info.map_or("?", |info| info.name.as_str())
    }
}
