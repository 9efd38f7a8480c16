//! Tests of objects that are read, and of the events that follow.

use std::sync::Arc;

use super::*;

#[test]
fn tells_everything_in_an_order_in_which_nothing_is_unknown() {
    let mut mirror = mirror();
    mirror.set_clock(5);
    let quota =
        "---\n{apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: ElasticQuota, metadata: {name: q, namespace: x}}\n";
    let gpu = "---\n{apiVersion: v1, kind: Pod, metadata: {name: g}, spec: {nodeName: n, nodeSelector: {zone: a}, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}\n";
    apply(&mut mirror, &format!("{gpu}{}{}{quota}", pod("p", ""), node("n")));
    let expected = [
        "+cpu +memory +pods +nvidia.com/gpu ",
        "clock 5",
        "node n",
        "shape 0 []",
        "shape 1 [1]",
        "object ElasticQuota q",
        "pod 0 g",
        "pod 1 p",
    ];
    assert_eq!(drained(&mut mirror), expected);
    assert_eq!(drained(&mut mirror), [""; 0]);
    assert_eq!(mirror.replay().iter().map(short).collect::<Vec<_>>(), expected);
}

#[test]
fn only_what_changed_is_told_again() {
    let mut mirror = mirror();
    let all = format!("{}{}{}{SLOT}", node("n"), pod("p", ""), class("c", 1, ""));
    apply(&mut mirror, &all);
    mirror.drain_events();
    apply(&mut mirror, &all);
    assert_eq!(drained(&mut mirror), [""; 0]);
    apply(&mut mirror, &pod("p", "priority: 3"));
    assert_eq!(drained(&mut mirror), ["pod 0 p"]);
    apply(
        &mut mirror,
        "{apiVersion: v1, kind: Node, metadata: {name: n}, spec: {unschedulable: true}, status: {allocatable: {cpu: 4, pods: 110}}}",
    );
    assert_eq!(drained(&mut mirror), ["shape 0 []"]);
}

#[test]
fn a_pod_keeps_the_time_it_entered_and_was_created() {
    let mut mirror = mirror();
    mirror.set_clock(10);
    apply(&mut mirror, &pod("p", ""));
    mirror.set_clock(20);
    apply(&mut mirror, &pod("p", "priority: 3"));
    let told = the_pod(&mirror, "default/p");
    assert_eq!((told.id, told.entered, told.created, told.template.priority), (0, 10, 10, Some(3)));
    apply(
        &mut mirror,
        "{apiVersion: v1, kind: Pod, metadata: {name: q, creationTimestamp: 1970-01-01T00:00:01Z}, spec: {containers: [{name: c}]}}",
    );
    let told = the_pod(&mirror, "default/q");
    assert_eq!((told.entered, told.created, mirror.now()), (20, 1_000_000_000, 20));
}

#[test]
fn pods_that_have_much_in_common_share_it() {
    let mut mirror = mirror();
    let share = |mirror: &Mirror| {
        let template = |name| &the_pod(mirror, name).template;
        Arc::ptr_eq(template("default/p"), template("default/q"))
    };
    apply(&mut mirror, &format!("{}{}", pod("p", "priorityClassName: c"), pod("q", "priorityClassName: c")));
    assert!(share(&mirror));
    apply(&mut mirror, &class("c", 7, ""));
    assert_eq!(the_pod(&mirror, "default/q").template.priority, Some(7));
    assert!(share(&mirror));
    apply(&mut mirror, &pod("q", "priority: 7"));
    assert!(!share(&mirror));
}

#[test]
fn another_uid_is_another_pod() {
    let mut mirror = mirror();
    let with_uid = |uid: &str| pod("p", "").replace("{name: p}", &format!("{{name: p, uid: {uid}}}"));
    apply(&mut mirror, &with_uid("a"));
    mirror.drain_events();
    mirror.set_clock(7);
    apply(&mut mirror, &with_uid("b"));
    assert_eq!(drained(&mut mirror), ["clock 7", "no pod 0", "pod 1 p"]);
    assert_eq!(the_pod(&mirror, "default/p").entered, 7);
    assert_eq!(
        (mirror.pod_name(0), mirror.pod_name(1), mirror.pod_name(2)),
        (Some("default/p"), Some("default/p"), None)
    );
}

#[test]
fn labels_and_amounts_go_by_number() {
    let mut mirror = mirror();
    let text = "{apiVersion: v1, kind: Node, metadata: {name: n, labels: {zone: a, other: b}}, status: {allocatable: {pods: 2, cpu: 1500m, hugepages-2Mi: 0, a/b: 3}}}";
    apply(&mut mirror, text);
    let told = mirror.node(mirror.node_id("n").unwrap()).unwrap();
    let amount = |resource, value| Amount { resource, value };
    assert_eq!(told.allocatable, [amount(0, 1500), amount(2, 2), amount(3, 3)]);
    assert_eq!(told.labels, [Attribute { key: 0, value: "a".to_owned() }]);
    let text = "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {tier: x, other: y}, annotations: {note: z, team: no}}, spec: {containers: [{name: c, ports: [{containerPort: 1, hostPort: 80, hostIP: 10.0.0.1}]}]}}";
    apply(&mut mirror, text);
    let told = the_pod(&mirror, "default/p");
    assert_eq!(told.template.labels, [Attribute { key: 1, value: "x".to_owned() }]);
    assert_eq!(told.template.annotations, [Attribute { key: 0, value: "z".to_owned() }]);
    assert_eq!(told.template.requests, [amount(2, 1), amount(4, 1), amount(5, 1)]);
    let resource = |name: &str, everywhere| Resource { name: name.to_owned(), everywhere };
    let expected = [resource("a/b", 0), resource("hostport/TCP/80", 1 << 32), resource("hostport/TCP/80/10.0.0.1", 1)];
    assert_eq!(mirror.resources().iter().skip(3).cloned().collect::<Vec<_>>(), expected);
}

#[test]
fn what_nobody_wants_is_counted() {
    let mut mirror = mirror();
    apply(
        &mut mirror,
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: b}}\n",
    );
    let expected = [("apps/v1 Deployment", 1), ("v1 Secret", 2)].map(|(kind, count)| (kind.to_owned(), count)).into();
    assert_eq!(mirror.ignored(), &expected);
    let mut bare = Mirror::new(Interests {
        labels: vec![],
        leaving_labels: vec![],
        annotations: vec![],
        pod_fields: vec![],
        node_labels: vec![],
        kinds: vec![],
        placed_kinds: vec![],
    });
    apply(&mut bare, SLOT);
    assert_eq!(bare.ignored().len(), 1);
    assert_eq!(bare.pods().count(), 0);
    assert_eq!(drained(&mut bare), ["+cpu +memory +pods "]);
}

#[test]
fn an_object_that_is_there_twice_is_a_warning() {
    let mut mirror = mirror();
    let secret = "---\n{apiVersion: v1, kind: Secret, metadata: {name: a}}\n";
    let text = format!("{}{}{secret}{secret}", pod("p", "priority: 1"), pod("p", "priority: 2"));
    mirror.load_objects(objects(&text));
    assert_eq!(the_pod(&mirror, "default/p").template.priority, Some(2));
    let warnings: Vec<_> = mirror.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        ["c.yaml:4: `Pod/default/p` is there for the second time; the first is replaced; remove one of the two"]
    );
    mirror.load_objects(objects(&pod("p", "priority: 3")));
    assert_eq!(mirror.warnings().len(), 1);
}

#[test]
fn large_clusters_load_without_looking_at_everything_for_everything() {
    let mut mirror = mirror();
    let daemon = |name: usize| {
        pod(
            &format!("d{name}"),
            &format!(
                "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{{matchFields: [{{key: metadata.name, operator: In, values: [n{name}]}}]}}]}}}}}}"
            ),
        )
    };
    // Each of 500 shapes is for one node, and the shapes come before the nodes. So 500 checks are made, not 250,000.
    let text = (0..500).map(daemon).chain((0..500).map(|name| node(&format!("n{name}")))).collect::<String>();
    apply(&mut mirror, &text);
    let shapes = mirror.drain_events().into_iter().filter_map(|event| match event {
        Event::Eligibility(eligibility) => Some(eligibility),
        _ => None,
    });
    for (index, eligibility) in shapes.enumerate() {
        let bits: u32 = eligibility.nodes.iter().map(|word| word.count_ones()).sum();
        assert_eq!((eligibility.shape as usize, bits), (index, 1));
        assert_eq!(eligibility.nodes.len(), index / 64 + 1);
    }
    assert_eq!(the_pod(&mirror, "default/d77").required_node, mirror.node_id("n77"));
}

#[test]
fn a_policy_reads_fields_that_the_host_does_not_know() {
    let mut mirror = mirror();
    apply(&mut mirror, &[pod("p", "runtimeClassName: gvisor"), pod("q", "")].concat());
    let fields =
        |name| the_pod(&mirror, name).template.fields.iter().map(|it| (it.key, it.value.as_str())).collect::<Vec<_>>();
    let resources = (1, r#"{"requests":{"cpu":"1"}}"#);
    assert_eq!(fields("default/p"), [(0, r#""gvisor""#), resources]);
    assert_eq!(fields("default/q"), [resources]);
}
