//! Applications and their queues.

use super::{Scene, config_map, keys, label, of, of_app, yaml};
use crate::contract::{Membership, Severity};

const TENANTS: &str = "
- name: tenants
  parent: true
  childtemplate: {resources: {guaranteed: {vcore: 2}, max: {vcore: 6}}, properties: {preemption.policy: fence}}
- name: leaf";

/// Returns the usage of a queue in cores. `None`: the queue does not exist.
fn used(scene: &Scene, queue: &str) -> Option<i64> {
    let accounts = scene.0.engine.queues().unwrap();
    let account = accounts.into_iter().find(|account| account.name == queue)?;
    Some(account.used.iter().find(|amount| amount.resource == 0).map_or(0, |amount| amount.value / 1000))
}

#[test]
fn an_application_is_in_one_queue_in_any_order_of_reports() {
    let first = || of_app("b", "app", "root.one", 1).on("n").with(|pod| pod.created = 1);
    let second = || of_app("a", "app", "root.two", 2).on("n").with(|pod| pod.created = 2);
    for pods in [[first(), second()], [second(), first()]] {
        let scene = Scene::new("- name: leaf").nodes(&[("n", 9)]).pods(pods);
        assert_eq!((used(&scene, "root.one"), used(&scene, "root.two")), (Some(3), None));
    }
}

#[test]
fn an_application_in_two_namespaces_is_one_job_named_by_its_first_pod() {
    let in_namespace = |name: &str, namespace: &str, created| {
        of_app(name, "app", "root.leaf", 1).with(|pod| {
            pod.created = created;
            pod.template_mut().namespace = namespace.to_owned();
        })
    };
    let scene = Scene::new("- name: leaf").pods([in_namespace("a", "late", 2), in_namespace("b", "early", 1)]);
    let pods: Vec<u32> = scene.0.numbers.pods.values().copied().collect();
    let member = Membership { queue: Some("root.leaf".to_owned()), job: Some("early/app".to_owned()) };
    assert_eq!(scene.0.engine.memberships(&pods), Ok(vec![member.clone(), member]));
}

#[test]
fn queues_on_demand_exist_as_long_as_they_have_pods() {
    let mut scene = Scene::new(TENANTS).nodes(&[("n", 9)]).pods([of("a", "root.tenants.one", 1).on("n")]);
    assert_eq!(used(&scene, "root.tenants.one"), Some(1));
    let bounds: Vec<(String, i64)> = scene
        .0
        .account("root.tenants.one")
        .bounds
        .into_iter()
        .flat_map(|bound| bound.amounts.into_iter().map(move |amount| (bound.name.clone(), amount.value)))
        .collect();
    assert_eq!(bounds, [("guaranteed".to_owned(), 2000), ("max".to_owned(), 6000)]);
    scene.0.remove_pod("a");
    assert_eq!(used(&scene, "root.tenants.one"), None);
}

#[test]
fn a_pod_that_names_no_leaf_is_refused_for_good() {
    let refused = Some(("yunikorn/queue-is-known".to_owned(), true));
    for (queue, expected) in [
        ("root.tenants.new", None),
        ("TENANTS.New", None),
        ("root.tenants.new.deeper", None),
        ("root.leaf", None),
        ("root.tenants", refused.clone()),
        ("root.leaf.below", refused.clone()),
        ("root.tenants.b@d name", refused.clone()),
        ("root", refused),
    ] {
        let mut scene = Scene::new(TENANTS).pods([of("p", queue, 1)]);
        assert_eq!(scene.refused("p"), expected, "{queue}");
    }
}

#[test]
fn every_key_is_read_and_the_newer_key_takes_precedence() {
    let bare = |name: &str| of(name, "", 1);
    let labelled = label(label(bare("a"), keys::QUEUE, "root.new"), keys::APPLICATION, "x").on("n");
    let scene = Scene::new(TENANTS).nodes(&[("n", 9)]).pods([labelled]);
    assert_eq!(used(&scene, "root.new"), Some(1));
    let annotated = super::annotation(bare("a"), keys::QUEUE, "root.annotated").on("n");
    let scene = Scene::new(TENANTS).nodes(&[("n", 9)]).pods([annotated]);
    assert_eq!(used(&scene, "root.annotated"), Some(1));
}

#[test]
fn a_bad_configuration_leaves_the_last_valid_one_in_force() {
    let mut scene = Scene::new(TENANTS).nodes(&[("n", 9)]).pods([of("a", "root.leaf", 1).on("n")]);
    scene.0.object(config_map(&yaml("- {name: other, resource: {}}")));
    let found = scene.0.findings.pop().unwrap();
    assert_eq!(
        (found.severity, found.object.as_str(), found.path.as_str()),
        (Severity::Error, "ConfigMap/yunikorn/yunikorn-configs", "/data/queues.yaml")
    );
    assert!(found.message.starts_with("line 7: `root.other`: unknown key `resource`"), "{}", found.message);
    assert_eq!((used(&scene, "root.leaf"), used(&scene, "root.other")), (Some(1), None));
    scene.0.object(config_map(&yaml("- {name: other}")));
    assert_eq!(
        (used(&scene, "root.leaf"), used(&scene, "root.other")),
        (Some(1), Some(0)),
        "its pods create it on demand"
    );
}

#[test]
fn the_queue_with_the_smaller_share_of_its_guarantee_comes_first() {
    let queues = "
- {name: a, resources: {guaranteed: {vcore: 4}}}
- {name: b, resources: {guaranteed: {vcore: 8}}}
- {name: c, properties: {priority.offset: \"1\"}}";
    let scene = Scene::new(queues).nodes(&[("n", 9)]).pods([
        of("a0", "root.a", 2).on("n"),
        of("b0", "root.b", 3).on("n"),
        of("a1", "root.a", 1),
        of("b1", "root.b", 1),
        of("b2", "root.b", 1).priority(0).with(|pod| pod.created = -1),
        of("c1", "root.c", 1),
    ]);
    let mut world = scene.0;
    let ids = ["a1", "b1", "b2", "c1"].map(|name| world.id(name));
    let order: Vec<String> = world.queue(&ids).into_iter().map(|id| world.pod_name(id)).collect();
    // c ranks one higher; b uses 3 of 8, a 2 of 4; b2 is older than b1.
    assert_eq!(order, ["default/c1", "default/b2", "default/b1", "default/a1"]);
}

#[test]
fn a_queue_that_does_not_exist_is_a_finding_that_says_where_its_pods_are() {
    for (rules, outcome) in [
        ("[{name: provided, create: false}]", "its pods are not tried"),
        ("[{name: provided, create: false}, {name: fixed, value: root.leaf}]", "its pods are in `root.leaf`"),
    ] {
        let text = yaml("- name: leaf").replace("[{name: provided, create: true}]", rules);
        let mut scene = Scene(crate::testing::PolicyHarness::of("yunikorn", ""));
        scene.0.object(config_map(&text));
        let scene = scene.pods([of("a", "root.typo", 1), of("b", "root.typo", 1), of("c", "root.leaf", 1)]);
        let said: Vec<_> = scene.0.findings.iter().map(|found| (&*found.object, found.message.clone())).collect();
        assert_eq!(said, [("Pod/default/a", format!("queue `root.typo` does not exist: {outcome}"))]);
    }
    let scene = Scene::new("- name: leaf").pods([of("a", "root.new", 1)]);
    assert_eq!(scene.0.findings, [], "a rule creates it");
}
