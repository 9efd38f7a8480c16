//! YuniKorn: `pkg/scheduler/objects/preemption_test.go`. Queue `child1` runs two pods of 5, on two nodes. A pod of 5 of queue `child2` waits. Upstream's
//! nodes have room, and a headroom of 0 forces preemption; here the nodes are full.

use lictor_oracle::SystemKind;
use serde_json::{Value, json};

use super::{Golden, ends, evicts, labelled, node, pod, set};

fn queue(name: &str, guaranteed: Option<i64>) -> Value {
    let mut resources = json!({});
    if let Some(guaranteed) = guaranteed {
        set(&mut resources, "", "guaranteed", json!({"vcore": guaranteed.to_string()}));
    }
    json!({"name": name, "resources": resources})
}

fn member(name: &str, app: &str, queue: &str, on: Option<&str>) -> Value {
    let mut pod = labelled(pod(name, json!({"cpu": "5"}), 0, on), "applicationId", app);
    pod = labelled(pod, "queue", queue);
    set(&mut pod, "/spec", "schedulerName", json!("yunikorn"));
    pod
}

/// Returns the cluster, with the guarantees of the parent and of its children.
fn cluster(parent: Option<i64>, child1: Option<i64>, child2: Option<i64>, asker: Value) -> Golden {
    let mut top = queue("parent", parent);
    set(&mut top, "", "queues", json!([queue("child1", child1), queue("child2", child2)]));
    let partition = json!({"name": "default", "placementrules": [{"name": "provided", "create": true}],
        "queues": [{"name": "root", "submitacl": "*", "queues": [top]}]});
    let objects = vec![
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "yunikorn-configs", "namespace": "yunikorn"},
            "data": {"queues.yaml": json!({"partitions": [partition]}).to_string()}}),
        node("n1", json!({"cpu": "5"})),
        node("n2", json!({"cpu": "5"})),
        member("v", "app1", "root.parent.child1", Some("n1")),
        member("w", "app1", "root.parent.child1", Some("n2")),
        asker,
    ];
    Golden::attempts(SystemKind::Yunikorn, objects, &["default/p"]).after(31)
}

fn asker() -> Value {
    member("p", "app2", "root.parent.child2", None)
}

/// Returns a plan with the second pod of the application: the first one, its originator, goes last.
fn one() -> Value {
    evicts("default/p", "n2", &["default/w"])
}

/// Returns an attempt of a pod whose victim is still leaving.
fn waiting() -> Value {
    let mut outcome = ends("Unschedulable");
    set(&mut outcome, "", "standing", json!({"default/p": "n2"}));
    outcome
}

#[test]
fn queue_guarantees_decide_who_preempts() {
    let test = "TestCheckPreemptionQueueGuaranteesWithNoGuaranteedResources";
    cluster(None, Some(5), None, asker()).holds(
        &format!("{test}: NoGuaranteed"),
        ends("Unschedulable"),
        &[("yunikorn/4", one())],
    );
    for (name, parent, child2) in [
        ("ParentGuaranteed", Some(10), None),
        ("ChildGuaranteed", None, Some(5)),
        ("BothGuaranteed", Some(10), Some(5)),
    ] {
        cluster(parent, Some(5), child2, asker()).holds(
            &format!("{test}: {name}"),
            one(),
            &[
                ("a-plan-is-found", ends("Unschedulable")),
                ("victims-are-on-one-node", evicts("default/p", "n2", &["default/v", "default/w"])),
            ],
        );
    }
}

#[test]
fn a_queue_within_its_guarantee_gives_nothing() {
    cluster(None, Some(10), Some(5), asker()).holds(
        "TestIsVictimQueueOverGuaranteed: matching res types with zero value",
        ends("Unschedulable"),
        &[("yunikorn/5", one())],
    );
    cluster(None, Some(5), Some(5), asker()).holds(
        "TestIsVictimQueueOverGuaranteed: matching res types with -ve value",
        one(),
        &[("a-plan-is-found", ends("Unschedulable"))],
    );
}

#[test]
fn preconditions_of_the_asker() {
    let mut never = asker();
    set(&mut never, "/spec", "preemptionPolicy", json!("Never"));
    cluster(None, Some(5), Some(5), never).holds(
        "TestCheckPreconditions: ask which opted-out of preempting others is disqualified",
        ends("Unschedulable"),
        &[("may-preempt", one())],
    );
    cluster(None, Some(5), Some(5), asker()).after(29).holds(
        "TestCheckPreconditions: recently created ask is disqualified",
        ends("Unschedulable"),
        &[("may-preempt", one())],
    );
    let mut twice = cluster(None, Some(5), Some(5), asker());
    twice.order = vec!["default/p", "default/p"];
    let again = twice.judge(&[one(), evicts("default/p", "n1", &["default/v"])]);
    let again = again.expect("TestCheckPreconditions: ask which has already triggered preemption is disqualified");
    assert!(again.starts_with("may-preempt: "), "{again}");
    assert_eq!(twice.judge(&[one(), waiting()]), None, "the first victim is leaving");
}

#[test]
fn the_originator_is_the_first_ask_that_the_core_sees() {
    let mut first = cluster(None, Some(5), Some(5), asker());
    let late = |object: &mut Value| set(object, "/metadata", "creationTimestamp", json!("1970-01-01T00:00:09Z"));
    first.case.objects.iter_mut().filter(|object| object["kind"] == "Pod").for_each(late);
    let mut other = member("u", "app1", "root.parent.child1", None);
    set(&mut other, "/metadata", "creationTimestamp", json!("1970-01-01T00:00:01Z"));
    let first = first.after(40).later(vec![other]);
    first.holds(
        "an ask that comes later is not the originator, whenever its pod was created",
        one(),
        &[("opted-out-and-originators-last", evicts("default/p", "n1", &["default/v"]))],
    );
}
