//! Pods that come when others hold nodes already, at Permit or by a plan.

use serde_json::{Value, json};

use super::CaseGenerator;
use crate::build::put;
use crate::case::SystemKind;
use crate::world::{at, text};

/// Returns pods that are created after the first round, in a few cases of a system whose rounds are attempts: as those that wait from the beginning,
/// without their gang, and mostly more important. This is drawn last of all.
pub(super) fn pods(sketch: &mut CaseGenerator, system: SystemKind, objects: &[Value]) -> Vec<Value> {
    if matches!(system, SystemKind::Yunikorn | SystemKind::Volcano) || !sketch.flag("latePods", 12) {
        return Vec::new();
    }
    let waits = |object: &&Value| text(object, "/kind") == "Pod" && at(object, "/spec/nodeName").is_none();
    let is_alone = |pod: &&Value| {
        let labels = at(pod, "/metadata/labels").and_then(Value::as_object);
        let in_gang = labels.is_some_and(|labels| labels.keys().any(|key| key.contains("pod-group")));
        !in_gang && at(pod, "/spec/schedulingGroup").is_none()
    };
    let models: Vec<&Value> = objects.iter().filter(waits).filter(is_alone).collect();
    let mut late = Vec::new();
    for (number, model) in models.into_iter().take(2).enumerate() {
        let mut pod = model.clone();
        put(&mut pod, "/metadata", "name", json!(format!("l{number}")));
        if sketch.random.chance(70) {
            put(&mut pod, "/spec", "priority", json!(10_000));
        }
        late.push(pod);
    }
    late
}
