//! Changes, and objects that are gone.

use serde_json::json;

use super::*;
use crate::names::SCHEDULING_GATE;

fn pods() -> GroupKind {
    GroupKind::new("", "Pod")
}

fn store() -> ObjectCache {
    let ours = ManagedPods { schedulers: vec!["default-scheduler".to_owned()], ungated: false };
    ObjectCache::new(ours, [pods(), GroupKind::new("example.com", "Slot")], &[slots()])
}

/// Returns a kind whose objects are placed like pods.
fn slots() -> PlacedKind {
    let text = str::to_owned;
    PlacedKind {
        group: text("example.com"),
        kind: text("Slot"),
        namespaced: false,
        template: text("/spec/template"),
        node: text("/status/node"),
        nominated: text("/status/promised"),
        phase: text("/status/phase"),
        phases: Vec::new(),
        amounts: None,
        conditions: text("/status/conditions"),
        scheduled: text("Placed"),
        room_use: None,
    }
}

fn pod(name: &str, uid: &str, version: u32, label: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "uid": uid, "resourceVersion": version.to_string(),
                     "labels": {"a": label}},
        "spec": {"schedulingGates": [{"name": SCHEDULING_GATE}]}, "status": {"phase": "Pending"},
    })
}

/// Returns the changes in words.
fn told(news: Vec<ObjectChange>) -> Vec<String> {
    let word = |news: ObjectChange| match news {
        ObjectChange::Upserted(shown) => format!("{} {}", shown.key, text(&shown.object, "/metadata/labels/a")),
        ObjectChange::Marked(pod, mark) => format!("{pod} {mark:?}"),
        ObjectChange::Deleted(key) => format!("-{key}"),
    };
    news.into_iter().map(word).collect()
}

fn there(store: &mut ObjectCache, pod: Value) -> Vec<String> {
    told(store.take(&pods(), WatchMessage::Upserted(pod)))
}

#[test]
fn an_object_is_news_once_and_when_it_changes() {
    let mut store = store();
    assert_eq!(there(&mut store, pod("a", "1", 5, "x")), ["Pod/default/a x"]);
    assert!(there(&mut store, pod("a", "1", 5, "x")).is_empty());
    assert!(there(&mut store, pod("a", "1", 6, "x")).is_empty(), "it looks the same");
    assert_eq!(there(&mut store, pod("a", "1", 8, "y")), ["Pod/default/a y"]);
    assert!(there(&mut store, pod("a", "1", 7, "x")).is_empty(), "it is late");
    let raw = store.raw("default", "a").unwrap();
    assert_eq!(text(&raw, "/metadata/resourceVersion"), "8");
}

#[test]
fn a_mark_is_no_news_to_the_session_and_is_told_when_it_changes() {
    let mut store = store();
    let marked = |version: u32, standing: &str| {
        let mut pod = pod("a", "1", version, "x");
        pod["metadata"]["labels"][crate::names::STANDING] = json!(standing);
        pod["status"]["conditions"] = json!([{"type": crate::mark::SAFE, "status": "True", "message": standing}]);
        pod
    };
    assert_eq!(there(&mut store, pod("a", "1", 5, "x")), ["Pod/default/a x"], "without a mark none is told");
    let mut after = |pod: Value| {
        let [ObjectChange::Marked(name, mark)] = &store.take(&pods(), WatchMessage::Upserted(pod.clone()))[..] else {
            panic!("the mark alone is told")
        };
        assert_eq!((&**name, mark), ("default/a", &StandingMark::read(&pod)));
        assert!(store.take(&pods(), WatchMessage::Upserted(pod)).is_empty(), "once");
    };
    after(marked(6, "safe"));
    after(pod("a", "1", 7, "x"));
    // A successor of the same name has no mark until it is given one.
    store.take(&pods(), WatchMessage::Upserted(marked(8, "safe")));
    let news = store.take(&pods(), WatchMessage::Upserted(pod("a", "2", 9, "x")));
    assert!(
        matches!(&news[..], [ObjectChange::Marked(_, mark), ObjectChange::Upserted(_)] if *mark == StandingMark::default()),
        "{news:?}"
    );
}

#[test]
fn what_a_new_list_does_not_name_is_gone() {
    let mut store = store();
    there(&mut store, pod("a", "1", 5, "x"));
    there(&mut store, pod("b", "2", 5, "x"));
    store.take(&pods(), WatchMessage::ListStarted);
    assert!(there(&mut store, pod("b", "2", 5, "x")).is_empty());
    assert_eq!(told(store.take(&pods(), WatchMessage::ListCompleted)), ["-Pod/default/a"]);
}

#[test]
fn another_object_of_the_same_name_is_news_and_its_predecessor_does_not_come_back() {
    let mut store = store();
    there(&mut store, pod("a", "1", 5, "x"));
    assert_eq!(told(store.take(&pods(), WatchMessage::Deleted(pod("a", "1", 6, "x")))), ["-Pod/default/a"]);
    assert!(there(&mut store, pod("a", "1", 6, "z")).is_empty(), "an answer that the deletion has overtaken");
    assert_eq!(there(&mut store, pod("a", "2", 9, "x")), ["Pod/default/a x"]);
    assert!(told(store.take(&pods(), WatchMessage::Deleted(pod("a", "1", 6, "x")))).is_empty(), "it is another one");
}

#[test]
fn the_store_is_complete_when_every_kind_was_listed_or_is_absent() {
    let mut store = store();
    let slots = GroupKind::new("example.com", "Slot");
    store.take(&pods(), WatchMessage::ListStarted);
    there(&mut store, pod("a", "1", 5, "x"));
    store.take(&pods(), WatchMessage::ListCompleted);
    assert_eq!(store.missing().collect::<Vec<_>>(), [&slots]);
    assert!(!store.is_complete());
    store.take(&slots, WatchMessage::KindMissing);
    assert!(store.is_complete());
}

#[test]
fn objects_of_a_kind_that_is_served_again_are_there_again() {
    let (mut store, quotas) = (store(), GroupKind::new("example.com", "Quota"));
    let quota = || json!({"apiVersion": "example.com/v1", "kind": "Quota", "metadata": {"name": "q", "uid": "8", "resourceVersion": "3"}});
    for _ in 0..2 {
        store.take(&quotas, WatchMessage::ListStarted);
        assert_eq!(told(store.take(&quotas, WatchMessage::Upserted(quota()))), ["Quota.example.com/q "]);
        assert_eq!(told(store.take(&quotas, WatchMessage::ListCompleted)), [""; 0]);
        assert_eq!(told(store.take(&quotas, WatchMessage::KindMissing)), ["-Quota.example.com/q"]);
    }
    // A deleted object does not come back.
    store.take(&quotas, WatchMessage::Upserted(quota()));
    assert_eq!(told(store.take(&quotas, WatchMessage::Deleted(quota()))), ["-Quota.example.com/q"]);
    assert_eq!(told(store.take(&quotas, WatchMessage::Upserted(quota()))), [""; 0]);
}

#[test]
fn what_is_placed_like_a_pod_is_named_without_its_group() {
    let mut store = store();
    let slot = json!({"apiVersion": "example.com/v1", "kind": "Slot", "metadata": {"name": "s", "uid": "9"}});
    assert_eq!(told(store.take(&GroupKind::new("example.com", "Slot"), WatchMessage::Upserted(slot))), ["Slot/s "]);
    let other = GroupKind::new("example.com", "Quota");
    let quota = json!({"apiVersion": "example.com/v1", "kind": "Quota", "metadata": {"name": "q", "uid": "8"}});
    assert_eq!(told(store.take(&other, WatchMessage::Upserted(quota))), ["Quota.example.com/q "]);
}

#[test]
fn a_nomination_of_what_is_placed_like_a_pod_is_shown_where_the_policy_reads_it_until_it_has_a_node() {
    let mut store = store();
    let mut shown = |status: Value| {
        let version = status["version"].to_string();
        let slot = json!({"apiVersion": "example.com/v1", "kind": "Slot", "status": status, "metadata":
            {"name": "s", "uid": "9", "resourceVersion": version, "annotations": {crate::names::NOMINATED_NODE: "n1"}}});
        match store.take(&GroupKind::new("example.com", "Slot"), WatchMessage::Upserted(slot)).remove(0) {
            ObjectChange::Upserted(shown) => text(&shown.object, "/status/promised").to_owned(),
            ObjectChange::Marked(key, _) | ObjectChange::Deleted(key) => key,
        }
    };
    assert_eq!(shown(json!({"version": 1})), "n1");
    assert_eq!(shown(json!({"version": 2, "node": "n1"})), "");
}

#[test]
fn a_pod_that_was_let_go_for_a_node_is_left_to_kube_scheduler_while_there_is_no_such_node() {
    let ours = ManagedPods { schedulers: vec!["default-scheduler".to_owned()], ungated: false };
    let nodes = GroupKind::new("", "Node");
    let mut store = ObjectCache::new(ours, [pods(), nodes.clone()], &[]);
    let node = |name: &str| json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": name}});
    let mut let_go = pod("a", "1", 1, "");
    let_go["metadata"]["annotations"] = json!({crate::names::ASSIGNED_NODE: "n1"});
    let wish = crate::view::pin::preferences(&let_go, "n1");
    let_go["spec"] = json!({"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": wish}}});
    let seen = |news: Vec<ObjectChange>| -> Vec<String> {
        let word = |news: ObjectChange| match news {
            ObjectChange::Upserted(shown) => {
                let [node, scheduler] = ["/spec/nodeName", "/spec/schedulerName"].map(|at| text(&shown.object, at));
                format!("{} {node} {scheduler} {:?}", shown.key, shown.admission_state)
            }
            other => told(vec![other]).concat(),
        };
        news.into_iter().map(word).collect()
    };
    let alone = "Pod/default/a  kube-scheduler Admitted";
    assert_eq!(seen(store.take(&pods(), WatchMessage::Upserted(let_go.clone()))), [alone], "nodes are not listed yet");
    assert_eq!(seen(store.take(&nodes, WatchMessage::Upserted(node("n2")))).len(), 1);
    let there = seen(store.take(&nodes, WatchMessage::Upserted(node("n1"))));
    assert_eq!(there, ["Node/n1   Unmanaged", "Pod/default/a n1  Admitted"]);
    assert_eq!(seen(store.take(&nodes, WatchMessage::Deleted(node("n1")))), ["-Node/n1", alone]);
    // The pod is bound elsewhere: nodes that are added and removed do not change it any more.
    let_go["metadata"]["resourceVersion"] = json!("2");
    let_go["spec"]["nodeName"] = json!("n2");
    assert_eq!(seen(store.take(&pods(), WatchMessage::Upserted(let_go))), ["Pod/default/a n2  Unmanaged"]);
    assert!(store.admitted.is_empty());
}

#[test]
fn the_digests_of_objects_have_a_key_that_no_other_process_has() {
    let object = pod("a", "1", 1, "x");
    let (one, other) = (store(), store());
    assert_eq!(one.digests.hash_one(&object), one.digests.hash_one(&object));
    assert_ne!(one.digests.hash_one(&object), other.digests.hash_one(&object));
}
