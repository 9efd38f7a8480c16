//! Pending pods that may run on some of the nodes only.

use serde_json::{Value, json};

use super::CaseGenerator;
use crate::build::put;
use crate::world::{at, text};

/// Gives half of the nodes of a few cases a label, and makes a third of the pending pods demand it, those of one gang unlike. This is drawn last
/// of all.
pub(super) fn vary(sketch: &mut CaseGenerator, objects: &mut [Value]) {
    if !sketch.flag("nodeSelectors", 12) {
        return;
    }
    let is_pending = |object: &Value| text(object, "/kind") == "Pod" && at(object, "/spec/nodeName").is_none();
    for object in objects {
        if text(object, "/kind") == "Node" && sketch.random.chance(50) {
            set(object, "/metadata", "labels");
        } else if is_pending(object) && sketch.random.chance(30) {
            set(object, "/spec", "nodeSelector");
        }
    }
}

/// Adds the label to a map of the object.
fn set(object: &mut Value, parent: &str, key: &str) {
    let path = format!("{parent}/{key}");
    if at(object, &path).is_none() {
        put(object, parent, key, json!({}));
    }
    put(object, &path, "example.com/disk", json!("ssd"));
}
