//! Tests of the constraints between pods: which pods may run together. The expected results follow from the rules of kube-scheduler (plugins
//! InterPodAffinity, PodTopologySpread and VolumeRestrictions).

mod spread;

use lictor_contract::{Effects, Placement};
use serde_json::{Value, json};

use crate::verify::BindingToNodes;
use crate::verify::testing::{ClusterFixture, IN_SLOT, node, object, on, pod, slot, with};

/// Returns a node in this zone.
fn in_zone(name: &str, zone: &str) -> Value {
    with(node(name, 16), "/metadata", "labels", json!({"zone": zone, "host": name}))
}

/// Returns a pod of one core with these labels.
fn app(name: &str, labels: Value) -> Value {
    with(pod(name, 1, 0), "/metadata", "labels", labels)
}

/// Adds terms of this kind of affinity to a pod: each has the app that it selects, and the topology.
fn with_terms(pod: Value, kind: &str, terms: &[(&str, &str)]) -> Value {
    let term = |(app, key): &(&str, &str)| json!({"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key});
    let terms: Vec<Value> = terms.iter().map(term).collect();
    with(pod, "/spec", "affinity", json!({kind: {"requiredDuringSchedulingIgnoredDuringExecution": terms}}))
}

fn near(name: &str, app_label: &str, terms: &[(&str, &str)]) -> Value {
    with_terms(app(name, json!({"app": app_label})), "podAffinity", terms)
}

fn far(name: &str, app_label: &str, terms: &[(&str, &str)]) -> Value {
    with_terms(app(name, json!({"app": app_label})), "podAntiAffinity", terms)
}

/// Returns the nodes: `a1` and `a2` in zone `a`, `b1` in zone `b`, and `n` in no zone.
fn nodes() -> Vec<Value> {
    vec![in_zone("a1", "a"), in_zone("a2", "a"), in_zone("b1", "b"), node("n", 16)]
}

fn world(pods: impl IntoIterator<Item = Value>) -> ClusterFixture {
    ClusterFixture::of(nodes().into_iter().chain(pods))
}

/// Checks bindings. Returns the case of the constraint that they break, in short.
fn judge(world: &ClusterFixture, placed: &[(&str, &str)]) -> Result<(), &'static str> {
    let name = |pod: &str| format!("default/{pod}");
    let placed: Vec<Placement> = placed.iter().map(|(pod, node)| world.placement((&name(pod), node))).collect();
    let checked = crate::verify::bindings(&world.context(), &placed);
    if let [Placement { pod, node }] = placed[..] {
        let alone = BindingToNodes::new(world.context(), pod).check(node);
        assert_eq!(alone, checked, "the same checks, one node after another");
    }
    match checked {
        Ok(()) => Ok(()),
        Err(violation) => {
            assert_eq!(violation.reason().code, "host/inter-pod", "{violation}");
            Err(said(&violation.node_obstacle()))
        }
    }
}

/// Returns a short word for a reason.
fn said(words: &str) -> &'static str {
    match words {
        "node(s) didn't satisfy existing pods anti-affinity rules" => "existing",
        "node(s) didn't match pod anti-affinity rules" => "anti",
        "node(s) didn't match pod affinity rules" => "affinity",
        "node(s) didn't match pod topology spread constraints" => "spread",
        "node(s) didn't match pod topology spread constraints (missing required label)" => "label",
        "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode" => "claim",
        other => panic!("{other}"),
    }
}

#[test]
fn anti_affinity_holds_in_both_directions_within_the_domain() {
    let db = || on("a1", app("db", json!({"app": "db"})));
    let world = world([db(), far("p", "web", &[("db", "zone")]), far("h", "web", &[("db", "host")])]);
    assert_eq!(judge(&world, &[("p", "a1")]), Err("anti"));
    assert_eq!(judge(&world, &[("p", "a2")]), Err("anti"));
    assert_eq!(judge(&world, &[("p", "b1")]), Ok(()));
    // A node without the label is in no domain.
    assert_eq!(judge(&world, &[("p", "n")]), Ok(()));
    assert_eq!(judge(&world, &[("h", "a1")]), Err("anti"));
    assert_eq!(judge(&world, &[("h", "a2")]), Ok(()));
    let turned = ClusterFixture::of(nodes().into_iter().chain([
        on("a1", far("h", "web", &[("db", "zone")])),
        app("db", json!({"app": "db"})),
        app("other", json!({"app": "other"})),
    ]));
    assert_eq!(judge(&turned, &[("db", "a2")]), Err("existing"));
    assert_eq!(judge(&turned, &[("db", "b1")]), Ok(()));
    assert_eq!(judge(&turned, &[("other", "a1")]), Ok(()));
}

#[test]
fn anti_affinity_holds_one_term_at_a_time_and_in_the_own_namespace() {
    let elsewhere = with(on("a1", app("db", json!({"app": "db"}))), "/metadata", "namespace", json!("other"));
    let world = world([elsewhere, far("p", "web", &[("db", "zone"), ("cache", "zone")])]);
    assert_eq!(judge(&world, &[("p", "a1")]), Ok(()));
    let mut world =
        ClusterFixture::of(nodes().into_iter().chain([far("p", "web", &[("db", "zone"), ("cache", "zone")])]));
    world.mirror.upsert(object(on("a1", app("c", json!({"app": "cache"})))));
    world.sync();
    assert_eq!(judge(&world, &[("p", "a2")]), Err("anti"));
}

#[test]
fn who_is_being_deleted_counts_until_it_is_gone() {
    let mut world = world([
        on("a1", app("db", json!({"app": "db"}))),
        far("p", "web", &[("db", "zone")]),
        near("q", "x", &[("db", "zone")]),
    ]);
    world.mirror.terminate(world.pod("default/db"));
    world.sync();
    assert_eq!(judge(&world, &[("p", "a1")]), Err("anti"));
    assert_eq!(judge(&world, &[("q", "a1")]), Ok(()));
    assert!(world.mirror.remove("Pod/default/db"));
    world.sync();
    assert_eq!(judge(&world, &[("p", "a1")]), Ok(()));
    assert_eq!(judge(&world, &[("q", "a1")]), Err("affinity"));
}

#[test]
fn pods_of_one_answer_stand_between_each_other() {
    let world = world([far("p", "web", &[("web", "zone")]), far("q", "web", &[("web", "zone")])]);
    assert_eq!(judge(&world, &[("p", "a1")]), Ok(()));
    assert_eq!(judge(&world, &[("p", "a1"), ("q", "b1")]), Ok(()));
    assert!(judge(&world, &[("p", "a1"), ("q", "a2")]).is_err());
}

#[test]
fn a_pod_held_at_permit_counts() {
    let mut world = world([far("p", "web", &[("web", "zone")]), far("q", "web", &[("web", "zone")])]);
    let (q, b1) = (world.pod("default/q"), world.node("b1"));
    world.hold(q, b1);
    world.sync();
    assert_eq!(judge(&world, &[("p", "b1")]), Err("anti"));
    assert_eq!(judge(&world, &[("p", "a1")]), Ok(()));
}

#[test]
fn affinity_wants_one_pod_for_all_terms_in_each_topology() {
    let db = |labels: Value| on("a1", app("db", labels));
    let p = || near("p", "web", &[("db", "zone")]);
    let zone = world([db(json!({"app": "db"})), p()]);
    assert_eq!(judge(&zone, &[("p", "a2")]), Ok(()));
    assert_eq!(judge(&zone, &[("p", "b1")]), Err("affinity"));
    assert_eq!(judge(&zone, &[("p", "n")]), Err("affinity"));
    let both = world([db(json!({"app": "db"})), near("p", "web", &[("db", "zone"), ("db", "host")])]);
    assert_eq!(judge(&both, &[("p", "a2")]), Err("affinity"));
    assert_eq!(judge(&both, &[("p", "a1")]), Ok(()));
    // Two pods that match one term each are not one pod that matches both.
    let cache = on("a1", app("cache", json!({"app": "cache"})));
    let two = world([db(json!({"app": "db"})), cache, near("p", "web", &[("db", "zone"), ("cache", "zone")])]);
    assert_eq!(judge(&two, &[("p", "a1")]), Err("affinity"));
}

#[test]
fn the_first_of_a_series_may_be_anywhere_but_where_a_label_is_missing() {
    let first = world([near("p", "web", &[("web", "zone")]), near("q", "web", &[("web", "zone")])]);
    assert_eq!(judge(&first, &[("p", "b1")]), Ok(()));
    assert_eq!(judge(&first, &[("p", "n")]), Err("affinity"));
    assert_eq!(judge(&first, &[("p", "a1"), ("q", "a2")]), Ok(()));
    assert_eq!(judge(&first, &[("p", "a1"), ("q", "b1")]), Err("affinity"));
    let second = world([on("a1", app("w", json!({"app": "web"}))), near("p", "web", &[("web", "zone")])]);
    assert_eq!(judge(&second, &[("p", "b1")]), Err("affinity"));
    // A pod on a node without a domain is not the first of a series.
    let lost = world([on("n", app("w", json!({"app": "web"}))), near("p", "web", &[("web", "zone")])]);
    assert_eq!(judge(&lost, &[("p", "b1")]), Ok(()));
    let not_self = world([near("p", "web", &[("db", "zone")])]);
    assert_eq!(judge(&not_self, &[("p", "b1")]), Err("affinity"));
}

#[test]
fn pods_that_require_each_other_come_together() {
    let world = world([near("p", "web", &[("db", "zone")]), near("q", "db", &[("web", "zone")])]);
    assert_eq!(judge(&world, &[("p", "a1")]), Err("affinity"));
    assert_eq!(judge(&world, &[("p", "a1"), ("q", "a2")]), Ok(()));
    assert_eq!(judge(&world, &[("p", "a1"), ("q", "b1")]), Err("affinity"));
}

#[test]
fn a_claim_for_one_pod_has_one() {
    let claim = |mode: &str| {
        json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c", "namespace": "default"},
               "spec": {"accessModes": [mode], "volumeName": "v"}})
    };
    let volume = json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": {}});
    let user = |name: &str| {
        let volumes = json!([{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]);
        with(pod(name, 1, 0), "/spec", "volumes", volumes)
    };
    let of = |mode: &str| world([volume.clone(), claim(mode), on("a1", user("u")), user("p"), user("q")]);
    assert_eq!(judge(&of("ReadWriteOncePod"), &[("p", "b1")]), Err("claim"));
    assert_eq!(judge(&of("ReadWriteOncePod"), &[("p", "n")]), Err("claim"));
    assert_eq!(judge(&of("ReadWriteOnce"), &[("p", "b1")]), Ok(()));
    let mut world = of("ReadWriteOncePod");
    assert!(world.mirror.remove("Pod/default/u"));
    world.sync();
    assert_eq!(judge(&world, &[("p", "b1")]), Ok(()));
    assert_eq!(judge(&world, &[("p", "b1"), ("q", "a1")]), Err("claim"));
    world.mirror.upsert(object(claim("ReadWriteMany")));
    world.sync();
    assert_eq!(judge(&world, &[("p", "b1"), ("q", "a1")]), Ok(()), "the claim is another");
}

#[test]
fn who_breaks_a_rule_already_is_no_hindrance_to_others() {
    let broken = [on("a1", far("x", "web", &[("web", "zone")])), on("a1", far("y", "web", &[("web", "zone")]))];
    let world = world(broken.into_iter().chain([app("p", json!({"app": "other"}))]));
    assert_eq!(judge(&world, &[("p", "a1")]), Ok(()));
}

/// Checks a plan. Returns the case of the constraint that it breaks, in short.
fn plan(world: &ClusterFixture, nominated: &[(&str, &str)], victims: &[&str]) -> Result<(), &'static str> {
    let plan = world.plan(nominated, victims);
    world.check_with(&plan, &Effects::default()).map_err(|violation| {
        assert_eq!(violation.refuted_part(&plan).placements.len(), 1, "one placement is to blame");
        said(&violation.node_obstacle())
    })
}

#[test]
fn a_plan_holds_once_its_victims_are_gone() {
    let world = world([
        on("a1", app("db", json!({"app": "db"}))),
        on("b1", app("idle", json!({}))),
        far("p", "web", &[("db", "zone")]),
        near("q", "web", &[("db", "zone")]),
    ]);
    assert_eq!(plan(&world, &[("default/p", "a2")], &["default/db"]), Ok(()));
    assert_eq!(plan(&world, &[("default/p", "a2")], &["default/idle"]), Err("anti"));
    // The plan evicts the pod that the affinity requires.
    assert_eq!(plan(&world, &[("default/q", "a1")], &["default/db"]), Err("affinity"));
    assert_eq!(plan(&world, &[("default/q", "a1")], &[]), Ok(()));
}

#[test]
fn a_plan_may_count_on_a_pod_that_is_leaving_to_be_gone_or_to_be_there() {
    let db = on("a1", app("db", json!({"app": "db"})));
    let mut world = world([db, far("p", "web", &[("db", "zone")]), near("q", "web", &[("db", "zone")])]);
    assert_eq!(plan(&world, &[("default/p", "a2")], &[]), Err("anti"));
    world.mirror.terminate(world.pod("default/db"));
    world.sync();
    assert_eq!(plan(&world, &[("default/p", "a2")], &[]), Ok(()));
    assert_eq!(plan(&world, &[("default/q", "a2")], &[]), Ok(()));
    assert_eq!(plan(&world, &[("default/q", "b1")], &[]), Err("affinity"));
}

#[test]
fn the_nominated_pods_of_a_plan_are_held_against_each_other() {
    let gang = world([near("p", "web", &[("web", "zone")]), near("q", "web", &[("web", "zone")])]);
    assert_eq!(plan(&gang, &[("default/p", "a1"), ("default/q", "a2")], &[]), Ok(()));
    assert_eq!(plan(&gang, &[("default/p", "a1"), ("default/q", "b1")], &[]), Err("affinity"));
}

#[test]
fn a_pod_and_the_slot_whose_room_it_uses_are_one() {
    let labelled = with(slot("s", 1, Some("a1")), "/metadata", "labels", json!({"app": "web"}));
    let mut user = far("p", "web", &[("web", "zone")]);
    let stranger = far("q", "web", &[("web", "zone")]);
    user["metadata"]["annotations"] = json!({IN_SLOT: r#"{"slot":{"name":"s"}}"#});
    let labelled = with(labelled, "/spec/pod", "metadata", json!({"namespace": "default"}));
    let world = world([labelled, user, stranger]);
    assert_eq!(judge(&world, &[("p", "a1")]), Ok(()));
    assert_eq!(judge(&world, &[("q", "a1")]), Err("anti"));
}
