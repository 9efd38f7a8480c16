//! A plan under way is not planned again.

use super::{PlanUnderTest, VerifyContext, Violation};

/// Checks that no victim is already leaving by an earlier plan, and that the API server did not refuse its eviction a moment ago.
pub(super) fn check(ground: &VerifyContext<'_>, proposal: &PlanUnderTest<'_>) -> Result<(), Violation> {
    let now = ground.mirror.now();
    proposal.plan.victims.iter().try_for_each(|victim| {
        let (id, name) = (victim.pod, ground.pod_name(victim.pod));
        if let Some(plan) = ground.departures.plan_of_victim(ground.mirror, id) {
            return Err(Violation::AlreadyLeaving { id, victim: name, plan });
        }
        match ground.departures.refused_until(now, id) {
            Some(until) => Err(Violation::EvictionRefused { id, victim: name, until }),
            None => Ok(()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::ClusterFixture;
    use super::super::{CommandRefusal, PlannedEviction};

    #[test]
    fn a_victim_of_a_plan_under_way_is_not_named_again() {
        let mut world = ClusterFixture::small();
        let departure = PlannedEviction { plan: 3, beneficiaries: [world.pod("default/q")].into() };
        let plan = world.plan(&[("default/p", "n1")], &["default/v"]);
        assert_eq!(world.check(&plan), Ok(()));
        world.departures.set(world.pod("default/v"), Some(departure));
        assert_eq!(world.refusal(&plan), "`default/v` is already leaving by plan 3");
    }

    #[test]
    fn a_victim_whose_eviction_was_refused_is_not_named_again_until_its_time() {
        let mut world = ClusterFixture::small();
        let plan = world.plan(&[("default/p", "n1")], &["default/v"]);
        let victim = world.pod("default/v");
        world.departures.refuse(victim, CommandRefusal { until: 5, budget: true });
        let refusal =
            "the API server refused to evict `default/v`; it is asked again at 1970-01-01T00:00:00.000000005Z";
        assert_eq!(world.refusal(&plan), refusal);
        world.departures.budget_changed();
        assert_eq!(world.check(&plan), Ok(()), "a budget that has changed may allow it");
        world.departures.refuse(victim, CommandRefusal { until: 5, budget: false });
        world.departures.budget_changed();
        assert_eq!(world.departures.next_try(4), Some(5));
        assert_eq!(world.departures.refused_until(5, victim), None, "its time has come");
    }
}
