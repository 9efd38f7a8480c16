//! The domains that the pods on nodes leave to one pod: collected once, then looked up node by node.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{NodeId, PodAffinity, SelectorId, TopologyId};

use super::{InterPodConflict, PlacedPod};
use crate::cluster::{ALL_NODES, InterPodTerms, Mirror, SpreadTerm};

/// The domains that other pods leave to a pod.
pub(super) struct PodDomains<'a> {
    mirror: &'a Mirror,
    /// Where the anti-affinity of the pod excludes other pods.
    own: DomainSet,
    /// Where the anti-affinity of other pods excludes the pod.
    existing: DomainSet,
    spread: Vec<SpreadDomains>,
    affinity: Option<AffinityDomains>,
}

impl<'a> PodDomains<'a> {
    /// Collects the domains for a pod with these terms. `others` are the pods on nodes that have constraints with other pods, without the pod.
    pub(super) fn of(mirror: &'a Mirror, terms: &InterPodTerms, others: &[&PlacedPod<'_>]) -> PodDomains<'a> {
        let (mut own, mut existing) = (DomainSet::default(), DomainSet::default());
        for other in others {
            own.exclude(mirror, terms, other.terms, other.node);
            existing.exclude(mirror, other.terms, terms, other.node);
        }
        PodDomains {
            mirror,
            own,
            existing,
            spread: terms.spread.iter().map(|spread| SpreadDomains::of(mirror, terms, spread, others)).collect(),
            affinity: terms.affinity.as_ref().map(|affinity| AffinityDomains::of(mirror, terms, affinity, others)),
        }
    }

    /// Checks whether the node takes the pod.
    ///
    /// # Errors
    /// The first reason that kube-scheduler would find.
    pub(super) fn check(&self, node: NodeId) -> Result<(), InterPodConflict> {
        let is_claim = |topology: TopologyId| self.mirror.topology_key(topology) == ALL_NODES;
        let (mut own, mut existing) = (false, false);
        for (set, excludes) in [(&self.own, &mut own), (&self.existing, &mut existing)] {
            for topology in set.containing(self.mirror, node) {
                if is_claim(topology) {
                    return Err(InterPodConflict::Claim);
                }
                *excludes = true;
            }
        }
        self.spread.iter().try_for_each(|spread| spread.check(self.mirror, node))?;
        self.affinity.iter().try_for_each(|affinity| affinity.check(self.mirror, node))?;
        match (own, existing) {
            (true, _) => Err(InterPodConflict::AntiAffinity),
            (false, true) => Err(InterPodConflict::ExistingAntiAffinity),
            (false, false) => Ok(()),
        }
    }
}

/// Domains of topologies.
#[derive(Default)]
struct DomainSet(BTreeMap<TopologyId, BTreeSet<u32>>);

impl DomainSet {
    fn insert(&mut self, mirror: &Mirror, topology: TopologyId, node: NodeId) {
        if let Some(domain) = mirror.domain(topology, node) {
            self.0.entry(topology).or_default().insert(domain);
        }
    }

    /// Adds the domains of `node` in which the anti-affinity of `one` excludes `other`.
    fn exclude(&mut self, mirror: &Mirror, one: &InterPodTerms, other: &InterPodTerms, node: NodeId) {
        for term in one.anti_affinity.iter().filter(|term| other.selected_by.contains(&term.selector)) {
            self.insert(mirror, term.topology, node);
        }
    }

    fn contains(&self, mirror: &Mirror, topology: TopologyId, node: NodeId) -> bool {
        let domains = self.0.get(&topology);
        domains.is_some_and(|domains| mirror.domain(topology, node).is_some_and(|domain| domains.contains(&domain)))
    }

    /// Returns the topologies of which the domain of a node is in this set.
    fn containing(&self, mirror: &Mirror, node: NodeId) -> impl Iterator<Item = TopologyId> {
        self.0.keys().copied().filter(move |topology| self.contains(mirror, *topology, node))
    }
}

/// The pods of a topology spread constraint, by domain.
struct SpreadDomains {
    topology: TopologyId,
    /// The selected pods of each domain that has a node that counts.
    pods: BTreeMap<u32, u64>,
    /// The fewest pods of a domain.
    fewest: u64,
    max_skew: u64,
    /// One where the constraint selects the pod itself, else zero.
    own: u64,
}

impl SpreadDomains {
    fn of(mirror: &Mirror, terms: &InterPodTerms, spread: &SpreadTerm, others: &[&PlacedPod<'_>]) -> SpreadDomains {
        let counts = |node: NodeId| mirror.domain(spread.topology, node).filter(|_| mirror.counts(spread.nodes, node));
        let mut pods: BTreeMap<u32, u64> =
            mirror.nodes().filter_map(|node| counts(node.id)).map(|domain| (domain, 0)).collect();
        let there = selected_by(others, spread.selector).filter(|member| !member.terminating);
        for domain in there.filter_map(|member| counts(member.node)) {
            let count = pods.entry(domain).or_insert(0);
            *count = count.saturating_add(1);
        }
        let fewest = match pods.len() < usize::try_from(spread.min_domains).unwrap_or(usize::MAX) {
            true => 0,
            false => pods.values().copied().min().unwrap_or(0),
        };
        let own = u64::from(terms.selected_by.contains(&spread.selector));
        SpreadDomains { topology: spread.topology, pods, fewest, max_skew: spread.max_skew.into(), own }
    }

    fn check(&self, mirror: &Mirror, node: NodeId) -> Result<(), InterPodConflict> {
        let domain = mirror.domain(self.topology, node).ok_or(InterPodConflict::SpreadLabel)?;
        let here = self.pods.get(&domain).copied().unwrap_or(0).saturating_add(self.own);
        if here > self.fewest.saturating_add(self.max_skew) { Err(InterPodConflict::Spread) } else { Ok(()) }
    }
}

/// The domains with pods that the affinity of a pod requires.
struct AffinityDomains {
    topologies: Vec<TopologyId>,
    wanted: DomainSet,
    /// Whether the pod may be the first: the affinity selects the pod itself, and no other pod in any domain.
    may_be_first: bool,
}

impl AffinityDomains {
    fn of(
        mirror: &Mirror,
        terms: &InterPodTerms,
        affinity: &PodAffinity,
        others: &[&PlacedPod<'_>],
    ) -> AffinityDomains {
        let mut wanted = DomainSet::default();
        for member in selected_by(others, affinity.selector) {
            affinity.topologies.iter().for_each(|topology| wanted.insert(mirror, *topology, member.node));
        }
        let may_be_first = terms.selected_by.contains(&affinity.selector) && wanted.0.is_empty();
        AffinityDomains { topologies: affinity.topologies.clone(), wanted, may_be_first }
    }

    fn check(&self, mirror: &Mirror, node: NodeId) -> Result<(), InterPodConflict> {
        let has_domain = |topology: &TopologyId| mirror.domain(*topology, node).is_some();
        let is_near = |topology: &TopologyId| self.wanted.contains(mirror, *topology, node);
        let mut all = self.topologies.iter();
        match all.clone().all(has_domain) && (self.may_be_first || all.all(is_near)) {
            true => Ok(()),
            false => Err(InterPodConflict::Affinity),
        }
    }
}

/// Returns the pods that a selector chooses.
fn selected_by<'a>(members: &'a [&PlacedPod<'a>], selector: SelectorId) -> impl Iterator<Item = &'a PlacedPod<'a>> {
    members.iter().copied().filter(move |member| member.terms.selected_by.contains(&selector))
}
