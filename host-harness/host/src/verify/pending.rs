//! The invariant that only pending pods are placed.

use lictor_contract::{Placement, Pod};

use super::{PlanUnderTest, VerifyContext, Violation};

/// Checks that every nominated pod is pending, or is released from permit by the same answer.
pub(super) fn check(ground: &VerifyContext<'_>, proposal: &PlanUnderTest<'_>) -> Result<(), Violation> {
    all_pending(ground, &proposal.plan.nominations, |pod| match proposal.effects.releases.contains(&pod.id) {
        true => ground.occupancy.not_pending_once_released(pod),
        false => ground.occupancy.not_pending(pod),
    })
}

/// Checks that every placed pod is pending.
pub(super) fn placements(ground: &VerifyContext<'_>, placements: &[Placement]) -> Result<(), Violation> {
    all_pending(ground, placements, |pod| ground.occupancy.not_pending(pod))
}

/// Checks that every placed pod is pending. `obstacle` returns why a pod is not.
fn all_pending(
    ground: &VerifyContext<'_>,
    placements: &[Placement],
    obstacle: impl Fn(&Pod) -> Option<&'static str>,
) -> Result<(), Violation> {
    placements.iter().try_for_each(|placement| {
        let pod = ground.mirror.pod(placement.pod).ok_or(Violation::UnknownPod(placement.pod))?;
        let Some(state) = obstacle(pod) else { return Ok(()) };
        Err(Violation::NotPending { pod: ground.pod_name(pod.id), state })
    })
}

#[cfg(test)]
mod tests {
    use lictor_contract::Effects;
    use serde_json::json;

    use super::super::testing::{ClusterFixture, object, pod, with};

    #[test]
    fn only_who_waits_for_a_node_is_nominated() {
        let mut world = ClusterFixture::small();
        let bound = world.plan(&[("default/p", "n1"), ("default/w", "n3")], &["default/v"]);
        assert_eq!(world.refusal(&bound), "`default/w` cannot be placed: it is bound already");
        let held = world.plan(&[("default/p", "n1"), ("default/h", "n3")], &["default/v"]);
        assert_eq!(world.refusal(&held), "`default/h` cannot be placed: it is held at permit");
        let done = with(pod("q", 1, 5), "/status", "phase", json!("Succeeded"));
        world.mirror.upsert(object(done));
        world.sync();
        let done = world.plan(&[("default/p", "n1"), ("default/q", "n3")], &["default/v"]);
        assert_eq!(world.refusal(&done), "`default/q` cannot be placed: it is not pending");
        let going = with(pod("q", 1, 5), "/metadata", "deletionTimestamp", json!("1970-01-01T00:00:00Z"));
        world.mirror.upsert(object(going));
        world.sync();
        assert_eq!(world.refusal(&done), "`default/q` cannot be placed: it is being deleted");
    }

    #[test]
    fn who_is_released_by_the_same_answer_may_be_nominated() {
        let mut world = ClusterFixture::small();
        let plan = world.plan(&[("default/p", "n3"), ("default/h", "n1")], &["default/v"]);
        let effects = Effects { releases: vec![world.pod("default/h")], ..Effects::default() };
        assert_eq!(world.check_with(&plan, &effects), Ok(()));
        let going = with(pod("h", 2, 5), "/metadata", "deletionTimestamp", json!("1970-01-01T00:00:00Z"));
        world.mirror.upsert(object(going));
        world.sync();
        let refusal = world.check_with(&plan, &effects).unwrap_err().to_string();
        assert_eq!(refusal, "`default/h` cannot be placed: it is being deleted");
    }
}
