//! Queues created on demand: a parent without children, and its child template.

use serde_json::{Map, Value, json};

use crate::build::put;
use crate::generate::CaseGenerator;
use crate::world::{at, text};

/// Queues that pods name and the configuration does not contain.
const LEAVES: [&str; 2] = ["root.demand.u1", "root.demand.u2"];

/// Moves some pods to queues on demand. All other parameters are drawn before, so that they stay the same.
pub(super) fn vary(sketch: &mut CaseGenerator, objects: &mut [Value]) {
    if !sketch.flag("queuesOnDemand", 30) {
        return;
    }
    let mut used = [0, 0];
    for pod in objects.iter_mut().filter(|object| text(object, "/kind") == "Pod") {
        let is_daemon = at(pod, "/metadata/ownerReferences").is_some();
        if is_daemon || !sketch.random.chance(40) {
            continue;
        }
        let place = usize::from(sketch.random.chance(50));
        let Some((leaf, used)) = LEAVES.get(place).zip(used.get_mut(place)) else { continue };
        let app = format!("demand-{place}-{}", sketch.random.between(1, 2));
        put(pod, "/metadata/labels", "queue", json!(leaf));
        put(pod, "/metadata/labels", "applicationId", json!(app));
        if at(pod, "/spec/nodeName").is_some() {
            *used += text(pod, "/spec/containers/0/resources/requests/cpu").parse().unwrap_or(0);
        }
    }
    let queue = parent(sketch, used);
    for config in objects.iter_mut().filter(|object| text(object, "/kind") == "ConfigMap") {
        let written = at(config, "/data").and_then(|data| data.get("queues.yaml")?.as_str()).unwrap_or_default();
        let Ok(mut tree) = serde_json::from_str::<Value>(written) else { continue };
        if let Some(queues) = tree.pointer_mut("/partitions/0/queues/0/queues").and_then(Value::as_array_mut) {
            queues.push(queue.clone());
        }
        put(config, "/data", "queues.yaml", json!(tree.to_string()));
    }
}

/// Draws the parent of queues with this usage.
fn parent(sketch: &mut CaseGenerator, used: [i64; 2]) -> Value {
    let most = used.iter().copied().max().unwrap_or(0) + sketch.random.between(1, 4);
    let (mut template, mut properties) = (Map::new(), Map::new());
    if sketch.random.chance(60) {
        let guaranteed = sketch.random.between(1, 6).min(most);
        template.insert("guaranteed".to_owned(), json!({"vcore": guaranteed.to_string()}));
    }
    if sketch.random.chance(30) {
        template.insert("max".to_owned(), json!({"vcore": most.to_string()}));
    }
    if sketch.random.chance(25) {
        let delay = sketch.random.choose_number(&[5, 40, 60]);
        properties.insert("preemption.delay".to_owned(), json!(format!("{delay}s")));
    }
    if let Some(policy) = sketch.random.word(&["fence", "disabled", "", "", "", ""]) {
        properties.insert("preemption.policy".to_owned(), json!(policy));
    }
    if sketch.random.chance(15) {
        properties.insert("priority.offset".to_owned(), json!(sketch.random.choose_number(&[-10, 5, 10]).to_string()));
    }
    let mut resources = Map::new();
    if sketch.random.chance(40) {
        resources.insert("guaranteed".to_owned(), json!({"vcore": sketch.random.between(1, 8).to_string()}));
    }
    let mut own = Map::new();
    if sketch.random.chance(10) {
        own.insert("preemption.policy".to_owned(), json!("fence"));
    }
    json!({"name": "demand", "parent": true, "resources": resources, "properties": own,
        "childtemplate": {"resources": template, "properties": properties}})
}
