//! Who asks: the pod of an attempt, and those of its job that wait with it.

use super::{Case, Laws, Search};
use crate::model::{Amounts, Class, Cluster, JobIx, Kind, Ledger, NodeIx, Pod, PodIx, Queue, QueueIx, Shortage};

/// The asker of one question.
#[derive(Debug, Clone)]
pub struct Preemptor {
    /// The pod of the attempt.
    pub pod: PodIx,
    /// What it is.
    pub kind: Kind,
    /// Its priority.
    pub priority: i32,
    /// How it counts against its queue.
    pub class: Class,
    /// Its job.
    pub job: Option<JobIx>,
    /// Its queue.
    pub queue: Option<QueueIx>,
    /// The node that is kept for it alone: that of a DaemonSet's pod which may run nowhere else.
    pub required_node_reservation: Option<NodeIx>,
    /// The pods of the job that wait for a node, the asking one among them, most important first.
    pub pods: Vec<PodIx>,
    /// What these pods ask for in sum.
    pub unplaced: Amounts,
    /// What is left to ask for once they have their nodes.
    nothing: Amounts,
    /// The ancestors of the queue bound it, too.
    parents_bind: bool,
}

impl Preemptor {
    /// The asker of an attempt for a pod; none where there is no such pod.
    pub fn new(cluster: &Cluster, laws: &Laws, ix: PodIx) -> Option<Preemptor> {
        let one_by_one = matches!(laws.search, Search::GroupOnOneNode(_));
        let members = cluster.members(ix).filter(|(member, _)| !one_by_one || *member == ix);
        let mut waiting: Vec<_> = members.filter(|(_, member)| member.is_pending()).collect();
        waiting.sort_unstable_by(|(_, a), (_, b)| (laws.queue_order.compare)(cluster, a, b));
        if matches!(laws.search, Search::Bundles) {
            keep_what_is_lacking(cluster, ix, &mut waiting);
        }
        Preemptor::of(cluster, laws, ix, waiting.into_iter().map(|(member, _)| member).collect())
    }

    /// A pod that asks together with these pods of its job; none where there is no such pod.
    pub fn of(cluster: &Cluster, laws: &Laws, ix: PodIx, pods: Vec<PodIx>) -> Option<Preemptor> {
        let pod = cluster.pod(ix)?;
        let mut unplaced = Amounts::default();
        for member in pods.iter().filter_map(|ix| cluster.pod(*ix)) {
            unplaced.add(&member.request);
        }
        Some(Preemptor {
            pod: ix,
            kind: pod.name.kind,
            priority: pod.priority(),
            class: pod.attributes.class,
            job: pod.attributes.job,
            queue: pod.queue,
            required_node_reservation: pod.required_node_reservation(),
            pods,
            unplaced,
            nothing: Amounts::default(),
            parents_bind: laws.parents_bind,
        })
    }

    /// The asker with the pods it needs a plan for. A job is planned whole where the search is by job; else a gang is planned as
    /// far as it needs to be complete, the asking pod first: evicting for less would help nobody, for more is not called for.
    pub fn limited_to_need(mut self, cluster: &Cluster, search: &Search) -> Preemptor {
        let Search::NodeByNode(_) = search else { return self };
        let minimum =
            self.job.and_then(|job| cluster.job(job)).and_then(|job| job.gang()).map_or(0, |gang| gang.minimum);
        let held = cluster.members(self.pod).filter(|(_, pod)| pod.place.node().is_some() && !pod.terminating).count();
        let needed = usize::try_from(minimum).unwrap_or(usize::MAX).saturating_sub(held).max(1);
        // Who is promised a node already keeps that promise within the plan: another pod in its place would be planned beside it.
        let is_promised = |ix: PodIx| cluster.pod(ix).is_some_and(|pod| pod.nominated.is_some());
        self.pods.sort_by_key(|ix| (*ix != self.pod, !is_promised(*ix)));
        self.pods.truncate(needed);
        self
    }

    /// The queues that bound the asker: its own, and its ancestors below the root where they do.
    pub fn queues<'a>(&self, cluster: &'a Cluster) -> impl Iterator<Item = (QueueIx, &'a Queue)> {
        let levels = if self.parents_bind { usize::MAX } else { 1 };
        let own = self.queue;
        cluster.path(own).take(levels).filter(move |(ix, queue)| Some(*ix) == own || queue.parent.is_some())
    }

    /// The case of this asker as it stands: is it to be admitted?
    pub fn admission<'a>(&'a self, cluster: &'a Cluster, ledger: &'a Ledger) -> Case<'a> {
        Case { cluster, ledger, preemptor: self, unplaced: &self.unplaced, promises_count: false, group: &[] }
    }

    /// The case of this asker before a plan is made for it.
    pub fn planning<'a>(&'a self, cluster: &'a Cluster, ledger: &'a Ledger) -> Case<'a> {
        Case { promises_count: true, ..self.admission(cluster, ledger) }
    }

    /// The case of this asker in a trial where its pods have their nodes.
    pub fn placed<'a>(&'a self, cluster: &'a Cluster, ledger: &'a Ledger) -> Case<'a> {
        Case { unplaced: &self.nothing, ..self.planning(cluster, ledger) }
    }
}

/// Keeps a pod, first, and the others that its gang lacks beside it; those beyond the minimum of an elastic job are no help.
fn keep_what_is_lacking(cluster: &Cluster, ix: PodIx, waiting: &mut Vec<(PodIx, &Pod)>) {
    let class = cluster.pod(ix).map(|pod| pod.attributes.class);
    let mut shortage = if class == Some(Class::NonPreemptible) { cluster.shortage(ix) } else { Shortage::default() };
    waiting.sort_by_key(|(member, _)| *member != ix);
    waiting.retain(|(member, pod)| {
        let useful = Some(pod.attributes.class) == class && shortage.fill(pod);
        *member == ix || useful
    });
}
