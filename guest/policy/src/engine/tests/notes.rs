//! What is noted during an attempt, search by search. The sentences are worked out by hand from the cluster.

use serde_json::json;

use crate::contract::{Note, Placement, Subject};
use crate::testing::{World, object, pod, quota};

/// What was noted for a pod, a line each.
fn said(world: &World, asker: &str) -> Vec<String> {
    let line = |note: Note| {
        let subject = match note.subject {
            Subject::Asker => "asker".to_owned(),
            Subject::Pod(pod) => world.pod_name(pod).trim_start_matches("default/").to_owned(),
            Subject::Node(node) => world.node_name(node),
            Subject::Queue(queue) => format!("queue {queue}"),
        };
        let outcome = format!("{:?}", note.outcome);
        format!("{subject} {outcome} {}: {}", note.law.split_once('/').unwrap().1, note.message)
    };
    world.engine.notes(world.id(asker)).unwrap().into_iter().map(line).collect()
}

/// What is noted when a pod is tried and a plan is looked for.
fn tried(world: &mut World, asker: &str) -> Vec<String> {
    world.engine.record_notes(true);
    world.pre_filter(asker);
    world.post_filter(asker);
    said(world, asker)
}

#[test]
fn nothing_is_noted_unless_somebody_wants_to_be_told() {
    let mut world = World::new();
    world.node("n", "cpu=1");
    world.pod(pod("a").asks("cpu=2"));
    world.pre_filter("a");
    world.engine.filter(world.id("a")).unwrap();
    world.post_filter("a");
    assert_eq!(said(&world, "a"), [""; 0]);
    assert_ne!(tried(&mut world, "a"), [""; 0]);
    world.engine.record_notes(false);
    assert_eq!(said(&world, "a"), [""; 0], "what was recorded is forgotten");
}

#[test]
fn filter_says_of_every_node_what_is_asked_and_what_there_is() {
    let mut world = World::new();
    for (node, has) in [("small", "cpu=1"), ("full", "cpu=4"), ("promised", "cpu=2"), ("fits", "cpu=2"), ("barred", "")]
    {
        world.node(node, has);
    }
    world.pod(pod("v").asks("cpu=2500m").on("full"));
    world.pod(pod("equal").asks("cpu=1").nominated("promised"));
    world.pod(pod("a").asks("cpu=2").only_on(&["small", "full", "promised", "fits"]));
    world.engine.record_notes(true);
    world.pre_filter("a");
    world.engine.filter(world.id("a")).unwrap();
    assert_eq!(
        said(&world, "a"),
        [
            "small Barred large-enough: not enough cpu (asked 2, free 1) on the empty node",
            "full Barred has-room: not enough cpu (asked 2, free 1.5)",
            "promised Barred keeps-promises: not enough cpu (asked 2, free 1) beside what is promised to others",
        ]
    );
}

#[test]
fn a_quota_that_stands_in_the_way_is_named_with_both_sides() {
    let mut world = World::new();
    world.object(quota("team", "", "cpu=4", "cpu=9"));
    world.node("n", "cpu=9");
    world.pod(pod("v").quota("team").preemptible(false).asks("cpu=3").on("n"));
    world.pod(pod("a").quota("team").preemptible(false).asks("cpu=2").priority(1));
    let line = "queue team Barred non-preemptible-job-fits-min: \
                quota `team`, cpu: non-preemptible used 3 + asked 2 is more than min 4";
    assert_eq!(tried(&mut world, "a"), [line], "once, though PreFilter and PostFilter both say so");
}

mod remove_all_put_back {
    use super::*;

    #[test]
    fn a_victim_is_told_what_would_be_missing_and_other_nodes_what_they_would_have_cost() {
        let mut world = World::new();
        world.node("x", "cpu=4");
        world.node("y", "cpu=4");
        world.node("z", "cpu=1");
        world.pod(pod("dear").asks("cpu=4").priority(5).on("x"));
        world.pod(pod("victim").asks("cpu=3").on("y"));
        world.pod(pod("kept").asks("cpu=1").priority(1).on("y"));
        world.pod(pod("a").asks("cpu=3").priority(9));
        assert_eq!(
            tried(&mut world, "a"),
            [
                "kept PutBack important-first: there is room for it, too",
                "victim Needed important-first: with it back, not enough cpu (asked 3, free 0)",
                "x Enough cheapest-node-first: 1 pod would make way, of priority 5",
                "dear Unneeded cheapest-node-first: nothing was planned onto its node",
                "z Barred cheapest-node-first: not enough cpu (asked 3, free 1); nobody there may make way",
                "y Chosen cheapest-node-first: 1 pod is planned onto it: 1 pod makes way, of priority 0",
            ]
        );
    }

    #[test]
    fn who_may_not_go_and_would_have_been_enough_is_named_with_the_law() {
        let mut world = World::new();
        world.node("n", "cpu=4");
        world.node("m", "cpu=4");
        world.pod(pod("v").asks("cpu=1").on("n"));
        world.pod(pod("np").preemptible(false).asks("cpu=2").on("n"));
        world.pod(pod("small").preemptible(false).asks("cpu=1").on("n"));
        world.pod(pod("dear").asks("cpu=2").priority(9).on("m"));
        world.pod(pod("equal").asks("cpu=2").priority(1).on("m"));
        world.pod(pod("a").asks("cpu=3").priority(1));
        // n: 4 - 3 = 1 with `v` gone; `np` beside it makes 3, and `small` can stay. m: both would have to go.
        let nobody = "it would not be enough on its node";
        let both = "its node would have room if it and the other one that this is said of made way;";
        assert_eq!(
            tried(&mut world, "a"),
            [
                "np Spared victim-is-preemptible: it is non-preemptible".to_owned(),
                "small Spared victim-is-preemptible: it is non-preemptible".to_owned(),
                "dear Spared victim-ranks-lower: its priority 9 is not lower than the preemptor's 1".to_owned(),
                "equal Spared victim-ranks-lower: its priority 1 is not lower than the preemptor's 1".to_owned(),
                "n Barred cheapest-node-first: not enough cpu (asked 3, free 1), even with the 1 pod gone that may make way"
                    .to_owned(),
                format!("v Unneeded cheapest-node-first: {nobody}"),
                "np Enough victim-is-preemptible: its node would have room if it made way; it is non-preemptible"
                    .to_owned(),
                "m Barred cheapest-node-first: not enough cpu (asked 3, free 0); nobody there may make way".to_owned(),
                format!("dear Enough victim-ranks-lower: {both} its priority 9 is not lower than the preemptor's 1"),
                format!("equal Enough victim-ranks-lower: {both} its priority 1 is not lower than the preemptor's 1"),
                "asker Barred cheapest-node-first: no node would have room, whoever may make way".to_owned(),
            ]
        );
    }

    #[test]
    fn a_job_that_finds_too_few_nodes_is_told_which_would_have_done() {
        let mut world = World::new();
        world.node("n", "cpu=2");
        world.node("m", "cpu=2");
        world.pod(pod("v").asks("cpu=2").on("n"));
        world.pod(pod("np").preemptible(false).asks("cpu=1").on("m"));
        for name in ["a", "b"] {
            world.pod(pod(name).job("j").asks("cpu=2").priority(1));
        }
        let said = tried(&mut world, "a");
        let expected = [
            "n Enough cheapest-node-first: 1 pod would make way, of priority 0",
            "v Unneeded cheapest-node-first: not every pod of the job would have a node",
            "m Barred cheapest-node-first: not enough cpu (asked 2, free 1); nobody there may make way",
        ];
        for line in expected {
            assert!(said.iter().any(|said| said == line), "`{line}` is not in {said:#?}");
        }
    }

    #[test]
    fn who_goes_for_the_quota_is_told_so() {
        let mut world = World::new();
        world.object(quota("team", "", "cpu=4", "cpu=4"));
        world.node("n1", "cpu=4");
        world.node("n2", "cpu=2");
        world.pod(pod("own").quota("team").asks("cpu=2").on("n2"));
        world.pod(pod("a").quota("team").preemptible(false).asks("cpu=4").priority(1));
        let said = tried(&mut world, "a");
        let own = said.iter().find(|line| line.starts_with("own Needed")).unwrap();
        assert!(own.starts_with("own Needed non-preemptible-job-fits-max: with it back, quota `team`, cpu: "), "{own}");
        assert!(own.ends_with(" is more than max 4"), "{own}");
    }

    #[test]
    fn what_was_noted_of_a_plan_that_the_host_refused_is_forgotten() {
        let mut world = World::new();
        world.node("x", "cpu=1");
        world.node("y", "cpu=1");
        world.pod(pod("v").asks("cpu=1").on("x"));
        world.pod(pod("w").asks("cpu=1").on("y"));
        world.pod(pod("a").asks("cpu=1").priority(1));
        let first = tried(&mut world, "a");
        assert!(first.iter().any(|line| line.starts_with("v Needed")), "{first:#?}");
        let a = world.id("a");
        world.engine.post_filter(a, &[Placement { pod: a, node: 0 }]).unwrap();
        let then = said(&world, "a");
        assert!(then.iter().any(|line| line.starts_with("w Needed")), "{then:#?}");
        assert!(!then.iter().any(|line| line.starts_with("v ")), "`x` is out of the question: {then:#?}");
    }
}

mod node_by_node {
    use super::*;

    #[test]
    fn every_node_says_what_it_would_cost_or_lacks() {
        let mut world = World::of("kubernetes", "");
        for node in ["x", "y", "z"] {
            world.node(node, "cpu=4");
        }
        world.pod(pod("dear").asks("cpu=4").priority(5).on("x"));
        world.pod(pod("victim").asks("cpu=3").on("y"));
        world.pod(pod("kept").asks("cpu=1").priority(1).on("y"));
        world.pod(pod("equal").asks("cpu=2").priority(9).on("z"));
        world.pod(pod("a").asks("cpu=3").priority(9));
        assert_eq!(
            tried(&mut world, "a"),
            [
                "equal Spared victim-ranks-lower: its priority 9 is not lower than the preemptor's 9",
                "z Barred fewest-violations-first: not enough cpu (asked 3, free 2); nobody there may make way",
                "equal Enough victim-ranks-lower: its node would have room if it made way; its priority 9 is not lower than \
                 the preemptor's 9",
                "x Enough fewest-violations-first: 1 pod would make way, of priority 5",
                "dear Unneeded fewest-violations-first: nothing was planned onto its node",
                "kept PutBack important-first: there is room for it beside the preemptor",
                "victim Needed important-first: with it back, not enough cpu (asked 3, free 0)",
                "y Chosen fewest-violations-first: 1 pod is planned onto it: 1 pod makes way, of priority 0",
            ]
        );
    }

    #[test]
    fn nodes_that_need_not_be_looked_at_are_told_so() {
        let mut world =
            World::of("kubernetes", r#"{"minCandidateNodesAbsolute": 1, "minCandidateNodesPercentage": 0}"#);
        for node in ["x", "y"] {
            world.node(node, "cpu=1");
            world.pod(pod(&format!("on-{node}")).asks("cpu=1").on(node));
        }
        world.pod(pod("a").asks("cpu=1").priority(1));
        let line = "y Unneeded fewest-violations-first: not looked at: 1 that would do are enough";
        let said = tried(&mut world, "a");
        assert!(said.iter().any(|said| said == line), "{said:#?}");
    }
}

mod cycle {
    use super::*;

    /// A node `n` of 4 cores and a queue `mine` that deserves 4, one `theirs` that deserves 1.
    fn world() -> World {
        let mut world = World::of("volcano", "");
        world.node("n", "cpu=4");
        for (queue, cores) in [("mine", "4"), ("theirs", "1")] {
            let spec = json!({"spec": {"deserved": {"cpu": cores}, "capability": {"cpu": "4"}}});
            world.object(object("Queue", &format!("/{queue}"), [&[], &[]], spec));
        }
        world
    }

    fn gang(world: &mut World, name: &str, queue: &str, minimum: u32) {
        let spec = json!({"spec": {"queue": queue, "minMember": minimum}});
        world.object(object("PodGroup", &format!("default/{name}"), [&[], &[]], spec));
    }

    fn member(name: &str, gang: &str) -> crate::testing::Draft {
        pod(name).annotation("scheduling.k8s.io/group-name", gang).asks("cpu=2")
    }

    /// What is noted in a whole cycle.
    fn acted(world: &mut World, asker: &str) -> Vec<String> {
        world.engine.record_notes(true);
        while world.engine.act().unwrap().more {}
        said(world, asker)
    }

    #[test]
    fn a_gang_is_told_what_the_nodes_lack_and_whom_it_takes_the_room_from() {
        let mut world = world();
        gang(&mut world, "old", "theirs", 1);
        gang(&mut world, "new", "mine", 2);
        world.pod(member("old-0", "old").on("n"));
        world.pod(member("old-1", "old").on("n"));
        world.pod(member("new-0", "new"));
        world.pod(member("new-1", "new"));
        let said = acted(&mut world, "new-1");
        // Nothing is idle; both pods of `old` must go for the two of `new`, and they go as a gang: one pod is its minimum.
        let expected = [
            "n Barred has-room: not enough cpu (asked 2, free 0)",
            "n Chosen lesser-job-gives-first: 2 pods are planned onto it: 2 pods make way, of priority up to 0",
        ];
        for line in expected {
            assert!(said.iter().any(|said| said == line), "`{line}` is not in {said:#?}");
        }
        for victim in ["old-0", "old-1"] {
            let line =
                format!("{victim} Needed lesser-job-gives-first: with it back, not enough cpu (asked 4, free 2)");
            assert!(said.contains(&line), "`{line}` is not in {said:#?}");
        }
        assert_eq!(said, super::said(&world, "new-0"), "what is noted is about the job");
    }

    #[test]
    fn a_gang_that_finds_no_way_is_told_who_was_spared_and_would_have_been_enough() {
        let mut world = world();
        gang(&mut world, "old", "theirs", 1);
        gang(&mut world, "new", "mine", 1);
        world.pod(member("old-0", "old").annotation("volcano.sh/preemptable", "false").on("n"));
        world.pod(member("old-1", "old").annotation("volcano.sh/preemptable", "false").on("n"));
        world.pod(member("new-0", "new"));
        let said = acted(&mut world, "new-0");
        let barred = "n Barred lesser-job-gives-first: not enough cpu (asked 2, free 0); nobody there may make way";
        assert!(said.iter().any(|said| said == barred), "{said:#?}");
        let spared =
            |name: &str| said.iter().any(|said| said.starts_with(&format!("{name} Spared victim-did-not-opt-out: ")));
        assert!(spared("old-0") && spared("old-1"), "{said:#?}");
        let enough = said.iter().filter(|said| said.contains(" Enough victim-did-not-opt-out: ")).count();
        assert_eq!(enough, 1, "one of the two would have been enough: {said:#?}");
    }

    #[test]
    fn a_queue_at_its_capability_is_named_with_both_sides() {
        let mut world = world();
        gang(&mut world, "old", "mine", 1);
        gang(&mut world, "new", "mine", 1);
        world.node("m", "cpu=4");
        world.pod(member("old-0", "old").on("n"));
        world.pod(member("old-1", "old").on("n"));
        world.pod(member("new-0", "new"));
        let said = acted(&mut world, "new-0");
        let line = said.iter().find(|line| line.starts_with("queue mine Barred queue-fits-capability: ")).unwrap();
        for number in ["4", "2"] {
            assert!(line.contains(number), "{line}");
        }
    }

    #[test]
    fn a_new_cycle_begins_anew() {
        let mut world = world();
        gang(&mut world, "new", "mine", 1);
        world.pod(pod("new-0").annotation("scheduling.k8s.io/group-name", "new").asks("cpu=9"));
        let first = acted(&mut world, "new-0");
        assert!(!first.is_empty());
        while world.engine.act().unwrap().more {}
        assert_eq!(super::said(&world, "new-0"), first);
    }
}
