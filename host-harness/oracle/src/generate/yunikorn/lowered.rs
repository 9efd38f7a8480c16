//! Maxima that are lowered below what queues use, with and without quota preemption.

use serde_json::{Value, json};

use crate::build::put;
use crate::case::{RoundKind, RoundSettings};
use crate::generate::CaseGenerator;
use crate::object::{at, text};

/// Turns some cases into cases of quota preemption: no pod is pending, and the configuration is replaced by one with lower maxima. All
/// other parameters are drawn before, so that they stay the same. Returns the new configuration.
pub(in crate::generate) fn vary(
    sketch: &mut CaseGenerator,
    objects: &mut Vec<Value>,
    drive: RoundSettings,
) -> (Vec<Value>, RoundSettings) {
    if !sketch.flag("loweredMaxima", 20) {
        return (Vec::new(), drive);
    }
    objects.retain(|object| text(object, "/kind") != "Pod" || at(object, "/spec/nodeName").is_some());
    for pod in objects.iter_mut().filter(|object| text(object, "/kind") == "Pod") {
        if sketch.random.chance(12) {
            let owner =
                json!([{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "d", "controller": true}]);
            put(pod, "/metadata", "ownerReferences", owner);
        }
    }
    let pods: Vec<(String, i64)> = objects.iter().filter_map(queue_and_cpu).collect();
    let is_on = sketch.random.chance(80);
    let mut later = Vec::new();
    for config in objects.iter_mut().filter(|object| text(object, "/kind") == "ConfigMap") {
        let written = at(config, "/data").and_then(|data| data.get("queues.yaml")?.as_str()).unwrap_or_default();
        let Ok(mut tree) = serde_json::from_str::<Value>(written) else { continue };
        put(&mut tree, "/partitions/0", "preemption", json!({"quotapreemptionenabled": is_on}));
        let queues = "/partitions/0/queues/0/queues";
        for queue in tree.pointer_mut(queues).and_then(Value::as_array_mut).into_iter().flatten() {
            delays(sketch, queue);
        }
        put(config, "/data", "queues.yaml", json!(tree.to_string()));
        for queue in tree.pointer_mut(queues).and_then(Value::as_array_mut).into_iter().flatten() {
            lower(sketch, queue, "root", i64::MAX, &pods);
        }
        let mut lowered = config.clone();
        put(&mut lowered, "/data", "queues.yaml", json!(tree.to_string()));
        later.push(lowered);
    }
    (later, RoundSettings { by: RoundKind::Cycles, recreate: false, ..drive })
}

/// Returns the queue of a pod and its cpu. `None`: the cpu is no whole number.
fn queue_and_cpu(object: &Value) -> Option<(String, i64)> {
    let cpu = text(object, "/spec/containers/0/resources/requests/cpu").parse().ok()?;
    Some((text(object, "/metadata/labels/queue").to_owned(), cpu))
}

/// Gives some queues a delay of quota preemption.
fn delays(sketch: &mut CaseGenerator, queue: &mut Value) {
    if sketch.random.chance(70) {
        let delay = sketch.random.choose_number(&[0, 5, 20, 40, 60]);
        put(queue, "/properties", "quota.preemption.delay", json!(format!("{delay}s")));
    }
    for child in queue.pointer_mut("/queues").and_then(Value::as_array_mut).into_iter().flatten() {
        delays(sketch, child);
    }
}

/// Lowers maxima of a queue and of those below it, within the rules of the configuration: at least what is guaranteed, at most the
/// maximum of the parent.
fn lower(sketch: &mut CaseGenerator, queue: &mut Value, parent: &str, most: i64, pods: &[(String, i64)]) {
    let path = format!("{parent}.{}", text(queue, "/name"));
    let below = |name: &str| name == path || name.starts_with(&format!("{path}."));
    let used: i64 = pods.iter().filter(|(queue, _)| below(queue)).map(|(_, cpu)| cpu).sum();
    let least = guaranteed(queue).max(1);
    let before: i64 = text(queue, "/resources/max/vcore").parse().unwrap_or(i64::MAX);
    let highest = used.max(least).min(most).min(before);
    let mut most = most.min(before);
    if sketch.random.chance(60) && least <= highest {
        most = sketch.random.between(least, highest);
        put(queue, "/resources", "max", json!({"vcore": most.to_string()}));
    }
    for child in queue.pointer_mut("/queues").and_then(Value::as_array_mut).into_iter().flatten() {
        lower(sketch, child, &path, most, pods);
    }
}

/// Returns the cpu that a queue guarantees, itself or by its children, whichever is more.
fn guaranteed(queue: &Value) -> i64 {
    let own = text(queue, "/resources/guaranteed/vcore").parse().unwrap_or(0);
    let children = queue.get("queues").and_then(Value::as_array).into_iter().flatten();
    children.map(guaranteed).sum::<i64>().max(own)
}
