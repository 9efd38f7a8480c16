//! Koordinator: `pkg/scheduler/plugins/elasticquota/preempt_test.go` (TestPlugin_canPreempt, TestPlugin_PodEligibleToPreemptOthers), and job-level
//! preemption (proposal 20240115).

use lictor_oracle::SystemKind;
use serde_json::{Value, json};

use super::{Golden, binds, ends, labelled, node, plans, pod, set};

const QUOTA: &str = "quota.scheduling.koordinator.sh/name";

fn quota(name: &str) -> Value {
    json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
        "metadata": {"name": name, "namespace": "quotas", "labels": {
            "quota.scheduling.koordinator.sh/parent": "koordinator-root-quota",
            "quota.scheduling.koordinator.sh/is-parent": "false"}},
        "spec": {"min": {"cpu": "4"}, "max": {"cpu": "4"}}})
}

fn member(name: &str, priority: i64, of: &str, on: Option<&str>) -> Value {
    labelled(pod(name, json!({"cpu": "1"}), priority, on), QUOTA, of)
}

/// Returns a node of one cpu with a victim, and a preemptor of one cpu.
fn pair(preemptor: Value, victim: Value) -> Golden {
    let objects = vec![node("n1", json!({"cpu": "1"})), quota("q1"), quota("q2"), victim, preemptor];
    Golden::attempts(SystemKind::Koordinator, objects, &["default/p"])
}

fn soft(pods: &[(&str, &str)], victims: &[&str]) -> Value {
    let mut outcome = plans(pods, victims);
    outcome.as_object_mut().into_iter().for_each(|fields| drop(fields.insert("eviction".to_owned(), json!("Soft"))));
    outcome
}

fn evicts_v() -> Value {
    soft(&[("default/p", "n1")], &["default/v"])
}

#[test]
fn can_preempt_where_all_conditions_are_met() {
    pair(member("p", 10, "q1", None), member("v", 5, "q1", Some("n1"))).holds(
        "TestPlugin_canPreempt: all conditions met",
        evicts_v(),
        &[("a-plan-is-found", ends("Unschedulable"))],
    );
}

#[test]
fn can_preempt_refuses() {
    let p = || member("p", 10, "q1", None);
    let kept = labelled(member("v", 5, "q1", Some("n1")), "quota.scheduling.koordinator.sh/preemptible", "false");
    for (name, preemptor, victim) in [
        ("victim is non-preemptible", p(), kept),
        ("same priority", p(), member("v", 10, "q1", Some("n1"))),
        ("victim priority higher", member("p", 5, "q1", None), member("v", 15, "q1", Some("n1"))),
    ] {
        let name = format!("TestPlugin_canPreempt: {name}");
        pair(preemptor, victim).holds(&name, ends("Unschedulable"), &[("victim-is-eligible", evicts_v())]);
    }
}

#[test]
fn a_pod_that_never_preempts_is_not_eligible() {
    let mut preemptor = member("p", 10, "q1", None);
    set(&mut preemptor, "/spec", "preemptionPolicy", json!("Never"));
    pair(preemptor, member("v", 5, "q1", Some("n1"))).holds(
        "TestPlugin_PodEligibleToPreemptOthers: preemptionPolicy=Never",
        ends("Unschedulable"),
        &[("may-preempt", evicts_v())],
    );
}

/// Checks that a pod of another quota is evicted. Upstream's own preemption stays within the quota of the pod. The proposal, from which the system
/// takes its rules, removes all preemptible pods of a node (PostFilter, 3), whatever their quotas.
#[test]
fn a_pod_of_another_quota_is_a_victim_by_the_proposal() {
    pair(member("p", 10, "q1", None), member("v", 5, "q2", Some("n1"))).holds(
        "TestPlugin_canPreempt: different quota names",
        evicts_v(),
        &[("a-plan-is-found", ends("Unschedulable"))],
    );
}

/// Checks proposal 20240115, Key Concept 3: the pods of a job are planned together, and no pod is evicted for a part of them.
#[test]
fn a_job_is_planned_as_a_whole() {
    let job = |name: &str| labelled(member(name, 10, "q1", None), "pod-group.scheduling.sigs.k8s.io", "job");
    let gang = json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "PodGroup",
        "metadata": {"name": "job", "namespace": "default"}, "spec": {"minMember": 2}});
    let cluster = |victims: &[Value], cpu: &str| {
        let mut objects = vec![node("n1", json!({"cpu": cpu})), quota("q1"), gang.clone(), job("p"), job("q")];
        objects.extend_from_slice(victims);
        Golden::attempts(SystemKind::Koordinator, objects, &["default/p", "default/q"])
    };
    let low = [member("v", 5, "q1", Some("n1")), member("w", 5, "q1", Some("n1"))];
    let both = [("default/p", "n1"), ("default/q", "n1")];
    cluster(&low, "2").holds(
        "proposal 20240115, Story 1: every pod of the job finds a node",
        soft(&both, &["default/v", "default/w"]),
        &[("job-is-all-or-nothing", evicts_v())],
    );
    cluster(&low[..1], "1").holds(
        "proposal 20240115, Story 1: no pod is evicted for half of a job",
        ends("Unschedulable"),
        &[("job-is-all-or-nothing", evicts_v())],
    );
}

/// Checks issue 1136: 80 percent are free on two devices, 40 on each; `deviceshare` finds no device of 60. A pod of a share is bound on a node of
/// one device, and a pod of a whole device where no pod holds a share.
#[test]
fn the_rests_of_two_devices_are_no_device() {
    let percent = |amount: &str| json!({"cpu": "1", "koordinator.sh/gpu-core": amount});
    let cluster = |devices: &str, held: &[&str], requested: &str| {
        let held = held.iter().enumerate().map(|(at, held)| pod(&format!("v{at}"), percent(held), 9, Some("n1")));
        let mut objects: Vec<Value> = held.collect();
        objects.push(node("n1", json!({"cpu": "9", "koordinator.sh/gpu-core": devices})));
        objects.push(pod("p", percent(requested), 9, None));
        Golden::attempts(SystemKind::Koordinator, objects, &["default/p"])
    };
    let bound = || binds("default/p", "n1");
    for (name, devices, held, requested) in [
        ("issue 1136: 60 where 40 and 40 are free", "200", &["60", "60"][..], "60"),
        ("issue 1136: 100 where 50 and 50 are free", "200", &["50", "50"], "100"),
    ] {
        cluster(devices, held, requested).holds(name, ends("Rejected"), &[("devices-are-judged", bound())]);
    }
    // apis/extension/device_share.go, DeviceResourceNames: `nvidia.com/gpu` is a whole one of the same GPUs.
    let both = json!({"cpu": "9", "koordinator.sh/gpu-core": "100", "nvidia.com/gpu": "1"});
    let whole = pod("v", json!({"cpu": "1", "nvidia.com/gpu": "1"}), 9, Some("n1"));
    let objects = vec![whole, node("n1", both), pod("p", percent("40"), 9, None)];
    Golden::attempts(SystemKind::Koordinator, objects, &["default/p"]).holds(
        "deviceshare: the only device is held as `nvidia.com/gpu`",
        ends("Rejected"),
        &[("devices-are-judged", bound())],
    );
    for (name, devices, held, requested) in [
        ("deviceshare: 40 of the only device", "100", &["60"][..], "40"),
        ("deviceshare: the other one of two devices", "200", &["100"], "100"),
    ] {
        let refused = &[("bound-where-there-is-room", ends("Rejected"))];
        cluster(devices, held, requested).holds(name, bound(), refused);
    }
}

/// Checks issues 2342 and 2470: what a quota lends comes back. A sibling gives pods in any order in which it uses more than its min before each of
/// them: here the small one first.
#[test]
fn a_sibling_gives_while_it_uses_more_than_its_min() {
    let cluster = |min: &str| {
        let below = |name: &str, parent: &str, (min, max): (&str, &str)| {
            let mut quota = quota(name);
            set(&mut quota, "/metadata/labels", "quota.scheduling.koordinator.sh/parent", json!(parent));
            set(&mut quota, "/spec", "min", json!({"cpu": min}));
            set(&mut quota, "/spec", "max", json!({"cpu": max}));
            quota
        };
        let mut parent = below("dept", "koordinator-root-quota", ("4", "4"));
        set(&mut parent, "/metadata/labels", "quota.scheduling.koordinator.sh/is-parent", json!("true"));
        let mut objects = vec![parent, below("lender", "dept", ("4", "4")), below("borrower", "dept", (min, "4"))];
        objects.extend(["n1", "n2"].map(|name| node(name, json!({"cpu": "4"}))));
        for (name, cpu) in [("small", "1"), ("large", "2")] {
            objects.push(labelled(pod(name, json!({"cpu": cpu}), 0, Some("n1")), QUOTA, "borrower"));
        }
        let p = labelled(pod("p", json!({"cpu": "4"}), 9, None), QUOTA, "lender");
        objects.push(labelled(p, "quota.scheduling.koordinator.sh/preemptible", "false"));
        let mut golden = Golden::attempts(SystemKind::Koordinator, objects, &["default/p"]);
        golden.case.args.insert("enableCheckParentQuota".to_owned(), json!(true));
        golden
    };
    let both = || soft(&[("default/p", "n2")], &["default/large", "default/small"]);
    cluster("1").holds("issue 2470: 3 of min 1 are used", both(), &[]);
    cluster("2").holds("issue 2470: 3 of min 2 are used", ends("Rejected"), &[("victim-frees-the-bound", both())]);
}
