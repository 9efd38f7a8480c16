//! Clusters of kube-scheduler: priorities, disruption budgets, equal start times, nodes that not every pod may run on.

use serde_json::{Map, Value, json};

use super::{CaseGenerator, NodePool, odd_gang};
use crate::build::{PodPlan, node, pod, put, tags};
use crate::case::{RoundKind, RoundSettings};
use crate::world::{at, text};

/// Priorities, with ties and negative values.
const PRIORITIES: [i64; 6] = [-10, 0, 0, 5, 10, 100];

pub(super) fn cluster(sketch: &mut CaseGenerator) -> (Map<String, Value>, Vec<Value>, RoundSettings) {
    let mut objects = Vec::new();
    let nodes = sketch.draw("nodes", 1, 4);
    let running = sketch.draw("running", 0, 12);
    let pending = sketch.draw("pending", 1, 5);
    let budgets = sketch.draw("budgets", 0, 2);
    let size = sketch.draw("podCpuMost", 1, 5);
    let devices = sketch.flag("devices", 20);
    let picky = sketch.flag("pickyNodes", 25);
    let recreate = sketch.flag("recreate", 40);
    let mut pool = NodePool::of(sketch, nodes, 8, devices);
    for number in 1..=running {
        let mut plan = some_pod(sketch, format!("r{number}"), number, size, devices);
        plan.node = pool.place(&mut sketch.random, plan.size);
        if plan.node.is_some() {
            plan.started = sketch.random.chance(90).then(|| sketch.random.between(0, 9));
            objects.push(pod(&plan));
        }
    }
    for (name, size) in pool.names.iter().zip(&pool.sizes) {
        let held = objects.iter().filter(|pod: &&Value| text(pod, "/spec/nodeName") == name).count();
        let few = i64::try_from(held).unwrap_or(0) + sketch.random.between(0, 2);
        let slots = if sketch.random.chance(10) { few.max(1) } else { 110 };
        let labels = if picky && sketch.random.chance(50) { tags([("disk", "ssd")]) } else { tags([]) };
        let mut object = node(name, *size, slots, &labels);
        if picky && sketch.random.chance(15) {
            put(&mut object, "", "spec", json!({"unschedulable": true}));
        }
        if picky && sketch.random.chance(15) {
            put(
                &mut object,
                "",
                "spec",
                json!({"taints": [{"key": "dedicated", "value": "x", "effect": "NoSchedule"}]}),
            );
        }
        objects.push(object);
    }
    for number in 1..=pending {
        let mut plan = some_pod(sketch, format!("p{number}"), 100 + number, size + 2, devices);
        if picky && sketch.random.chance(25) {
            plan.spec.insert("nodeSelector".to_owned(), json!({"disk": "ssd"}));
        }
        objects.push(pod(&plan));
    }
    for (name, app) in [("budget-a", "a"), ("budget-b", "b")].into_iter().take(usize::try_from(budgets).unwrap_or(0)) {
        let allowed = sketch.random.between(0, 2);
        objects.push(json!({
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": name, "namespace": "default"},
            "spec": budget_of(sketch, app), "status": {"disruptionsAllowed": allowed},
        }));
    }
    if sketch.flag("groups", 40) {
        group_some(sketch, &mut objects);
    }
    let mut model = PodPlan { priority: 10, ..PodPlan::default() };
    model.spec.insert("schedulingGroup".to_owned(), json!({"podGroupName": "w"}));
    if let Some((pods, minimum)) = odd_gang(sketch, &model) {
        objects.extend(pods.iter().map(pod));
        let spec = json!({"priority": 10, "schedulingPolicy": {"gang": {"minCount": minimum}}});
        objects.push(json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
            "metadata": {"name": "w", "namespace": "default"}, "spec": spec}));
    }
    (
        Map::new(),
        objects,
        RoundSettings { by: RoundKind::Attempts, first: 20, between: 1, recreate, retries_early: false },
    )
}

/// Draws the pods that a budget covers: mostly those of an application, else those of no application, every pod, or no pod.
fn budget_of(sketch: &mut CaseGenerator, app: &str) -> Value {
    match sketch.random.between(1, 10) {
        1 => json!({}),
        2 => json!({"selector": {}}),
        3 => json!({"selector": {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": [app]}]}}),
        _ => json!({"selector": {"matchLabels": {"app": app}}}),
    }
}

/// Puts some of the pods into two PodGroups; sometimes one of these is missing.
fn group_some(sketch: &mut CaseGenerator, objects: &mut Vec<Value>) {
    for name in ["g", "h"] {
        let priority = sketch.random.choose_number(&PRIORITIES);
        for pod in objects.iter_mut().filter(|object| text(object, "/kind") == "Pod") {
            if at(pod, "/spec/schedulingGroup").is_none() && sketch.random.chance(30) {
                put(pod, "/spec", "schedulingGroup", json!({"podGroupName": name}));
                put(pod, "/spec", "preemptionPolicy", json!("PreemptLowerPriority"));
                if sketch.random.chance(80) {
                    put(pod, "/spec", "priority", json!(priority));
                }
            }
        }
        let mut spec = json!({"priority": priority, "schedulingPolicy": {"basic": {}}});
        if sketch.random.chance(80) {
            put(&mut spec, "", "schedulingPolicy", json!({"gang": {"minCount": sketch.random.between(1, 3)}}));
        }
        if sketch.random.chance(40) {
            put(&mut spec, "", "disruptionMode", json!({"all": {}}));
        }
        let group = json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
            "metadata": {"name": name, "namespace": "default"}, "spec": spec});
        objects.extend(sketch.random.chance(95).then_some(group));
    }
}

/// Draws a pod without a node, to become a running or a pending one.
fn some_pod(sketch: &mut CaseGenerator, name: String, created: i64, most: i64, devices: bool) -> PodPlan {
    let priority = sketch.random.choose_number(&PRIORITIES);
    let mut plan = PodPlan { name, size: sketch.size(most, devices), priority, created, ..PodPlan::default() };
    if let Some(app) = sketch.random.word(&["a", "a", "b", ""]) {
        plan.labels = tags([("app", app)]);
    }
    if sketch.random.chance(8) {
        plan.spec.insert("preemptionPolicy".to_owned(), json!("Never"));
    }
    if sketch.random.chance(10) {
        plan.spec.insert("tolerations".to_owned(), json!([{"key": "dedicated", "operator": "Exists"}]));
    }
    plan
}

/// Makes some of the PodGroups of a few cases demand a topology, which is not judged. This is drawn last of all.
pub(super) fn odd(sketch: &mut CaseGenerator, objects: &mut [Value]) {
    if !sketch.flag("topology", 8) {
        return;
    }
    for group in objects.iter_mut().filter(|object| text(object, "/kind") == "PodGroup") {
        if sketch.random.chance(60) {
            put(group, "/spec", "schedulingConstraints", json!({"topology": [{"key": "example.com/rack"}]}));
        }
    }
}
