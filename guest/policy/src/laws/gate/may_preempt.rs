//! Others may be preempted for the preemptor.
//!
//! Who may is read off its labels and its `preemptionPolicy`; each system says how. `Never` forbids in every system.

use crate::laws::{Case, Denial, Law, Question};

/// See the module.
pub const LAW: Law = Law {
    name: "may-preempt",
    question: Question::Gate,
    sentence: "others may be preempted for the preemptor",
    file: include_str!("may_preempt.rs"),
};

/// Whether the asking pod may preempt.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    match case.cluster.pod(case.preemptor.pod) {
        Some(pod) if pod.attributes.may_preempt => Ok(()),
        _ => Err(Denial::Fact("its preemption policy and labels do not let it preempt")),
    }
}
