//! Which nodes take a pod.

use super::*;
use crate::contract::Event;
use crate::testing::{PodBuilder, pod};

/// Two nodes of a zone, one of another, one of none.
const NODES: [(&str, u32, u32); 4] = [("n1", 4, 1), ("n2", 4, 1), ("n3", 4, 2), ("n4", 4, 0)];

/// Returns the verdict of the filter on each node: empty where the node takes the pod, else the case. `!` marks a node where no eviction helps.
fn said(world: &mut PolicyHarness, draft: PodBuilder) -> Vec<String> {
    let name = draft.name();
    world.pod(draft);
    let verdicts = world.engine.filter(world.id(&name)).unwrap();
    let said = |code: &u8| match code.checked_sub(1) {
        None => String::new(),
        Some(at) => {
            let obstacle = verdicts.obstacles.get(usize::from(at)).unwrap();
            assert_eq!(obstacle.reason.code, "node/inter-pod");
            format!("{}{}", obstacle.reason.case, if obstacle.resolvable { "" } else { "!" })
        }
    };
    verdicts.codes.iter().map(said).collect()
}

#[test]
fn each_constraint_refuses_and_allows() {
    for (on_n1, asked, expected) in [
        // The pod that is there forbids web in its zone; the node without a zone is of no domain.
        (DB_WITHOUT_WEB, IS_WEB, ["existing", "existing", "", ""]),
        (DB_WITHOUT_WEB, IS_DB, ["", "", "", ""]),
        (IS_DB, WEB_WITHOUT_DB, ["anti-affinity", "anti-affinity", "", ""]),
        (IS_WEB, WEB_WITHOUT_DB, ["", "", "", ""]),
        (IS_DB, WEB_WITH_DB, ["", "", "affinity!", "affinity!"]),
        (IS_WEB, WEB_WITH_DB, ["affinity!", "affinity!", "affinity!", "affinity!"]),
        // No pod of the set is there yet: the pod may be the first, where there is a domain.
        (IS_DB, WEBS_TOGETHER, ["", "", "", "affinity!"]),
        (IS_WEB, WEBS_TOGETHER, ["", "", "affinity!", "affinity!"]),
        // One in zone 1, none in zone 2: with the pod 2 - 0 > 1 in zone 1, and 1 - 0 in zone 2.
        (IS_WEB, WEBS_SPREAD, ["spread", "spread", "", "no-domain!"]),
        (IS_DB, WEBS_SPREAD, ["", "", "", "no-domain!"]),
        (ONE_OF_CLAIM, ONE_OF_CLAIM, ["claim", "claim", "claim", "claim"]),
        (IS_DB, ONE_OF_CLAIM, ["", "", "", ""]),
        (IS_DB, NOT_TOLD, ["!", "!", "!", "!"]),
    ] {
        let mut world = world("kubernetes", &NODES);
        world.pod(pod("there").inter_pod(on_n1).on("n1"));
        assert_eq!(said(&mut world, pod("a").inter_pod(asked)), expected, "{asked} with {on_n1} on n1");
        assert_eq!(said(&mut world, pod("nothing-between")), ["", "", "", ""]);
    }
}

#[test]
fn a_pod_that_is_being_deleted_is_in_the_way_but_not_counted_for_spread() {
    for (on_n1, asked, expected) in
        [(DB_WITHOUT_WEB, IS_WEB, ["existing", "existing", "", ""]), (IS_WEB, WEBS_SPREAD, ["", "", "", "no-domain!"])]
    {
        let mut world = world("kubernetes", &NODES);
        world.pod(pod("there").inter_pod(on_n1).on("n1").with(|pod| pod.terminating = true));
        assert_eq!(said(&mut world, pod("a").inter_pod(asked)), expected, "{asked} with {on_n1} on n1");
    }
}

#[test]
fn what_is_told_later_counts() {
    let mut world = world("kubernetes", &NODES);
    world.pod(pod("there").inter_pod(IS_DB).on("n1"));
    world.pod(pod("a").inter_pod(WEB_WITHOUT_DB));
    let again = |world: &mut PolicyHarness| said(world, pod("a").inter_pod(WEB_WITHOUT_DB));
    assert_eq!(again(&mut world), ["anti-affinity", "anti-affinity", "", ""]);
    // The term is of the node now, not of the zone.
    world.inter_pods([forbidding(DB, HOST, in_sets(WEB_WITHOUT_DB, &[WEB]))]);
    assert_eq!(again(&mut world), ["anti-affinity", "", "", ""]);
    // The pod that is there is not in the set any more.
    world.inter_pods([in_sets(IS_DB, &[])]);
    assert_eq!(again(&mut world), ["", "", "", ""]);
    world.inter_pods([in_sets(IS_DB, &[DB])]);
    let hosts = crate::contract::Topology { id: HOST, key: "host".to_owned(), domains: vec![1, 2, 1, 4] };
    world.apply(vec![Event::Topology(hosts)]);
    assert_eq!(again(&mut world), ["anti-affinity", "", "anti-affinity", ""]);
    world.remove_pod("there");
    assert_eq!(again(&mut world), ["", "", "", ""]);
}

#[test]
fn nominated_pods_count_for_pods_that_are_no_more_important_and_nobody_relies_on_them() {
    let mut world = world("kubernetes", &NODES);
    world.pod(pod("promised").inter_pod(DB_WITHOUT_WEB).priority(5).nominated("n1"));
    // The zone is kept, not only the node.
    assert_eq!(said(&mut world, pod("lesser").inter_pod(IS_WEB).priority(4)), ["existing", "existing", "", ""]);
    assert_eq!(said(&mut world, pod("equal").inter_pod(IS_WEB).priority(5)), ["existing", "existing", "", ""]);
    assert_eq!(said(&mut world, pod("greater").inter_pod(IS_WEB).priority(6)), ["", "", "", ""]);
    let needs = pod("needs").inter_pod(WEB_WITH_DB).priority(4);
    assert_eq!(said(&mut world, needs), ["affinity!", "affinity!", "affinity!", "affinity!"]);
}

#[test]
fn a_nominated_pod_keeps_its_spread() {
    let mut world = world("kubernetes", &NODES);
    world.pod(pod("promised").inter_pod(WEBS_SPREAD).priority(5).nominated("n1"));
    // With one more in zone 1, the nominated pod would make it two there and none in zone 2.
    let lesser = || pod("lesser").inter_pod(IS_WEB).priority(4);
    assert_eq!(said(&mut world, lesser()), ["nominated!", "nominated!", "", ""]);
    assert_eq!(said(&mut world, pod("greater").inter_pod(IS_WEB).priority(6)), ["", "", "", ""]);
    // A pod that leaves does not count, and one more in zone 2 allows one more in zone 1.
    world.pod(pod("there").inter_pod(IS_WEB).on("n2").with(|pod| pod.terminating = true));
    assert_eq!(said(&mut world, lesser()), ["nominated!", "nominated!", "", ""]);
    world.pod(pod("far").inter_pod(IS_WEB).on("n3"));
    assert_eq!(said(&mut world, lesser()), ["", "", "", ""]);
    // The nominated pod is not allowed on its node any more: nothing is kept for it.
    world.pod(pod("two").inter_pod(IS_WEB).on("n1"));
    world.pod(pod("three").inter_pod(IS_WEB).on("n1"));
    assert_eq!(said(&mut world, lesser()), ["", "", "", ""]);
}

#[test]
fn a_domain_without_nodes_that_count_has_no_pods_and_too_few_domains_count_as_empty() {
    for (nodes, min_domains, expected) in [
        // Both zones count: 2 in zone 1, 1 in zone 2.
        (0b111, 1, ["spread", "spread", "", "no-domain!"]),
        // Three domains are demanded and there are two: the smallest count is 0, so zone 2 would have 2 - 0.
        (0b111, 3, ["spread", "spread", "spread", "no-domain!"]),
        // Zone 2 does not count: zone 1 has the fewest, and in zone 2 none is counted.
        (0b011, 1, ["", "", "", "no-domain!"]),
        // Only n2 counts: one pod in zone 1.
        (0b010, 1, ["", "", "", "no-domain!"]),
    ] {
        let mut world = world("kubernetes", &NODES);
        let mut spread = spreading(WEB, ZONE, in_sets(WEBS_SPREAD, &[WEB]));
        spread.spread.iter_mut().for_each(|one| (one.nodes, one.min_domains) = (vec![nodes], min_domains));
        world.inter_pods([spread]);
        for (name, node) in [("x", "n1"), ("y", "n2"), ("z", "n3")] {
            world.pod(pod(name).inter_pod(IS_WEB).on(node));
        }
        assert_eq!(said(&mut world, pod("a").inter_pod(WEBS_SPREAD)), expected, "{nodes:b} {min_domains}");
    }
}
