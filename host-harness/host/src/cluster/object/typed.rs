//! Reads values as types of Kubernetes or ours, and finds the position of a mistake.
//!
//! Every type is read from text, even where the value was parsed already. A second way to read would be another copy of the code of each type, and
//! that code is most of what a browser loads to read objects. The parser gives the position of a mistake in the text. The path is found from it.

use serde::de::DeserializeOwned;
use serde_json::{Error, Value};

use super::subject::step;

/// A mistake, and the JSON pointer to the value that has it.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::cluster) struct FieldError {
    pub(in crate::cluster) pointer: String,
    pub(in crate::cluster) message: String,
}

/// Reads a value as a type. `json` is the JSON of the value.
pub(in crate::cluster) fn typed<T: DeserializeOwned>(value: &Value, json: &str) -> Result<T, FieldError> {
    serde_json::from_str(json).map_err(|error| mistake(value, &error))
}

fn mistake(value: &Value, error: &Error) -> FieldError {
    let mut message = error.to_string();
    if let Some(length) = message.strip_suffix(&position(error)).map(str::len) {
        message.truncate(length);
    }
    let mut pointer = String::new();
    let column = error.column();
    // The parser gives up an array in place of an object after its bracket, where the first item begins. Where that item is an array too, the item
    // gets the mistake.
    let is_of_array = message.starts_with("invalid type: sequence");
    descend(value, 0, &mut pointer, &|value, ValueRange { key, start, end }| {
        (key..=end).contains(&column) && (!is_of_array || value.is_array() || start < column)
    });
    // These types are compared after they were read, so the mistake is about the object as a whole.
    if message.starts_with("invalid value") && matches!(&*pointer, "/apiVersion" | "/kind") {
        pointer.clear();
    }
    FieldError { pointer, message }
}

/// Returns the position that the parser appends to its message.
fn position(error: &Error) -> String {
    format!(" at line {} column {}", error.line(), error.column())
}

/// The range of a value in the text, and the position of its key, where a mistake can be as well. For an item, `key` is where it begins.
struct ValueRange {
    key: usize,
    start: usize,
    end: usize,
}

/// Appends to `pointer` the path to the innermost value that has the mistake, according to `has`. Separate values never touch, because a comma or a
/// quote is between them.
fn descend(value: &Value, start: usize, pointer: &mut String, has: &dyn Fn(&Value, ValueRange) -> bool) {
    let mut at = start.saturating_add(1);
    let mut look = |step: String, before: usize, value: &Value| {
        let key = at.saturating_add(before.min(1));
        let start = at.saturating_add(before);
        let end = start.saturating_add(value.to_string().len());
        at = end.saturating_add(1);
        if !has(value, ValueRange { key, start, end }) {
            return false;
        }
        pointer.push_str(&step);
        descend(value, start, pointer, has);
        true
    };
    match value {
        Value::Array(items) => {
            items.iter().enumerate().any(|(index, value)| look(format!("/{index}"), 0, value));
        }
        Value::Object(fields) => {
            let colon = |key: &str| Value::from(key).to_string().len().saturating_add(1);
            fields.iter().any(|(key, value)| look(step(key), colon(key), value));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Pod;
    use serde_json::json;
    use serde_path_to_error::Segment;

    use super::*;

    /// Collects the pointers to all values in a value, including the value itself.
    fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
        all.push(at.to_owned());
        match value {
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(index, item)| pointers(item, &format!("{at}/{index}"), all));
            }
            Value::Object(fields) => {
                fields.iter().for_each(|(key, field)| pointers(field, &format!("{at}{}", step(key)), all));
            }
            _ => {}
        }
    }

    /// Returns the mistake that a reader finds which keeps the path while it reads.
    fn expected(value: &Value) -> Option<FieldError> {
        let error = serde_path_to_error::deserialize::<_, Pod>(value).err()?;
        let mut pointer = String::new();
        for segment in error.path() {
            match segment {
                Segment::Seq { index } => pointer.push_str(&format!("/{index}")),
                Segment::Map { key } => pointer.push_str(&step(key)),
                Segment::Enum { .. } | Segment::Unknown => {}
            }
        }
        Some(FieldError { pointer, message: error.inner().to_string() })
    }

    #[test]
    fn any_wrong_value_anywhere_in_a_pod_is_found() {
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {
                "name": "a", "annotations": {"a/b~c": "d \"e\" \n ä"}, "creationTimestamp": "2026-01-01T00:00:00Z", "generation": -3,
                "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u", "controller": true}],
                "managedFields": [{"manager": "k", "fieldsV1": {"f:a": {}}}],
            },
            "spec": {
                "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [{"matchExpressions": [{"key": "k", "operator": "In", "values": ["v", "w"]}]}]}}},
                "containers": [
                    {"name": "c", "resources": {"requests": {"cpu": "1", "memory": "2Gi"}}, "args": ["x"],
                     "livenessProbe": {"httpGet": {"port": 80}}},
                    {"name": "d", "ports": [{"containerPort": 1}, {"containerPort": 2, "hostPort": 3}],
                     "livenessProbe": {"httpGet": {"port": "web"}}},
                ],
                "nodeSelector": {}, "tolerations": [], "hostNetwork": false, "priority": 7, "unknown": [1, {"a": [2.5]}],
            },
            "status": {"startTime": null, "conditions": [{"type": "t", "status": "True"}]},
        });
        let mut places = Vec::new();
        pointers(&pod, "", &mut places);
        let wrong = json!([null, true, 5, -1, 99_999_999_999i64, 1.5, "x", [], ["x", "y"], [1], [{"a": [1]}, 2], {}, {"a": [1]}]);
        let mut mistakes = 0;
        for place in &places {
            for value in wrong.as_array().unwrap() {
                let mut changed = pod.clone();
                *changed.pointer_mut(place).unwrap() = value.clone();
                let mistake = typed::<Pod>(&changed, &changed.to_string()).err();
                assert_eq!(mistake, expected(&changed), "{value} at `{place}`");
                mistakes += usize::from(mistake.is_some());
            }
        }
        assert!(mistakes > places.len(), "{mistakes} of {} places", places.len());
    }
}
