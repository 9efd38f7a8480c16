//! Every number in the plan names something.

use lictor_contract::PodId;

use super::{PlanUnderTest, VerifyContext, Violation};

/// Checks that the preemptor, the victims, and the pods and nodes of the nominations exist.
pub(super) fn check(ground: &VerifyContext<'_>, proposal: &PlanUnderTest<'_>) -> Result<(), Violation> {
    let plan = proposal.plan;
    pod(ground, plan.preemptor)?;
    plan.victims.iter().try_for_each(|victim| pod(ground, victim.pod))?;
    plan.nominations.iter().try_for_each(|nomination| {
        pod(ground, nomination.pod)?;
        ground.mirror.node(nomination.node).map(|_| ()).ok_or(Violation::UnknownNode(nomination.node))
    })
}

/// Checks that a pod exists.
fn pod(ground: &VerifyContext<'_>, pod: PodId) -> Result<(), Violation> {
    ground.mirror.pod(pod).map(|_| ()).ok_or(Violation::UnknownPod(pod))
}

#[cfg(test)]
mod tests {
    use lictor_contract::Plan;

    use super::super::testing::ClusterFixture;
    use super::*;

    #[test]
    fn a_number_that_names_nothing_is_refused() {
        let world = ClusterFixture::small();
        let good = world.plan(&[("default/p", "n1")], &["default/v"]);
        assert_eq!(world.check(&good), Ok(()));
        let nobody = || Err(Violation::UnknownPod(u32::MAX));
        assert_eq!(world.check(&world.plan(&[("default/x", "n1")], &["default/v"])), nobody());
        assert_eq!(world.check(&world.plan(&[("default/p", "n1")], &["default/x"])), nobody());
        let elsewhere = world.plan(&[("default/p", "nx")], &["default/v"]);
        assert_eq!(world.check(&elsewhere), Err(Violation::UnknownNode(u32::MAX)));
        let for_nobody = Plan { preemptor: u32::MAX, ..good };
        assert_eq!(world.check(&for_nobody), nobody());
    }
}
