//! Nobody is evicted for himself.

use std::collections::BTreeSet;

use super::{Ground, Proposal, Violation};

/// No victim is the preemptor, the pod that asked, or nominated or admitted by the same answer.
pub(super) fn check(ground: &Ground<'_>, proposal: &Proposal<'_>) -> Result<(), Violation> {
    let plan = proposal.plan;
    let mut gaining: BTreeSet<_> = plan.nominations.iter().map(|nomination| nomination.pod).collect();
    gaining.insert(plan.preemptor);
    gaining.extend(proposal.asker);
    gaining.extend(&proposal.effects.admits);
    match plan.victims.iter().find(|victim| gaining.contains(&victim.pod)) {
        Some(victim) => Err(Violation::OwnVictim {
            victim: ground.pod_name(victim.pod),
        }),
        None => Ok(()),
    }
}
