//! The invariant that only pods that hold capacity are evicted.

use super::{PlanUnderTest, VerifyContext, Violation};

/// Checks that every victim is bound to a node, or held at permit for one.
pub(super) fn check(ground: &VerifyContext<'_>, proposal: &PlanUnderTest<'_>) -> Result<(), Violation> {
    match proposal.plan.victims.iter().find(|victim| ground.occupancy.node_of(victim.pod).is_none()) {
        Some(victim) => Err(Violation::VictimNotPlaced { id: victim.pod, victim: ground.pod_name(victim.pod) }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::ClusterFixture;

    #[test]
    fn a_pod_without_a_node_is_no_victim() {
        let world = ClusterFixture::small();
        let plan = world.plan(&[("default/p", "n1")], &["default/v", "default/q"]);
        let said = "the victim `default/q` neither runs on a node nor is held at permit";
        assert_eq!(world.refusal(&plan), said);
    }

    #[test]
    fn a_pod_held_at_permit_is_a_victim() {
        let world = ClusterFixture::small();
        assert_eq!(world.check(&world.plan(&[("default/p", "n3")], &["default/h"])), Ok(()));
    }
}
