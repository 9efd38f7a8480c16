//! Scheduler-plugins: `pkg/coscheduling/core/core_test.go` (TestPreFilter, TestPermit) and
//! `pkg/capacityscheduling/capacity_scheduling_test.go` (TestPreFilter, TestPostFilter).

use lictor_oracle::SystemKind;
use serde_json::{Value, json};

use super::{Golden, binds, ends, evicts, labelled, node, pod, waits};

fn pod_group(name: &str, minimum: i64, resources: Option<&str>) -> Value {
    let mut group = json!({"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup",
        "metadata": {"name": name, "namespace": "default", "creationTimestamp": "1970-01-01T00:00:00Z"},
        "spec": {"minMember": minimum}});
    if let Some(cpu) = resources {
        super::set(&mut group, "/spec", "minResources", json!({"cpu": cpu}));
    }
    group
}

fn member(name: &str, of: &str, on: Option<&str>) -> Value {
    labelled(pod(name, json!({"cpu": "1"}), 0, on), "scheduling.x-k8s.io/pod-group", of)
}

/// Returns two nodes of 4 cpu, and these objects. Pod `a` is tried.
fn gangs(mut objects: Vec<Value>) -> Golden {
    objects.extend(["na", "nb"].map(|name| node(name, json!({"cpu": "4"}))));
    Golden::attempts(SystemKind::Coscheduling, objects, &["default/a"])
}

#[test]
fn pre_filter_counts_the_pods_of_a_gang() {
    gangs(vec![pod_group("g", 2, None), pod_group("h", 2, None), member("a", "g", None)]).holds(
        "core_test.go TestPreFilter: pod count less than minMember",
        ends("Rejected"),
        &[("gang-has-its-members", waits("default/a", "na")), ("gang-has-its-members", binds("default/a", "na"))],
    );
    let three = || vec![member("a", "g", None), member("b", "g", None), member("c", "g", None)];
    let with = |resources: Option<&str>| {
        let mut golden = gangs([three(), vec![pod_group("g", 2, resources)]].concat());
        golden.order = vec!["default/a", "default/b", "default/c"];
        golden
    };
    with(None).holds(
        "core_test.go TestPreFilter: pod count more than minMember",
        waits("default/a", "na"),
        &[("gang-is-complete-or-waits", binds("default/a", "na")), ("gang-is-complete-or-waits", ends("Rejected"))],
    );
    with(Some("6")).holds(
        "core_test.go TestPreFilter: cluster's resource satisfies minResource",
        waits("default/a", "na"),
        &[("gang-is-complete-or-waits", ends("Rejected"))],
    );
    with(Some("10")).holds(
        "core_test.go TestPreFilter: cluster's resource cannot satisfy minResource",
        ends("Rejected"),
        &[("gang-has-its-members", waits("default/a", "na"))],
    );
}

#[test]
fn permit_waits_for_a_quorum() {
    let two = |on: Option<&str>| vec![pod_group("g", 2, None), member("a", "g", None), member("b", "g", on)];
    gangs(two(Some("na"))).holds(
        "core_test.go TestPermit: pod belongs to a pg that have quorum satisfied",
        binds("default/a", "na"),
        &[("gang-is-complete-or-waits", waits("default/a", "na"))],
    );
    let mut golden = gangs(two(None));
    golden.order = vec!["default/a", "default/b"];
    golden.holds(
        "core_test.go TestPermit: pod belongs to a pg that doesn't have quorum",
        waits("default/a", "na"),
        &[("gang-is-complete-or-waits", binds("default/a", "na"))],
    );
    let alone = vec![pod_group("g", 2, None), pod("a", json!({"cpu": "1"}), 0, None)];
    gangs(alone).holds(
        "core_test.go TestPermit: pod does not belong to any pg",
        binds("default/a", "na"),
        &[("waiting-pods-stay", waits("default/a", "na"))],
    );
}

/// Checks rulings R83 and R85, where upstream looks at priority alone: a pod does not take the room of another node that is promised to its gang.
#[test]
fn a_nominated_pod_leaves_the_promises_of_its_gang_on_other_nodes() {
    let nominated = |name: &str, priority: i64, node: &str| {
        let mut pod = labelled(pod(name, json!({"cpu": "1"}), priority, None), "scheduling.x-k8s.io/pod-group", "g");
        super::set(&mut pod, "/status", "nominatedNodeName", json!(node));
        pod
    };
    let mut objects = vec![pod_group("g", 1, None), nominated("a", 2, "na"), nominated("b", 1, "nb")];
    objects.push(pod("r", json!({"cpu": "1"}), 9, Some("na")));
    objects.extend(["na", "nb"].map(|name| node(name, json!({"cpu": "1"}))));
    let standing = |mut outcome: Value| {
        outcome["standing"] = json!({"default/b": "nb"});
        outcome
    };
    Golden::attempts(SystemKind::Coscheduling, objects, &["default/a", "default/b"]).holds(
        "rulings R83 and R85",
        standing(ends("Unschedulable")),
        &[("bound-where-there-is-room", standing(binds("default/a", "nb")))],
    );
}

fn quota(namespace: &str, min: i64, max: i64) -> Value {
    json!({"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "ElasticQuota",
        "metadata": {"name": format!("quota-{namespace}"), "namespace": namespace},
        "spec": {"min": {"memory": min.to_string()}, "max": {"memory": max.to_string()}}})
}

/// Checks ruling R58: a plan is for the pod that is tried, so a pod that may be on no node gets none, though others would complete its gang.
#[test]
fn a_pod_without_a_node_has_no_plan_for_the_others_of_its_gang() {
    let younger = |name: &str| {
        let mut pod = member(name, "g", None);
        super::set(&mut pod, "/metadata", "creationTimestamp", json!("1970-01-01T00:00:01Z"));
        pod
    };
    let mut tried = member("z", "g", None);
    super::set(&mut tried, "/spec", "nodeSelector", json!({"disk": "ssd"}));
    let mut golden =
        gangs(vec![pod_group("g", 2, None), quota("ns1", 1, 1), tried, younger("b"), younger("c")]).after(20);
    golden.order = vec!["default/z", "default/b", "default/c"];
    golden.holds("ruling R58", ends("Unschedulable"), &[("quota-is-kept", waits("default/z", "na"))]);
}

fn uses(name: &str, memory: i64, priority: i64, on: Option<&str>) -> Value {
    pod(name, json!({"memory": memory.to_string()}), priority, on)
}

/// Returns one node of this much memory, and these objects. Pod `ns1/p` is tried.
fn quotas(memory: i64, mut objects: Vec<Value>) -> Golden {
    objects.push(node("na", json!({"memory": memory.to_string()})));
    Golden::attempts(SystemKind::Coscheduling, objects, &["ns1/p"])
}

#[test]
fn pre_filter_keeps_the_bounds_of_quotas() {
    let within = |asked: i64| {
        quotas(9000, vec![quota("ns1", 1000, 2000), uses("ns1/r", 300, 0, Some("na")), uses("ns1/p", asked, 0, None)])
    };
    within(500).holds(
        "capacity_scheduling_test.go TestPreFilter: pod subjects to ElasticQuota, 500",
        binds("ns1/p", "na"),
        &[("bound-where-there-is-room", ends("Rejected"))],
    );
    within(1800).holds(
        "capacity_scheduling_test.go TestPreFilter: pod subjects to ElasticQuota, 1800",
        ends("Rejected"),
        &[("quota-is-kept", binds("ns1/p", "na"))],
    );
    let two = vec![
        quota("ns1", 1000, 2000),
        quota("ns2", 1000, 2000),
        uses("ns2/r", 1800, 0, Some("na")),
        uses("ns1/r", 200, 0, Some("na")),
        uses("ns1/p", 500, 0, None),
    ];
    // After that refusal, PostFilter takes back what `ns2` uses over its min: 200 + 500 is within the min of `ns1`.
    quotas(9000, two).holds(
        "capacity_scheduling_test.go TestPreFilter: the sum of used is bigger than the sum of min",
        evicts("ns1/p", "na", &["ns2/r"]),
        &[("quota-is-kept", binds("ns1/p", "na"))],
    );
}

#[test]
fn post_filter_takes_from_the_quota_that_gives() {
    let cluster = |min1: i64, min2: i64| {
        let objects = vec![
            quota("ns1", min1, 200),
            quota("ns2", min2, 200),
            uses("ns1/own", 50, 100, Some("na")),
            uses("ns2/v", 50, 100, Some("na")),
            uses("ns2/w", 50, 100, Some("na")),
            uses("ns1/p", 50, 1000, None),
        ];
        quotas(150, objects)
    };
    let from = |victim: &str| evicts("ns1/p", "na", &[victim]);
    cluster(50, 200).holds(
        "capacity_scheduling_test.go TestPostFilter: in-namespace preemption",
        from("ns1/own"),
        &[("victim-ranks-lower", from("ns2/v"))],
    );
    cluster(150, 50).holds(
        "capacity_scheduling_test.go TestPostFilter: cross-namespace preemption",
        from("ns2/w"),
        &[("victim-ranks-lower", from("ns1/own"))],
    );
}
