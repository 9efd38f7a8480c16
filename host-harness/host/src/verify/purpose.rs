//! Nothing is evicted for nothing.

use super::{PlanUnderTest, VerifyContext, Violation};

/// Checks that the plan places the preemptor, and evicts pods only for nominated pods. Whether the nominated pods then fit is another invariant.
pub(super) fn check(ground: &VerifyContext<'_>, proposal: &PlanUnderTest<'_>) -> Result<(), Violation> {
    let plan = proposal.plan;
    if let Some(preemptor) = proposal.preemptor
        && !plan.nominations.iter().any(|nomination| nomination.pod == preemptor)
    {
        return Err(Violation::PreemptorNotPlaced {
            preemptor: ground.pod_name(preemptor),
            nominated: plan.nominations.len(),
        });
    }
    if plan.nominations.is_empty() && !plan.victims.is_empty() {
        return Err(Violation::NoBeneficiary { victims: plan.victims.len() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use lictor_contract::{Effects, Refuted};

    use super::super::testing::ClusterFixture;
    use super::*;

    #[test]
    fn who_is_evicted_makes_way_for_somebody() {
        let world = ClusterFixture::small();
        let plan = world.plan(&[], &["default/v", "default/w"]);
        assert_eq!(world.refusal(&plan), "2 pods are evicted and no pod is nominated");
        assert_eq!(world.check(&world.plan(&[], &[])), Ok(()));
    }

    #[test]
    fn the_pod_that_asked_is_among_the_nominated() {
        let world = ClusterFixture::small();
        let plan = world.plan(&[("default/p", "n1")], &["default/v"]);
        let judge = |preemptor: &str| {
            let proposal = PlanUnderTest {
                plan: &plan,
                preemptor: Some(world.pod(preemptor)),
                effects: &Effects::default(),
                refuted: &Refuted::default(),
            };
            super::super::plan(&world.context(), &proposal)
        };
        assert_eq!(judge("default/p"), Ok(()));
        let left_out = Violation::PreemptorNotPlaced { preemptor: "default/q".to_owned(), nominated: 1 };
        assert_eq!(judge("default/q"), Err(left_out));
    }
}
