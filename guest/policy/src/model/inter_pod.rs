//! Constraints between pods: affinity, anti-affinity and spread, and the counts by which they are judged.
//!
//! The counts are updated whenever a pod takes a node or leaves it, so a trial sees them change. A [`DomainCountOverlay`] describes the changes that a
//! plan tries without a trial. A pod without constraints to others costs one lookup.
//!
//! Upstream `pkg/scheduler/framework/plugins`: interpodaffinity, podtopologyspread, volumerestrictions.

mod book;
mod compiled;
mod judge;
mod what_if;

use std::collections::BTreeSet;

use super::index::TableIndex;
use super::queue::Adjustment;
use super::{DomainCountsIx, InterPodIx, NodeIx, SelectorIx, Table, TopologyIx};
use book::DomainCounts;
use compiled::CompiledTerms;

pub use judge::InterPodViolation;
pub use what_if::DomainCountOverlay;

/// A division of the nodes into domains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopologyDomains {
    /// The key of the label; empty for the topology in which all nodes are of one domain.
    pub key: String,
    /// The domain of each node, by number; 0, or a missing number: the node is of none.
    pub domains: Vec<u32>,
}

/// Pods of a set in a domain of a topology.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterPodTerm {
    /// The set.
    pub selector: SelectorIx,
    /// The topology.
    pub topology: TopologyIx,
}

/// Required affinity: a pod of the set must be in the domain of the node, in each of these topologies. Where none is in any domain, a pod
/// of the set itself may be the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Affinity {
    /// The set.
    pub selector: SelectorIx,
    /// The topologies.
    pub topologies: Vec<TopologyIx>,
}

/// A spread constraint that forbids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpreadConstraint {
    /// The pods that are counted and the domains.
    pub term: InterPodTerm,
    /// The number of these pods that a domain may have more than the domain with the fewest; at least 1.
    pub max_skew: u32,
    /// The minimum number of domains, at least 1. Where there are fewer, the smallest count is 0.
    pub min_domains: u32,
    /// The nodes whose pods and domains count: one bit a node.
    pub nodes: Vec<u64>,
}

/// The constraints between some pods and others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InterPodConstraints {
    /// The sets that the pods are in.
    pub selected_by: BTreeSet<SelectorIx>,
    /// The required affinity of the pods.
    pub affinity: Option<Affinity>,
    /// The required anti-affinity of the pods.
    pub anti_affinity: Vec<InterPodTerm>,
    /// The spread constraints of the pods.
    pub spread: Vec<SpreadConstraint>,
}

/// The constraints as the host sent them, and the books by which they are checked.
#[derive(Debug, Clone, Default)]
pub struct InterPodState {
    topologies: Table<TopologyIx, TopologyDomains>,
    terms: Table<InterPodIx, InterPodConstraints>,
    /// The domain of each known node.
    domains: Table<TopologyIx, Vec<u32>>,
    compiled: Table<InterPodIx, CompiledTerms>,
    domain_counts: Table<DomainCountsIx, DomainCounts>,
    /// Whether the books must be made anew before any constraint is checked.
    is_stale: bool,
}

impl InterPodState {
    /// Stores a topology that is new or has changed.
    pub fn set_topology(&mut self, ix: TopologyIx, topology: TopologyDomains) {
        if self.topologies.get(ix) != Some(&topology) {
            self.topologies.insert(ix, topology);
            self.is_stale = true;
        }
    }

    /// Stores the constraints of some pods that are new or have changed.
    pub fn set(&mut self, ix: InterPodIx, inter_pod: InterPodConstraints) {
        if self.terms.get(ix) != Some(&inter_pod) {
            self.terms.insert(ix, inter_pod);
            self.is_stale = true;
        }
    }

    /// Returns the number of topology numbers and of inter-pod numbers in use, free ones included.
    pub fn counts(&self) -> (usize, usize) {
        (self.topologies.len_with_holes(), self.terms.len_with_holes())
    }

    /// Marks the books as outdated, because a node was added or removed.
    pub fn mark_stale(&mut self) {
        self.is_stale |= self.terms.len_with_holes() > 0;
    }

    /// Checks whether the books must be made anew.
    pub fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Makes the books anew: for the nodes that there are, with these pods, each with its node and whether it is being deleted.
    pub fn rebuild(
        &mut self,
        is_there: impl Fn(NodeIx) -> bool,
        pods: impl Iterator<Item = (InterPodIx, NodeIx, bool)>,
    ) {
        self.is_stale = false;
        self.domains = Table::default();
        for (ix, topology) in self.topologies.iter() {
            let domain = |(node, domain): (u32, &u32)| if is_there(NodeIx(node)) { *domain } else { 0 };
            self.domains.insert(ix, (0u32..).zip(&topology.domains).map(domain).collect());
        }
        self.compile();
        pods.for_each(|(ix, node, terminating)| self.count_pod(ix, node, terminating, Adjustment::Add));
    }

    /// Adds a pod on a node to the books, or removes it from them.
    pub(super) fn count_pod(&mut self, ix: InterPodIx, node: NodeIx, terminating: bool, entry: Adjustment) {
        if self.is_stale {
            return;
        }
        let Some(compiled) = self.compiled.get(ix) else { return };
        for book in &compiled.counted_in {
            if let Some(book) = self.domain_counts.get_mut(*book)
                && let Some(domain) = book.domain_of(&self.domains, node, terminating)
            {
                book.change(domain, entry);
            }
        }
    }

    /// Returns the books in which such a pod counts on a node, each with the domain.
    fn entries(
        &self,
        ix: InterPodIx,
        node: NodeIx,
        terminating: bool,
    ) -> impl Iterator<Item = (DomainCountsIx, u32)> + '_ {
        let booked_in = self.compiled.get(ix).map(|compiled| compiled.counted_in.as_slice()).unwrap_or_default();
        booked_in.iter().filter_map(move |ix| {
            let domain = self.domain_counts.get(*ix)?.domain_of(&self.domains, node, terminating)?;
            Some((*ix, domain))
        })
    }

    /// Returns the domain of a node. `None`: the node is in no domain.
    fn domain(&self, topology: TopologyIx, node: NodeIx) -> Option<u32> {
        domain(&self.domains, topology, node)
    }
}

/// Returns the domain of a node. `None`: the node is in no domain.
fn domain(domains: &Table<TopologyIx, Vec<u32>>, topology: TopologyIx, node: NodeIx) -> Option<u32> {
    domains.get(topology)?.get(node.position()).copied().filter(|domain| *domain != 0)
}
