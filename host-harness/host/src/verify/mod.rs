//! What the host checks of every plan and every binding, whatever the policy claims: one invariant a file.
//!
//! None of them knows a law. For every policy: what it names exists, no pod is evicted twice or for nothing, and what is placed then has room.

mod apart;
mod binding;
mod changes;
mod departures;
mod distinct;
mod eligible;
mod enforcement;
mod fits;
mod held;
mod inter_pod;
mod known;
mod leaving;
mod occupancy;
mod pending;
mod purpose;
mod rails;
mod refuted;
mod room;
mod running;
mod violation;

#[cfg(any(test, feature = "testing"))]
#[expect(clippy::unwrap_used, reason = "it is code of tests")]
pub mod testing;

use lictor_contract::*;

use crate::cluster::Mirror;

pub use binding::{BindingToNodes, bindings};
pub use departures::{CommandRefusal, PlannedEviction, PlannedEvictions};
pub use enforcement::enforcement;
pub use fits::breaks_nomination;
pub use held::{PermitHold, PermitHolds};
pub use inter_pod::InterPodConflict;
pub use occupancy::{Occupancy, is_waiting};
pub use rails::{BudgetRefusal, BudgetViolation, RailViolation};
pub use room::{RequestTotals, allocatable};
pub use violation::Violation;

/// The state that a plan or a binding is checked against: the cluster, the pods on each node, and the departures.
#[derive(Debug, Clone, Copy)]
pub struct VerifyContext<'a> {
    /// The cluster.
    pub mirror: &'a Mirror,
    /// The pods that take capacity, per node.
    pub occupancy: &'a Occupancy,
    /// The victims of earlier plans.
    pub departures: &'a PlannedEvictions,
    /// Whether the system declares rules by which a victim may have a higher priority than the preemptor.
    pub evicts_higher_priority: bool,
}

impl<'a> VerifyContext<'a> {
    /// Creates the state of a cluster whose system may or may not evict pods of a higher priority.
    pub fn new(
        mirror: &'a Mirror,
        occupancy: &'a Occupancy,
        departures: &'a PlannedEvictions,
        evicts_higher_priority: bool,
    ) -> VerifyContext<'a> {
        VerifyContext { mirror, occupancy, departures, evicts_higher_priority }
    }

    /// Returns the name of a pod for a message.
    fn pod_name(&self, pod: PodId) -> String {
        self.mirror.pod_name(pod).map_or_else(|| format!("pod number {pod}"), str::to_owned)
    }

    /// Returns the name of a node for a message.
    fn node_name(&self, node: NodeId) -> String {
        self.mirror.node(node).map_or_else(|| format!("node number {node}"), |node| node.name.clone())
    }
}

/// A plan as the policy answered it.
#[derive(Debug, Clone, Copy)]
pub struct PlanUnderTest<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The pod whose attempt made the plan. `None`: the plan is from the policy's own cycle.
    pub preemptor: Option<PodId>,
    /// The effects of the answer on other pods.
    pub effects: &'a Effects,
    /// The placements and victims that must not be planned again.
    pub refuted: &'a Refuted,
}

/// One invariant of a plan.
type Invariant = fn(&VerifyContext<'_>, &PlanUnderTest<'_>) -> Result<(), Violation>;

/// All invariants of a plan. `known` is first, because the others rely on existing pods and nodes.
const INVARIANTS: &[Invariant] = &[
    known::check,
    refuted::check,
    distinct::check,
    apart::check,
    running::check,
    leaving::check,
    pending::check,
    purpose::check,
    rails::check,
    eligible::check,
    fits::check,
    inter_pod::check,
];

/// Checks whether a plan may be carried out.
///
/// # Errors
/// The first invariant that the plan breaks.
pub fn plan(ground: &VerifyContext<'_>, proposal: &PlanUnderTest<'_>) -> Result<(), Violation> {
    INVARIANTS.iter().try_for_each(|invariant| invariant(ground, proposal))
}
