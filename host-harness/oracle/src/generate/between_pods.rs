//! Constraints between pods: nodes in zones, pods that keep away from each other, follow each other, or are spread.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Sketch;
use crate::build::put;
use crate::case::System;
use crate::world::{HOST, SET, ZONE, at, text};

/// Gives some of the pods constraints towards others, in some of the cases. Which pods are in which set is said by a label.
pub(super) fn constrain(sketch: &mut Sketch, system: System, objects: &mut [Value]) {
    if !sketch.flag("betweenPods", 20) {
        return;
    }
    let zones = sketch.draw("zones", 1, 3);
    for node in objects.iter_mut().filter(|object| text(object, "/kind") == "Node") {
        let name = text(node, "/metadata/name").to_owned();
        put(node, "/metadata/labels", HOST, json!(name));
        if sketch.dice.chance(90) {
            let zone = sketch.dice.between(1, zones);
            put(node, "/metadata/labels", ZONE, json!(format!("z{zone}")));
        }
    }
    // Soft evictions leave pods that are not being deleted: whether those count for a spread is not modelled.
    let kinds = if system == System::Koordinator { 4 } else { 6 };
    let mut crowded = BTreeSet::new();
    for pod in objects.iter_mut().filter(|object| text(object, "/kind") == "Pod") {
        let set = sketch.dice.word(&["x", "x", "y"]).unwrap_or("x");
        if !sketch.dice.chance(60) || !crowded.insert((text(pod, "/spec/nodeName").to_owned(), set)) && is_placed(pod) {
            continue;
        }
        if at(pod, "/metadata/labels").is_none() {
            put(pod, "/metadata", "labels", json!({}));
        }
        put(pod, "/metadata/labels", SET, json!(set));
        let key = if sketch.dice.chance(60) { HOST } else { ZONE };
        let other = if sketch.dice.chance(70) { set } else { "y" };
        let term = json!([{"labelSelector": {"matchLabels": {SET: other}}, "topologyKey": key}]);
        let required = json!({"requiredDuringSchedulingIgnoredDuringExecution": term});
        match sketch.dice.between(1, kinds) {
            1 | 2 => affinity(pod, "podAntiAffinity", required),
            3 => affinity(pod, "podAffinity", required),
            5 | 6 => {
                let skew = sketch.dice.between(1, 2);
                let mut spread = json!({
                    "labelSelector": {"matchLabels": {SET: other}}, "topologyKey": key,
                    "maxSkew": skew, "whenUnsatisfiable": "DoNotSchedule",
                });
                if sketch.dice.chance(25) {
                    put(&mut spread, "", "minDomains", json!(sketch.dice.between(1, 3)));
                }
                put(pod, "/spec", "topologySpreadConstraints", json!([spread]));
            }
            _ => {}
        }
    }
}

fn is_placed(pod: &Value) -> bool {
    at(pod, "/spec/nodeName").is_some()
}

/// Adds a required affinity to what the pod has.
fn affinity(pod: &mut Value, kind: &str, required: Value) {
    if at(pod, "/spec/affinity").is_none() {
        put(pod, "/spec", "affinity", json!({}));
    }
    put(pod, "/spec/affinity", kind, required);
}
