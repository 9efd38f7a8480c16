//! Every number in the plan names something.

use lictor_policy::contract::PodId;

use super::{Ground, Proposal, Violation};

/// The preemptor, the victims, and the pods and nodes of the nominations exist.
pub(super) fn check(ground: &Ground<'_>, proposal: &Proposal<'_>) -> Result<(), Violation> {
    let plan = proposal.plan;
    pod(ground, plan.preemptor)?;
    plan.victims.iter().try_for_each(|victim| pod(ground, victim.pod))?;
    plan.nominations.iter().try_for_each(|nomination| {
        pod(ground, nomination.pod)?;
        ground
            .mirror
            .node(nomination.node)
            .map(|_| ())
            .ok_or(Violation::UnknownNode(nomination.node))
    })
}

/// The pod exists.
fn pod(ground: &Ground<'_>, pod: PodId) -> Result<(), Violation> {
    ground.mirror.pod(pod).map(|_| ()).ok_or(Violation::UnknownPod(pod))
}
