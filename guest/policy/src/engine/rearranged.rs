//! Rearranged: a gang of unlike pods of which those at Permit take the room that the others need.
//!
//! Pods are tried one by one, and none knows of the others: where a large pod takes the room of two small ones, a gang of two never starts, and is
//! tried in the same order again and again. So when a pod of such a gang finds neither a node nor a plan, nodes are looked for that complete the
//! gang, without an eviction, where its pods at Permit may have others, or none. Those that do not stay where they are give their nodes up, and the
//! pods that complete the gang are nominated. Pods that are alike take no room from one another: whichever of them is first, as many fit.

use std::collections::BTreeSet;

use super::closed_nominations::closed_nominations;
use super::plan::PlanDraft;
use super::search::{self, PreemptionSearch};
use super::{Engine, PodId};
use crate::contract::Refuted;
use crate::laws::{Laws, Preemptor};
use crate::model::{NodeIx, PodIx, PodLocation, Trial};

/// A plan that gives a gang other nodes.
pub struct Rearranged {
    /// The plan; it has no victims.
    pub plan: PlanDraft,
    /// The gangs that the plan is for.
    pub gangs: Vec<Preemptor>,
    /// The pods that give up the nodes which they reserve at Permit. The plan may have other nodes for them.
    pub releases: Vec<PodId>,
}

impl Engine {
    /// Returns other nodes for the gang of a pod that found none. `None`: the gang is complete without the pod, or cannot be complete in any
    /// arrangement of its pods.
    pub(super) fn rearranged(
        &mut self,
        search: &dyn PreemptionSearch,
        preemptor: &Preemptor,
        (laws, refuted): (&Laws, &Refuted),
    ) -> Option<Rearranged> {
        let (pod, job) = (preemptor.pod, preemptor.job?);
        let releases = self.gang_pods_at_permit(pod);
        if releases.is_empty()
            || !self.cluster.is_strict(job)
            || self.cluster.is_complete(job)
            || !self.has_several_classes(pod, &releases)
        {
            return None;
        }
        let ground = (laws, &self.plans_in_flight, refuted);
        let waiting = search.pods(&self.cluster, laws, pod);
        let beside = preemptor.clone().with(&self.cluster, waiting);
        if search::completes_without(&mut self.cluster, ground, &beside) {
            return None;
        }
        let mut trial = Trial::new(&mut self.cluster);
        releases.iter().for_each(|held| trial.unreserve(PodIx(*held)));
        let cluster = trial.nested();
        let gang = Preemptor::of(cluster, laws, pod, search.pods(cluster, laws, pod))?;
        let gangs = search.gangs_to_plan(cluster, laws, gang);
        let mut gangs = Preemptor::join(cluster, gangs);
        let closed = gangs
            .first()
            .map(|gang| closed_nominations((cluster, &self.plans_in_flight), laws, gang))
            .unwrap_or_default();
        Preemptor::close(&mut gangs, cluster, &closed);
        let found = search::without_victims(cluster, ground, &gangs)?;
        drop(trial);
        let (plan, releases) = self.without_those_that_stay(found, releases);
        let is_new = !releases.is_empty() && self.awaited_obstacle(&plan).is_none();
        is_new.then_some(Rearranged { plan, gangs, releases })
    }

    /// Removes the pods from a plan that hold at Permit exactly the node that the plan has for them. These pods keep the node.
    fn without_those_that_stay(&self, mut plan: PlanDraft, mut releases: Vec<PodId>) -> (PlanDraft, Vec<PodId>) {
        let is_there = |(ix, node): &(PodIx, NodeIx)| {
            self.cluster.pod(*ix).is_some_and(|pod| pod.state.location == PodLocation::Reserved(*node))
        };
        let (staying, nominations): (Vec<_>, Vec<_>) = plan.nominations.into_iter().partition(is_there);
        plan.nominations = nominations;
        releases.retain(|held| !staying.iter().any(|(ix, _)| ix.0 == *held));
        (plan, releases)
    }

    /// Returns whether a pod and the pods of its gang at Permit are of several classes.
    fn has_several_classes(&self, pod: PodIx, held: &[PodId]) -> bool {
        let pods = held.iter().map(|held| PodIx(*held)).chain([pod]);
        let classes: BTreeSet<_> =
            pods.filter_map(|ix| self.cluster.pod(ix)).map(|pod| pod.requirements.class).collect();
        classes.len() > 1
    }
}
