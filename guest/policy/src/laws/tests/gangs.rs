//! Whether a gang can be complete, and whether it is.

use super::*;
use crate::contract::Phase;
use crate::laws::gate::gang_has_its_members as has_members;
use crate::laws::limit::gang_is_complete as is_complete;
use crate::model::JobIx;
use crate::testing::{pod, pod_group};

const MATCH: &str = "gang.scheduling.koordinator.sh/match-policy";
const GROUPS: &str = "gang.scheduling.koordinator.sh/groups";

fn job(world: &PolicyHarness, name: &str) -> JobIx {
    let key = ("default".to_owned(), name.to_owned());
    world.engine.cluster().job_named(&key).unwrap_or(JobIx(u32::MAX))
}

fn incomplete(world: &PolicyHarness, gang: &str, case: &'static str, have: usize, need: u32) -> Result<(), Denial> {
    Err(Denial::Incomplete { job: job(world, gang), case, have, need })
}

fn undeclared(world: &PolicyHarness, member: Option<usize>) -> Result<(), Denial> {
    Err(Denial::UndescribedGang { job: job(world, "g"), member })
}

/// Creates a gang of this minimum with one pending pod, `a`.
fn gang(minimum: u32, annotations: &[(&str, &str)]) -> PolicyHarness {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=64");
    world.object(pod_group("g", minimum, annotations));
    world.pod(pod("a").job("g"));
    world
}

#[test]
fn a_pod_without_a_gang_lacks_no_member() {
    let mut world = PolicyHarness::new();
    world.pod(pod("a"));
    assert_eq!(admission(&mut world, "a", has_members::LAW.function), Ok(()));
    assert_eq!(admission(&mut world, "a", is_complete::LAW.function), Ok(()));
}

#[test]
fn pending_bound_and_held_members_count_and_ended_or_leaving_ones_do_not() {
    let mut world = gang(4, &[(MATCH, "waiting-and-running")]);
    world.pod(pod("bound").job("g").on("n"));
    world.pod(pod("held").job("g"));
    world.reserve("held", "n");
    world.pod(pod("ended").job("g").on("n").with(|pod| pod.phase = Phase::Succeeded));
    world.pod(pod("leaving").job("g").on("n").with(|pod| pod.terminating = true));
    world.pod(pod("elsewhere/d").job("g"));
    assert_eq!(admission(&mut world, "a", has_members::LAW.function), incomplete(&world, "g", "pods", 3, 4));
    world.pod(pod("d").job("g"));
    assert_eq!(admission(&mut world, "a", has_members::LAW.function), Ok(()));
}

#[test]
fn a_gang_that_nobody_describes_is_not_tried() {
    let mut world = PolicyHarness::new();
    world.pod(pod("a").job("g"));
    assert_eq!(admission(&mut world, "a", has_members::LAW.function), undeclared(&world, None));
    world.object(pod_group("g", 1, &[]));
    assert_eq!(admission(&mut world, "a", has_members::LAW.function), Ok(()));
}

#[test]
fn every_gang_of_the_group_must_have_its_members() {
    let groups = [(GROUPS, r#"["default/g", "default/h"]"#)];
    let mut world = gang(1, &groups);
    assert_eq!(admission(&mut world, "a", has_members::LAW.function), undeclared(&world, Some(1)));
    world.object(pod_group("h", 2, &groups));
    world.pod(pod("b").job("h"));
    assert_eq!(admission(&mut world, "a", has_members::LAW.function), incomplete(&world, "h", "pods", 1, 2));
    world.pod(pod("c").job("h"));
    assert_eq!(admission(&mut world, "a", has_members::LAW.function), Ok(()));
}

#[test]
fn only_a_gang_that_was_complete_once_and_has_to_be_no_more_needs_no_members() {
    // A gang of 3 of which one pod runs and one waits: its third pod is gone.
    for (policy, said) in [("once-satisfied", None), ("waiting-and-running", Some(2)), ("only-waiting", Some(2))] {
        let mut world = gang(3, &[(MATCH, policy)]);
        world.pod(pod("bound").job("g").on("n"));
        let expected = said.map_or(Ok(()), |have| incomplete(&world, "g", "pods", have, 3));
        assert_eq!(admission(&mut world, "a", has_members::LAW.function), expected, "{policy}");
    }
}

#[test]
fn which_members_make_a_gang_complete_depends_on_its_match_policy() {
    // Of a gang of 3: (policy, held at Permit, bound, expected denial); the preemptor is one of those held.
    for (policy, held, bound, said) in [
        ("only-waiting", 3, 0, None),
        ("only-waiting", 2, 1, Some(("waiting", 2))),
        ("only-waiting", 2, 5, Some(("waiting", 2))),
        ("waiting-and-running", 2, 1, None),
        ("waiting-and-running", 1, 2, None),
        ("waiting-and-running", 1, 1, Some(("waiting-or-running", 2))),
        ("once-satisfied", 3, 0, None),
        ("once-satisfied", 2, 0, Some(("waiting", 2))),
        ("once-satisfied", 1, 1, None),
    ] {
        let mut world = gang(3, &[(MATCH, policy)]);
        for at in 0..bound {
            world.pod(pod(&format!("bound-{at}")).job("g").on("n"));
        }
        for at in 1..held {
            let name = format!("held-{at}");
            world.pod(pod(&name).job("g"));
            world.reserve(&name, "n");
        }
        world.reserve("a", "n");
        let expected = said.map_or(Ok(()), |(counted, have)| incomplete(&world, "g", counted, have, 3));
        assert_eq!(admission(&mut world, "a", is_complete::LAW.function), expected, "{policy} {held} {bound}");
    }
}

#[test]
fn a_bound_member_that_is_leaving_does_not_run_any_more_but_was_bound_once() {
    for (policy, complete) in [("waiting-and-running", false), ("once-satisfied", true)] {
        let mut world = gang(2, &[(MATCH, policy)]);
        world.pod(pod("leaving").job("g").on("n").with(|pod| pod.terminating = true));
        world.reserve("a", "n");
        let expected = if complete { Ok(()) } else { incomplete(&world, "g", "waiting-or-running", 1, 2) };
        assert_eq!(admission(&mut world, "a", is_complete::LAW.function), expected, "{policy}");
    }
}

#[test]
fn a_gang_is_bound_with_its_group_only() {
    let groups = [(GROUPS, r#"["default/g", "default/h"]"#)];
    let mut world = gang(1, &groups);
    world.object(pod_group("h", 1, &groups));
    world.pod(pod("b").job("h"));
    world.reserve("a", "n");
    assert_eq!(admission(&mut world, "a", is_complete::LAW.function), incomplete(&world, "h", "waiting", 0, 1));
    world.reserve("b", "n");
    assert_eq!(admission(&mut world, "a", is_complete::LAW.function), Ok(()));
    assert_eq!(admission(&mut world, "b", is_complete::LAW.function), Ok(()));
}

#[test]
fn a_gang_that_was_complete_once_stays_so_when_its_members_have_ended() {
    let mut world = gang(2, &[]);
    world.pod(pod("b").job("g"));
    for name in ["a", "b"] {
        world.reserve(name, "n");
    }
    assert!(world.engine.permit(world.id("a")).is_ok());
    for name in ["a", "b"] {
        world.pod(pod(name).job("g").on("n").with(|pod| pod.phase = Phase::Failed));
    }
    world.pod(pod("again").job("g"));
    world.reserve("again", "n");
    assert_eq!(admission(&mut world, "again", is_complete::LAW.function), Ok(()));
}

#[test]
fn a_gang_cannot_start_while_gates_or_another_scheduler_keep_too_many_of_its_pods() {
    use crate::laws::gate::gang_can_start::LAW;
    let mut world = gang(3, &[(MATCH, "waiting-and-running")]);
    world.pod(pod("runs").job("g").on("n"));
    world.pod(pod("gated").job("g").with(|pod| pod.gated = true));
    assert_eq!(admission(&mut world, "a", LAW.function), incomplete(&world, "g", "", 2, 3));
    assert_eq!(admission(&mut world, "a", has_members::LAW.function), Ok(()), "gated members count at PreFilter");
    world.pod(pod("foreign").job("g").with(|pod| pod.template_mut().foreign = true));
    assert_eq!(admission(&mut world, "a", LAW.function), incomplete(&world, "g", "", 2, 3));
    world.pod(pod("foreign").job("g").on("n").with(|pod| pod.template_mut().foreign = true));
    assert_eq!(
        admission(&mut world, "a", LAW.function),
        Ok(()),
        "a pod that runs counts, also if another scheduler placed it"
    );
    world.pod(pod("foreign").job("g").with(|pod| pod.template_mut().foreign = true));
    world.pod(pod("gated").job("g"));
    assert_eq!(admission(&mut world, "a", LAW.function), Ok(()), "its gate is gone");
}

#[test]
fn one_gang_that_cannot_start_keeps_its_group_from_preempting() {
    use crate::laws::gate::gang_can_start::LAW;
    let groups = [(GROUPS, r#"["default/g", "default/h"]"#)];
    let mut world = gang(1, &groups);
    world.object(pod_group("h", 1, &groups));
    world.pod(pod("b").job("h").with(|pod| pod.gated = true));
    assert_eq!(admission(&mut world, "a", LAW.function), incomplete(&world, "h", "", 0, 1));
    world.pod(pod("b").job("h"));
    assert_eq!(admission(&mut world, "a", LAW.function), Ok(()));
}
