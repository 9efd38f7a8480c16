//! A plan under way is not planned again.

use super::{Ground, Proposal, Violation};

/// No victim is already leaving by an earlier plan.
pub(super) fn check(ground: &Ground<'_>, proposal: &Proposal<'_>) -> Result<(), Violation> {
    proposal.plan.victims.iter().try_for_each(|victim| {
        match ground.departures.leaving(ground.mirror, ground.occupancy, victim.pod) {
            Some(plan) => Err(Violation::AlreadyLeaving {
                victim: ground.pod_name(victim.pod),
                plan,
            }),
            None => Ok(()),
        }
    })
}
