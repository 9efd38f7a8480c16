//! Only who waits for a node is given one.

use lictor_contract::Placement;

use super::{Ground, Proposal, Violation};

/// Every nominated pod waits for a node.
pub(super) fn check(ground: &Ground<'_>, proposal: &Proposal<'_>) -> Result<(), Violation> {
    placements(ground, &proposal.plan.nominations)
}

/// Every placed pod waits for a node.
pub(super) fn placements(ground: &Ground<'_>, placements: &[Placement]) -> Result<(), Violation> {
    placements.iter().try_for_each(|placement| {
        let pod = ground.mirror.pod(placement.pod).ok_or(Violation::UnknownPod(placement.pod))?;
        let Some(state) = ground.occupancy.not_pending(pod) else { return Ok(()) };
        Err(Violation::NotPending { pod: ground.pod_name(pod.id), state })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{World, object, pod, with};

    #[test]
    fn only_who_waits_for_a_node_is_nominated() {
        let mut world = World::small();
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
}
