//! Clusters of YuniKorn: trees of queues with guarantees, maxima, fences and offsets; applications; DaemonSets.

mod demand;
mod lowered;
mod odd;
mod rare;

use serde_json::{Map, Value, json};

use super::{CaseGenerator, NodePool};
use crate::build::{PodPlan, pod, put, tags};
use crate::case::{RoundKind, RoundSettings};

pub(super) use lowered::vary as lowered;
pub(super) use odd::vary as odd;
pub(super) use rare::vary as rare;

/// Priorities, with ties.
const PRIORITIES: [i64; 5] = [-5, 0, 0, 0, 10];

/// A leaf queue and its usage.
struct LeafQueueUsage {
    path: String,
    used: i64,
    max: Option<i64>,
}

pub(super) fn cluster(sketch: &mut CaseGenerator) -> (Map<String, Value>, Vec<Value>, RoundSettings) {
    let nodes = sketch.draw("nodes", 1, 3);
    let running = sketch.draw("running", 1, 10);
    let pending = sketch.draw("pending", 1, 4);
    let size = sketch.draw("podCpuMost", 1, 4);
    let devices = sketch.flag("devices", 30);
    let daemons = sketch.flag("daemonSets", 20);
    let mixed = sketch.flag("mixedPriorities", 50);
    let recreate = sketch.flag("recreate", 60);
    let mut pool = NodePool::of(sketch, nodes, 8, devices);
    let mut objects = pool.nodes();
    let mut leaves = Vec::new();
    let tops = sketch.draw("topQueues", 2, 3);
    let mut queues: Vec<Value> = (1..=tops).map(|number| top(sketch, number, devices, &mut leaves)).collect();
    queues.push(json!({"name": "system"}));
    let classes = json!({"yunikorn.apache.org/allow-preemption": "false"});
    objects.push(json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
        "metadata": {"name": "keep", "annotations": classes}, "value": 0}));
    for number in 1..=running {
        let mut plan = some_pod(sketch, format!("r{number}"), number, size, devices, mixed);
        if daemons && sketch.random.chance(25) {
            // A pod that names no application is of that of its namespace.
            plan.labels = tags([("queue", "root.system")]);
            let Some(node) = pool.place(&mut sketch.random, plan.size) else { continue };
            (plan.node, plan.started) = (Some(node), Some(plan.created));
            objects.push(pod(&plan));
            continue;
        }
        let Some(plan) = place(sketch, plan, &mut pool, &mut leaves) else { continue };
        objects.push(pod(&plan));
    }
    for number in 1..=pending {
        let mut plan = some_pod(sketch, format!("p{number}"), 60 + number, size + 1, devices, mixed);
        if daemons && sketch.random.chance(40) {
            daemon(sketch, &mut plan, &pool.names, &leaves);
        } else {
            let leaf = sketch.random.pick(&leaves).map(|leaf| leaf.path.clone()).unwrap_or_default();
            join(sketch, &mut plan, &leaf);
        }
        objects.push(pod(&plan));
    }
    let partition = json!({"name": "default", "placementrules": [{"name": "provided", "create": true}],
        "queues": [{"name": "root", "submitacl": "*", "queues": queues}]});
    objects.push(json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "yunikorn-configs", "namespace": "yunikorn"},
        "data": {"queues.yaml": json!({"partitions": [partition]}).to_string()}}));
    demand::vary(sketch, &mut objects);
    (
        Map::new(),
        objects,
        RoundSettings { by: RoundKind::Attempts, first: 31, between: 16, recreate, retries_early: false },
    )
}

/// Draws a queue below root: a leaf, or the parent of one or two leaves.
fn top(sketch: &mut CaseGenerator, number: i64, devices: bool, leaves: &mut Vec<LeafQueueUsage>) -> Value {
    let name = format!("q{number}");
    let max = sketch.random.chance(25).then(|| sketch.random.between(2, 10));
    if sketch.random.chance(50) {
        leaves.push(LeafQueueUsage { path: format!("root.{name}"), used: 0, max });
        let guaranteed = guarantee(sketch, max, 65);
        return queue(sketch, &name, guaranteed, max, devices, true, None);
    }
    let count = sketch.random.between(1, 2);
    let (mut children, mut sum) = (Vec::new(), 0);
    for child in 1..=count {
        let left = max.map(|max| max - sum);
        let guaranteed = guarantee(sketch, left, 60);
        sum += guaranteed.unwrap_or(0);
        let child = format!("c{child}");
        leaves.push(LeafQueueUsage { path: format!("root.{name}.{child}"), used: 0, max });
        children.push(queue(sketch, &child, guaranteed, None, devices, true, None));
    }
    let mut guaranteed = None;
    if sketch.random.chance(45) {
        let most = max.unwrap_or(99);
        guaranteed = Some((sum + sketch.random.between(0, 4)).min(most)).filter(|guaranteed| *guaranteed > 0);
    }
    queue(sketch, &name, guaranteed, max, false, false, Some(children))
}

/// Draws a guarantee of at most `most`, with this probability in percent. `None`: no guarantee.
fn guarantee(sketch: &mut CaseGenerator, most: Option<i64>, percent: i64) -> Option<i64> {
    let guaranteed = sketch.random.between(1, 6).min(most.unwrap_or(6));
    (sketch.random.chance(percent) && guaranteed > 0).then_some(guaranteed)
}

/// Draws a queue in the format of the configuration.
fn queue(
    sketch: &mut CaseGenerator,
    name: &str,
    guaranteed: Option<i64>,
    max: Option<i64>,
    devices: bool,
    leaf: bool,
    children: Option<Vec<Value>>,
) -> Value {
    let (mut resources, mut properties) = (Map::new(), Map::new());
    if let Some(guaranteed) = guaranteed {
        let mut amounts = json!({"vcore": guaranteed.to_string()});
        if devices && sketch.random.chance(40) {
            put(&mut amounts, "", "nvidia.com/gpu", json!(sketch.random.between(1, 3).to_string()));
        }
        resources.insert("guaranteed".to_owned(), amounts);
    }
    if let Some(max) = max {
        resources.insert("max".to_owned(), json!({"vcore": max.to_string()}));
    }
    let mut property = |name: &str, value: &str| properties.insert(name.to_owned(), json!(value));
    if sketch.random.chance(12) {
        property("preemption.policy", "fence");
    } else if sketch.random.chance(8) {
        property("preemption.policy", "disabled");
    }
    if leaf && sketch.random.chance(20) {
        let delay = sketch.random.choose_number(&[5, 40, 60]);
        property("preemption.delay", &format!("{delay}s"));
    }
    if sketch.random.chance(10) {
        property("priority.policy", "fence");
    }
    if sketch.random.chance(12) {
        let offset = sketch.random.choose_number(&[-10, 5, 10]);
        property("priority.offset", &offset.to_string());
    }
    let mut queue = json!({"name": name, "resources": resources, "properties": properties});
    if let Some(children) = children {
        put(&mut queue, "", "queues", json!(children));
    }
    queue
}

/// Draws a pod of YuniKorn without a node, to become a running or a pending one.
fn some_pod(sketch: &mut CaseGenerator, name: String, created: i64, most: i64, devices: bool, mixed: bool) -> PodPlan {
    let priority = if mixed { sketch.random.choose_number(&PRIORITIES) } else { 0 };
    let mut plan = PodPlan { name, size: sketch.size(most, devices), priority, created, ..PodPlan::default() };
    plan.spec.insert("schedulerName".to_owned(), json!("yunikorn"));
    if sketch.random.chance(6) {
        plan.spec.insert("preemptionPolicy".to_owned(), json!("Never"));
    }
    if sketch.random.chance(20) {
        plan.spec.insert("priorityClassName".to_owned(), json!("keep"));
    }
    plan
}

/// Places a running pod on a node and in a queue. `None`: the pod fits no node, or exceeds the maximum of the queue.
fn place(
    sketch: &mut CaseGenerator,
    mut plan: PodPlan,
    pool: &mut NodePool,
    leaves: &mut [LeafQueueUsage],
) -> Option<PodPlan> {
    let last = i64::try_from(leaves.len()).ok()? - 1;
    let place = usize::try_from(sketch.random.between(0, last)).ok()?;
    let path = leaves.get(place)?.path.clone();
    let parent = path.rsplit_once('.')?.0.to_owned();
    // The maximum is that of the top queue; its leaves share it.
    let shared =
        |leaf: &&LeafQueueUsage| leaf.path == path || parent != "root" && leaf.path.starts_with(&format!("{parent}."));
    let used: i64 = leaves.iter().filter(shared).map(|leaf| leaf.used).sum();
    let leaf = leaves.get_mut(place)?;
    if leaf.max.is_some_and(|max| used + plan.size.cpu > max) {
        return None;
    }
    plan.node = Some(pool.place(&mut sketch.random, plan.size)?);
    plan.started = Some(plan.created);
    leaf.used += plan.size.cpu;
    join(sketch, &mut plan, &path);
    Some(plan)
}

/// Puts a pod into one of the two applications of a queue.
fn join(sketch: &mut CaseGenerator, plan: &mut PodPlan, path: &str) {
    let app = format!("{}-{}", path.replace('.', "-"), sketch.random.between(1, 2));
    plan.labels = tags([("applicationId", app.as_str()), ("queue", path)]);
}

/// Makes a pod part of a DaemonSet that must run on one node: of an application of its own, of none, or of one that runs in a queue.
fn daemon(sketch: &mut CaseGenerator, plan: &mut PodPlan, nodes: &[String], leaves: &[LeafQueueUsage]) {
    let node = sketch.random.pick(nodes).cloned().unwrap_or_default();
    let app = format!("daemon-{}", plan.name);
    plan.labels = tags([("applicationId", app.as_str()), ("queue", "root.system")]);
    if sketch.random.chance(35) {
        plan.labels.remove("applicationId");
    } else if sketch.random.chance(20) {
        let leaf = sketch.random.pick(leaves).map(|leaf| leaf.path.clone()).unwrap_or_default();
        join(sketch, plan, &leaf);
    }
    plan.metadata.insert(
        "ownerReferences".to_owned(),
        json!([{"apiVersion": "apps/v1", "kind": "DaemonSet",
        "name": app, "uid": format!("uid-{app}"), "controller": true}]),
    );
    let term = json!([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]);
    plan.spec.insert(
        "affinity".to_owned(),
        json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": term}}}),
    );
}
