//! Objects in words.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::contract::{Object, ObjectKey};

/// Creates an object named `namespace/name`, with labels and annotations; the rest is the body.
pub fn object(kind: &str, name: &str, attributes: [&[(&str, &str)]; 2], body: Value) -> Object {
    let (namespace, name) = name.split_once('/').unwrap();
    let [labels, annotations] = attributes.map(|pairs| pairs.iter().copied().collect::<BTreeMap<_, _>>());
    let mut json = body;
    let metadata = json!({"name": name, "namespace": namespace, "labels": labels, "annotations": annotations});
    json.as_object_mut().unwrap().insert("metadata".to_owned(), metadata);
    Object {
        group: "scheduling.sigs.k8s.io".to_owned(),
        kind: kind.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        json: json.to_string(),
    }
}

/// Returns the key of an object.
pub fn key(object: &Object) -> ObjectKey {
    let Object { group, kind, namespace, name, .. } = object.clone();
    ObjectKey { group, kind, namespace, name }
}
