//! The invariant that no pod is evicted twice and no pod is placed twice.

use std::collections::BTreeSet;

use lictor_contract::{Placement, PodId};

use super::{PlanUnderTest, VerifyContext, Violation};

/// Checks that the victims are distinct, and so are the nominated pods.
pub(super) fn check(ground: &VerifyContext<'_>, proposal: &PlanUnderTest<'_>) -> Result<(), Violation> {
    if let Some(pod) = repeated(proposal.plan.victims.iter().map(|victim| victim.pod)) {
        return Err(Violation::VictimTwice { id: pod, victim: ground.pod_name(pod) });
    }
    placements(ground, &proposal.plan.nominations)
}

/// Checks that the placed pods are distinct.
pub(super) fn placements(ground: &VerifyContext<'_>, placements: &[Placement]) -> Result<(), Violation> {
    match repeated(placements.iter().map(|placement| placement.pod)) {
        Some(pod) => Err(Violation::PlacedTwice { pod: ground.pod_name(pod) }),
        None => Ok(()),
    }
}

/// Returns the first pod that occurs a second time. `None`: all pods are distinct.
fn repeated(mut pods: impl Iterator<Item = PodId>) -> Option<PodId> {
    let mut seen = BTreeSet::new();
    pods.find(|pod| !seen.insert(*pod))
}

#[cfg(test)]
mod tests {
    use super::super::testing::ClusterFixture;

    #[test]
    fn nobody_comes_twice() {
        let world = ClusterFixture::small();
        let twice = world.plan(&[("default/p", "n1")], &["default/v", "default/w", "default/v"]);
        assert_eq!(world.refusal(&twice), "`default/v` is a victim twice");
        let twice = world.plan(&[("default/p", "n1"), ("default/p", "n1")], &["default/v"]);
        assert_eq!(world.refusal(&twice), "`default/p` is placed twice");
    }
}
