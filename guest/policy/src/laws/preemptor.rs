//! Who asks: the pod of an attempt, and those of its job that wait with it.

use super::{Case, Laws, claim};
use crate::model::{Amounts, Class, Cluster, JobIx, Kind, Ledger, NodeIx, PodIx, Queue, QueueIx};

/// The preemptor of one question.
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
    /// The ancestor of its queue on whose deserved amounts it reclaims; none: it does so on those of its own queue, or not at all.
    pub claimed_through: Option<QueueIx>,
    /// What is left to ask for once they have their nodes.
    nothing: Amounts,
    /// The ancestors of the queue bound it, too.
    parents_bind: bool,
}

impl Preemptor {
    /// A pod that asks together with these pods of its job; none where there is no such pod.
    pub fn of(cluster: &Cluster, laws: &Laws, ix: PodIx, pods: Vec<PodIx>) -> Option<Preemptor> {
        let pod = cluster.pod(ix)?;
        Some(Preemptor {
            pod: ix,
            kind: pod.name.kind,
            priority: pod.priority(),
            class: pod.attributes.class,
            job: pod.attributes.job,
            queue: pod.queue,
            required_node_reservation: pod.required_node_reservation(),
            unplaced: sum(cluster, &pods),
            claimed_through: claim::ancestor(cluster, pod.queue, &pods),
            pods,
            nothing: Amounts::default(),
            parents_bind: laws.parents_bind,
        })
    }

    /// The same preemptor with these of its pods.
    pub fn with(self, cluster: &Cluster, pods: Vec<PodIx>) -> Preemptor {
        Preemptor { unplaced: sum(cluster, &pods), pods, ..self }
    }

    /// The queues that bound the preemptor: its own, and its ancestors below the root where they do.
    pub fn queues<'a>(&self, cluster: &'a Cluster) -> impl Iterator<Item = (QueueIx, &'a Queue)> {
        let levels = if self.parents_bind { usize::MAX } else { 1 };
        let own = self.queue;
        cluster.path(own).take(levels).filter(move |(ix, queue)| Some(*ix) == own || queue.parent.is_some())
    }

    /// The case of this preemptor as it stands: is it to be admitted?
    pub fn admission<'a>(&'a self, cluster: &'a Cluster, ledger: &'a Ledger) -> Case<'a> {
        Case { cluster, ledger, preemptor: self, unplaced: &self.unplaced, promises_count: false, group: &[] }
    }

    /// The case of this preemptor before a plan is made for it.
    pub fn planning<'a>(&'a self, cluster: &'a Cluster, ledger: &'a Ledger) -> Case<'a> {
        Case { promises_count: true, ..self.admission(cluster, ledger) }
    }

    /// The case of this preemptor in a trial where its pods have their nodes.
    pub fn placed<'a>(&'a self, cluster: &'a Cluster, ledger: &'a Ledger) -> Case<'a> {
        Case { unplaced: &self.nothing, ..self.planning(cluster, ledger) }
    }
}

/// What some pods ask for together.
fn sum(cluster: &Cluster, pods: &[PodIx]) -> Amounts {
    let mut sum = Amounts::default();
    pods.iter().filter_map(|ix| cluster.pod(*ix)).for_each(|pod| sum.add(&pod.request));
    sum
}
