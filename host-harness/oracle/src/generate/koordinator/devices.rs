//! Devices that pods share, on nodes with none, one and several.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::build::put;
use crate::generate::Sketch;
use crate::world::{at, text};

const CORE: &str = "koordinator.sh/gpu-core";

/// Gives nodes devices, and pods parts of them. This is drawn last but for what all systems draw, so that everything else stays the same.
pub(super) fn vary(sketch: &mut Sketch, objects: &mut [Value]) {
    if !sketch.flag("deviceShares", 8) {
        return;
    }
    // In some of the cases no node has several.
    let most = sketch.dice.of_these(&[1, 2, 2, 4]);
    let mut free: BTreeMap<String, i64> = BTreeMap::new();
    for node in objects.iter_mut().filter(|object| text(object, "/kind") == "Node") {
        let percent = 100 * sketch.dice.between(0, most);
        put(node, "/status/allocatable", CORE, json!(percent.to_string()));
        free.insert(text(node, "/metadata/name").to_owned(), percent);
    }
    for pod in objects.iter_mut().filter(|object| text(object, "/kind") == "Pod") {
        let takes = if sketch.dice.chance(40) { sketch.dice.of_these(&[50, 100, 100, 200]) } else { 0 };
        let node = at(pod, "/spec/nodeName").and_then(Value::as_str).map(str::to_owned);
        let fits = node.is_none_or(|node| match free.get_mut(&node) {
            Some(free) if takes <= *free => {
                *free -= takes;
                true
            }
            _ => false,
        });
        if takes > 0 && fits {
            put(pod, "/spec/containers/0/resources/requests", CORE, json!(takes.to_string()));
        }
    }
}
