//! The preemptor: the pod of an attempt, and the pending pods that are decided upon with it.
//!
//! A job decides as a job: it may do what its least entitled planned pod may. Its priority is the least of its planned pods. Pods that
//! count against another queue, or in another way, form a part of their own, and the laws must hold for each part.

use std::collections::BTreeSet;

use super::claim::GangEntitlement;
use super::{LawContext, Laws, QueueRules, quota};
use crate::model::{
    Amounts, Cluster, JobIx, NO_AMOUNTS, NodeIx, PlansInFlight, PodInfo, PodIx, PodKind, Preemptibility, Queue, QueueIx,
};

/// A part of what is planned together: the requests of its waiting pods, and how they count.
#[derive(Debug, Clone)]
pub struct PlannedPart {
    /// The queue of the part.
    pub queue: Option<QueueIx>,
    /// The preemptibility by which the pods count against the queue.
    pub preemptibility: Preemptibility,
    /// The sum of the requests of the waiting pods.
    pub pending_request: Amounts,
}

/// A preemptor: waiting pods of one job that are planned together and count against the same queue in the same way. A job has several if its pods
/// count differently.
#[derive(Debug, Clone)]
pub struct Preemptor {
    /// The pod of the attempt; in a part of others, the first pod of the part.
    pub pod: PodIx,
    /// The kind of the pod.
    pub kind: PodKind,
    /// The lowest priority of the planned pods of the job.
    pub priority: i32,
    /// The job.
    pub job: Option<JobIx>,
    /// The part of the plan that its waiting pods form: those that count against the same queue in the same way.
    pub part: PlannedPart,
    /// The node that is kept for this pod of a DaemonSet, which may run nowhere else.
    pub required_node_reservation: Option<NodeIx>,
    /// The pods that wait for a node and are planned together, the one of the attempt among them: those of the job, the most important
    /// first, then those of its gang group.
    pub pods: Vec<PodIx>,
    /// The requested resources to which its queue, or an ancestor, has an entitlement. Empty in systems that do not reclaim by queues.
    pub entitlement: GangEntitlement,
    /// The other parts that are planned together with this one.
    pub other_parts: Vec<PlannedPart>,
    /// Whether the quota of its namespace stays within its min with the requests of the pods, so that it takes back what others have borrowed.
    /// Computed when the preemptor is created or nominations are closed to it, so that a trial does not change it.
    pub is_within_min: bool,
    /// The nominated pods of lower priority whose capacity is closed to the preemptor: they count as no less important. Set when the pod is tried or
    /// a plan is made.
    pub closed_nominations: BTreeSet<PodIx>,
    /// The rules by which its queue bounds it, and by which it takes back.
    queue_rules: QueueRules,
}

impl Preemptor {
    /// Creates the preemptor of an attempt for a pod together with these pods of its job. `None`: there is no such pod.
    pub fn of(cluster: &Cluster, laws: &Laws, ix: PodIx, pods: Vec<PodIx>) -> Option<Preemptor> {
        let pod = cluster.pod(ix)?;
        let preemptor = Preemptor {
            pod: ix,
            kind: pod.name.kind,
            priority: least_priority(cluster, &pods).unwrap_or(pod.priority()),
            job: pod.attributes.job,
            part: PlannedPart {
                queue: pod.queue,
                preemptibility: pod.attributes.preemptibility,
                pending_request: sum(cluster, &pods),
            },
            required_node_reservation: pod.pinned_daemon_node(),
            entitlement: if laws.cycle.is_some() {
                GangEntitlement::of(cluster, pod.queue, &pods)
            } else {
                GangEntitlement::default()
            },
            pods,
            other_parts: Vec::new(),
            is_within_min: false,
            closed_nominations: BTreeSet::new(),
            queue_rules: laws.queue_rules,
        };
        Some(preemptor.with_min_checked(cluster))
    }

    /// Creates a preemptor that is not in the cluster: a pod of this queue and priority, of a job of its own, with the requests of a running pod. If
    /// it is of another queue, it takes back what its quota has lent.
    pub fn imagined(laws: &Laws, running: &PodInfo, queue: Option<QueueIx>, priority: i32) -> Preemptor {
        let mut unplaced = Amounts::default();
        unplaced.add(running.request());
        Preemptor {
            pod: PodIx(u32::MAX),
            kind: running.name.kind,
            priority,
            job: None,
            part: PlannedPart { queue, preemptibility: running.attributes.preemptibility, pending_request: unplaced },
            required_node_reservation: None,
            entitlement: GangEntitlement::default(),
            pods: Vec::new(),
            other_parts: Vec::new(),
            is_within_min: laws.queue_rules.reclaims_within_min && queue != running.queue,
            closed_nominations: BTreeSet::new(),
            queue_rules: laws.queue_rules,
        }
    }

    /// Closes the capacity of these nominated pods to all parts. The pods then count in the quota of a part, so that the part may no longer take
    /// back.
    pub fn close(parts: &mut [Preemptor], cluster: &Cluster, nominated: &BTreeSet<PodIx>) {
        for part in parts.iter_mut().filter(|part| part.closed_nominations != *nominated) {
            part.closed_nominations.clone_from(nominated);
            part.is_within_min = part.may_reclaim_within_min(cluster);
        }
    }

    /// Returns the preemptor with this claim.
    pub fn with_entitlement(self, claim: GangEntitlement) -> Preemptor {
        Preemptor { entitlement: claim, ..self }
    }

    /// Returns the preemptor with only these of its pods.
    pub fn with(self, cluster: &Cluster, pods: Vec<PodIx>) -> Preemptor {
        let priority = least_priority(cluster, &pods).unwrap_or(self.priority);
        let part = PlannedPart { pending_request: sum(cluster, &pods), ..self.part };
        Preemptor { part, priority, pods, ..self }.with_min_checked(cluster)
    }

    fn with_min_checked(mut self, cluster: &Cluster) -> Preemptor {
        self.is_within_min = self.may_reclaim_within_min(cluster);
        self
    }

    fn may_reclaim_within_min(&self, cluster: &Cluster) -> bool {
        self.queue_rules.reclaims_within_min && quota::is_within_min(cluster, self, &[])
    }

    /// Joins the gangs that are planned together. Each is split into parts by queue and by how its pods count against the queue. Each part is a
    /// preemptor of its own, whose laws must hold for the plan of all. `pods` are then the waiting pods of all gangs. The part of the pod of the
    /// attempt stays the first.
    pub fn join(cluster: &Cluster, gangs: Vec<Preemptor>) -> Vec<Preemptor> {
        if let [gang] = gangs.as_slice()
            && gang.is_one_part(cluster)
        {
            return gangs;
        }
        let pods: Vec<PodIx> = gangs.iter().flat_map(|gang| gang.pods.iter().copied()).collect();
        let mut parts: Vec<Preemptor> = gangs.into_iter().flat_map(|gang| gang.split(cluster)).collect();
        let sums: Vec<PlannedPart> = parts.iter().map(|preemptor| preemptor.part.clone()).collect();
        for (at, part) in parts.iter_mut().enumerate() {
            let others = sums.iter().enumerate().filter(|(other, _)| *other != at);
            part.other_parts = others.map(|(_, companion)| companion.clone()).collect();
            part.pods = pods.clone();
        }
        parts
    }

    /// Returns whether all pods of a gang count against the same queue in the same way.
    fn is_one_part(&self, cluster: &Cluster) -> bool {
        let own = (self.part.queue, self.part.preemptibility);
        let counts = |ix: &PodIx| cluster.pod(*ix).map(|pod| (pod.queue, pod.attributes.preemptibility));
        self.pods.iter().filter_map(counts).all(|counts| counts == own)
    }

    /// Splits a gang into its parts, that of the pod of the attempt first, the others in the order of their first pods.
    fn split(self, cluster: &Cluster) -> Vec<Preemptor> {
        if self.is_one_part(cluster) {
            return vec![self];
        }
        let own = (self.part.queue, self.part.preemptibility);
        let counts = |ix: &PodIx| cluster.pod(*ix).map_or(own, |pod| (pod.queue, pod.attributes.preemptibility));
        let mut parts: Vec<(QueueAccountKey, Vec<PodIx>)> = vec![(own, Vec::new())];
        for ix in &self.pods {
            match parts.iter_mut().find(|(part, _)| *part == counts(ix)) {
                Some((_, pods)) => pods.push(*ix),
                None => parts.push((counts(ix), vec![*ix])),
            }
        }
        let part = |((queue, preemptibility), pods): (QueueAccountKey, Vec<PodIx>)| {
            let pod = if (queue, preemptibility) == own { Some(&self.pod) } else { pods.first() };
            let part = PlannedPart { queue, preemptibility, pending_request: sum(cluster, &pods) };
            Preemptor { pod: pod.copied().unwrap_or(self.pod), part, ..self.clone() }.with_min_checked(cluster)
        };
        parts.into_iter().map(part).collect()
    }

    /// Returns the queues that bound the preemptor: its own, and its ancestors below the root where ancestors bind.
    pub fn queues<'a>(&self, cluster: &'a Cluster) -> impl Iterator<Item = (QueueIx, &'a Queue)> {
        let levels = if self.queue_rules.checks_ancestors { usize::MAX } else { 1 };
        let own = self.part.queue;
        cluster.path(own).take(levels).filter(move |(ix, queue)| Some(*ix) == own || queue.parent.is_some())
    }

    /// Returns the input of laws for the preemptor as it is: its pods wait for their nodes.
    pub fn context_for_plan<'a>(&'a self, cluster: &'a Cluster, ledger: &'a PlansInFlight) -> LawContext<'a> {
        let (unplaced, companions) = (&self.part.pending_request, self.other_parts.as_slice());
        LawContext {
            cluster,
            ledger,
            preemptor: self,
            pending_request: unplaced,
            other_parts: companions,
            victims: &[],
            short_resources: None,
        }
    }

    /// Returns the input of laws for the preemptor in a trial where its pods have their nodes.
    pub fn context_after_plan<'a>(&'a self, cluster: &'a Cluster, ledger: &'a PlansInFlight) -> LawContext<'a> {
        LawContext { pending_request: &NO_AMOUNTS, other_parts: &[], ..self.context_for_plan(cluster, ledger) }
    }
}

/// The account of a pod: the queue that it counts against, and its preemptibility.
type QueueAccountKey = (Option<QueueIx>, Preemptibility);

/// Returns the lowest priority of some pods. `None`: there are no pods.
fn least_priority(cluster: &Cluster, pods: &[PodIx]) -> Option<i32> {
    pods.iter().filter_map(|ix| cluster.pod(*ix)).map(|pod| pod.priority()).min()
}

/// Adds up what some pods request.
fn sum(cluster: &Cluster, pods: &[PodIx]) -> Amounts {
    let mut sum = Amounts::default();
    pods.iter().filter_map(|ix| cluster.pod(*ix)).for_each(|pod| sum.add(pod.request()));
    sum
}
