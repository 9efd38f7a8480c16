//! A book: how many pods of a kind there are in each domain of a topology.

use std::collections::BTreeMap;

use super::domain;
use crate::model::index::TableIndex;
use crate::model::queue::Adjustment;
use crate::model::{NodeIx, SelectorIx, Table, TopologyIx};

/// The kind of pods that a book counts. Terms with the same demand share a book.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum CountedPods {
    /// The pods of a set.
    Matched,
    /// The pods whose own anti-affinity forbids the pods of a set.
    Owners,
    /// The pods of a set that are not being deleted, on these nodes; one bit a node. A domain without such pods counts as well.
    Spread(Vec<u64>),
}

/// The counts of the pods of a kind, by domain.
#[derive(Debug, Clone)]
pub struct DomainCounts {
    /// The set.
    pub selector: SelectorIx,
    topology: TopologyIx,
    counts: CountedPods,
    by_domain: BTreeMap<u32, u32>,
    /// The number of domains by their count of pods, which finds the smallest count at once. Empty unless the book is for spread.
    levels: BTreeMap<u32, u32>,
    /// The number of pods in all domains.
    total: u64,
}

impl DomainCounts {
    /// Creates an empty book. A book for spread has a count for each domain of its nodes.
    pub fn new(
        domains: &Table<TopologyIx, Vec<u32>>,
        (selector, topology): (SelectorIx, TopologyIx),
        counts: CountedPods,
    ) -> DomainCounts {
        let (mut by_domain, mut levels) = (BTreeMap::new(), BTreeMap::new());
        if let CountedPods::Spread(nodes) = &counts {
            let of = domains.get(topology).map(Vec::as_slice).unwrap_or_default();
            let counted = (0u32..).map(NodeIx).zip(of).filter(|(node, domain)| **domain != 0 && has(nodes, *node));
            by_domain.extend(counted.map(|(_, domain)| (*domain, 0)));
            let all = u32::try_from(by_domain.len()).unwrap_or(u32::MAX);
            levels.extend((all > 0).then_some((0, all)));
        }
        DomainCounts { selector, topology, counts, by_domain, levels, total: 0 }
    }

    /// Returns the topology.
    pub fn topology(&self) -> TopologyIx {
        self.topology
    }

    /// Checks whether the book counts the owners of anti-affinity terms.
    pub fn counts_owners(&self) -> bool {
        self.counts == CountedPods::Owners
    }

    /// Returns the domain in which a pod on a node counts. `None`: the pod does not count there.
    pub fn domain_of(&self, domains: &Table<TopologyIx, Vec<u32>>, node: NodeIx, terminating: bool) -> Option<u32> {
        match &self.counts {
            CountedPods::Spread(nodes) if terminating || !has(nodes, node) => None,
            _ => domain(domains, self.topology, node),
        }
    }

    /// Adds a pod to the count of a domain, or subtracts it.
    pub fn change(&mut self, domain: u32, entry: Adjustment) {
        let is_spread = matches!(self.counts, CountedPods::Spread(_));
        let count = self.by_domain.entry(domain).or_default();
        let before = *count;
        (*count, self.total) = match entry {
            Adjustment::Add => (before.saturating_add(1), self.total.saturating_add(1)),
            Adjustment::Subtract => (before.saturating_sub(1), self.total.saturating_sub(1)),
        };
        let after = *count;
        if is_spread {
            if let Some(domains) = self.levels.get_mut(&before) {
                *domains = domains.saturating_sub(1);
            }
            if self.levels.get(&before) == Some(&0) {
                self.levels.remove(&before);
            }
            let domains = self.levels.entry(after).or_default();
            *domains = domains.saturating_add(1);
        } else if after == 0 {
            self.by_domain.remove(&domain);
        }
    }

    /// Returns the number of pods in a domain.
    pub fn count(&self, domain: u32) -> u32 {
        self.by_domain.get(&domain).copied().unwrap_or(0)
    }

    /// Returns the number of pods in all domains.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the number of domains.
    pub fn domains(&self) -> usize {
        self.by_domain.len()
    }

    /// Returns the smallest number of pods in a domain, after adding these differences to some domains; 0 where there is no domain.
    pub fn fewest(&self, more: impl Iterator<Item = (u32, i64)>) -> i64 {
        let mut changed: BTreeMap<u32, u32> = BTreeMap::new();
        let mut fewest: Option<i64> = None;
        for (domain, more) in more {
            let Some(count) = self.by_domain.get(&domain) else { continue };
            let domains = changed.entry(*count).or_default();
            *domains = domains.saturating_add(1);
            let with = i64::from(*count).saturating_add(more);
            fewest = Some(fewest.map_or(with, |fewest| fewest.min(with)));
        }
        let is_left = |(level, domains): &(&u32, &u32)| **domains > changed.get(level).copied().unwrap_or(0);
        let unchanged = self.levels.iter().find(is_left).map(|(level, _)| i64::from(*level));
        fewest.into_iter().chain(unchanged).min().unwrap_or(0)
    }
}

/// Checks whether the bit of a node is set.
fn has(nodes: &[u64], node: NodeIx) -> bool {
    let at = node.position();
    nodes.get(at >> 6).is_some_and(|word| (word >> (at & 63)) & 1 == 1)
}
