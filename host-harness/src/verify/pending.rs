//! Only who waits for a node is given one.

use lictor_policy::contract::{Phase, Placement};

use super::{Ground, Proposal, Violation};

/// Every nominated pod waits for a node.
pub(super) fn check(ground: &Ground<'_>, proposal: &Proposal<'_>) -> Result<(), Violation> {
    placements(ground, &proposal.plan.nominations)
}

/// Every placed pod waits for a node.
pub(super) fn placements(ground: &Ground<'_>, placements: &[Placement]) -> Result<(), Violation> {
    placements.iter().try_for_each(|placement| {
        let pod = ground
            .mirror
            .pod(placement.pod)
            .ok_or(Violation::UnknownPod(placement.pod))?;
        let state = if pod.node.is_some() {
            "is bound already"
        } else if ground.occupancy.is_held(pod.id) {
            "is held at permit"
        } else if pod.terminating {
            "is being deleted"
        } else if pod.phase != Phase::Pending {
            "is not pending"
        } else {
            return Ok(());
        };
        Err(Violation::NotPending {
            pod: ground.pod_name(pod.id),
            state,
        })
    })
}
