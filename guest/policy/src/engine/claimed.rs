//! Claimed: a plan whose pods a pod of another quota would evict as soon as they are bound.
//!
//! A pod that takes its quota over its min may evict less important pods of that quota. A pod of another quota that waits within its own min finds no
//! victim as long as no quota is over its min, and would then evict the preemptor. Where controllers create evicted pods again, the two quotas
//! would evict each other's pods in turn, without an end. So no such plan is made.

use std::collections::BTreeSet;

use super::Engine;
use super::plan::PlanDraft;
use super::search::{self, PlanObstacle};
use crate::laws::{LawContext, Laws, Preemptor};
use crate::model::{
    ClassIx, Cluster, DomainCountOverlay, JobIx, NodeIx, PlansInFlight, PodInfo, PodIx, PodLocation, QueueIx, Trial,
};

/// The number of gangs and of kinds of single pods that are examined. Whether further ones would evict the pods of a plan stays unknown.
const MAX_PREEMPTORS: usize = 32;

/// Pods of a quota that are decided upon in the same way: those of a job, or single pods of one class and priority.
type EquivalenceKey = (QueueIx, Option<JobIx>, Option<(ClassIx, i32)>);

impl Engine {
    /// Returns the plan, unless a waiting pod would evict its pods as soon as they are bound. The error is that pod.
    pub(super) fn unless_reclaimed(
        &mut self,
        laws: &Laws,
        gangs: &[Preemptor],
        plan: PlanDraft,
    ) -> Result<PlanDraft, PlanObstacle> {
        match self.reclaiming_pod(laws, gangs, &plan) {
            Some(pod) => Err(PlanObstacle::WouldBeReclaimed(pod)),
            None => Ok(plan),
        }
    }

    /// Returns a pod of another quota that waits within the min of that quota and would evict pods of a plan as soon as these are bound. Only where
    /// the plan evicts pods and takes a quota over its min.
    fn reclaiming_pod(&mut self, laws: &Laws, gangs: &[Preemptor], plan: &PlanDraft) -> Option<PodIx> {
        let borrows = |gang: &Preemptor| gang.part.queue.is_some() && !gang.is_within_min;
        if !laws.queue_rules.reclaims_within_min || plan.victims.is_empty() || !gangs.iter().any(borrows) {
            return None;
        }
        let candidates = pending_in_other_quotas(&self.cluster, gangs);
        if candidates.is_empty() {
            return None;
        }
        let mut trial = Trial::new(&mut self.cluster);
        let mut nodes: BTreeSet<NodeIx> = plan.nominations.iter().map(|(_, node)| *node).collect();
        for gone in plan.victims.iter().flat_map(|victim| trial.cluster().eviction_set(*victim)).collect::<Vec<_>>() {
            nodes.extend(trial.cluster().pod(gone).and_then(|pod| pod.node()));
            trial.set_location(gone, PodLocation::Finished);
        }
        plan.nominations.iter().for_each(|(ix, node)| trial.set_location(*ix, PodLocation::Bound(*node)));
        let mut carried = CarriedOutPlan { trial, ledger: &self.plans_in_flight, laws, plan, nodes };
        candidates.into_iter().find(|ix| carried.is_reclaimed_by(*ix))
    }
}

/// Returns one pod of each set of equal pods that wait, may preempt, are promised no node, and are of other quotas than these gangs.
fn pending_in_other_quotas(cluster: &Cluster, gangs: &[Preemptor]) -> Vec<PodIx> {
    let is_other = |quota| gangs.iter().all(|gang| gang.part.queue != Some(quota));
    let mut seen: BTreeSet<EquivalenceKey> = BTreeSet::new();
    let mut is_first = |pod: &PodInfo, quota| {
        let job = pod.attributes.job.filter(|job| cluster.job(*job).is_some_and(|job| job.gang().is_some()));
        seen.insert((quota, job, job.is_none().then(|| (pod.requirements.class, pod.priority()))))
    };
    let waits = |pod: &PodInfo| pod.is_schedulable() && pod.state.nominated.is_none() && pod.attributes.may_preempt;
    let waiting = cluster.pods().filter(|(_, pod)| waits(pod) && pod.queue.is_some_and(is_other));
    let first = waiting.filter(|(_, pod)| pod.queue.is_some_and(|quota| is_first(pod, quota)));
    first.map(|(ix, _)| ix).take(MAX_PREEMPTORS).collect()
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
    fn is_reclaimed_by(&mut self, ix: PodIx) -> bool {
        let (laws, ledger) = (self.laws, self.ledger);
        let search = search::for_laws(laws);
        let pods = search.pods(self.trial.cluster(), laws, ix);
        let Some(gang) = Preemptor::of(self.trial.cluster(), laws, ix, pods) else { return false };
        let gang = search.gang_to_plan(self.trial.cluster(), gang);
        if !gang.is_within_min || self.fits_without(&gang, &[]) {
            return false;
        }
        let case = gang.context_for_plan(self.trial.cluster(), ledger);
        let gates = [&laws.preconditions.unresolvable, &laws.preconditions.in_flight, &laws.preconditions.preemption];
        if gates.into_iter().any(|gates| case.first_failed_check(gates).is_some()) {
            return false;
        }
        let cluster = self.trial.cluster();
        let may_go = |gone: &[PodIx], ix: PodIx| {
            LawContext { victims: gone, ..case }.first_denial(&laws.victim_filters, ix).is_none()
        };
        let priority = |ix: &PodIx| cluster.pod(*ix).map(PodInfo::priority);
        let planned = self.plan.nominations.iter().map(|(planned, _)| *planned);
        let planned: Vec<PodIx> = planned.filter(|ix| may_go(&[], *ix)).collect();
        // A quota gives only what it borrows: each of its pods that goes leaves less of that for the next one, so what goes depends on the first.
        let mut classes = BTreeSet::new();
        let firsts = planned.iter().filter(|ix| classes.insert(cluster.pod(**ix).map(|pod| pod.requirements.class)));
        let victims_from = |first: &PodIx| {
            planned.iter().filter(|ix| *ix != first).fold(vec![*first], |mut gone, ix| {
                if may_go(&gone, *ix) {
                    gone.push(*ix);
                }
                gone
            })
        };
        let victims: Vec<Vec<PodIx>> = firsts.map(victims_from).collect();
        // The least important pods of a quota give first, and of equal ones those that started last.
        let is_first = |ix: &PodIx| priority(ix) < planned.iter().map(priority).min().flatten();
        let nodes = self.nodes.iter().filter_map(|node| cluster.node(*node));
        let others = nodes.flat_map(|node| node.pods.iter().copied());
        let others: Vec<PodIx> = others.filter(|ix| is_first(ix) && may_go(&[], *ix)).collect();
        !others.iter().any(|other| self.fits_without(&gang, &[*other]))
            && victims.iter().any(|gone| self.fits_without(&gang, gone))
    }

    /// Checks whether the pods of a gang fit on the nodes of the plan, and into their quota, when some pods are gone.
    fn fits_without(&mut self, gang: &Preemptor, gone: &[PodIx]) -> bool {
        let before = self.trial.savepoint();
        gone.iter().for_each(|ix| self.trial.evict_set(*ix));
        let is_kept = gang
            .context_for_plan(self.trial.cluster(), self.ledger)
            .first_failed_check(&self.laws.plan_invariants)
            .is_none();
        let has_room = is_kept && self.fits(gang);
        self.trial.rewind(before);
        has_room
    }

    /// Checks whether the pods of a gang fit on the nodes of the plan, one after the other.
    fn fits(&mut self, gang: &Preemptor) -> bool {
        let before = self.trial.savepoint();
        let all = gang.pods.iter().all(|ix| {
            let cluster = self.trial.cluster();
            let free = self.nodes.iter().copied().find(|node| node_fits(cluster, *ix, *node));
            free.inspect(|node| self.trial.place(*ix, *node)).is_some()
        });
        self.trial.rewind(before);
        all
    }
}

/// Checks whether a node takes a pod.
fn node_fits(cluster: &Cluster, ix: PodIx, at: NodeIx) -> bool {
    let Some((pod, node)) = cluster.pod(ix).zip(cluster.node(at)) else { return false };
    let fits = pod.request().iter().all(|(resource, asked)| node.free.get(resource) >= asked);
    fits && cluster.eligible(pod.requirements.shape, at)
        && cluster.inter_pod_allows(ix, at, &DomainCountOverlay::default()).is_ok()
}
