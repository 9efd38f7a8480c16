//! A pod is placed only where it may ever run.

use lictor_contract::Placement;

use super::{PlanUnderTest, VerifyContext, Violation};

/// Checks that every nominated node takes its pod, as far as that is independent of other pods.
pub(super) fn check(ground: &VerifyContext<'_>, proposal: &PlanUnderTest<'_>) -> Result<(), Violation> {
    placements(ground, &proposal.plan.nominations)
}

/// Checks that every node takes the pod placed on it, as far as that is independent of other pods.
pub(super) fn placements(ground: &VerifyContext<'_>, placements: &[Placement]) -> Result<(), Violation> {
    placements.iter().try_for_each(|placement| {
        ground.mirror.eligible(placement.pod, placement.node).map_err(|why| Violation::Ineligible {
            placement: placement.clone(),
            pod: ground.pod_name(placement.pod),
            node: ground.node_name(placement.node),
            why,
        })
    })
}

#[cfg(test)]
mod tests {

    use super::super::testing::ClusterFixture;

    #[test]
    fn a_node_that_never_takes_the_pod_is_refused() {
        let world = ClusterFixture::small();
        let plan = world.plan(&[("default/q", "n3"), ("default/p", "n2")], &[]);
        let violation = world.check(&plan).unwrap_err();
        assert_eq!(violation.reason().code, "host/eligible");
        assert!(violation.to_string().starts_with("`n2` does not take `default/p`: "), "{violation}");
        assert_eq!(violation.refuted_part(&plan).placements, [world.placement(("default/p", "n2"))]);
    }
}
