//! Tests of nodes by name, priorities by class, and the nodes on which a pod may run.

use super::*;
use crate::verify::testing::interests;

#[test]
fn a_pod_on_an_unknown_node_is_kept_until_the_node_comes() {
    let mut mirror = mirror();
    let lost = pod("p", "nodeName: n").replace("kind: Pod, ", "kind: Pod, status: {phase: Pending}, ");
    apply(&mut mirror, &lost);
    let told = the_pod(&mirror, "default/p");
    assert_eq!((told.node, told.phase), (None, Phase::Running));
    let warnings = mirror.warnings();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].message.contains("`default/p` runs on node `n`"), "{}", warnings[0]);
    mirror.drain_events();
    apply(&mut mirror, &node("n"));
    let told = the_pod(&mirror, "default/p");
    assert_eq!((told.node, told.phase), (Some(0), Phase::Pending));
    assert_eq!(mirror.warnings(), []);
    assert_eq!(drained(&mut mirror), ["node n", "shape 0 [1]", "status 0"]);
}

#[test]
fn with_a_node_go_the_pods_on_it_and_nominations_to_it() {
    let mut mirror = mirror();
    let nominated = pod("q", "").replace("kind: Pod, ", "kind: Pod, status: {nominatedNodeName: n}, ");
    let reserved = format!("{SLOT}status: {{state: Open, placement: {{node: n}}}}\n");
    apply(&mut mirror, &format!("{}{}{nominated}{reserved}", node("n"), pod("p", "nodeName: n")));
    assert_eq!(the_pod(&mirror, "default/q").nominated, Some(0));
    mirror.drain_events();
    assert!(mirror.remove("Node/n"));
    assert_eq!(the_pod(&mirror, "default/q").nominated, None);
    let expected = ["no pod 0", "no pod 2", "no object Slot r", "shape 0 []", "status 1", "no node 0"];
    assert_eq!(drained(&mut mirror), expected);
    assert!(!mirror.remove("Node/n"));
    apply(&mut mirror, &node("n"));
    assert_eq!(the_pod(&mirror, "default/q").nominated, Some(0));
    assert_eq!(drained(&mut mirror), ["node n", "shape 0 [1]", "status 1"]);
}

#[test]
fn a_node_that_comes_back_at_once_has_merely_changed() {
    let mut mirror = mirror();
    apply(&mut mirror, &format!("{}{}", node("n"), pod("p", "nodeName: n")));
    mirror.drain_events();
    mirror.remove("Node/n");
    apply(&mut mirror, &format!("{}{}", node("n"), pod("p", "nodeName: n")));
    // The bit of the node was cleared and set again, so the unchanged shape is sent again.
    assert_eq!(drained(&mut mirror), ["no pod 0", "node n", "shape 0 [1]", "pod 1 p"]);
}

#[test]
fn the_priority_is_the_pods_or_its_classes_or_the_default_ones() {
    let mut mirror = mirror();
    let pods = [
        pod("own", "priority: 5, priorityClassName: high"),
        pod("class", "priorityClassName: high"),
        pod("none", ""),
        pod("system", "priorityClassName: system-node-critical"),
        pod("policy", "priorityClassName: high, preemptionPolicy: PreemptLowerPriority"),
        pod("bare", "priority: 6"),
    ];
    apply(&mut mirror, &pods.concat());
    let told = |mirror: &Mirror, name: &str| {
        let pod = the_pod(mirror, &format!("default/{name}"));
        (pod.template.priority, pod.template.never_preempts)
    };
    assert_eq!(told(&mirror, "class"), (None, false));
    assert_eq!(told(&mirror, "none"), (None, false));
    assert_eq!(told(&mirror, "system"), (Some(2_000_001_000), false));
    let warnings: Vec<_> = mirror.warnings().into_iter().map(|warning| warning.message).collect();
    assert_eq!(warnings.len(), 2);
    assert!(warnings[0].contains("`default/class` names priority class `high`"), "{warnings:?}");
    mirror.drain_events();
    let default = "globalDefault: true, preemptionPolicy: Never";
    apply(&mut mirror, &[class("high", 9, "preemptionPolicy: Never"), class("low", 2, default)].concat());
    for (name, expected) in [
        ("own", (Some(5), true)),
        ("class", (Some(9), true)),
        ("none", (Some(2), true)),
        ("policy", (Some(9), false)),
        ("bare", (Some(6), false)),
    ] {
        assert_eq!(told(&mirror, name), expected, "{name}");
    }
    let expected = [
        "object PriorityClass high",
        "object PriorityClass low",
        "pod 0 own",
        "pod 1 class",
        "pod 2 none",
        "pod 4 policy",
    ];
    assert_eq!(drained(&mut mirror), expected);
    apply(&mut mirror, &class("lower", 1, "globalDefault: true"));
    assert_eq!(told(&mirror, "none"), (Some(1), false));
    assert!(mirror.remove("PriorityClass/high"));
    assert_eq!(told(&mirror, "class"), (Some(9), true));
    assert!(!mirror.remove("PriorityClass/high"));
}

#[test]
fn eligibility_follows_nodes_and_gives_its_reason() {
    let mut mirror = mirror();
    let pods = [pod("a", "nodeSelector: {zone: x}"), pod("b", "nodeSelector: {zone: x}"), pod("c", "")];
    apply(&mut mirror, &[&node("n"), &*pods.concat()].concat());
    assert_eq!(the_pod(&mirror, "default/a").shape, the_pod(&mirror, "default/b").shape);
    assert_ne!(the_pod(&mirror, "default/a").shape, the_pod(&mirror, "default/c").shape);
    assert_eq!(mirror.eligible(0, 0).unwrap_err().to_string(), "node(s) didn't match Pod's node affinity/selector");
    assert_eq!(mirror.eligible(2, 0), Ok(()));
    assert!(mirror.eligible(9, 0).is_err());
    assert!(mirror.eligible(0, 9).is_err());
    apply(
        &mut mirror,
        "{apiVersion: v1, kind: Node, metadata: {name: n, labels: {zone: x}}, spec: {taints: [{key: k, value: v, effect: NoSchedule}]}}",
    );
    assert_eq!(mirror.eligible(0, 0).unwrap_err().to_string(), "node(s) had untolerated taint {k: v}");
}

#[test]
fn kinds_with_namespaces_are_told_apart_and_used_by_name() {
    let claims = PlacedKind {
        kind: "Claim".to_owned(),
        namespaced: true,
        room_use: Some(RoomUse { annotation: "claim".to_owned(), name: None }),
        ..slots()
    };
    let mut mirror = Mirror::new(Interests {
        annotations: vec!["claim".to_owned()],
        placed_kinds: vec![slots(), claims],
        ..interests()
    });
    let claim = |namespace: &str| {
        let named = format!("{{name: r, namespace: {namespace}}}");
        SLOT.replace("kind: Slot", "kind: Claim").replace("{name: r, labels: {team: own}}", &named)
    };
    let slot = SLOT.replace("name: r,", "name: r, namespace: ignored,");
    let user = pod("p", "").replace("{name: p}", "{name: p, namespace: b, annotations: {claim: r}}");
    apply(&mut mirror, &[slot, claim("a"), claim("b"), user].concat());
    let told: Vec<_> = mirror.pods().map(|pod| (pod.kind, &*pod.template.namespace, &*pod.name)).collect();
    assert_eq!(told, [(Some(0), "default", "r"), (Some(1), "a", "r"), (Some(1), "b", "r"), (None, "b", "p")]);
    assert_eq!(mirror.capacity_owner(the_pod(&mirror, "b/p")), mirror.pod_id("Claim/b/r"));
    assert!(mirror.contains("Slot/r") && mirror.contains("Claim/a/r") && !mirror.contains("Claim/r"));
    assert!(mirror.remove("Claim/b/r"));
    assert_eq!(mirror.capacity_owner(the_pod(&mirror, "b/p")), None);
    assert!(mirror.contains("Claim/a/r"));
}

#[test]
fn an_object_that_cannot_be_read_leaves_what_was_known_of_it() {
    let mut mirror = mirror();
    let wrong = format!("{SLOT}status: {{state: Nowhere}}\n");
    assert_eq!(mirror.mistakes_in(&objects(&[SLOT, &wrong].concat())).len(), 1);
    apply(&mut mirror, SLOT);
    mirror.drain_events();
    apply(&mut mirror, &wrong);
    assert_eq!(drained(&mut mirror), [""; 0]);
    let unread = mirror.drain_invalid_objects();
    assert_eq!(unread.iter().map(|unread| &*unread.object).collect::<Vec<_>>(), ["Slot/r"]);
    assert_eq!(mirror.drain_invalid_objects(), []);
}
