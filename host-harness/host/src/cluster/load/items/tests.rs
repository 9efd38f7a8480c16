//! What is read at once is what is read document by document: the same objects, the same mistakes on the same lines.

use serde_json::{Value, json};

use crate::cluster::load::{SourceItem, each, each_item};
use crate::cluster::object::{Body, KubernetesObject, RawJson};
use crate::cluster::{InputError, load::DocumentOrigin};

/// What was read: the objects or their mistakes, some of their lines, and the mistake that ended it.
type Outcome = (Vec<Result<String, String>>, Option<String>);

/// Returns all that is known of an object as a text, except for the order of keys in the JSON that is kept.
fn shown(object: Result<KubernetesObject, InputError>, origin: &DocumentOrigin) -> Result<String, String> {
    let mut object = object.map_err(|mistake| format!("{mistake:?}"))?;
    let json: Value = serde_json::from_str(&object.json()).unwrap();
    if let Body::Pod(pod) = &mut object.body {
        pod.json = RawJson::default();
    }
    let pointers = ["", "/metadata/name", "/metadata/managedFields/0", "/spec/containers/0/name", "/spec/none"];
    let lines = pointers.map(|pointer| origin.line(pointer));
    let below = origin.below("/spec").line("/containers");
    let body = match &object.body {
        // The body of another kind contains its origin, which differs.
        Body::Other(..) => String::new(),
        body => format!("{body:?}"),
    };
    Ok(format!("{:?} {:?} {body} {json} {lines:?} {below}", object.id, object.location))
}

fn plainly(file: &str, text: &str) -> Outcome {
    let mut read = Vec::new();
    let end = each(file, text, &mut |document| {
        let origin = document.origin.clone();
        read.push(shown(KubernetesObject::from_document(document), &origin));
        Ok(())
    });
    (read, end.err().map(|mistake| format!("{mistake:?}")))
}

/// Reads the text with `each_item`. Returns the outcome, and how many objects were read without a document.
fn at_once(file: &str, text: &str) -> (Outcome, usize) {
    let (mut read, mut objects) = (Vec::new(), Vec::new());
    let end = each_item(file, text.to_owned(), &mut |item| {
        let origin = match &item {
            SourceItem::Object(_, origin) => origin.clone(),
            SourceItem::Document(document) => document.origin.clone(),
        };
        objects.extend(matches!(item, SourceItem::Object(..)).then_some(()));
        read.push(shown(item.object(), &origin));
        Ok(())
    });
    ((read, end.err().map(|mistake| format!("{mistake:?}"))), objects.len())
}

/// Compares the outcomes of both ways to read a text. Returns how many objects were read without a document.
fn compared(file: &str, text: &str) -> usize {
    let (outcome, objects) = at_once(file, text);
    assert_eq!(outcome, plainly(file, text), "{file}:\n{text}");
    objects
}

fn pod(name: &str, change: impl Fn(&mut Value)) -> Value {
    let mut pod = json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "n", "uid": "u", "labels": {"a": "b\u{e9}\n", "c": ""},
            "creationTimestamp": "2026-01-01T00:00:00Z", "managedFields": [{"manager": "kubectl", "operation": "Update"}]},
        "spec": {"nodeName": "n1", "priority": -3, "containers": [{"name": "c", "image": "i",
            "resources": {"requests": {"cpu": "1500m", "memory": "4Gi"}, "limits": {"nvidia.com/gpu": "1"}}}],
            "tolerations": [{"operator": "Exists"}], "unknown": {"deep": [[], {}, null, true, 1.5]}},
        "status": {"phase": "Running", "conditions": [{"type": "PodScheduled", "status": "True",
            "lastTransitionTime": "2026-01-01T00:00:01Z"}]}});
    change(&mut pod);
    pod
}

fn list(items: &[Value]) -> String {
    serde_json::to_string_pretty(&json!({"apiVersion": "v1", "kind": "List", "items": items, "metadata": {}})).unwrap()
}

fn set(pointer: &'static str, to: Value) -> impl Fn(&mut Value) {
    move |pod| {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        pod.pointer_mut(parent).unwrap()[key] = to.clone();
    }
}

#[test]
fn pods_are_read_at_once_and_all_else_as_documents() {
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}});
    let other = json!({"apiVersion": "x.y/v1", "kind": "Thing", "metadata": {"name": "t"}});
    let items = [pod("a", |_| ()), node, pod("b", |_| ()), other, pod("c", |_| ())];
    assert_eq!(compared("a.json", &list(&items)), 3);
    assert_eq!(compared("a", &list(&items).replace('\n', "\r\n")), 3);
    assert_eq!(compared("a", &format!("\u{feff}\n{}\n\n", list(&items).replace("  ", ""))), 3);
    let many: Vec<Value> = (0..1200).map(|number| pod(&format!("p{number}"), |_| ())).collect();
    assert_eq!(
        compared("many", &serde_json::to_string(&json!({"kind": "List", "apiVersion": "v1", "items": many})).unwrap()),
        1200
    );
}

#[test]
fn what_is_wrong_or_unusual_is_the_same_and_on_the_same_line() {
    for change in [
        set("/metadata/name", json!("a/b")),
        set("/metadata/name", json!("")),
        set("/metadata/name", json!(7)),
        set("/metadata/namespace", json!(null)),
        set("/metadata/namespace", json!("")),
        set("/metadata/namespace", json!("x/y")),
        set("/metadata/labels", json!({"a": 1})),
        set("/metadata/managedFields", json!([{"manager": 1}])),
        set("/metadata/creationTimestamp", json!("yesterday")),
        set("/apiVersion", json!("v2")),
        set("/apiVersion", json!(null)),
        set("/apiVersion", json!(1)),
        set("/kind", json!("List")),
        set("/kind", json!("PodList")),
        set("/kind", json!("pod")),
        set("/items", json!([])),
        set("/spec/priority", json!("high")),
        set("/spec/priority", json!(9_999_999_999_u64)),
        set("/spec/containers", json!([])),
        set("/spec/nodeSelector", json!({"a": "b"})),
        set("/spec/overhead", json!({"cpu": 1, "memory": 2.5})),
        set("/spec/containers/0/resources/requests/cpu", json!(2)),
        set("/spec/containers/0/resources/requests/cpu", json!("-2")),
        set("/spec/containers/0/resources/requests/cpu", json!("9Ei")),
        set("/status/phase", json!("Sleeping")),
        set("/status", json!(null)),
        set("/spec/unknown", json!(1e300)),
        set("/spec/unknown", json!(u64::MAX)),
    ] {
        compared("a.json", &list(&[pod("a", |_| ()), pod("b", change), pod("c", |_| ())]));
    }
    let good = list(&[pod("a", |_| ()), pod("b", |_| ())]);
    for (from, to) in [
        ("\"uid\": \"u\"", "\"uid\": \"u\", \"uid\": \"v\""),
        ("\"deep\":", "\"deep\": 1, \"deep\":"),
        ("\"manager\":", "\"manager\": \"x\", \"manager\":"),
        ("\"deep\":", "\"d\\u0065ep\":"),
        ("null", "nil"),
        ("1.5", "1e999"),
        ("1.5", "01"),
        ("1.5", "123456789012345678901234567890"),
        ("null", "\"\\ud800\""),
        ("null", "\"\\ud83d\\ude00\""),
        ("null", "\"\t\""),
        ("\"kind\": \"List\"", "\"kind\": \"Bag\""),
        ("\"kind\": \"List\"", "\"kind\": \"PodList\""),
        ("\"kind\": \"List\"", "\"kind\": 7"),
        ("\"kind\": \"List\"", "\"items\": [], \"kind\": \"List\""),
        ("\"kind\": \"List\"", "\"kind\": \"List\", \"x\": {\"y\": 1, \"y\": 2}"),
        ("\"kind\": \"Pod\",", ""),
    ] {
        assert!(good.contains(from), "{from}");
        for file in ["a.json", "a"] {
            compared(file, &good.replace(from, to));
            compared(file, &good.replacen(from, to, 1));
        }
    }
    compared("a", &format!("{good}{good}"));
    compared("a", &good.replace("[]", &format!("{}{}", "[".repeat(140), "]".repeat(140))));
    compared("a", &list(&[]));
    compared("a", &list(&[json!(1), json!("x"), json!({})]));
}

#[test]
fn a_text_with_any_one_byte_changed_is_read_the_same() {
    let text = list(&[pod("a", |_| ()), json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}})]);
    let bytes = ["\"", "{", "]", ",", ":", "\\", "x", "", "\n"];
    for (at, byte) in (0..text.chars().count()).zip(bytes.into_iter().cycle()) {
        let changed = text.chars().enumerate().map(|(place, char)| match place == at {
            true => byte.to_owned(),
            false => char.to_string(),
        });
        compared("a.json", &changed.collect::<String>());
    }
}
