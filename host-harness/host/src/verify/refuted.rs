//! What the host refused is not planned again.

use super::{PlanUnderTest, VerifyContext, Violation};

/// Checks that no nomination and no victim was refused before.
pub(super) fn check(ground: &VerifyContext<'_>, proposal: &PlanUnderTest<'_>) -> Result<(), Violation> {
    let PlanUnderTest { plan, refuted, .. } = proposal;
    if let Some(nomination) = plan.nominations.iter().find(|nomination| refuted.placements.contains(nomination)) {
        return Err(Violation::Refuted {
            placement: nomination.clone(),
            pod: ground.pod_name(nomination.pod),
            node: ground.node_name(nomination.node),
        });
    }
    match plan.victims.iter().find(|victim| refuted.victims.contains(&victim.pod)) {
        Some(victim) => Err(Violation::RefutedVictim { id: victim.pod, victim: ground.pod_name(victim.pod) }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {

    use lictor_contract::{Effects, Refuted};

    use super::super::testing::ClusterFixture;
    use super::*;

    #[test]
    fn what_was_refused_is_not_planned_again() {
        let world = ClusterFixture::small();
        let plan = world.plan(&[("default/q", "n3"), ("default/p", "n1")], &["default/v"]);
        let judge = |refuted: &Refuted| {
            let proposal = PlanUnderTest { plan: &plan, preemptor: None, effects: &Effects::default(), refuted };
            super::super::plan(&world.context(), &proposal)
        };
        let placement = |on| Refuted { placements: vec![world.placement(on)], ..Refuted::default() };
        assert_eq!(judge(&placement(("default/p", "n3"))), Ok(()));
        let refuted = placement(("default/p", "n1"));
        let violation = judge(&refuted).unwrap_err();
        assert_eq!(violation.to_string(), "`default/p` on `n1` was refused before");
        assert_eq!(violation.refuted_part(&plan), refuted);
        let victim = |name| Refuted { victims: vec![world.pod(name)], ..Refuted::default() };
        assert_eq!(judge(&victim("default/w")), Ok(()));
        let refuted = victim("default/v");
        let violation = judge(&refuted).unwrap_err();
        assert_eq!(violation.to_string(), "`default/v` was refused as a victim before");
        assert_eq!(violation.refuted_part(&plan), refuted);
    }

    #[test]
    fn a_victim_that_cannot_be_one_is_refuted_and_the_placements_are_not() {
        let world = ClusterFixture::small();
        let refuted = |victims: &[&str]| {
            let plan = world.plan(&[("default/p", "n1")], victims);
            world.check(&plan).unwrap_err().refuted_part(&plan)
        };
        for (victims, wrong) in [
            (&["default/v", "default/q"][..], "default/q"),
            (&["default/v", "default/v"], "default/v"),
            (&["default/v", "default/p"], "default/p"),
            (&["default/v", "default/x"], "default/x"),
        ] {
            assert_eq!(refuted(victims), Refuted { victims: vec![world.pod(wrong)], ..Refuted::default() });
        }
        // No single victim is to blame where there are too few victims.
        assert_eq!(refuted(&["default/w"]).placements, [world.placement(("default/p", "n1"))]);
    }
}
