//! Nothing is evicted for nothing.

use super::{Ground, Proposal, Violation};

/// The pod that asked is placed by the plan, and who is evicted makes way for somebody. That those who are placed then have
/// room is another invariant.
pub(super) fn check(ground: &Ground<'_>, proposal: &Proposal<'_>) -> Result<(), Violation> {
    let plan = proposal.plan;
    if let Some(asker) = proposal.asker
        && !plan.nominations.iter().any(|nomination| nomination.pod == asker)
    {
        return Err(Violation::AskerLeftOut {
            asker: ground.pod_name(asker),
            nominated: plan.nominations.len(),
        });
    }
    if plan.nominations.is_empty() && !plan.victims.is_empty() {
        return Err(Violation::NobodyGains {
            victims: plan.victims.len(),
        });
    }
    Ok(())
}
