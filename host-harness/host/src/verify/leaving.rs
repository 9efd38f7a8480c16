//! A plan under way is not planned again.

use super::{Ground, Proposal, Violation};

/// No victim is already leaving by an earlier plan.
pub(super) fn check(ground: &Ground<'_>, proposal: &Proposal<'_>) -> Result<(), Violation> {
    proposal.plan.victims.iter().try_for_each(|victim| match ground.departures.leaving(ground.mirror, victim.pod) {
        Some(plan) => Err(Violation::AlreadyLeaving { id: victim.pod, victim: ground.pod_name(victim.pod), plan }),
        None => Ok(()),
    })
}

#[cfg(test)]
mod tests {
    use super::super::Departure;
    use super::super::testing::World;

    #[test]
    fn a_victim_of_a_plan_under_way_is_not_named_again() {
        let mut world = World::small();
        let departure = Departure { plan: 3, beneficiaries: [world.pod("default/q")].into() };
        let plan = world.plan(&[("default/p", "n1")], &["default/v"]);
        assert_eq!(world.judge(&plan), Ok(()));
        world.departures.set(world.pod("default/v"), Some(departure));
        assert_eq!(world.refusal(&plan), "`default/v` is already leaving by plan 3");
    }
}
