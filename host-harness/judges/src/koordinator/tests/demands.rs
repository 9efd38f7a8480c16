//! Demands that no law judges.

use super::*;

/// Returns an outcome in which the policy refuses the pod for what it demands.
fn refused() -> Value {
    because("Rejected", "pod-demands-are-known")
}

/// Lets a pod or node have so much of a device.
fn with_devices(object: &mut Value, amount: &str) {
    let field = if object["kind"] == "Node" { "/status/allocatable" } else { "/spec/containers/0/resources/requests" };
    let list = object.pointer_mut(field).unwrap();
    list["koordinator.sh/gpu-core"] = json!(amount);
}

#[test]
fn c32_refuses_a_share_beside_several_devices() {
    let table = |percent: &'static str| {
        let table = Table::new().feasible("n2").pod("p", |pod| with_devices(pod, "50"));
        table.pod("n1", |node| with_devices(node, percent))
    };
    assert_eq!(table("200").judge(&refused()), Ok(vec!["C32"]));
    assert_eq!(table("100").judge(&refused()), Err("upstream/gang"), "a single device is judged by its sum");
    let mut vain = table("100");
    vain.answers[0].feasible.clear();
    assert_eq!(vain.judge(&refused()), Ok(vec![]), "upstream finds nothing either");
}

#[test]
fn c32_refuses_devices_that_a_node_counts_by_two_names() {
    let table = |other: &'static str| {
        let table = Table::new().feasible("n2").pod("p", |pod| with_devices(pod, "100"));
        table.pod("n1", |node| {
            with_devices(node, "100");
            node["status"]["allocatable"]["nvidia.com/gpu"] = json!(other);
        })
    };
    assert_eq!(table("1").judge(&refused()), Ok(vec!["C32"]));
    assert_eq!(table("0").judge(&refused()), Err("upstream/gang"));
}

#[test]
fn c61_refuses_the_gang_of_a_pod_that_demands_a_numa_node() {
    let numa = |pod: &mut Value| {
        pod["metadata"]["annotations"] = json!({"scheduling.koordinator.sh/numa-topology-spec": "{}"});
    };
    let table = |minimum| Table::new().feasible("n2").add("q", None).gang("x", minimum, &["p", "q"], &json!({}));
    assert_eq!(table(2).pod("q", numa).judge(&refused()), Ok(vec!["C61"]));
    assert_eq!(table(1).pod("q", numa).judge(&refused()), Err("upstream/gang"), "the gang does without that pod");
    assert_eq!(table(2).judge(&refused()), Err("upstream/gang"), "no pod demands one");
}

#[test]
fn c61_makes_no_plan_for_a_group_that_needs_a_pod_that_demands_a_numa_node() {
    let numa = |pod: &mut Value| {
        pod["metadata"]["annotations"] = json!({"scheduling.koordinator.sh/numa-topology-spec": "{}"});
    };
    let groups = json!({"gang.scheduling.koordinator.sh/groups": r#"["d/x","d/y"]"#});
    let table = |minimum| {
        let table = Table::new().plan("n1", &["d/v"]).add("q", None).add("r", None).pod("q", numa);
        table.gang("x", 1, &["p"], &groups).gang("y", minimum, &["q", "r"], &groups)
    };
    let refused = because("Unschedulable", "pod-demands-are-known");
    assert_eq!(table(2).judge(&refused), Ok(vec!["C61"]));
    assert_eq!(
        table(1).judge(&refused),
        Ok(vec!["C24"]),
        "that gang does without the pod, and the plan is for all pods that wait"
    );
}

#[test]
fn c57_refuses_a_group_of_which_another_gang_must_gather() {
    let topology = |strategy: &str| {
        let mut annotations = json!({"gang.scheduling.koordinator.sh/groups": r#"["d/x","d/y"]"#});
        annotations["gang.scheduling.koordinator.sh/network-topology-spec"] = json!(strategy);
        annotations
    };
    let table = |own: &str, other: &str| {
        let table = Table::new().feasible("n2").add("q", None).gang("x", 1, &["p"], &topology(own));
        table.gang("y", 1, &["q"], &topology(other))
    };
    let refused = because("Rejected", "gang-demands-are-known");
    assert_eq!(table("", "MustGather").judge(&refused), Ok(vec!["C57"]));
    assert_eq!(table("MustGather", "").judge(&refused), Err("upstream/gang"), "upstream refuses such a gang itself");
}

#[test]
fn a_pod_that_upstream_refuses_for_its_devices_may_be_refused_for_its_quota() {
    let table = |plugin: &str| {
        let refusal = UpstreamRefusal { plugin: plugin.to_owned(), ..UpstreamRefusal::default() };
        Table::new().with(|answer| answer.pre_filter = Some(refusal))
    };
    let over = because("Rejected", "preemptible-job-leaves-min");
    assert_eq!(table("DeviceShare").judge(&over), Ok(vec![]));
    assert_eq!(table("NodeName").judge(&over), Err("upstream/quota"));
    assert_eq!(table("DeviceShare").judge(&binds("d/p", "n2")), Err("upstream/node"));
}
