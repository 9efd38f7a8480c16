//! What clusters rarely have: preemption that is switched off, running pods of other schedulers, and pods that name no queue.

use serde_json::{Value, json};

use crate::build::put;
use crate::generate::CaseGenerator;
use crate::object::{at, text};
use crate::world::OTHER_SCHEDULER;

/// A queue that cannot be created: its parent is a leaf.
const NO_QUEUE: &str = "root.system.x";

/// Adds these to some cases.
pub(in crate::generate) fn vary(sketch: &mut CaseGenerator, objects: &mut [Value]) {
    let is_about_maxima = sketch.parameters.get("loweredMaxima") == Some(&1);
    if is_about_maxima || !sketch.flag("odd", 12) {
        return;
    }
    if sketch.random.chance(30) {
        switch_off(objects);
    }
    for pod in objects.iter_mut().filter(|object| text(object, "/kind") == "Pod") {
        let is_of_daemon_set = at(pod, "/metadata/ownerReferences").is_some();
        let is_running = at(pod, "/spec/nodeName").is_some();
        if is_of_daemon_set || !sketch.random.chance(25) {
            continue;
        }
        if is_running {
            put(pod, "/spec", "schedulerName", json!(OTHER_SCHEDULER));
        } else {
            put(pod, "/metadata/labels", "queue", json!(NO_QUEUE));
            put(pod, "/metadata/labels", "applicationId", json!("lost"));
        }
    }
}

/// Switches preemption off in the partition.
pub(super) fn switch_off(objects: &mut [Value]) {
    for config in objects.iter_mut().filter(|object| text(object, "/kind") == "ConfigMap") {
        let written = at(config, "/data").and_then(|data| data.get("queues.yaml")?.as_str()).unwrap_or_default();
        let Ok(mut tree) = serde_json::from_str::<Value>(written) else { continue };
        put(&mut tree, "/partitions/0", "preemption", json!({"enabled": false}));
        put(config, "/data", "queues.yaml", json!(tree.to_string()));
    }
}
