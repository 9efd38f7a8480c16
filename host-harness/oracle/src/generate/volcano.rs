//! Clusters of Volcano: elastic jobs of legal sizes, running and pending gangs, queues with deserved, guarantee, capability.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{CaseGenerator, NodePool};
use crate::build::{PodPlan, Size, Tags, pod, put, tags};
use crate::case::{RoundKind, RoundSettings};
use crate::object::stamp;

/// The resource name of GPUs.
const GPU: &str = "nvidia.com/gpu";

/// The possible queues.
const QUEUES: [&str; 3] = ["qa", "qb", "qc"];

/// A job to generate.
struct GeneratedJob {
    name: String,
    queue: String,
    pod: Size,
    min: i64,
    max: i64,
    /// How many pods run, if they fit.
    size: i64,
    elastic: Tags,
    /// How long a pod is protected from eviction, in seconds.
    cooldown: Option<i64>,
}

pub(super) fn cluster(sketch: &mut CaseGenerator) -> (Map<String, Value>, Vec<Value>, RoundSettings) {
    let nodes = sketch.draw("nodes", 1, 3);
    let queues = sketch.draw("queues", 1, 3);
    let elastic = sketch.draw("elasticJobs", 0, 2);
    let plain = sketch.draw("runningGangs", 0, 2);
    let waiting = sketch.draw("waitingGangs", 0, 3);
    let size = sketch.draw("podCpuMost", 1, 2);
    let mode = sketch.flag("elasticMode", 50);
    let between = sketch.draw("secondsBetweenCycles", 1, 30);
    // With devices, jobs and queues have unlike shares of cpu and GPUs.
    let devices = sketch.flag("devices", 50);
    let mut pool = NodePool::of(sketch, nodes, 7, devices);
    let mut objects = pool.nodes();
    for (name, value) in [("low", 10), ("high", 100)] {
        objects.push(json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}));
    }
    let tree = sketch.flag("hierarchy", 35);
    let level = if tree { sketch.draw("ancestorReclaimLevel", 0, 2) } else { 0 };
    let names: Vec<&str> = QUEUES.into_iter().take(usize::try_from(queues).unwrap_or(0)).collect();
    let total = pool.sizes.iter().fold(Size::default(), |total, size| sum(total, *size));
    let mut used: BTreeMap<String, Size> = BTreeMap::new();
    let mut left = 12;
    for number in 1..=elastic {
        let job = elastic_job(sketch, format!("e{number}"), &names, (size, devices));
        let holds = used.entry(job.queue.clone()).or_default();
        *holds = sum(*holds, job.write(sketch, &mut pool, &mut left, number, &mut objects));
    }
    for number in 1..=plain + waiting {
        let mut job = some_job(sketch, format!("j{number}"), &names, (size, devices));
        job.size = if number <= plain { job.max } else { 0 };
        let holds = used.entry(job.queue.clone()).or_default();
        *holds = sum(*holds, job.write(sketch, &mut pool, &mut left, 10 + number, &mut objects));
    }
    for name in names {
        let used = used.get(name).copied().unwrap_or_default();
        let mut queue = queue(sketch, name, total, used);
        if tree {
            let parent = sketch.random.pick(&["pa", "pa", "pb", "root"]).copied().unwrap_or_default();
            put(&mut queue, "/spec", "parent", json!(parent));
            if let Some(spec) = queue.pointer_mut("/spec").and_then(Value::as_object_mut) {
                spec.remove("guarantee");
            }
        }
        objects.push(queue);
    }
    for parent in ["pa", "pb"].into_iter().filter(|_| tree) {
        let mut spec = json!({"parent": "root"});
        if sketch.random.chance(75) {
            put(&mut spec, "", "deserved", deserved(sketch, total));
        }
        objects
            .push(json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": parent},
            "spec": spec, "status": {"state": "Open"}}));
    }
    let mut args = Map::new();
    if tree {
        args.insert("enableHierarchy".to_owned(), json!(true));
        args.insert("ancestorReclaimLevel".to_owned(), json!(level));
    }
    args.insert("capacity.reclaim.mode".to_owned(), json!(if mode { "elastic" } else { "reclaim" }));
    (args, objects, RoundSettings { by: RoundKind::Cycles, first: 40, between, recreate: true, retries_early: false })
}

/// Draws a queue whose capability covers its usage. Its guarantee may exceed the usage.
fn queue(sketch: &mut CaseGenerator, name: &str, total: Size, used: Size) -> Value {
    let mut spec = json!({"weight": 1, "reclaimable": !sketch.random.chance(10)});
    if sketch.random.chance(75) {
        put(&mut spec, "", "deserved", deserved(sketch, total));
    }
    if sketch.random.chance(20) {
        put(&mut spec, "", "capability", json!({"cpu": (used.cpu + sketch.random.between(0, 4)).max(1).to_string()}));
    }
    if sketch.random.chance(25) {
        let mut guarantee = Map::new();
        for (resource, total, used) in [("cpu", total.cpu, used.cpu), (GPU, total.gpu, used.gpu)] {
            // Some queues are guaranteed more than they use.
            let most = if sketch.random.chance(40) { total / 2 } else { used };
            let amount = sketch.random.between(1, 2).min(most);
            if amount > 0 {
                guarantee.insert(resource.to_owned(), json!(amount.to_string()));
            }
        }
        if !guarantee.is_empty() {
            put(&mut spec, "", "guarantee", json!({ "resource": guarantee }));
        }
    }
    if sketch.random.chance(20) {
        put(&mut spec, "", "priority", json!(1));
    }
    let state = if sketch.random.chance(5) { "Closed" } else { "Open" };
    json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name}, "spec": spec,
        "status": {"state": state}})
}

/// Draws the deserved amounts of a queue: often of cpu, sometimes of GPUs, a deserved 0 GPUs included. Half of the queues deserve little, so that
/// they borrow.
fn deserved(sketch: &mut CaseGenerator, total: Size) -> Value {
    let mut deserved = Map::new();
    let part = if sketch.random.chance(50) { 1 } else { 3 };
    let total = Size { cpu: total.cpu / part, gpu: (total.gpu + part - 1) / part };
    if total.gpu == 0 || sketch.random.chance(85) {
        deserved.insert("cpu".to_owned(), json!(sketch.random.between(1, total.cpu.max(1)).to_string()));
    }
    if total.gpu > 0 && sketch.random.chance(85) {
        deserved.insert(GPU.to_owned(), json!(sketch.random.between(0, total.gpu).to_string()));
    }
    Value::Object(deserved)
}

/// Adds two sizes.
fn sum(one: Size, other: Size) -> Size {
    Size { cpu: one.cpu + other.cpu, gpu: one.gpu + other.gpu }
}

/// Draws a gang that is not elastic. `most`: the cpu of a pod at most, and whether it may request GPUs.
fn some_job(sketch: &mut CaseGenerator, name: String, queues: &[&str], most: (i64, bool)) -> GeneratedJob {
    let queue = sketch.random.pick(queues).copied().unwrap_or_default().to_owned();
    let max = sketch.random.between(1, 4);
    let min = if sketch.random.chance(60) { max } else { sketch.random.between(1, max) };
    let pod = sketch.size(most.0, most.1);
    GeneratedJob { name, queue, pod, min, max, size: 0, elastic: Tags::new(), cooldown: None }
}

/// Draws an elastic job, which usually runs.
fn elastic_job(sketch: &mut CaseGenerator, name: String, queues: &[&str], most: (i64, bool)) -> GeneratedJob {
    let min = sketch.random.between(1, 3);
    let max = (min + sketch.random.between(0, 5)).min(8);
    let mut elastic = tags([("volcano.sh/elastic-train", "true")]);
    if sketch.random.chance(50) {
        elastic.insert("volcano.sh/elastic-train-power-of-two".to_owned(), "true".to_owned());
    }
    if sketch.random.chance(60) {
        elastic.insert("volcano.sh/elastic-train-factor".to_owned(), sketch.random.between(1, 3).to_string());
    }
    if sketch.random.chance(25) {
        elastic.insert("volcano.sh/elastic-cooldown-time".to_owned(), format!("{}s", sketch.random.between(10, 40)));
    }
    let size = if sketch.random.chance(85) { sketch.random.between(min, max) } else { 0 };
    let cooldown = sketch.random.chance(15).then(|| sketch.random.between(10, 60));
    GeneratedJob { min, max, size, elastic, cooldown, ..some_job(sketch, name, queues, most) }
}

impl GeneratedJob {
    /// Returns whether this number of pods is a legal size.
    fn may_be(&self, size: i64) -> bool {
        let annotation = |key: &str| self.elastic.get(key).map(String::as_str);
        if self.elastic.is_empty() || size <= self.min {
            return size >= self.min;
        }
        if annotation("volcano.sh/elastic-train-power-of-two") == Some("true") {
            return size & (size - 1) == 0;
        }
        let factor = annotation("volcano.sh/elastic-train-factor").and_then(|text| text.parse().ok()).unwrap_or(1);
        (size - self.min) % factor == 0
    }

    /// Places as many pods of the job as fit in a legal size, and returns their nodes. `left`: the pods that the cluster may still run.
    fn place(&self, sketch: &mut CaseGenerator, pool: &mut NodePool, left: &mut i64) -> Vec<String> {
        let mut placed = Vec::new();
        for _ in 0..self.size.min(*left) * 2 {
            if i64::try_from(placed.len()).unwrap_or(0) < self.size.min(*left) {
                placed.extend(pool.place(&mut sketch.random, self.pod));
            }
        }
        let size =
            (self.min..=i64::try_from(placed.len()).unwrap_or(0)).rev().find(|size| self.may_be(*size)).unwrap_or(0);
        placed.truncate(usize::try_from(size).unwrap_or(0));
        *left -= size;
        placed
    }

    /// Writes the job, its PodGroup and its pods. As many pods run as fit in a legal size. Returns what they hold.
    fn write(
        &self,
        sketch: &mut CaseGenerator,
        pool: &mut NodePool,
        left: &mut i64,
        age: i64,
        objects: &mut Vec<Value>,
    ) -> Size {
        let placed = self.place(sketch, pool, left);
        let (name, group) = (&self.name, format!("{}-pg", self.name));
        let stamp_of = |age: i64| stamp(age);
        let requests = self.pod.written();
        if !self.elastic.is_empty() {
            objects.push(json!({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
                "metadata": {"name": name, "namespace": "default", "annotations": self.elastic, "creationTimestamp": stamp_of(age)},
                "spec": {"minAvailable": self.min, "queue": self.queue, "schedulerName": "volcano", "tasks": [{"name": "worker",
                    "replicas": self.max, "template": {"spec": {"containers": [{"name": "main", "resources": {"requests": requests}}]}}}]}}));
        }
        let mut metadata = json!({"name": group, "namespace": "default", "creationTimestamp": stamp_of(age)});
        if !self.elastic.is_empty() {
            put(&mut metadata, "", "annotations", json!(self.elastic));
            put(
                &mut metadata,
                "",
                "ownerReferences",
                json!([{"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": name, "controller": true}]),
            );
        }
        let mut spec = json!({"queue": self.queue, "minMember": self.min});
        if let Some(class) = sketch.random.word(&["", "", "low", "high"]) {
            put(&mut spec, "", "priorityClassName", json!(class));
        }
        let phase = if placed.is_empty() { "Inqueue" } else { "Running" };
        objects.push(json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": metadata, "spec": spec,
            "status": {"phase": phase}}));
        let never = sketch.random.chance(6);
        for index in 0..self.max {
            let place = usize::try_from(index).unwrap_or(usize::MAX);
            let mut plan = PodPlan { name: format!("{name}-{index}"), size: self.pod, ..PodPlan::default() };
            (plan.created, plan.priority, plan.node) = (age, 1, placed.get(place).cloned());
            plan.annotations = tags([("scheduling.k8s.io/group-name", group.as_str())]);
            if !self.elastic.is_empty() {
                self.mark(index, &mut plan);
            }
            if sketch.random.chance(4) {
                plan.labels.insert("volcano.sh/preemptable".to_owned(), "false".to_owned());
            }
            plan.spec.insert("schedulerName".to_owned(), json!("volcano"));
            if never {
                plan.spec.insert("preemptionPolicy".to_owned(), json!("Never"));
            }
            plan.started = plan.node.as_ref().map(|_| sketch.random.between(0, 30));
            let mut object = pod(&plan);
            if let Some(since) = plan.started {
                let since = stamp(since);
                put(
                    &mut object,
                    "/status",
                    "conditions",
                    json!([{"type": "PodScheduled", "status": "True", "lastTransitionTime": since}]),
                );
            }
            objects.push(object);
        }
        placed.iter().fold(Size::default(), |held, _| sum(held, self.pod))
    }

    /// Sets the labels and annotations that the job controller sets on a pod of an elastic job.
    fn mark(&self, index: i64, plan: &mut PodPlan) {
        let place = index.to_string();
        let pairs = [
            ("volcano.sh/job-name", self.name.as_str()),
            ("volcano.sh/task-spec", "worker"),
            ("volcano.sh/task-index", place.as_str()),
            ("volcano.sh/queue-name", self.queue.as_str()),
        ];
        plan.labels.extend(tags(pairs));
        plan.annotations.extend(tags(pairs));
        if index >= self.min {
            plan.labels.insert("volcano.sh/elastic-train".to_owned(), "true".to_owned());
        }
        if let Some(cooldown) = self.cooldown {
            plan.annotations.insert("volcano.sh/cooldown-time".to_owned(), format!("{cooldown}s"));
        }
    }
}
