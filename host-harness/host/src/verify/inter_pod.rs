//! What stands between pods holds where they are placed, by the rules of kube-scheduler.
//!
//! Nothing here is shared with a policy: every check looks at all pods that have a node. A pod that nothing stands between is no
//! matter, and a pod that broke a rule before is no hindrance to others.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{NodeId, Placement, PodId, SelectorId, TopologyId};

use super::{PlanUnderTest, VerifyContext, Violation, fits};
use crate::cluster::{ALL_NODES, InterPodTerms, Mirror};
use crate::reason::{NamedReason, render};

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
    let mut crowd = PlacedPods::of(ground, stays, placements);
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
    open.iter().try_for_each(|placement| {
        crowd.check(placement).map_err(|why| Violation::InterPodConflict {
            placement: (*placement).clone(),
            pod: ground.pod_name(placement.pod),
            node: ground.node_name(placement.node),
            why,
        })
    })
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
    fn of(ground: &VerifyContext<'a>, stays: impl Fn(PodId) -> bool, placed: &[Placement]) -> PlacedPods<'a> {
        let placed: BTreeSet<PodId> = placed.iter().map(|placement| placement.pod).collect();
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

    /// Checks whether the node takes the pod together with all others.
    ///
    /// # Errors
    /// The first reason that kube-scheduler would find.
    fn check(&self, placement: &Placement) -> Result<(), InterPodConflict> {
        let Placement { pod, node } = *placement;
        let (Some(record), Some(between)) = (self.mirror.pod(pod), self.mirror.inter_pod_terms(pod)) else {
            return Ok(());
        };
        // A pod and the object whose room it uses count as one.
        let home = self.mirror.capacity_owner(record);
        let is_other = |member: &&PlacedPod<'_>| {
            member.pod != pod && Some(member.pod) != home && member.capacity_owner != Some(pod)
        };
        let others: Vec<&PlacedPod<'_>> = self.pods.iter().filter(is_other).collect();
        let claim = |topology: &TopologyId| self.is_of_claim(*topology);
        let own = |other: &&PlacedPod<'_>| self.forbidden(between, other.terms, node, other.node);
        let existing = |other: &&PlacedPod<'_>| self.forbidden(other.terms, between, other.node, node);
        let (own, existing): (Vec<_>, Vec<_>) =
            (others.iter().flat_map(own).collect(), others.iter().flat_map(existing).collect());
        if own.iter().chain(&existing).any(claim) {
            return Err(InterPodConflict::Claim);
        }
        self.check_spread(between, node, &others)?;
        self.check_affinity(between, node, &others)?;
        match (own.is_empty(), existing.is_empty()) {
            (false, _) => Err(InterPodConflict::AntiAffinity),
            (true, false) => Err(InterPodConflict::ExistingAntiAffinity),
            (true, true) => Ok(()),
        }
    }

    /// Returns the topologies in which the anti-affinity of `one` excludes `other`, and in which their two nodes are in the same domain.
    fn forbidden(&self, one: &InterPodTerms, other: &InterPodTerms, at: NodeId, there: NodeId) -> Vec<TopologyId> {
        let terms = one.anti_affinity.iter().filter(|term| other.selected_by.contains(&term.selector));
        terms.map(|term| term.topology).filter(|topology| self.same_domain(*topology, at, there)).collect()
    }

    fn check_affinity(
        &self,
        between: &InterPodTerms,
        node: NodeId,
        others: &[&PlacedPod<'_>],
    ) -> Result<(), InterPodConflict> {
        let Some(affinity) = &between.affinity else { return Ok(()) };
        if affinity.topologies.iter().any(|topology| self.mirror.domain(*topology, node).is_none()) {
            return Err(InterPodConflict::Affinity);
        }
        let wanted: Vec<NodeId> = selected_by(others, affinity.selector).map(|member| member.node).collect();
        let is_near = |topology: &TopologyId| wanted.iter().any(|there| self.same_domain(*topology, node, *there));
        if affinity.topologies.iter().all(is_near) {
            return Ok(());
        }
        let is_anywhere =
            |there: &NodeId| affinity.topologies.iter().any(|topology| self.mirror.domain(*topology, *there).is_some());
        match between.selected_by.contains(&affinity.selector) && !wanted.iter().any(is_anywhere) {
            true => Ok(()),
            false => Err(InterPodConflict::Affinity),
        }
    }

    fn check_spread(
        &self,
        between: &InterPodTerms,
        node: NodeId,
        others: &[&PlacedPod<'_>],
    ) -> Result<(), InterPodConflict> {
        for spread in &between.spread {
            let Some(domain) = self.mirror.domain(spread.topology, node) else {
                return Err(InterPodConflict::SpreadLabel);
            };
            let counts = |node: NodeId| {
                self.mirror.domain(spread.topology, node).filter(|_| self.mirror.counts(spread.nodes, node))
            };
            let domains = self.mirror.nodes().filter_map(|node| counts(node.id));
            let mut pods: BTreeMap<u32, u64> = domains.map(|domain| (domain, 0)).collect();
            let there = selected_by(others, spread.selector).filter(|member| !member.terminating);
            for domain in there.filter_map(|member| counts(member.node)) {
                let count = pods.entry(domain).or_insert(0);
                *count = count.saturating_add(1);
            }
            let fewest = match pods.len() < usize::try_from(spread.min_domains).unwrap_or(usize::MAX) {
                true => 0,
                false => pods.values().copied().min().unwrap_or(0),
            };
            let own = u64::from(between.selected_by.contains(&spread.selector));
            let here = pods.get(&domain).copied().unwrap_or(0).saturating_add(own);
            if here > fewest.saturating_add(spread.max_skew.into()) {
                return Err(InterPodConflict::Spread);
            }
        }
        Ok(())
    }

    /// Returns whether two nodes are in the same domain of a topology.
    fn same_domain(&self, topology: TopologyId, one: NodeId, other: NodeId) -> bool {
        let domain = self.mirror.domain(topology, one);
        domain.is_some() && domain == self.mirror.domain(topology, other)
    }

    fn is_of_claim(&self, topology: TopologyId) -> bool {
        self.mirror.topology_key(topology) == ALL_NODES
    }
}

/// Returns the pods that a selector chooses.
fn selected_by<'a>(members: &'a [&PlacedPod<'a>], selector: SelectorId) -> impl Iterator<Item = &'a PlacedPod<'a>> {
    members.iter().copied().filter(move |member| member.terms.selected_by.contains(&selector))
}

#[cfg(test)]
mod tests;
