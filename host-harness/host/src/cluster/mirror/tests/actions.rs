//! What the scheduler does.

use serde_json::{Value, json};

use super::*;

/// Returns the JSON of the only object that the policy knows.
fn the_json(mirror: &Mirror) -> Value {
    let found = mirror.replay().into_iter().find_map(|event| match event {
        Event::ObjectUpserted(object) => Some(object.json),
        _ => None,
    });
    serde_json::from_str(&found.unwrap()).unwrap()
}

#[test]
fn a_bound_pod_runs_and_is_nominated_no_more() {
    let mut mirror = mirror();
    apply(&mut mirror, &[node("n"), node("m"), pod("p", "")].concat());
    mirror.nominate(0, Some(1));
    assert_eq!(the_pod(&mirror, "default/p").nominated, Some(1));
    mirror.drain_events();
    mirror.set_clock(9);
    mirror.bind(0, 0);
    let told = the_pod(&mirror, "default/p");
    assert_eq!((told.node, told.nominated, told.phase), (Some(0), None, Phase::Running));
    assert_eq!((told.started, told.scheduled), (Some(9), Some(9)));
    assert_eq!(drained(&mut mirror), ["clock 9", "status 0"]);
    mirror.bind(7, 0);
    mirror.bind(0, 7);
    mirror.set_clock(3);
    assert_eq!(mirror.now(), 9);
    assert_eq!(drained(&mut mirror), [""; 0]);
}

#[test]
fn nominations_come_and_go() {
    let mut mirror = mirror();
    apply(&mut mirror, &[node("n"), pod("p", "")].concat());
    mirror.drain_events();
    mirror.nominate(0, Some(0));
    assert_eq!(drained(&mut mirror), ["status 0"]);
    mirror.nominate(0, None);
    assert_eq!(the_pod(&mirror, "default/p").nominated, None);
    assert_eq!(drained(&mut mirror), ["status 0"]);
}

#[test]
fn marks_are_told_where_they_are_of_interest() {
    let mut mirror = mirror();
    apply(&mut mirror, &pod("p", ""));
    mirror.drain_events();
    let mark = |place, key: &str, value: &str| Mark { place, key: key.to_owned(), value: value.to_owned() };
    mirror.mark(0, &[mark(MarkPlace::Label, "none", "x"), mark(MarkPlace::Annotation, "team", "x")]);
    assert_eq!(drained(&mut mirror), [""; 0]);
    mirror.mark(0, &[mark(MarkPlace::Label, "team", "x"), mark(MarkPlace::Annotation, "note", "y")]);
    let told = the_pod(&mirror, "default/p");
    assert_eq!(told.template.labels, [Attribute { key: 0, value: "x".to_owned() }]);
    assert_eq!(told.template.annotations, [Attribute { key: 0, value: "y".to_owned() }]);
    assert_eq!(drained(&mut mirror), ["pod 0 p"]);
}

#[test]
fn a_victim_terminates_and_goes() {
    let mut mirror = mirror();
    apply(&mut mirror, &pod("p", ""));
    mirror.drain_events();
    mirror.terminate(0);
    let told = the_pod(&mirror, "default/p");
    assert_eq!((told.terminating, told.preempted), (true, true));
    assert_eq!(drained(&mut mirror), ["status 0"]);
    assert!(mirror.remove("Pod/default/p"));
    assert!(!mirror.remove("Pod/default/p"));
    assert_eq!((mirror.pod_id("default/p"), mirror.pod_name(0)), (None, Some("default/p")));
    assert_eq!(drained(&mut mirror), ["no pod 0"]);
    apply(&mut mirror, &pod("p", ""));
    assert!(mirror.remove("Pod/p"));
    assert_eq!(drained(&mut mirror), [""; 0]);
}

#[test]
fn other_objects_are_removed_by_their_name() {
    let mut mirror = mirror();
    let quota = "{apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: ElasticQuota, metadata: {name: q, namespace: x}}";
    apply(&mut mirror, quota);
    mirror.drain_events();
    for key in ["ElasticQuota/q", "ElasticQuota/y/q", "Secret/x/q", "ElasticQuota", ""] {
        assert!(!mirror.remove(key), "{key}");
    }
    assert!(mirror.remove("ElasticQuota/x/q"));
    assert_eq!(drained(&mut mirror), ["no object ElasticQuota q"]);
}

#[test]
fn a_slot_is_a_pod_and_an_object() {
    let mut mirror = mirror();
    apply(&mut mirror, &[&node("n"), SLOT].concat());
    let told = the_pod(&mirror, "Slot/r");
    assert_eq!((told.kind, &*told.template.namespace, told.phase), (Some(0), "default", Phase::Pending));
    let label = |key, value: &str| Attribute { key, value: value.to_owned() };
    assert_eq!(told.template.labels, [label(0, "own"), label(1, "gold")]);
    mirror.drain_events();
    mirror.nominate(0, Some(0));
    assert_eq!(the_json(&mirror)["status"], json!({"placement": {"next": "n"}}));
    mirror.bind(0, 0);
    let status = json!({"state": "Open", "placement": {"node": "n"}, "held": {"cpu": "2000m", "memory": "1073741824"}});
    assert_eq!(the_json(&mirror)["status"], status);
    assert_eq!(the_pod(&mirror, "Slot/r").node, Some(0));
    assert_eq!(drained(&mut mirror), ["object Slot r", "status 0"]);
    // The JSON of the slot, read again, gives the same pod.
    let before = the_pod(&mirror, "Slot/r").clone();
    let again = the_json(&mirror).to_string();
    apply(&mut mirror, &again);
    assert_eq!(the_pod(&mirror, "Slot/r"), &Pod { scheduled: None, started: None, ..before });
}

#[test]
fn a_slot_is_marked_terminated_and_removed_as_an_object() {
    let mut mirror = mirror();
    apply(&mut mirror, SLOT);
    mirror.drain_events();
    let mark = Mark { place: MarkPlace::Annotation, key: "note".to_owned(), value: "y".to_owned() };
    mirror.mark(0, &[mark]);
    mirror.set_clock(1_000_000_000);
    mirror.terminate(0);
    let json = the_json(&mirror);
    assert_eq!(json["metadata"]["annotations"], json!({"note": "y"}));
    assert_eq!(json["metadata"]["deletionTimestamp"], "1970-01-01T00:00:01Z");
    assert_eq!(json["status"]["conditions"][0]["reason"], "PreemptionByScheduler");
    let before = the_pod(&mirror, "Slot/r").clone();
    assert!(before.terminating && before.preempted);
    apply(&mut mirror, &json.to_string());
    assert_eq!(the_pod(&mirror, "Slot/r"), &before);
    mirror.drain_events();
    assert!(mirror.remove("Slot/r"));
    assert_eq!(drained(&mut mirror), ["no pod 0", "no object Slot r"]);
}
