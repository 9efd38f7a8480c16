//! What the host refused is not planned again.

use super::{Ground, Proposal, Violation};

/// No nomination is among the refuted ones.
pub(super) fn check(ground: &Ground<'_>, proposal: &Proposal<'_>) -> Result<(), Violation> {
    match proposal
        .plan
        .nominations
        .iter()
        .find(|nomination| proposal.refuted.contains(nomination))
    {
        Some(nomination) => Err(Violation::Refuted {
            placement: nomination.clone(),
            pod: ground.pod_name(nomination.pod),
            node: ground.node_name(nomination.node),
        }),
        None => Ok(()),
    }
}
