//! Claimed: a plan whose pods a pod of another quota would evict as soon as they are bound.
//!
//! A pod that takes its quota over its min may evict less important pods of that quota. A pod of another quota that waits within its own min finds no
//! victim as long as no quota is over its min, and would then evict the preemptor. Where controllers create evicted pods again, the two quotas
//! would evict each other's pods in turn, without an end. So no such plan is made.

use std::collections::BTreeSet;

use super::Engine;
use super::plan::PlanDraft;
use super::search::{self, PlanObstacle};
use crate::laws::{Laws, Preemptor};
use crate::model::{
    ClassIx, Cluster, DomainCountOverlay, JobIx, NodeIx, PlansInFlight, PodInfo, PodIx, PodLocation, QueueIx, Trial,
};

/// The number of gangs and of kinds of single pods that are examined. Whether further ones would evict the pods of a plan stays unknown.
const LOOKS: usize = 32;

/// Pods of a quota that are decided upon in the same way: those of a job, or single pods of one class and priority.
type EquivalenceKey = (QueueIx, Option<JobIx>, Option<(ClassIx, i32)>);

impl Engine {
    /// Returns the plan, unless a waiting pod would evict its pods as soon as they are bound. The error is that pod.
    pub(super) fn unless_claimed(
        &mut self,
        laws: &Laws,
        gangs: &[Preemptor],
        plan: PlanDraft,
    ) -> Result<PlanDraft, PlanObstacle> {
        match self.claimed(laws, gangs, &plan) {
            Some(pod) => Err(PlanObstacle::Claimed(pod)),
            None => Ok(plan),
        }
    }

    /// Returns a pod of another quota that waits within the min of that quota and would evict pods of a plan as soon as these are bound. Only where
    /// the plan evicts pods and takes a quota over its min.
    fn claimed(&mut self, laws: &Laws, gangs: &[Preemptor], plan: &PlanDraft) -> Option<PodIx> {
        let borrows = |gang: &Preemptor| gang.queue.is_some() && !gang.takes_back;
        if !laws.quotas_take_back || plan.victims.is_empty() || !gangs.iter().any(borrows) {
            return None;
        }
        let candidates = waiting_in_others(&self.cluster, gangs);
        if candidates.is_empty() {
            return None;
        }
        let mut trial = Trial::new(&mut self.cluster);
        let mut nodes: BTreeSet<NodeIx> = plan.nominations.iter().map(|(_, node)| *node).collect();
        for gone in plan.victims.iter().flat_map(|victim| trial.cluster().eviction_set(*victim)).collect::<Vec<_>>() {
            nodes.extend(trial.cluster().pod(gone).and_then(|pod| pod.place.node()));
            trial.put(gone, PodLocation::Finished);
        }
        plan.nominations.iter().for_each(|(ix, node)| trial.put(*ix, PodLocation::Bound(*node)));
        let mut carried = CarriedOutPlan { trial, ledger: &self.ledger, laws, plan, nodes };
        candidates.into_iter().find(|ix| carried.is_undone_for(*ix))
    }
}

/// Returns one pod of each set of equal pods that wait, may preempt, are promised no node, and are of other quotas than these gangs.
fn waiting_in_others(cluster: &Cluster, gangs: &[Preemptor]) -> Vec<PodIx> {
    let is_other = |quota| gangs.iter().all(|gang| gang.queue != Some(quota));
    let mut seen: BTreeSet<EquivalenceKey> = BTreeSet::new();
    let mut is_first = |pod: &PodInfo, quota| {
        let job = pod.attributes.job.filter(|job| cluster.job(*job).is_some_and(|job| job.gang().is_some()));
        seen.insert((quota, job, job.is_none().then(|| (pod.class, pod.priority()))))
    };
    let waits = |pod: &PodInfo| pod.is_schedulable() && pod.nominated.is_none() && pod.attributes.may_preempt;
    let waiting = cluster.pods().filter(|(_, pod)| waits(pod) && pod.queue.is_some_and(is_other));
    let first = waiting.filter(|(_, pod)| pod.queue.is_some_and(|quota| is_first(pod, quota)));
    first.map(|(ix, _)| ix).take(LOOKS).collect()
}

/// A cluster in which a plan has been carried out.
struct CarriedOutPlan<'a> {
    trial: Trial<'a>,
    ledger: &'a PlansInFlight,
    laws: &'a Laws,
    plan: &'a PlanDraft,
    /// The nodes that the plan changes.
    nodes: BTreeSet<NodeIx>,
}

impl CarriedOutPlan<'_> {
    /// Checks whether a pod that stays within the min of its quota would evict pods of the plan. It does not fit while they run, it fits once they
    /// are evicted, and less important pods leave too little.
    fn is_undone_for(&mut self, ix: PodIx) -> bool {
        let (laws, ledger) = (self.laws, self.ledger);
        let search = search::of(laws);
        let pods = search.pods(self.trial.cluster(), laws, ix);
        let Some(gang) = Preemptor::of(self.trial.cluster(), laws, ix, pods) else { return false };
        let gang = search.needed(self.trial.cluster(), gang);
        if !gang.takes_back || self.has_room_without(&gang, &[]) {
            return false;
        }
        let case = gang.waiting(self.trial.cluster(), ledger);
        let gates = [&laws.final_gates, &laws.under_way, &laws.trigger];
        if gates.into_iter().any(|gates| case.first_broken(gates).is_some()) {
            return false;
        }
        let cluster = self.trial.cluster();
        let may_go = |ix: &PodIx| case.first_denial(&laws.guards, *ix).is_none();
        let priority = |ix: &PodIx| cluster.pod(*ix).map(PodInfo::priority);
        let planned = self.plan.nominations.iter().map(|(planned, _)| *planned);
        let planned: Vec<PodIx> = planned.filter(may_go).collect();
        // The least important pods of a quota give first, and of equal ones those that started last.
        let is_first = |ix: &PodIx| priority(ix) < planned.iter().map(priority).min().flatten();
        let nodes = self.nodes.iter().filter_map(|node| cluster.node(*node));
        let others = nodes.flat_map(|node| node.pods.iter().copied());
        let others: Vec<PodIx> = others.filter(|ix| is_first(ix) && may_go(ix)).collect();
        !others.iter().any(|other| self.has_room_without(&gang, &[*other])) && self.has_room_without(&gang, &planned)
    }

    /// Checks whether the pods of a gang fit on the nodes of the plan, and into their quota, when some pods are gone.
    fn has_room_without(&mut self, gang: &Preemptor, gone: &[PodIx]) -> bool {
        let before = self.trial.mark();
        gone.iter().for_each(|ix| self.trial.evict_set(*ix));
        let is_kept = gang.waiting(self.trial.cluster(), self.ledger).first_broken(&self.laws.limits).is_none();
        let has_room = is_kept && self.has_room(gang);
        self.trial.rewind(before);
        has_room
    }

    /// Checks whether the pods of a gang fit on the nodes of the plan, one after the other.
    fn has_room(&mut self, gang: &Preemptor) -> bool {
        let before = self.trial.mark();
        let all = gang.pods.iter().all(|ix| {
            let cluster = self.trial.cluster();
            let free = self.nodes.iter().copied().find(|node| takes(cluster, *ix, *node));
            free.inspect(|node| self.trial.place(*ix, *node)).is_some()
        });
        self.trial.rewind(before);
        all
    }
}

/// Checks whether a node takes a pod.
fn takes(cluster: &Cluster, ix: PodIx, at: NodeIx) -> bool {
    let Some((pod, node)) = cluster.pod(ix).zip(cluster.node(at)) else { return false };
    let fits = pod.request.iter().all(|(resource, asked)| node.free.get(resource) >= asked);
    fits && cluster.eligible(pod.shape, at) && cluster.inter_pod_allows(ix, at, &DomainCountOverlay::default()).is_ok()
}
