//! The preemptor: the pod of an attempt, and the pending pods that are decided upon with it.

use super::claim::Claim;
use super::{Case, Laws, quota};
use crate::model::{Amounts, Cluster, JobIx, Kind, Ledger, NodeIx, PodIx, Preemptibility, Queue, QueueIx};

/// Another gang of the gang group of a preemptor: what its waiting pods request, and how that counts.
#[derive(Debug, Clone)]
pub struct Companion {
    /// The queue of the gang.
    pub queue: Option<QueueIx>,
    /// How the pods count against the queue.
    pub preemptibility: Preemptibility,
    /// What the pods request in sum.
    pub unplaced: Amounts,
}

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
    pub preemptibility: Preemptibility,
    /// Its job.
    pub job: Option<JobIx>,
    /// Its queue.
    pub queue: Option<QueueIx>,
    /// The node that is kept for it alone: that of a DaemonSet's pod which may run nowhere else.
    pub required_node_reservation: Option<NodeIx>,
    /// The pods that wait for a node and are planned together, the asking one among them: those of the job, the most important first,
    /// then those of its companions.
    pub pods: Vec<PodIx>,
    /// What the waiting pods of the job request in sum.
    pub unplaced: Amounts,
    /// Which of the requested resources its queue or an ancestor of the queue deserves. Empty in systems that do not reclaim by queues.
    pub claim: Claim,
    /// The other gangs that are planned together with the job of the preemptor.
    pub companions: Vec<Companion>,
    /// With what its pods request, the quota of its namespace stays within its min: it takes back what others have borrowed. Told when the
    /// preemptor is made, so that a trial does not change it.
    pub takes_back: bool,
    /// What is left to ask for once they have their nodes.
    nothing: Amounts,
    /// The ancestors of the queue bound it, too.
    parents_bind: bool,
    /// Quotas of namespaces take back from each other.
    quotas_take_back: bool,
}

impl Preemptor {
    /// A pod that asks together with these pods of its job; none where there is no such pod.
    pub fn of(cluster: &Cluster, laws: &Laws, ix: PodIx, pods: Vec<PodIx>) -> Option<Preemptor> {
        let pod = cluster.pod(ix)?;
        let preemptor = Preemptor {
            pod: ix,
            kind: pod.name.kind,
            priority: pod.priority(),
            preemptibility: pod.attributes.preemptibility,
            job: pod.attributes.job,
            queue: pod.queue,
            required_node_reservation: pod.required_node_reservation(),
            unplaced: sum(cluster, &pods),
            claim: if laws.cycle.is_some() { Claim::of(cluster, pod.queue, &pods) } else { Claim::default() },
            pods,
            companions: Vec::new(),
            nothing: Amounts::default(),
            takes_back: false,
            parents_bind: laws.parents_bind,
            quotas_take_back: laws.quotas_take_back,
        };
        Some(preemptor.judged(cluster))
    }

    /// Returns the same preemptor with this claim.
    pub fn claiming(self, claim: Claim) -> Preemptor {
        Preemptor { claim, ..self }
    }

    /// The same preemptor with these of its pods.
    pub fn with(self, cluster: &Cluster, pods: Vec<PodIx>) -> Preemptor {
        Preemptor { unplaced: sum(cluster, &pods), pods, ..self }.judged(cluster)
    }

    fn judged(mut self, cluster: &Cluster) -> Preemptor {
        self.takes_back = self.quotas_take_back && quota::takes_back(cluster, &self);
        self
    }

    /// The gangs of a gang group, to be planned together. Each gang is a preemptor of its own: its rules hold for the plan of all.
    /// `pods` are then the waiting pods of the whole group.
    pub fn together(mut gangs: Vec<Preemptor>) -> Vec<Preemptor> {
        if gangs.len() < 2 {
            return gangs;
        }
        let pods: Vec<PodIx> = gangs.iter().flat_map(|gang| gang.pods.iter().copied()).collect();
        let sums: Vec<Companion> = gangs.iter().map(Preemptor::as_companion).collect();
        for (at, gang) in gangs.iter_mut().enumerate() {
            let others = sums.iter().enumerate().filter(|(other, _)| *other != at);
            gang.companions = others.map(|(_, companion)| companion.clone()).collect();
            gang.pods = pods.clone();
        }
        gangs
    }

    fn as_companion(&self) -> Companion {
        Companion { queue: self.queue, preemptibility: self.preemptibility, unplaced: self.unplaced.clone() }
    }

    /// The queues that bound the preemptor: its own, and its ancestors below the root where they do.
    pub fn queues<'a>(&self, cluster: &'a Cluster) -> impl Iterator<Item = (QueueIx, &'a Queue)> {
        let levels = if self.parents_bind { usize::MAX } else { 1 };
        let own = self.queue;
        cluster.path(own).take(levels).filter(move |(ix, queue)| Some(*ix) == own || queue.parent.is_some())
    }

    /// The case of this preemptor as it stands: is it to be admitted?
    pub fn admission<'a>(&'a self, cluster: &'a Cluster, ledger: &'a Ledger) -> Case<'a> {
        let (unplaced, companions) = (&self.unplaced, self.companions.as_slice());
        Case { cluster, ledger, preemptor: self, unplaced, companions, promises_count: false, group: &[], short: None }
    }

    /// The case of this preemptor before a plan is made for it.
    pub fn planning<'a>(&'a self, cluster: &'a Cluster, ledger: &'a Ledger) -> Case<'a> {
        Case { promises_count: true, ..self.admission(cluster, ledger) }
    }

    /// The case of this preemptor in a trial where its pods have their nodes.
    pub fn placed<'a>(&'a self, cluster: &'a Cluster, ledger: &'a Ledger) -> Case<'a> {
        Case { unplaced: &self.nothing, companions: &[], ..self.planning(cluster, ledger) }
    }
}

/// What some pods ask for together.
fn sum(cluster: &Cluster, pods: &[PodIx]) -> Amounts {
    let mut sum = Amounts::default();
    pods.iter().filter_map(|ix| cluster.pod(*ix)).for_each(|pod| sum.add(&pod.request));
    sum
}
