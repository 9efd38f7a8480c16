//! The laws: named sentences that must hold, each a pure function in a file of its own.
//!
//! A law answers one of four questions, and stands in the folder of that question. Which laws are in force, under which code
//! and from which source, is a system's table (`systems/<system>/laws.rs`); a law that two systems share is one file because
//! its sentence is the same. The module documentation of a law is its manual page.
//!
//! A law is asked about a [`LawContext`] and answers with a [`Denial`] or not at all; it knows the model, and nothing of the engine that
//! asks it.

mod case;
mod claim;
mod cycle;
mod denial;
mod detail;
mod devices;
mod exemption;
pub mod gate;
pub mod guard;
pub(crate) mod harm;
mod law;
pub mod limit;
mod loss;
pub mod order;
mod preemptor;
pub(crate) mod quota;
mod register;
mod search;
mod sum;
mod surplus;
mod switch;
mod table;
#[cfg(test)]
mod tests;

use crate::contract::Reason;
use crate::model::Cluster;
pub use case::LawContext;
pub use claim::{EntitlementStatus, GangEntitlement};
pub use cycle::{Action, CycleLaws, ReclaimRules};
pub use denial::{Denial, Shortfall};
pub use detail::ReasonFacts;
pub use exemption::{Exemption, PINNED_DAEMON_PODS, PINNED_PODS_WITHOUT_APPLICATION, WITHIN_MIN};
pub(crate) use law::page;
pub use law::{
    CheckFn, EvictionPenaltyFn, ImaginedPreemptors, Law, LawKind, LawMetadata, LawText, MessageTemplate, NodeCostModel,
    PodCompareFn, QueueCompareFn, QueueSortKey, VictimCompareFn, VictimFilterFn, WEIGHTY_REASON,
};
pub use loss::{LEAST, MOST, NodeCost, NodeVictims, VictimLowerBound, as_cost, priority_from_minimum};
pub use preemptor::{PlannedPart, Preemptor};
pub use register::LawListing;
pub use search::{LastResort, MinCandidateNodes, SearchKind, VictimGroupLaws};
pub use sum::Sum;
pub use surplus::{
    ExcessCheck, ExcessCheckFn, ExcessContext, ExcessVictimCompareFn, ExcessVictimFilter, ExcessVictimFilterFn,
    MaxEnforcementLaws, UsageByQueue,
};
pub use switch::Mutation;
pub(crate) use table::laws;
pub use table::{
    LawCheck, Laws, NodeChoice, NominationLaws, PlanOrders, PodComparator, Preconditions, QueueOrdering, QueueRules,
    QueueSort, VictimFilter,
};

/// A law in force in a system, or a rule of the engine.
#[derive(Debug, Clone, Copy)]
pub struct ActiveLaw {
    /// The code that the users of the system see.
    pub code: &'static str,
    /// The source of the law: seed and section, or upstream file.
    pub source: &'static str,
    /// The description of the law.
    pub about: &'static LawMetadata,
    /// The preemptors that the law does not apply to. `None`: it applies to all.
    pub exemption: Option<&'static Exemption>,
    /// The case in which the law denies nothing, by its place among the templates. A test has switched that case off.
    pub muted: Option<u8>,
}

impl ActiveLaw {
    /// Returns whether a test has switched off the case of a denial of the law.
    #[inline]
    pub fn mutes(&self, cluster: &Cluster, denial: &Denial) -> bool {
        let muted = self.muted.and_then(|at| self.about.text.templates.get(usize::from(at)));
        muted.is_some_and(|(case, _)| denial.detail(cluster).has_case(case))
    }

    /// Switches off a case of denial. Returns whether the law has it.
    pub(super) fn mute(&mut self, case: &str) -> bool {
        let at = self.about.text.templates.iter().position(|(known, _)| *known == case);
        self.muted = at.and_then(|at| u8::try_from(at).ok());
        self.muted.is_some()
    }

    /// Returns a reason with the code of the law.
    pub fn reason(&self, detail: ReasonFacts) -> Reason {
        detail.reason(self.code)
    }
}
