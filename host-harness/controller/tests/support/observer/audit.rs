//! Evictions, as the API server wrote them down.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

/// An eviction that the API server accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Eviction {
    /// Namespace and name of the pod.
    pub pod: String,
    /// The uid that the request demanded; empty where it demanded none.
    pub uid: String,
    pub user: String,
}

/// Returns the evictions that were accepted, in order.
pub fn evictions(log: &str) -> Vec<Eviction> {
    let events = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events.filter_map(|event| eviction(&event)).collect()
}

fn eviction(event: &Value) -> Option<Eviction> {
    let text = |pointer| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let accepted = event.pointer("/responseStatus/code").and_then(Value::as_u64).is_some_and(|code| code < 300);
    let is_real = !text("/requestURI").contains("dryRun=");
    let is_done = text("/stage") == "ResponseComplete";
    (is_done && is_real && accepted && text("/objectRef/subresource") == "eviction").then(|| Eviction {
        pod: format!("{}/{}", text("/objectRef/namespace"), text("/objectRef/name")),
        uid: text("/requestObject/deleteOptions/preconditions/uid").to_owned(),
        user: text("/user/username").to_owned(),
    })
}

/// Returns a message for each pod that was evicted twice: the same uid, or, where none was demanded, the same name.
pub fn evicted_twice(evictions: &[Eviction]) -> Vec<String> {
    let mut times = BTreeMap::<_, u32>::new();
    for eviction in evictions {
        *times.entry((&eviction.pod, &eviction.uid)).or_default() += 1;
    }
    let twice = times.into_iter().filter(|(_, times)| *times > 1);
    twice.map(|((pod, uid), times)| format!("{pod} ({uid}) was evicted {times} times")).collect()
}

/// Reads the evictions in a file; empty while the file does not exist.
pub fn read(path: &Path) -> Vec<Eviction> {
    evictions(&std::fs::read_to_string(path).unwrap_or_default())
}

#[test]
fn accepted_evictions_are_counted() {
    let event = |name: &str, uid: &str, code: u16, uri: &str| {
        let object = serde_json::json!({"deleteOptions": {"preconditions": {"uid": uid}}});
        let named = serde_json::json!({"resource": "pods", "subresource": "eviction", "namespace": "n", "name": name});
        serde_json::json!({
            "stage": "ResponseComplete", "verb": "create", "objectRef": named, "responseStatus": {"code": code},
            "requestObject": object, "requestURI": uri, "user": {"username": "u"},
        })
        .to_string()
    };
    let refused = [
        event("a", "1", 429, ""),
        event("a", "1", 201, ""),
        event("a", "1", 201, "?dryRun=All"),
        event("a", "2", 201, ""),
    ];
    assert_eq!(evictions(&refused.join("\n")).len(), 2);
    assert_eq!(evicted_twice(&evictions(&refused.join("\n"))), Vec::<String>::new());
    let twice = [event("a", "1", 201, ""), event("a", "1", 201, "")].join("\n");
    assert_eq!(evicted_twice(&evictions(&twice)), ["n/a (1) was evicted 2 times"]);
}
