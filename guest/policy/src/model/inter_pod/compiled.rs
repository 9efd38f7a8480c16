//! The terms of pods, with the books by which they are judged.

use std::collections::BTreeMap;

use super::book::{CountedPods, DomainCounts};
use super::{InterPodState, InterPodTerm};
use crate::model::{DomainCountsIx, SelectorIx, Table, TopologyIx};

/// The constraints of some pods, and the books in which these pods count.
#[derive(Debug, Clone, Default)]
pub struct CompiledTerms {
    /// The books in which these pods count when they are on a node.
    pub counted_in: Vec<DomainCountsIx>,
    /// The books of the pods that forbid these pods in their domain.
    pub forbidden_by: Vec<(TopologyIx, DomainCountsIx)>,
    /// The books of the pods that these pods forbid in their domain. The flag: because of a claim that only one pod may use.
    pub forbids: Vec<(TopologyIx, DomainCountsIx, bool)>,
    /// The books of the pods that these pods need in their domain, for each topology.
    pub needs: Vec<(TopologyIx, DomainCountsIx)>,
    /// Whether these pods are in the set that they need.
    pub may_be_first: bool,
    /// The spread constraints of these pods.
    pub spread: Vec<CompiledSpread>,
    /// Whether a term names an unknown topology, so that it cannot be checked.
    pub is_unknown: bool,
}

/// A spread constraint and its book.
#[derive(Debug, Clone, Copy)]
pub struct CompiledSpread {
    /// The domains.
    pub topology: TopologyIx,
    /// The pods.
    pub counts: DomainCountsIx,
    /// The number of pods that a domain may have more than the domain with the fewest.
    pub max_skew: u32,
    /// The minimum number of domains. Where there are fewer, the smallest count is 0.
    pub min_domains: u32,
    /// Whether such a pod counts itself.
    pub counts_itself: bool,
}

/// The books, by the pods that they count.
#[derive(Default)]
struct DomainCountsIndex {
    counts: Table<DomainCountsIx, DomainCounts>,
    found: BTreeMap<(SelectorIx, TopologyIx, CountedPods), DomainCountsIx>,
}

impl DomainCountsIndex {
    /// Returns the book of a term, a new one if there is none.
    fn of(&mut self, domains: &Table<TopologyIx, Vec<u32>>, term: InterPodTerm, counts: CountedPods) -> DomainCountsIx {
        let key = (term.selector, term.topology, counts);
        if let Some(book) = self.found.get(&key) {
            return *book;
        }
        let book = DomainCounts::new(domains, (term.selector, term.topology), key.2.clone());
        let ix = self.counts.push(book).unwrap_or(DomainCountsIx(u32::MAX));
        self.found.insert(key, ix);
        ix
    }
}

impl InterPodState {
    /// Finds the books of every term, and empties them.
    pub(super) fn compile(&mut self) {
        let mut library = DomainCountsIndex::default();
        let mut compiled: Table<_, CompiledTerms> = Table::default();
        for (ix, told) in self.terms.iter() {
            let mut new = CompiledTerms::default();
            let mut of = |term: InterPodTerm, counts: CountedPods| library.of(&self.domains, term, counts);
            for term in &told.anti_affinity {
                let is_claim = self.topologies.get(term.topology).is_some_and(|topology| topology.key.is_empty());
                new.forbids.push((term.topology, of(*term, CountedPods::Matched), is_claim));
                new.counted_in.push(of(*term, CountedPods::Owners));
            }
            if let Some(affinity) = &told.affinity {
                let term = |topology: &TopologyIx| InterPodTerm { selector: affinity.selector, topology: *topology };
                let needs =
                    affinity.topologies.iter().map(|topology| (*topology, of(term(topology), CountedPods::Matched)));
                new.needs = needs.collect();
                new.may_be_first = told.selected_by.contains(&affinity.selector);
            }
            for spread in &told.spread {
                new.spread.push(CompiledSpread {
                    topology: spread.term.topology,
                    counts: of(spread.term, CountedPods::Spread(spread.nodes.clone())),
                    max_skew: spread.max_skew,
                    min_domains: spread.min_domains,
                    counts_itself: told.selected_by.contains(&spread.term.selector),
                });
            }
            let is_unknown = new.topologies().any(|topology| self.topologies.get(topology).is_none());
            new.is_unknown = is_unknown;
            compiled.insert(ix, new);
        }
        (self.compiled, self.domain_counts) = (compiled, library.counts);
        self.enroll();
    }

    /// Finds for all pods the books in which they count because of the sets that they are in.
    fn enroll(&mut self) {
        let mut by_selector: BTreeMap<SelectorIx, Vec<(TopologyIx, DomainCountsIx, bool)>> = BTreeMap::new();
        for (ix, book) in self.domain_counts.iter() {
            let entry = (book.topology(), ix, book.counts_owners());
            by_selector.entry(book.selector).or_default().push(entry);
        }
        for (ix, told) in self.terms.iter() {
            let Some(compiled) = self.compiled.get_mut(ix) else { continue };
            let books = told.selected_by.iter().filter_map(|selector| by_selector.get(selector)).flatten();
            for (topology, book, counts_owners) in books {
                match counts_owners {
                    true => compiled.forbidden_by.push((*topology, *book)),
                    false => compiled.counted_in.push(*book),
                }
            }
            compiled.counted_in.sort_unstable();
            compiled.counted_in.dedup();
        }
    }
}

impl CompiledTerms {
    /// Returns the topologies of their own terms.
    fn topologies(&self) -> impl Iterator<Item = TopologyIx> + '_ {
        let forbids = self.forbids.iter().map(|(topology, ..)| *topology);
        let needs = self.needs.iter().map(|(topology, _)| *topology);
        forbids.chain(needs).chain(self.spread.iter().map(|spread| spread.topology))
    }
}
