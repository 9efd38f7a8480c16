//! What stands between pods holds where they are placed, by the rules of kube-scheduler.
//!
//! Nothing here is shared with a policy: every check looks at all pods that have a node. A pod that nothing stands between is no
//! matter, and a pod that broke a rule before is no hindrance to others.

mod domains;

use std::collections::BTreeSet;

use lictor_contract::{NodeId, Placement, PodId};

use super::{PlanUnderTest, VerifyContext, Violation, fits};
use crate::cluster::{InterPodTerms, Mirror};
use crate::reason::{NamedReason, render};
use domains::PodDomains;

/// The reason why a node does not take a pod because of other pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterPodConflict {
    /// The anti-affinity of a pod on the node's domain excludes the placed pod.
    ExistingAntiAffinity,
    /// The anti-affinity of the placed pod excludes a pod in the node's domain.
    AntiAffinity,
    /// A pod that the affinity of the placed pod requires is missing.
    Affinity,
    /// The skew of a spread constraint would be too large.
    Spread,
    /// The node is in no domain of the spread constraint.
    SpreadLabel,
    /// Another pod uses a claim that only one pod may use.
    Claim,
}

impl InterPodConflict {
    /// Returns the reason in the words of kube-scheduler.
    pub fn reason(self) -> NamedReason {
        let case = match self {
            InterPodConflict::ExistingAntiAffinity => "existing-anti-affinity",
            InterPodConflict::AntiAffinity => "anti-affinity",
            InterPodConflict::Affinity => "affinity",
            InterPodConflict::Spread => "spread",
            InterPodConflict::SpreadLabel => "spread-label",
            InterPodConflict::Claim => "claim",
        };
        render("host/inter-pod", case, Vec::new())
    }
}

/// Checks the constraints between the nominated pods and the pods that stay, after the victims have left, for all nominated pods together.
///
/// A pod that is leaving already, by an earlier plan or because another client deletes it, may still be there then, or not. As in kube-scheduler's
/// dry run, a plan may count on either. A binding is checked against the pods that are there.
pub(super) fn check(ground: &VerifyContext<'_>, proposal: &PlanUnderTest<'_>) -> Result<(), Violation> {
    let nominations = &proposal.plan.nominations;
    placements(ground, fits::remains_after_plan(ground, proposal), nominations)
        .or_else(|_| placements(ground, fits::remains(proposal), nominations))
}

/// Checks the constraints between the placed pods and the pods that stay. Each pod is checked against the pods that stay and against the other placed
/// pods. The pods are added one after the other in any order that works, or, where none does, all at once.
pub(super) fn placements(
    ground: &VerifyContext<'_>,
    stays: impl Fn(PodId) -> bool,
    placements: &[Placement],
) -> Result<(), Violation> {
    let mirror = ground.mirror;
    let comers = placements.iter().filter(|placement| mirror.inter_pod_terms(placement.pod).is_some());
    let mut open: Vec<&Placement> = comers.collect();
    if open.is_empty() {
        return Ok(());
    }
    let placed = placements.iter().map(|placement| placement.pod).collect();
    let mut crowd = PlacedPods::of(ground, stays, &placed);
    loop {
        let before = open.len();
        open.retain(|placement| match crowd.check(placement) {
            Ok(()) => {
                crowd.add(placement.pod, placement.node);
                false
            }
            Err(_) => true,
        });
        if open.is_empty() {
            return Ok(());
        }
        if open.len() == before {
            break;
        }
    }
    open.iter().for_each(|placement| crowd.add(placement.pod, placement.node));
    open.iter().try_for_each(|placement| crowd.check(placement).map_err(|why| violation(ground, placement, why)))
}

/// A pod on a node, with its constraints.
struct PlacedPod<'a> {
    pod: PodId,
    node: NodeId,
    terms: &'a InterPodTerms,
    terminating: bool,
    /// The placed object whose room the pod uses.
    capacity_owner: Option<PodId>,
}

/// The pods on nodes that have constraints with other pods.
struct PlacedPods<'a> {
    mirror: &'a Mirror,
    pods: Vec<PlacedPod<'a>>,
}

impl<'a> PlacedPods<'a> {
    /// Collects the pods that stay, without the placed ones. The users of a placed object leave together with it.
    fn of(ground: &VerifyContext<'a>, stays: impl Fn(PodId) -> bool, placed: &BTreeSet<PodId>) -> PlacedPods<'a> {
        let mut crowd = PlacedPods { mirror: ground.mirror, pods: Vec::new() };
        for pod in ground.mirror.pods().filter(|pod| pod.inter_pod.is_some() && !placed.contains(&pod.id)) {
            let Some(node) = ground.occupancy.node_of(pod.id).filter(|_| stays(pod.id)) else { continue };
            let home = ground.mirror.capacity_owner(pod);
            if home.is_none_or(|home| ground.occupancy.node_of(home) != Some(node) || stays(home)) {
                crowd.add(pod.id, node);
            }
        }
        crowd
    }

    fn add(&mut self, pod: PodId, node: NodeId) {
        let (Some(record), Some(between)) = (self.mirror.pod(pod), self.mirror.inter_pod_terms(pod)) else { return };
        let home = self.mirror.capacity_owner(record);
        self.pods.push(PlacedPod { pod, node, terms: between, terminating: record.terminating, capacity_owner: home });
    }

    /// Collects the domains that the others leave to a pod. `None`: it has no constraints with other pods.
    fn domains(&self, pod: PodId) -> Option<PodDomains<'a>> {
        let (record, terms) = (self.mirror.pod(pod)?, self.mirror.inter_pod_terms(pod)?);
        // A pod and the object whose room it uses count as one.
        let home = self.mirror.capacity_owner(record);
        let is_other = |member: &&PlacedPod<'_>| {
            member.pod != pod && Some(member.pod) != home && member.capacity_owner != Some(pod)
        };
        let others: Vec<&PlacedPod<'_>> = self.pods.iter().filter(is_other).collect();
        Some(PodDomains::of(self.mirror, terms, &others))
    }

    fn check(&self, placement: &Placement) -> Result<(), InterPodConflict> {
        self.domains(placement.pod).map_or(Ok(()), |domains| domains.check(placement.node))
    }
}

/// The constraints between one pod and the pods on nodes, for one node after another: all pods are looked at once.
pub(super) struct PodOnNodes<'a> {
    pod: PodId,
    domains: Option<PodDomains<'a>>,
}

impl<'a> PodOnNodes<'a> {
    /// Collects what the pods on nodes leave to a pod.
    pub(super) fn of(ground: &VerifyContext<'a>, pod: PodId) -> PodOnNodes<'a> {
        let is_constrained = ground.mirror.inter_pod_terms(pod).is_some();
        let crowd = || PlacedPods::of(ground, |_| true, &[pod].into());
        PodOnNodes { pod, domains: is_constrained.then(crowd).and_then(|crowd| crowd.domains(pod)) }
    }

    /// Checks whether a node takes the pod.
    ///
    /// # Errors
    /// The first reason that kube-scheduler would find.
    pub(super) fn check(&self, ground: &VerifyContext<'_>, node: NodeId) -> Result<(), Violation> {
        let checked = self.domains.as_ref().map_or(Ok(()), |domains| domains.check(node));
        checked.map_err(|why| violation(ground, &Placement { pod: self.pod, node }, why))
    }
}

fn violation(ground: &VerifyContext<'_>, placement: &Placement, why: InterPodConflict) -> Violation {
    Violation::InterPodConflict {
        placement: placement.clone(),
        pod: ground.pod_name(placement.pod),
        node: ground.node_name(placement.node),
        why,
    }
}

#[cfg(test)]
mod tests;
