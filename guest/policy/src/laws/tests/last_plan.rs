//! No second plan while the last one is under way. What the ledger knows is tested with the ledger; here is what the
//! cluster shows of plans made before the policy was started.

use super::*;
use crate::laws::gate::last_plan_is_done::LAW;
use crate::testing::{PodBuilder, SOFT_EVICTION, pod, quota};

const LEAVING: Denial = Denial::Case("");

/// Checks the law where `other` is in the cluster and `preemptor` is nominated to `n`.
fn with(other: PodBuilder, preemptor: PodBuilder) -> Result<(), Denial> {
    let mut world = PolicyHarness::new();
    world.object(quota("team", "", "", ""));
    world.node("n", "cpu=8");
    world.node("m", "cpu=8");
    world.pod(other);
    world.pod(preemptor);
    admission(&mut world, "asker", LAW.function)
}

fn preemptor() -> PodBuilder {
    pod("asker").priority(10).quota("team").nominated("n")
}

fn terminating(draft: PodBuilder) -> PodBuilder {
    draft.with(|pod| pod.terminating = true)
}

fn preempted(draft: PodBuilder) -> PodBuilder {
    terminating(draft).with(|pod| pod.preempted = true)
}

#[test]
fn a_lesser_pod_that_leaves_the_nominated_node_because_of_a_plan_holds_the_next_one_up() {
    let other = || pod("other").priority(9).on("n");
    for (other, waits) in [
        (preempted(other()), true),
        (other().label(SOFT_EVICTION, "true"), true),
        (terminating(other().quota("team")), true),
        // The pod leaves for another reason.
        (terminating(other()), false),
        // Not leaving at all.
        (other().quota("team"), false),
        (other().with(|pod| pod.preempted = true), false),
        // Not lesser.
        (preempted(other()).priority(10), false),
        (preempted(other()).priority(11), false),
        // On another node.
        (preempted(other()).on("m"), false),
    ] {
        let said = format!("{other:?}");
        assert_eq!(with(other, preemptor()), if waits { Err(LEAVING) } else { Ok(()) }, "{said}");
    }
}

#[test]
fn without_a_nomination_there_was_no_plan() {
    let bare = pod("asker").priority(10).quota("team");
    assert_eq!(with(preempted(pod("other").priority(9).on("n")), bare), Ok(()));
}

#[test]
fn the_nomination_of_any_waiting_pod_of_the_job_counts() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=8");
    world.pod(preempted(pod("other").priority(9).on("n")));
    world.pod(pod("asker").priority(10).job("j"));
    world.pod(pod("sibling").priority(10).job("j").nominated("n"));
    assert_eq!(admission(&mut world, "asker", LAW.function), Err(LEAVING));
    world.remove_pod("other");
    assert_eq!(admission(&mut world, "asker", LAW.function), Ok(()));
}

#[test]
fn a_plan_under_way_is_told_with_the_victims_that_are_left() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=2");
    for name in ["v1", "v2"] {
        world.pod(pod(name).requests("cpu=1").on("n"));
    }
    world.pod(pod("asker").requests("cpu=2").priority(1));
    let plan = world.plan("asker").map_or(0, |plan| plan.id);
    assert_eq!(admission(&mut world, "asker", LAW.function), Ok(()), "a proposal is no plan under way");
    world.apply(vec![crate::contract::Event::PlanAccepted(plan)]);
    assert_eq!(admission(&mut world, "asker", LAW.function), Err(Denial::PlanInFlight { plan, left: 2 }));
    world.remove_pod("v1");
    assert_eq!(admission(&mut world, "asker", LAW.function), Err(Denial::PlanInFlight { plan, left: 1 }));
    world.remove_pod("v2");
    assert_eq!(admission(&mut world, "asker", LAW.function), Ok(()));
}
