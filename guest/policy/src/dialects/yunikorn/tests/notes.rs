//! What is noted of a group and of the nodes that were looked at.

use super::{Scene, of};
use crate::contract::{Note, Subject};

const TWO: &str = "
- {name: prod, resources: {guaranteed: {vcore: 4}}}
- {name: test, resources: {guaranteed: {vcore: 2}}}";

/// What was noted for a pod, a line each.
fn said(scene: &mut Scene, asker: &str) -> Vec<String> {
    let _ = scene.victims(asker);
    let world = &scene.0;
    let line = |note: Note| {
        let subject = match note.subject {
            Subject::Asker => "asker".to_owned(),
            Subject::Pod(pod) => world.pod_name(pod).trim_start_matches("default/").to_owned(),
            Subject::Node(node) => world.node_name(node),
            Subject::Queue(queue) => format!("queue {queue}"),
        };
        format!("{subject} {:?} {}: {}", note.outcome, note.law, note.message)
    };
    world.engine.notes(world.id(asker)).unwrap().into_iter().map(line).collect()
}

#[test]
fn the_group_is_told_what_would_be_missing_and_other_nodes_what_they_would_have_cost() {
    let mut scene = Scene::new(TWO)
        .nodes(&[("n", 4), ("m", 4)])
        .pods([
            of("a", "root.test", 2).on("n"),
            of("b", "root.test", 2).on("n").priority(-1),
            of("c", "root.test", 4).on("m"),
            of("p", "root.prod", 2),
        ])
        .after(30);
    let said = said(&mut scene, "p");
    let expected = [
        "b Needed yunikorn/smallest-group-first: with it back, not enough cpu (asked 2, free 0)",
        "a Unneeded yunikorn/smallest-group-first: others are enough",
        "m Enough yunikorn/smallest-group-first: 1 pod would make way, of priority 0",
        "c Unneeded yunikorn/smallest-group-first: nothing was planned onto its node",
        "n Chosen yunikorn/smallest-group-first: 1 pod is planned onto it: 1 pod makes way, of priority -1",
    ];
    for line in expected {
        assert!(said.iter().any(|said| said == line), "`{line}` is not in {said:#?}");
    }
}

#[test]
fn a_node_whose_group_the_laws_forbid_says_which_law() {
    // 6 used, 3 guaranteed: one pod of 2 may go, two may not.
    let three = "
- {name: prod, resources: {guaranteed: {vcore: 9}}}
- {name: test, resources: {guaranteed: {vcore: 3}}}";
    let pods = ["a", "b", "c"].map(|name| of(name, "root.test", 2).on("n"));
    let mut scene = Scene::new(three).nodes(&[("n", 6)]).pods(pods).pods([of("p", "root.prod", 4)]).after(30);
    let said = said(&mut scene, "p");
    let line = said.iter().find(|line| line.starts_with("n Barred yunikorn/2: ")).unwrap();
    assert!(line.contains("with fewer gone it has too little room, with more queue `root.test`"), "{line}");
}
