//! What the host refused is not planned again.

use super::{Ground, Proposal, Violation};

/// No nomination is among the refuted ones.
pub(super) fn check(ground: &Ground<'_>, proposal: &Proposal<'_>) -> Result<(), Violation> {
    match proposal.plan.nominations.iter().find(|nomination| proposal.refuted.contains(nomination)) {
        Some(nomination) => Err(Violation::Refuted {
            placement: nomination.clone(),
            pod: ground.pod_name(nomination.pod),
            node: ground.node_name(nomination.node),
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {

    use lictor_contract::{Effects, Placement};

    use super::super::testing::World;
    use super::*;

    #[test]
    fn what_was_refused_is_not_planned_again() {
        let world = World::small();
        let plan = world.plan(&[("default/q", "n3"), ("default/p", "n1")], &["default/v"]);
        let judge = |refuted: &[Placement]| {
            let proposal = Proposal { plan: &plan, preemptor: None, effects: &Effects::default(), refuted };
            super::super::plan(&world.ground(), &proposal)
        };
        assert_eq!(judge(&[world.placement(("default/p", "n3"))]), Ok(()));
        let refuted = world.placement(("default/p", "n1"));
        let violation = judge(std::slice::from_ref(&refuted)).unwrap_err();
        assert_eq!(violation.to_string(), "`default/p` on `n1` was refused before");
        assert_eq!(violation.refutes(&plan), [refuted]);
    }
}
