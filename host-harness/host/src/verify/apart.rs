//! The invariant that no victim gains by the plan that evicts it.

use std::collections::BTreeSet;

use super::{PlanUnderTest, VerifyContext, Violation};

/// Checks that no victim is the preemptor, the pod of the attempt, or nominated or admitted by the same answer.
pub(super) fn check(ground: &VerifyContext<'_>, proposal: &PlanUnderTest<'_>) -> Result<(), Violation> {
    let plan = proposal.plan;
    let mut gaining: BTreeSet<_> = plan.nominations.iter().map(|nomination| nomination.pod).collect();
    gaining.insert(plan.preemptor);
    gaining.extend(proposal.preemptor);
    gaining.extend(&proposal.effects.admits);
    match plan.victims.iter().find(|victim| gaining.contains(&victim.pod)) {
        Some(victim) => Err(Violation::OwnVictim { id: victim.pod, victim: ground.pod_name(victim.pod) }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use lictor_contract::Effects;

    use super::super::testing::ClusterFixture;
    use super::*;

    #[test]
    fn a_victim_does_not_gain_by_the_plan() {
        let world = ClusterFixture::small();
        let mut plan = world.plan(&[("default/p", "n1")], &["default/v"]);
        plan.preemptor = world.pod("default/v");
        assert_eq!(world.refusal(&plan), "`default/v` is a victim of the plan that places it");
        let mut plan = world.plan(&[("default/p", "n3")], &["default/h"]);
        assert_eq!(world.check(&plan), Ok(()));
        let admitted = Effects { admits: vec![world.pod("default/h")], ..Effects::default() };
        let own = Violation::OwnVictim { id: world.pod("default/h"), victim: "default/h".to_owned() };
        assert_eq!(world.check_with(&plan, &admitted), Err(own.clone()));
        plan.nominations.push(world.placement(("default/h", "n1")));
        assert_eq!(world.check(&plan), Err(own));
    }
}
