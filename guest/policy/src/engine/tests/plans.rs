//! Plans, case by case; the general rules are properties in `tests/properties`.

use crate::contract::{Placement, Refuted};
use crate::testing::{NamedPlan, PolicyHarness, pod, quota};

const NO_NODE: &str = "engine/no-node";

fn victims(world: &mut PolicyHarness, name: &str) -> Result<Vec<String>, String> {
    world.plan(name).map(|plan| plan.victims)
}

fn node_of(plan: Result<NamedPlan, String>, pod: &str) -> Option<String> {
    plan.ok().and_then(|plan| plan.nominations.get(pod).cloned())
}

#[test]
fn room_on_a_node_comes_from_any_quota_and_room_in_the_quota_from_any_node() {
    let mut world = PolicyHarness::new();
    world.object(quota("team", "", "cpu=4", "cpu=4"));
    world.node("n1", "cpu=4");
    world.node("n2", "cpu=4");
    world.pod(pod("foreign").requests("cpu=4").on("n1"));
    world.pod(pod("own").quota("team").requests("cpu=2").on("n2"));
    world.pod(pod("np").quota("other").preemptible(false).requests("cpu=2").on("n2"));
    world.pod(pod("a").quota("team").preemptible(false).requests("cpu=4").priority(1));
    // 4 cores are to be had on n1 only; `own` must go for the quota's max of 4.
    let mut plan = world.plan("a").unwrap();
    plan.victims.sort();
    assert_eq!(plan.victims, ["default/foreign", "default/own"]);
    assert_eq!(plan.nominations.get("default/a").map(String::as_str), Some("n1"));
}

#[test]
fn victims_are_in_the_order_of_their_names() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=4");
    // The more important pod is reprieved first.
    world.pod(pod("c").requests("cpu=2").on("n").priority(1));
    world.pod(pod("b").requests("cpu=2").on("n"));
    world.pod(pod("a").requests("cpu=4").priority(2));
    assert_eq!(victims(&mut world, "a"), Ok(vec!["default/b".to_owned(), "default/c".to_owned()]));
}

#[test]
fn one_pod_without_a_node_means_no_plan_for_the_whole_job() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=2");
    world.pod(pod("v").requests("cpu=2").on("n"));
    for name in ["a", "b", "c"] {
        world.pod(pod(name).job("j").requests("cpu=1").priority(1));
    }
    assert_eq!(world.plan("a"), Err(NO_NODE.to_owned()));
    let message = crate::testing::render_reason(&world.post_filter("a").reason);
    assert!(message.ends_with("planned 2, pods 3"), "{message}");
    world.remove_pod("c");
    assert_eq!(victims(&mut world, "a"), Ok(vec!["default/v".to_owned()]));
}

#[test]
fn a_node_where_nobody_makes_way_comes_before_one_where_somebody_does() {
    let mut world = PolicyHarness::new();
    world.node("a-full", "cpu=1");
    world.node("b-free", "cpu=1");
    world.pod(pod("v").requests("cpu=1").on("a-full"));
    world.pod(pod("a").requests("cpu=1").priority(1));
    let plan = world.plan("a");
    assert_eq!(plan.as_ref().map(|plan| plan.victims.len()), Ok(0));
    assert_eq!(node_of(plan, "default/a").as_deref(), Some("b-free"));
}

#[test]
fn the_least_important_victims_choose_the_node_then_the_fewest_then_its_name() {
    // (priorities of the victims on x, on y, the chosen one)
    for (x, y, chosen) in [
        (vec![5], vec![4], "y"),
        (vec![4], vec![5], "x"),
        (vec![4, 4], vec![5], "x"),
        (vec![5, 1], vec![5], "y"),
        (vec![5], vec![5], "x"),
    ] {
        let mut world = PolicyHarness::new();
        world.node("y", "cpu=2");
        world.node("x", "cpu=2");
        for (node, priorities) in [("x", &x), ("y", &y)] {
            for (at, priority) in priorities.iter().enumerate() {
                let asks = format!("cpu={}", 2 / priorities.len());
                world.pod(pod(&format!("{node}{at}")).requests(&asks).priority(*priority).on(node));
            }
        }
        world.pod(pod("a").requests("cpu=2").priority(9));
        assert_eq!(node_of(world.plan("a"), "default/a").as_deref(), Some(chosen), "{x:?} {y:?}");
    }
}

#[test]
fn who_is_more_important_or_older_is_put_back_first() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=3");
    let started = |name: &str, at: i64| pod(name).requests("cpu=1").on("n").with(|pod| pod.started = Some(at));
    world.pod(started("young", 9));
    world.pod(started("old", 1));
    world.pod(started("important", 9).priority(1));
    world.pod(pod("a").requests("cpu=1").priority(2));
    world.pod(pod("b").requests("cpu=2").priority(2));
    assert_eq!(victims(&mut world, "a"), Ok(vec!["default/young".to_owned()]));
    assert_eq!(victims(&mut world, "b"), Ok(vec!["default/old".to_owned(), "default/young".to_owned()]));
}

#[test]
fn a_small_pod_is_put_back_beside_a_large_one_that_must_go() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=4");
    world.pod(pod("large").requests("cpu=3").priority(1).on("n"));
    world.pod(pod("small").requests("cpu=1").on("n"));
    world.pod(pod("a").requests("cpu=3").priority(2));
    assert_eq!(victims(&mut world, "a"), Ok(vec!["default/large".to_owned()]));
}

#[test]
fn a_placement_that_the_host_refuted_is_not_planned_again() {
    let mut world = PolicyHarness::new();
    world.node("x", "cpu=1");
    world.node("y", "cpu=1");
    world.pod(pod("a").requests("cpu=1").priority(1));
    let a = world.id("a");
    let on = |node| Placement { pod: a, node };
    let mut nodes = |placements: &[Placement]| {
        let refuted = Refuted { placements: placements.to_vec(), ..Refuted::default() };
        let plan = world.engine.post_filter(&[a], &refuted).unwrap().plan;
        plan.map(|plan| plan.nominations)
    };
    assert_eq!(nodes(&[]), Some(vec![on(0)]));
    assert_eq!(nodes(&[on(0)]), Some(vec![on(1)]));
    assert_eq!(nodes(&[Placement { pod: 99, node: 0 }]), Some(vec![on(0)]), "that was about another pod");
    assert_eq!(nodes(&[on(0), on(1)]), None);
}

#[test]
fn only_eligible_nodes_count() {
    let mut world = PolicyHarness::new();
    world.node("x", "cpu=1");
    world.node("y", "cpu=1");
    world.pod(pod("v").requests("cpu=1").on("y"));
    world.pod(pod("a").requests("cpu=1").priority(1).only_on(&["y"]));
    assert_eq!(victims(&mut world, "a"), Ok(vec!["default/v".to_owned()]));
    world.pod(pod("b").requests("cpu=1").priority(1).only_on(&["z"]));
    assert_eq!(world.plan("b"), Err(NO_NODE.to_owned()));
}

#[test]
fn pods_of_a_job_that_ask_for_the_same_may_be_bound_to_different_nodes() {
    let mut world = PolicyHarness::new();
    world.node("x", "cpu=2");
    world.node("y", "cpu=2");
    world.pod(pod("a").job("j").requests("cpu=1").only_on(&["x"]));
    world.pod(pod("b").job("j").requests("cpu=1").only_on(&["y"]));
    let plan = world.plan("a");
    assert_eq!(node_of(plan.clone(), "default/a").as_deref(), Some("x"));
    assert_eq!(node_of(plan, "default/b").as_deref(), Some("y"));
}

#[test]
fn room_that_is_promised_is_kept_for_equals_and_taken_from_lesser_ones() {
    for (promised_to, victims, withdrawn) in [(1, 2, 0), (2, 2, 0), (0, 1, 1)] {
        let mut world = PolicyHarness::new();
        world.node("n", "cpu=2");
        world.pod(pod("v").requests("cpu=1").priority(-1).on("n"));
        world.pod(pod("promised").requests("cpu=1").priority(promised_to).nominated("n"));
        world.node("m", "cpu=1");
        world.pod(pod("v2").requests("cpu=1").priority(-2).on("m"));
        world.pod(pod("a").job("j").requests("cpu=1").priority(1));
        world.pod(pod("b").job("j").requests("cpu=1").priority(1));
        let answer = world.post_filter("a");
        assert_eq!(answer.plan.map(|plan| plan.victims.len()), Some(victims), "{promised_to}");
        assert_eq!(answer.effects.withdrawn.len(), withdrawn, "{promised_to}");
    }
}

#[test]
fn a_node_that_is_overcommitted_in_what_nobody_asks_for_is_as_good_as_any() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=2 memory=1Gi");
    world.pod(pod("hog").preemptible(false).requests("memory=2Gi").on("n"));
    world.pod(pod("v").requests("cpu=2").on("n"));
    world.pod(pod("a").requests("cpu=1").priority(1));
    world.pod(pod("b").requests("cpu=1 memory=1Ki").priority(1));
    assert_eq!(victims(&mut world, "a"), Ok(vec!["default/v".to_owned()]));
    assert_eq!(world.plan("b"), Err(NO_NODE.to_owned()));
}

#[test]
fn room_below_a_parent_that_binds_comes_from_the_own_quota_only() {
    let mut world = PolicyHarness::with(r#"{"enableCheckParentQuota": true}"#);
    world.object(quota("group", "", "cpu=4", "cpu=4"));
    world.object(quota("team", "group", "cpu=4", "cpu=4"));
    world.object(quota("sister", "group", "cpu=4", "cpu=4"));
    world.node("n1", "cpu=4");
    world.node("n2", "cpu=2");
    world.pod(pod("theirs").quota("sister").requests("cpu=2").on("n2"));
    world.pod(pod("ours").quota("team").requests("cpu=1").on("n1"));
    world.pod(pod("a").quota("team").preemptible(false).requests("cpu=2").priority(1));
    world.pod(pod("b").quota("team").preemptible(false).requests("cpu=3").priority(1));
    // The group uses 3 of 4. With `ours` gone, 2 more fit, not 3.
    assert_eq!(victims(&mut world, "a"), Ok(vec!["default/ours".to_owned()]));
    assert_eq!(world.plan("b"), Err("koordinator/non-preemptible-job-fits-max".to_owned()));
}

#[test]
fn nobody_goes_in_vain_where_the_quota_stays_over_its_limit() {
    let mut world = PolicyHarness::new();
    world.object(quota("team", "", "cpu=4", "cpu=4"));
    world.node("n", "cpu=8");
    world.pod(pod("equal").quota("team").requests("cpu=2").priority(1).on("n"));
    world.pod(pod("own").quota("team").requests("cpu=1").on("n"));
    world.pod(pod("a").quota("team").preemptible(false).requests("cpu=3").priority(1));
    assert_eq!(world.plan("a"), Err("koordinator/non-preemptible-job-fits-max".to_owned()));
}

#[test]
fn of_unlike_pods_the_largest_is_planned_first() {
    // In the order of the names `small` would take `x`, the only node where `large` fits.
    for (small, large) in [("a", "b"), ("b", "a")] {
        let mut world = PolicyHarness::new();
        world.node("x", "cpu=4 gpu=1");
        world.node("y", "cpu=2 gpu=8");
        world.pod(pod("v").requests("cpu=1").on("y"));
        world.pod(pod(small).job("j").requests("cpu=2 gpu=1").priority(1));
        world.pod(pod(large).job("j").requests("cpu=3").priority(1));
        let plan = world.plan(small).unwrap();
        let name = |pod: &str| format!("default/{pod}");
        assert_eq!(plan.nominations, [(name(small), "y".to_owned()), (name(large), "x".to_owned())].into());
        assert_eq!(plan.victims, ["default/v"]);
    }
}

#[test]
fn who_is_leaving_another_node_makes_room_in_the_quota() {
    let mut world = PolicyHarness::new();
    world.object(quota("team", "", "cpu=4", "cpu=4"));
    world.node("n1", "cpu=4");
    world.node("n2", "cpu=2");
    world.pod(pod("leaving").quota("team").requests("cpu=2").on("n2").with(|pod| pod.terminating = true));
    world.pod(pod("own").quota("team").requests("cpu=2").on("n1"));
    world.pod(pod("a").quota("team").preemptible(false).requests("cpu=2").priority(1).only_on(&["n1"]));
    assert_eq!(world.plan("a").map(|plan| plan.victims), Ok(vec![]));
}

#[test]
fn who_is_leaving_a_quota_below_makes_room_in_the_quota_above() {
    let mut world = PolicyHarness::new();
    world.object(quota("group", "", "cpu=4", "cpu=4"));
    world.object(quota("child", "group", "cpu=4", "cpu=4"));
    world.node("n1", "cpu=2");
    world.node("n2", "cpu=4");
    world.pod(pod("leaving").quota("child").requests("cpu=4").on("n2").with(|pod| pod.terminating = true));
    world.pod(pod("a").quota("group").preemptible(false).requests("cpu=2").priority(1).only_on(&["n1"]));
    assert_eq!(world.plan("a").map(|plan| plan.victims), Ok(vec![]));
}
