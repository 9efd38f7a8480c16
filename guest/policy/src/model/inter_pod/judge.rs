//! Whether what stands between pods allows a pod on a node.

use super::compiled::{CompiledSpread, CompiledTerms};
use super::{DomainCountOverlay, InterPodState};
use crate::model::{DomainCountsIx, InterPodIx, NodeIx, TopologyIx};

/// The reason why other pods do not allow a pod on a node. It is as wide as the number of a resource, the other content of a verdict on a node. So
/// verdicts are compared without a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum InterPodViolation {
    /// The constraints of the pod are unknown.
    Unknown,
    /// Another pod uses the claim that only one pod may use.
    Claim,
    /// The node is of no domain of a spread constraint.
    NoDomain,
    /// The domain of the node would have too many more pods than the domain that has the fewest.
    Spread,
    /// No pod that the pod needs is in the domain of the node.
    Affinity,
    /// A pod that the pod forbids is in the domain of the node.
    AntiAffinity,
    /// A pod that forbids the pod is in the domain of the node.
    Existing,
    /// A nominated pod would no longer be allowed on its node: its topology spread would be broken, or it would not be the first of those that it
    /// needs.
    Nominated,
}

impl InterPodViolation {
    /// Checks whether evictions may help.
    pub fn is_resolvable(self) -> bool {
        !matches!(
            self,
            InterPodViolation::Unknown
                | InterPodViolation::NoDomain
                | InterPodViolation::Affinity
                | InterPodViolation::Nominated
        )
    }
}

impl InterPodState {
    /// Checks whether a node takes such a pod, which is itself not counted. The checks run in the order of kube-scheduler's filters.
    pub fn allows(&self, ix: InterPodIx, node: NodeIx, what_if: &DomainCountOverlay) -> Result<(), InterPodViolation> {
        let compiled = self.compiled.get(ix).filter(|compiled| !compiled.is_unknown && !self.is_stale);
        let compiled = compiled.ok_or(InterPodViolation::Unknown)?;
        let forbidden = |of_claims: bool| {
            let terms = compiled.forbids.iter().filter(move |(.., is_claim)| *is_claim == of_claims);
            terms.into_iter().any(|(topology, book, _)| self.counted(*topology, *book, node, what_if) > 0)
        };
        if forbidden(true) {
            return Err(InterPodViolation::Claim);
        }
        compiled.spread.iter().try_for_each(|spread| self.spreads(spread, node, what_if))?;
        if !self.satisfies_affinity(compiled, node, what_if) {
            return Err(InterPodViolation::Affinity);
        }
        if forbidden(false) {
            return Err(InterPodViolation::AntiAffinity);
        }
        let mut owners = compiled.forbidden_by.iter();
        match owners.any(|(topology, book)| self.counted(*topology, *book, node, what_if) > 0) {
            true => Err(InterPodViolation::Existing),
            false => Ok(()),
        }
    }

    /// Returns the count of a book in the domain of a node.
    fn counted(&self, topology: TopologyIx, book: DomainCountsIx, node: NodeIx, what_if: &DomainCountOverlay) -> i64 {
        self.domain(topology, node).map_or(0, |domain| self.counted_in(book, domain, what_if))
    }

    fn counted_in(&self, book: DomainCountsIx, domain: u32, what_if: &DomainCountOverlay) -> i64 {
        let count = self.domain_counts.get(book).map_or(0, |book| book.count(domain));
        i64::from(count).saturating_add(what_if.delta(book, domain))
    }

    /// Checks the required affinity, like `satisfyPodAffinity` of interpodaffinity.
    fn satisfies_affinity(&self, compiled: &CompiledTerms, node: NodeIx, what_if: &DomainCountOverlay) -> bool {
        let needs = || compiled.needs.iter();
        if needs().any(|(topology, _)| self.domain(*topology, node).is_none()) {
            return false;
        }
        let is_anywhere = |book: DomainCountsIx| {
            let total = self.domain_counts.get(book).map_or(0, |book| i64::try_from(book.total()).unwrap_or(i64::MAX));
            what_if.deltas_of(book).fold(total, |total, (_, more)| total.saturating_add(more)) > 0
        };
        needs().all(|(topology, book)| self.counted(*topology, *book, node, what_if) > 0)
            || compiled.may_be_first && !needs().any(|(_, book)| is_anywhere(*book))
    }

    /// Checks a spread constraint, like `Filter` of podtopologyspread.
    fn spreads(
        &self,
        spread: &CompiledSpread,
        node: NodeIx,
        what_if: &DomainCountOverlay,
    ) -> Result<(), InterPodViolation> {
        let domain = self.domain(spread.topology, node).ok_or(InterPodViolation::NoDomain)?;
        let book = self.domain_counts.get(spread.counts).ok_or(InterPodViolation::Unknown)?;
        let enough = u64::try_from(book.domains()).unwrap_or(u64::MAX) >= u64::from(spread.min_domains);
        let fewest = if enough { book.fewest(what_if.deltas_of(spread.counts)) } else { 0 };
        let with = self.counted_in(spread.counts, domain, what_if).saturating_add(i64::from(spread.counts_itself));
        match with.saturating_sub(fewest) <= i64::from(spread.max_skew) {
            true => Ok(()),
            false => Err(InterPodViolation::Spread),
        }
    }

    /// Checks whether pods may forbid or outnumber others, so that the others may be refused a node of the same domain.
    pub fn may_violate_terms_of(&self, ix: InterPodIx, other: InterPodIx) -> bool {
        let (Some(compiled), Some(other)) = (self.compiled.get(ix), self.compiled.get(other)) else { return false };
        let forbids = compiled.forbids.iter().map(|(_, book, _)| *book);
        let counts = compiled.spread.iter().map(|spread| spread.counts);
        let owners = compiled.forbidden_by.iter().map(|(_, book)| *book);
        forbids.chain(counts).chain(owners).any(|book| other.counted_in.binary_search(&book).is_ok())
    }

    /// Checks whether such pods need others in their domain.
    pub fn has_required_affinity(&self, ix: InterPodIx) -> bool {
        self.compiled.get(ix).is_some_and(|compiled| !compiled.needs.is_empty())
    }

    /// Checks whether a node that does not take such a pod may take it once more pods are placed.
    pub fn may_fit_after_placements(&self, ix: InterPodIx) -> bool {
        self.compiled.get(ix).is_some_and(|compiled| !compiled.needs.is_empty() || !compiled.spread.is_empty())
    }
}
