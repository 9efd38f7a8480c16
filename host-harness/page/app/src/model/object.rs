//! Changes of an object that is written in JSON.

use serde_json::{Value, json};

/// A node that takes no more pods. A text that is no node stays as it is.
pub fn cordoned(node: String) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(&node) else { return node };
    let Some(fields) = value.as_object_mut() else { return node };
    let spec = fields.entry("spec").or_insert_with(|| json!({}));
    let Some(spec) = spec.as_object_mut() else { return node };
    spec.insert("unschedulable".to_owned(), Value::Bool(true));
    serde_json::to_string_pretty(&value).unwrap_or(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cordoned_node_takes_no_more_pods() {
        let read = |text: String| serde_json::from_str::<Value>(&text).unwrap();
        let node = cordoned(r#"{"kind": "Node", "spec": {"taints": []}}"#.to_owned());
        assert_eq!(read(node), json!({"kind": "Node", "spec": {"taints": [], "unschedulable": true}}));
        assert_eq!(read(cordoned("{}".to_owned())), json!({"spec": {"unschedulable": true}}));
        assert_eq!(cordoned("kind: Node".to_owned()), "kind: Node");
    }
}
