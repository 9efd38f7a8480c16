//! Clusters of Koordinator: nearly full quotas, jobs with and without a gang, pods that may or may not be evicted, and
//! reservations.

mod devices;
mod gangs;
pub(super) mod odd;
mod parents;

use serde_json::{Map, Value, json};

use super::{CaseGenerator, NodePool, odd_gang};
use crate::build::{PodPlan, Size, Tags, pod, put, tags};
use crate::case::{RoundKind, RoundSettings};
use crate::object::stamp;

/// Priorities of running pods, with ties.
const RUNNING: [i64; 4] = [1000, 1000, 2000, 9000];

/// Priorities of pending pods.
const PENDING: [i64; 4] = [1000, 2000, 9000, 9000];

/// The possible quotas.
const QUOTAS: [&str; 3] = ["team-a", "team-b", "team-c"];

pub(super) fn cluster(sketch: &mut CaseGenerator) -> (Map<String, Value>, Vec<Value>, RoundSettings) {
    let nodes = sketch.draw("nodes", 1, 4);
    let running = sketch.draw("running", 0, 11);
    let jobs = sketch.draw("jobs", 0, 2);
    let single = sketch.draw("singlePods", 0, 3);
    let quotas = sketch.draw("quotas", 1, 3);
    let reservations = if sketch.flag("withReservations", 30) { sketch.draw("reservations", 1, 4) } else { 0 };
    let size = sketch.draw("podCpuMost", 1, 5);
    let devices = sketch.flag("devices", 20);
    let recreate = sketch.flag("recreate", 30);
    let mut args = Map::new();
    for name in ["disableDefaultPreemptiable", "disableDefaultTriggerPreemption", "podShouldBeDeletedWhenPreempted"] {
        if sketch.flag(name, 25) {
            args.insert(name.to_owned(), json!(true));
        }
    }
    let unlabelled_is_fixed = args.contains_key("disableDefaultPreemptiable");
    let mut usages: Vec<QuotaUsage> =
        QUOTAS.into_iter().take(usize::try_from(quotas).unwrap_or(0)).map(QuotaUsage::of).collect();
    let mut pool = NodePool::of(sketch, nodes, 8, devices);
    let mut objects = pool.nodes();
    for number in 1..=reservations {
        let most = size + 1;
        reservation(sketch, &mut pool, number, most, &mut objects);
    }
    for number in 1..=running {
        let (mut plan, quota) = some_pod(sketch, format!("r{number}"), size, devices, usages.len());
        plan.node = pool.place(&mut sketch.random, plan.size);
        if plan.node.is_some() {
            plan.started = Some(plan.created);
            if let Some(usage) = usages.get_mut(quota) {
                let label = plan.labels.get("quota.scheduling.koordinator.sh/preemptible").map(String::as_str);
                usage.running(plan.size, label == Some("false") || label.is_none() && unlabelled_is_fixed);
            }
            objects.push(pod(&plan));
        }
    }
    for number in 1..=single {
        let (plan, _) = some_pod(sketch, format!("p{number}"), size + 1, devices, usages.len());
        objects.push(pod(&plan));
    }
    for job in ["x", "y", "z"].into_iter().take(usize::try_from(jobs).unwrap_or(0)) {
        self::job(sketch, job, size, devices, usages.len(), &mut objects);
    }
    for usage in &usages {
        objects.push(usage.quota(sketch));
    }
    let between = if gangs::vary(sketch, &mut objects) { 11 } else { 1 };
    parents::vary(sketch, &mut args, &mut objects);
    let job = tags([("pod-group.scheduling.sigs.k8s.io", "w"), ("quota.scheduling.koordinator.sh/name", "team-a")]);
    let model = PodPlan { priority: 9000, labels: job, ..PodPlan::default() };
    if let Some((pods, minimum)) = odd_gang(sketch, &model) {
        objects.extend(pods.iter().map(pod));
        objects.push(json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "PodGroup",
            "metadata": {"name": "w", "namespace": "default"}, "spec": {"minMember": minimum}}));
    }
    devices::vary(sketch, &mut objects);
    (args, objects, RoundSettings { by: RoundKind::Attempts, first: 20, between, recreate, retries_early: false })
}

/// The usage of a quota by running pods. `fixed` is the part of non-preemptible pods.
struct QuotaUsage {
    name: &'static str,
    used: Size,
    fixed: Size,
}

impl QuotaUsage {
    fn of(name: &'static str) -> QuotaUsage {
        QuotaUsage { name, used: Size::default(), fixed: Size::default() }
    }

    fn running(&mut self, size: Size, fixed: bool) {
        self.used = Size { cpu: self.used.cpu + size.cpu, gpu: self.used.gpu + size.gpu };
        if fixed {
            self.fixed = Size { cpu: self.fixed.cpu + size.cpu, gpu: self.fixed.gpu + size.gpu };
        }
    }

    /// Draws a quota whose min covers the fixed usage and whose max covers all usage, both by a small margin.
    fn quota(&self, sketch: &mut CaseGenerator) -> Value {
        let min = self.fixed.cpu + sketch.random.between(0, 8);
        let max = self.used.cpu.max(min) + sketch.random.between(0, 8);
        let (mut least, mut most) = (json!({"cpu": min.to_string()}), json!({"cpu": max.to_string()}));
        if sketch.random.chance(40) {
            let min = self.fixed.gpu + sketch.random.between(0, 4);
            put(&mut least, "", "nvidia.com/gpu", json!(min.to_string()));
            put(
                &mut most,
                "",
                "nvidia.com/gpu",
                json!((self.used.gpu.max(min) + sketch.random.between(0, 2)).to_string()),
            );
        }
        json!({
            "apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
            "metadata": {"name": self.name, "namespace": "quotas", "labels": {
                "quota.scheduling.koordinator.sh/parent": "koordinator-root-quota",
                "quota.scheduling.koordinator.sh/is-parent": "false",
            }},
            "spec": {"min": least, "max": most},
        })
    }
}

/// Draws a pod in one of the first `quotas` quotas, and the index of its quota.
fn some_pod(sketch: &mut CaseGenerator, name: String, most: i64, devices: bool, quotas: usize) -> (PodPlan, usize) {
    let priority = sketch.random.choose_number(if name.starts_with('r') { &RUNNING } else { &PENDING });
    let created = sketch.random.between(0, 9);
    let mut plan = PodPlan { name, size: sketch.size(most, devices), priority, created, ..PodPlan::default() };
    let last = i64::try_from(quotas).unwrap_or(1) - 1;
    let quota = usize::try_from(sketch.random.between(0, last)).unwrap_or(0);
    let mut labels: Tags = QUOTAS
        .get(quota)
        .map(|name| ("quota.scheduling.koordinator.sh/name", *name))
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    if let Some(class) = sketch.random.word(&["true", "true", "false", ""]) {
        labels.insert("quota.scheduling.koordinator.sh/preemptible".to_owned(), class.to_owned());
    }
    if let Some(may) = sketch.random.word(&["", "", "", "true", "true", "false"]) {
        labels.insert("quota.scheduling.koordinator.sh/can-preempt".to_owned(), may.to_owned());
    }
    if sketch.random.chance(8) {
        plan.spec.insert("preemptionPolicy".to_owned(), json!("Never"));
    }
    plan.labels = labels;
    (plan, quota)
}

/// Adds a job of pending pods, usually of one size, with a gang that needs all of them.
fn job(sketch: &mut CaseGenerator, job: &str, most: i64, devices: bool, quotas: usize, objects: &mut Vec<Value>) {
    let members = sketch.random.between(1, 4);
    let (mut model, _) = some_pod(sketch, String::new(), most, devices, quotas);
    model.labels.insert("pod-group.scheduling.sigs.k8s.io".to_owned(), job.to_owned());
    let alike = sketch.random.chance(75);
    for number in 1..=members {
        let mut plan = PodPlan { name: format!("{job}{number}"), ..model.clone() };
        if !alike {
            plan.size = sketch.size(most, devices);
        }
        objects.push(pod(&plan));
    }
    let minimum = members + i64::from(sketch.random.chance(10));
    objects.push(json!({
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "PodGroup",
        "metadata": {"name": job, "namespace": "default"}, "spec": {"minMember": minimum},
    }));
}

/// Adds a reservation, usually available, sometimes with a pod inside.
fn reservation(sketch: &mut CaseGenerator, pool: &mut NodePool, number: i64, most: i64, objects: &mut Vec<Value>) {
    let (name, size) = (format!("v{number}"), Size { cpu: sketch.random.between(1, most), gpu: 0 });
    let priority = sketch.random.choose_number(&[100, 200, 300]).to_string();
    let mut labels = tags([("koordinator.sh/priority", priority.as_str())]);
    if let Some(may) = sketch.random.word(&["true", "true", "false", ""]) {
        labels.insert("scheduling.koordinator.sh/can-preempt".to_owned(), may.to_owned());
    }
    let node = if sketch.random.chance(60) { pool.place(&mut sketch.random, size) } else { None };
    let inside = node.is_some() && sketch.random.chance(50);
    let mut status = json!({"phase": "Pending"});
    if let Some(node) = &node {
        status = json!({"phase": "Available", "nodeName": node, "allocatable": size.written()});
        if inside {
            let owner =
                json!([{"namespace": "default", "name": format!("o{number}"), "uid": format!("uid-o{number}")}]);
            put(&mut status, "", "currentOwners", owner);
            put(&mut status, "", "allocated", json!(size.written()));
        }
    }
    objects.push(json!({
        "apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "Reservation",
        "metadata": {"name": name, "uid": format!("uid-{name}"), "labels": labels,
            "creationTimestamp": stamp(sketch.random.between(0, 9))},
        "spec": {
            "template": {"metadata": {"namespace": "default"},
                "spec": {"containers": [{"name": "main", "resources": {"requests": size.written()}}]}},
            "owners": [{"labelSelector": {"matchLabels": {"app": name}}}], "ttl": "24h", "allocateOnce": false,
        },
        "status": status,
    }));
    if inside {
        let mut plan = PodPlan { name: format!("o{number}"), size, priority: 1000, node, ..PodPlan::default() };
        plan.labels = tags([("quota.scheduling.koordinator.sh/name", "inside"), ("app", name.as_str())]);
        let allocated = format!(r#"{{"name":"{name}","uid":"uid-{name}"}}"#);
        plan.annotations = tags([("scheduling.koordinator.sh/reservation-allocated", allocated.as_str())]);
        plan.metadata.insert("uid".to_owned(), json!(format!("uid-o{number}")));
        objects.push(pod(&plan));
    }
}
