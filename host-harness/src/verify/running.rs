//! Only who holds room can make way.

use super::{Ground, Proposal, Violation};

/// Every victim is bound to a node, or held at permit for one.
pub(super) fn check(ground: &Ground<'_>, proposal: &Proposal<'_>) -> Result<(), Violation> {
    match proposal
        .plan
        .victims
        .iter()
        .find(|victim| ground.occupancy.place(victim.pod).is_none())
    {
        Some(victim) => Err(Violation::HoldsNothing {
            victim: ground.pod_name(victim.pod),
        }),
        None => Ok(()),
    }
}
