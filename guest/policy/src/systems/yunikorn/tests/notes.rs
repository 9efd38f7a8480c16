//! The notes on the eviction set and on the nodes that were tried.

use super::{Scene, of};
use crate::testing::assert_trace;

const TWO: &str = "
- {name: prod, resources: {guaranteed: {vcore: 4}}}
- {name: test, resources: {guaranteed: {vcore: 2}}}";

/// Tries a pod, searches a plan for it, and returns its notes.
fn tried(scene: &mut Scene, preemptor: &str) -> Vec<String> {
    let _ = scene.victims(preemptor);
    scene.0.trace_lines(preemptor)
}

#[test]
fn victims_are_noted_with_what_they_free_and_other_nodes_with_their_cost() {
    let mut scene = Scene::new(TWO)
        .nodes(&[("n", 4), ("m", 4)])
        .pods([
            of("a", "root.test", 2).on("n"),
            of("b", "root.test", 2).on("n").priority(-1),
            of("c", "root.test", 4).on("m"),
            of("p", "root.prod", 2),
        ])
        .after(30);
    let said = tried(&mut scene, "p");
    assert_trace(
        &said,
        &[
            "b Needed needed: requested cpu 2, free cpu 0",
            "a Unneeded not-needed: others-suffice",
            "m Enough node-suffices: victims 1, priority 0",
            "c Unneeded not-needed: unused-node",
            "n Chosen node-chosen: victims 1, priority -1, pods 1",
        ],
    );
}

#[test]
fn a_node_whose_eviction_set_is_denied_is_noted_with_the_law() {
    // 6 used, 3 guaranteed: one pod of 2 may be evicted, two may not.
    let three = "
- {name: prod, resources: {guaranteed: {vcore: 9}}}
- {name: test, resources: {guaranteed: {vcore: 3}}}";
    let pods = ["a", "b", "c"].map(|name| of(name, "root.test", 2).on("n"));
    let mut scene = Scene::new(three).nodes(&[("n", 6)]).pods(pods).pods([of("p", "root.prod", 4)]).after(30);
    let said = tried(&mut scene, "p");
    let line = said.iter().find(|line| line.starts_with("n Barred 2: ")).unwrap();
    assert!(line.contains("queue root.test") && line.ends_with("context engine/more-evicted"), "{line}");
}
