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
mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use inter_pods::NominatedConstraints;
pub use jobs::MissingMembers;
pub use reservation_allocation::ReservationAllocation;

use super::*;
use tables::{AnnouncedResource, JobTables, NodeTables, PodTables, QueueTables, RequirementTables, ResourceTables};

/// One cluster.
#[derive(Debug, Clone, Default)]
pub struct Cluster {
    now: i64,
    /// A counter of the changes of nodes, pods and queues. Trials do not count.
    version: u64,
    /// The number of nested trials that are running.
    trials: u32,
    names: NameTable,
    resources: ResourceTables,
    nodes: NodeTables,
    pods: PodTables,
    /// The shapes, classes and constraints that the requirements of pods refer to.
    requirements: RequirementTables,
    jobs: JobTables,
    queues: QueueTables,
    budgets: Table<BudgetIx, DisruptionBudget>,
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

    /// Returns the shared text of a name, and its number. Gives it a new number if it has none.
    pub fn intern_shared(&mut self, name: &str) -> (Arc<str>, NameId) {
        self.names.intern_shared(name)
    }

    /// Returns the number of a name. `None`: the name was never interned.
    pub fn name_id(&self, name: &str) -> Option<NameId> {
        self.names.get(name)
    }

    /// Returns a node. `None`: the number is unknown.
    pub fn node(&self, node: NodeIx) -> Option<&NodeInfo> {
        self.nodes.table.get(node)
    }

    /// Returns all nodes, by number.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = (NodeIx, &NodeInfo)> {
        self.nodes.table.iter()
    }

    /// Returns one more than the largest node number.
    pub fn node_span(&self) -> usize {
        self.nodes.table.len_with_holes()
    }

    /// Makes ready what [`Cluster::scan`] reads.
    pub fn prepare_scan(&mut self, request: &ResourceRequest) {
        self.nodes.capacity.refresh(&self.nodes.table, request);
    }

    /// Returns the capacity of all nodes for a request, as it was when the scan was prepared.
    pub fn scan(&self, request: &ResourceRequest) -> CapacityScan<'_> {
        self.nodes.capacity.scan(request)
    }

    /// Prepares what a search for these requests reads: the capacity of nodes, their order, and the pods on them. In a trial, the list of pods on
    /// nodes is that outside of the trial.
    pub fn prepare_search<'a>(&mut self, requests: impl IntoIterator<Item = &'a ResourceRequest>) {
        requests.into_iter().for_each(|request| self.nodes.capacity.refresh(&self.nodes.table, request));
        self.nodes.order.refresh(&self.nodes.table);
        self.requirements.classes.refresh_shares(|request| nodes::cluster_share(&self.resources.allocatable, request));
        if !self.in_trial() {
            self.nodes.pods.refresh(&self.nodes.table, &self.pods.table);
        }
    }

    /// Returns the capacity of all nodes, as it was when a search or a scan was prepared.
    pub fn capacity_columns(&self) -> &CapacityColumns {
        &self.nodes.capacity
    }

    /// Returns the pods of all nodes, as they were when a search was prepared. Evictions and placements of a trial do not show.
    pub fn node_pods(&self) -> &NodePods {
        &self.nodes.pods
    }

    /// Returns the leaving pods that still use a node.
    pub fn leaving(&self) -> impl Iterator<Item = PodIx> + '_ {
        let holds_a_node = |ix: &PodIx| self.pod(*ix).is_some_and(|pod| pod.node().is_some());
        self.pods.leaving.iter().copied().filter(holds_a_node)
    }

    /// Returns a pod. `None`: the number is unknown.
    pub fn pod(&self, pod: PodIx) -> Option<&PodInfo> {
        self.pods.table.get(pod)
    }

    /// Returns all pods, by number.
    pub fn pods(&self) -> impl DoubleEndedIterator<Item = (PodIx, &PodInfo)> {
        self.pods.table.iter()
    }

    /// Returns the pods whose capacity is kept: nominated, and still waiting for their node.
    pub fn nominated(&self) -> impl Iterator<Item = (PodIx, &PodInfo)> {
        let pods = self.pods.nominated.iter().filter_map(|ix| Some((*ix, self.pod(*ix)?)));
        pods.filter(|(_, pod)| pod.is_pending())
    }

    /// Returns a job. `None`: the number is unknown.
    pub fn job(&self, job: JobIx) -> Option<&Job> {
        self.jobs.table.get(job)
    }

    /// Returns a job for changes. `None`: the number is unknown.
    pub fn job_mut(&mut self, job: JobIx) -> Option<&mut Job> {
        self.jobs.table.get_mut(job)
    }

    /// Returns all jobs, by number.
    pub fn jobs(&self) -> impl Iterator<Item = (JobIx, &Job)> {
        self.jobs.table.iter()
    }

    /// Returns the job of this name. `None`: there is no such job.
    pub fn job_named(&self, key: &JobKey) -> Option<JobIx> {
        self.jobs.names.get(key).copied()
    }

    /// Returns the job of this name, and creates it if there is none. `None`: there are too many jobs to number.
    pub fn job_or_new(&mut self, key: &JobKey) -> Option<JobIx> {
        self.jobs.named_or_new(key)
    }

    /// Returns a queue. `None`: the number is unknown.
    pub fn queue(&self, queue: QueueIx) -> Option<&Queue> {
        self.queues.table.get(queue)
    }

    /// Returns all queues, parents before children.
    pub fn queues(&self) -> impl Iterator<Item = (QueueIx, &Queue)> {
        self.queues.table.iter()
    }

    /// Returns the word of the system for a queue, such as `quota`.
    pub fn queue_term(&self) -> &'static str {
        self.queues.term.unwrap_or("queue")
    }

    /// Sets the word of the system for a queue.
    pub fn set_queue_term(&mut self, term: &'static str) {
        self.queues.term = Some(term);
    }

    /// Returns the queue of this name. `None`: there is no such queue.
    pub fn queue_named(&self, name: NameId) -> Option<QueueIx> {
        self.queues.names.get(&name).copied()
    }

    /// Returns a queue and its ancestors, from the queue up. Empty without a queue.
    pub fn path(&self, queue: Option<QueueIx>) -> impl Iterator<Item = (QueueIx, &Queue)> {
        let entry = |ix: QueueIx| Some((ix, self.queue(ix)?));
        std::iter::successors(queue.and_then(entry), move |(_, queue)| queue.parent.and_then(entry))
    }

    /// Announces a resource; it takes the next number. Where the nodes would have more of it together than can be counted it is not
    /// announced.
    pub fn announce(&mut self, name: String, everywhere: i64) -> Result<(), SumOverflow> {
        let resource = ResourceIx(u32::try_from(self.resources.announced.len()).unwrap_or(u32::MAX));
        let nodes = i64::try_from(self.nodes.table.iter().count()).unwrap_or(i64::MAX);
        let together = [(resource, everywhere.saturating_mul(nodes))];
        self.resources.allocatable.check_sum_fits(|_| 0, together.into_iter())?;
        self.resources.announced.push(AnnouncedResource { name, everywhere });
        if everywhere != 0 {
            self.resources.allocatable.add(together.into_iter());
            self.requirements.classes.forget_shares();
            for (_, node) in self.nodes.table.iter_mut() {
                node.allocatable.set(resource, everywhere);
                node.free.set(resource, everywhere);
            }
            self.nodes.capacity.mark_all_stale();
        }
        Ok(())
    }

    /// Returns the number of announced resources.
    pub fn resource_count(&self) -> usize {
        self.resources.announced.len()
    }

    /// Returns the number of a resource by its name. `None`: the name was not announced.
    pub fn resource_named(&self, name: &str) -> Option<ResourceIx> {
        let at = self.resources.announced.iter().position(|info| info.name == name)?;
        u32::try_from(at).ok().map(ResourceIx)
    }

    /// Returns the name of a resource; `?` for an unknown number.
    pub fn resource_name(&self, resource: ResourceIx) -> &str {
        let info = usize::try_from(resource.0).ok().and_then(|at| self.resources.announced.get(at));
        info.map_or("?", |info| info.name.as_str())
    }
}
