//! Topology spread constraints.

use super::*;

/// Returns a pod of app `web` with a spread constraint over zones for the pods of this app.
fn spread(name: &str, more: Value) -> Value {
    let mut constraint = json!({"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
                                "labelSelector": {"matchLabels": {"app": "web"}}});
    for (key, value) in more.as_object().unwrap() {
        constraint[key] = value.clone();
    }
    with(app(name, json!({"app": "web"})), "/spec", "topologySpreadConstraints", json!([constraint]))
}

#[test]
fn the_skew_is_bounded() {
    let web = |name: &str, node: &str| on(node, app(name, json!({"app": "web"})));
    // a: 1, b: 0. One more in a is 2 - 0 > 1.
    let one =
        world([web("w1", "a1"), spread("p", json!({})), spread("q", json!({})), spread("wide", json!({"maxSkew": 2}))]);
    assert_eq!(judge(&one, &[("p", "a2")]), Err("spread"));
    assert_eq!(judge(&one, &[("wide", "a2")]), Ok(()));
    assert_eq!(judge(&one, &[("p", "b1")]), Ok(()));
    assert_eq!(judge(&one, &[("p", "n")]), Err("label"));
    // Both are placed: p balances the zones, so that q may use zone a, whichever is named first.
    assert_eq!(judge(&one, &[("q", "a2"), ("p", "b1")]), Ok(()));
    assert_eq!(judge(&one, &[("q", "b1"), ("p", "b1")]), Ok(()));
    assert_eq!(judge(&one, &[("q", "a1"), ("p", "a1")]), Err("spread"));
}

#[test]
fn a_pod_that_is_not_selected_does_not_count_itself() {
    let other = with(spread("p", json!({})), "/metadata", "labels", json!({"app": "other"}));
    let world = world([on("a1", app("w1", json!({"app": "web"}))), other]);
    // 1 + 0 - 0 is not more than 1.
    assert_eq!(judge(&world, &[("p", "a1")]), Ok(()));
}

#[test]
fn pods_of_other_namespaces_and_those_being_deleted_do_not_count_for_spread() {
    let elsewhere = with(on("a1", app("w1", json!({"app": "web"}))), "/metadata", "namespace", json!("other"));
    let mut world = world([elsewhere, on("a1", app("w2", json!({"app": "web"}))), spread("p", json!({}))]);
    assert_eq!(judge(&world, &[("p", "a1")]), Err("spread"));
    world.mirror.terminate(world.pod("default/w2"));
    world.sync();
    assert_eq!(judge(&world, &[("p", "a1")]), Ok(()));
}

#[test]
fn fewer_domains_than_wanted_count_as_empty_ones() {
    let web = |name: &str, node: &str| on(node, app(name, json!({"app": "web"})));
    let even = || [web("w1", "a1"), web("w2", "b1")];
    let of = |more| world(even().into_iter().chain([spread("p", more)]));
    assert_eq!(judge(&of(json!({"minDomains": 2})), &[("p", "a1")]), Ok(()));
    assert_eq!(judge(&of(json!({"minDomains": 3})), &[("p", "a1")]), Err("spread"));
}

#[test]
fn only_nodes_that_the_pod_may_use_count() {
    let web = || on("a1", app("w1", json!({"app": "web"})));
    let only_a = |more| with(spread("p", more), "/spec", "nodeSelector", json!({"zone": "a"}));
    // Zone b is empty, and does not count, because the pod may not run there.
    assert_eq!(judge(&world([web(), only_a(json!({}))]), &[("p", "a1")]), Ok(()));
    let ignored = only_a(json!({"nodeAffinityPolicy": "Ignore"}));
    assert_eq!(judge(&world([web(), ignored]), &[("p", "a1")]), Err("spread"));
    // A taint of the node in b matters only where the constraint honors taints.
    let tainted = with(in_zone("b1", "b"), "", "spec", json!({"taints": [{"key": "x", "effect": "NoSchedule"}]}));
    let of = |more| ClusterFixture::of([in_zone("a1", "a"), tainted.clone(), web(), spread("p", more)]);
    assert_eq!(judge(&of(json!({})), &[("p", "a1")]), Err("spread"));
    assert_eq!(judge(&of(json!({"nodeTaintsPolicy": "Honor"})), &[("p", "a1")]), Ok(()));
    let mut later = of(json!({"nodeTaintsPolicy": "Honor"}));
    later.mirror.upsert(object(in_zone("b1", "b")));
    later.sync();
    assert_eq!(judge(&later, &[("p", "a1")]), Err("spread"), "the taint is gone");
}

#[test]
fn a_selector_that_is_empty_spreads_nothing() {
    let web = |name: &str| on("a1", app(name, json!({"app": "web"})));
    for selector in [json!({}), Value::Null] {
        let world = world([web("w1"), web("w2"), spread("p", json!({"labelSelector": selector}))]);
        assert_eq!(judge(&world, &[("p", "a1")]), Ok(()), "{selector}");
        assert_eq!(judge(&world, &[("p", "n")]), Err("label"), "{selector}");
    }
}
