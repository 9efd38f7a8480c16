use lictor_sdk::testing::TestCluster;
use lictor_sdk::*;

use super::FirstCome;

fn world() -> TestCluster<FirstCome> {
    let mut world = TestCluster::new(r#"{"cpu": "3"}"#).unwrap();
    world.node("n", "cpu=8").unwrap();
    world
}

/// Returns whether the pod passes PreFilter.
fn passes(world: &mut TestCluster<FirstCome>, pod: PodId) -> bool {
    world.policy.pre_filter(pod).unwrap().admission == Admission::Pass
}

#[test]
fn who_came_first_is_first() {
    let mut world = world();
    let (a, b, c) = (world.pod("z", "cpu=1").unwrap(), world.pod("y", "cpu=1").unwrap(), world.pod("x", "").unwrap());
    assert_eq!(world.queue(vec![c, a, b]).unwrap(), [a, b, c]);
}

#[test]
fn a_pod_may_use_what_the_quota_leaves_and_no_more() {
    let mut world = world();
    let (a, b, c) =
        (world.pod("a", "cpu=2").unwrap(), world.pod("b", "cpu=1").unwrap(), world.pod("c", "cpu=1100m").unwrap());
    world.bind("a", "n").unwrap();
    // 2 of 3 cores are used: 1 fits, 1.1 do not.
    assert!(passes(&mut world, b));
    assert!(!passes(&mut world, c));
    world.apply(Event::PodRemoved(a)).unwrap();
    assert!(passes(&mut world, c));
}

#[test]
fn a_reserved_node_counts_until_it_is_given_up() {
    let mut world = world();
    let (a, b) = (world.pod("a", "cpu=2").unwrap(), world.pod("b", "cpu=2").unwrap());
    world.policy.reserve(a, 0).unwrap();
    assert!(!passes(&mut world, b));
    world.policy.unreserve(a, ReleaseCause::Failed).unwrap();
    assert!(passes(&mut world, b));
}

#[test]
fn the_account_has_what_is_used_and_what_waits() {
    let mut world = world();
    world.pod("a", "cpu=2").unwrap();
    world.pod("b", "cpu=500m").unwrap();
    world.bind("a", "n").unwrap();
    let account = world.policy.queues().unwrap().remove(0);
    let cpu = |value| vec![Amount { resource: 0, value }];
    assert_eq!((account.used, account.pending), (cpu(2000), cpu(500)));
}

#[test]
fn every_pod_counts_against_the_quota() {
    let mut world = world();
    let pod = world.pod("a", "cpu=2").unwrap();
    let all = Membership { queue: Some("all".to_owned()), job: None };
    assert_eq!(world.policy.memberships(vec![pod, pod]).unwrap(), [all.clone(), all]);
    assert_eq!(world.policy.memberships(vec![pod, 9]), Err(PolicyError::UnknownPod(9)));
}

#[test]
fn what_is_no_configuration_is_refused() {
    let refused = |arguments| TestCluster::<FirstCome>::new(arguments).unwrap_err();
    assert_eq!(refused(r#"{"gpu": "1"}"#), ConfigError::UnknownArgument("gpu".to_owned()));
    assert!(matches!(refused(r#"{"cpu": "many"}"#), ConfigError::BadArgument(bad) if bad.name == "cpu"));
    assert!(matches!(refused("[]"), ConfigError::Malformed(_)));
}

#[test]
fn nodes_are_filled_one_after_another() {
    let mut world = TestCluster::<FirstCome>::new("").unwrap();
    let (small, large) = (world.node("small", "cpu=4").unwrap(), world.node("large", "cpu=8").unwrap());
    world.pod("a", "cpu=3").unwrap();
    world.bind("a", "large").unwrap();
    let b = world.pod("b", "cpu=1").unwrap();
    // 1 of 4 cores are 25 hundredths, 3 + 1 of 8 are 50.
    assert_eq!(world.policy.score(b, vec![small, large]).unwrap(), [25, 50]);
}
