//! Clusters of coscheduling: gangs by label that fit, fit after evictions, or never fit, and regular pods.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::shares::DeviceProfile;
use super::{CaseGenerator, NodePool, odd_gang};
use crate::build::{PodPlan, Tags, pod, put, tags};
use crate::case::{RoundKind, RoundSettings};
use crate::object::stamp;
use crate::world::{at, tag, text};

/// Priorities, with ties.
const PRIORITIES: [i64; 4] = [0, 0, 5, 10];

/// The resource name of GPUs.
const GPU: &str = "nvidia.com/gpu";

/// The requests of a pod.
const REQUESTS: &str = "/spec/containers/0/resources/requests";

pub(super) fn cluster(sketch: &mut CaseGenerator) -> (Map<String, Value>, Vec<Value>, RoundSettings) {
    let nodes = sketch.draw("nodes", 1, 3);
    let running = sketch.draw("running", 0, 7);
    let regular = sketch.draw("regularPods", 0, 3);
    let gangs = sketch.draw("gangs", 1, 3);
    let size = sketch.draw("podCpuMost", 1, 4);
    let timeout = sketch.draw("permitTimeout", 5, 15);
    let between = if sketch.flag("timeoutsBetweenRounds", 50) { 11 } else { 1 };
    let recreate = sketch.flag("recreate", 30);
    let mut pool = NodePool::of(sketch, nodes, 8, false);
    let mut objects = pool.nodes();
    for number in 1..=running {
        let mut plan = some_pod(sketch, format!("r{number}"), size);
        plan.node = pool.place(&mut sketch.random, plan.size);
        if plan.node.is_some() {
            plan.started = Some(sketch.random.between(0, 9));
            objects.push(pod(&plan));
        }
    }
    for number in 1..=regular {
        objects.push(pod(&some_pod(sketch, format!("p{number}"), size + 1)));
    }
    for gang in ["a", "b", "c"].into_iter().take(usize::try_from(gangs).unwrap_or(0)) {
        let members = sketch.random.between(1, 4);
        let most = members + i64::from(sketch.random.chance(15));
        let minimum = sketch.random.between(1, most);
        let mut labels: Tags =
            tags([("pod-group/name", gang), ("pod-group/min-available", minimum.to_string().as_str())]);
        if sketch.random.chance(40) {
            labels = tags([("scheduling.x-k8s.io/pod-group", gang)]);
            objects.extend(pod_group(sketch, gang, minimum));
        }
        let (model, alike) = (some_pod(sketch, String::new(), size), sketch.random.chance(80));
        for number in 1..=members {
            let mut plan = PodPlan { name: format!("{gang}{number}"), labels: labels.clone(), ..model.clone() };
            plan.created = sketch.random.between(0, 9);
            if !alike {
                plan.size = sketch.size(size, false);
            }
            if sketch.random.chance(10) {
                plan.node = pool.place(&mut sketch.random, plan.size);
                plan.started = plan.node.as_ref().map(|_| 0);
            }
            objects.push(pod(&plan));
        }
    }
    // A nomination holds room by priority alone. So a borrower of higher priority that is created again takes the room that was made for
    // a quota within its min, and is evicted again, without end: upstream's rules say no more.
    let has_quotas = sketch.flag("quotas", 30);
    if has_quotas {
        quotas(sketch, &mut objects);
    }
    let model = PodPlan { priority: 10, labels: tags([("scheduling.x-k8s.io/pod-group", "w")]), ..PodPlan::default() };
    if let Some((pods, minimum)) = odd_gang(sketch, &model) {
        objects.extend(pods.iter().map(pod));
        objects.push(json!({"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup",
            "metadata": {"name": "w", "namespace": "default", "creationTimestamp": stamp(0)}, "spec": {"minMember": minimum}}));
    }
    let mut args = Map::new();
    args.insert("permitTimeout".to_owned(), json!(format!("{timeout}s")));
    (args, objects, RoundSettings { by: RoundKind::Attempts, first: 20, between, recreate, retries_early: false })
}

/// Spreads pods and groups over three namespaces, two or three of which have a quota. A group stays in one.
fn quotas(sketch: &mut CaseGenerator, objects: &mut Vec<Value>) {
    let namespaces = ["default", "team-a", "team-b"];
    let mut of_group: BTreeMap<String, &str> = BTreeMap::new();
    let mut used: BTreeMap<&str, i64> = BTreeMap::new();
    for object in objects.iter_mut().filter(|object| ["Pod", "PodGroup"].contains(&text(object, "/kind"))) {
        let labels = ["pod-group/name", "scheduling.x-k8s.io/pod-group"];
        let named = labels.iter().find_map(|label| tag(object, "labels", label)).map(str::to_owned);
        let own = (text(object, "/kind") == "PodGroup").then(|| text(object, "/metadata/name").to_owned());
        let drawn = usize::try_from(sketch.random.between(0, 2)).unwrap_or(0);
        let drawn = namespaces.get(drawn).copied().unwrap_or("default");
        let namespace = match named.or(own) {
            Some(group) => *of_group.entry(group).or_insert(drawn),
            None => drawn,
        };
        if at(object, "/spec/nodeName").is_some() {
            let cpu = text(object, "/spec/containers/0/resources/requests/cpu").parse::<i64>().unwrap_or(0);
            *used.entry(namespace).or_default() += cpu;
        }
        put(object, "/metadata", "namespace", json!(namespace));
    }
    let bounded = if sketch.random.chance(50) { 3 } else { 2 };
    for namespace in namespaces.into_iter().rev().take(bounded) {
        let cpu = used.get(namespace).copied().unwrap_or(0);
        let min = (cpu + sketch.random.between(-3, 5)).max(0);
        let mut spec = json!({"min": {"cpu": min.to_string()}});
        if sketch.random.chance(50) {
            let max = min.max(cpu) + sketch.random.between(-1, 5);
            put(&mut spec, "", "max", json!({"cpu": max.max(0).to_string()}));
        }
        objects.push(json!({"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "ElasticQuota",
            "metadata": {"name": format!("quota-{namespace}"), "namespace": namespace}, "spec": spec}));
    }
}

/// Draws the PodGroup of a gang. `None`: the gang has no PodGroup.
fn pod_group(sketch: &mut CaseGenerator, name: &str, minimum: i64) -> Option<Value> {
    let mut spec = json!({"minMember": minimum});
    if sketch.random.chance(40) {
        put(&mut spec, "", "minResources", json!({"cpu": sketch.random.between(1, 12).to_string()}));
    }
    if sketch.random.chance(30) {
        put(&mut spec, "", "scheduleTimeoutSeconds", json!(sketch.random.between(3, 20)));
    }
    let created = stamp(sketch.random.between(0, 9));
    sketch.random.chance(95).then(|| {
        json!({"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup",
            "metadata": {"name": name, "namespace": "default", "creationTimestamp": created}, "spec": spec})
    })
}

/// Draws a pod without a node, to become a running or a pending one.
fn some_pod(sketch: &mut CaseGenerator, name: String, most: i64) -> PodPlan {
    let (priority, created) = (sketch.random.choose_number(&PRIORITIES), sketch.random.between(0, 9));
    PodPlan { name, size: sketch.size(most, false), priority, created, ..PodPlan::default() }
}

/// The GPUs of nodes, as pods request them.
const GPUS: DeviceProfile<'static> =
    DeviceProfile { resources: &["nvidia.com/gpu"], whole: 1, parts: [1, 1, 2, 2], takers: 40 };

/// Gives nodes of some cases GPUs, and pods, quotas and PodGroups amounts of them, so that they have unlike shares of cpu and GPUs.
/// This is drawn last of all, so that the other cases stay the same.
pub(super) fn add_devices(sketch: &mut CaseGenerator, objects: &mut [Value]) {
    if !sketch.flag("devices", 40) {
        return;
    }
    GPUS.share(sketch, objects);
    let mut used: BTreeMap<String, i64> = BTreeMap::new();
    for pod in objects.iter().filter(|object| at(object, "/spec/nodeName").is_some()) {
        let gpus = at(pod, REQUESTS).and_then(|requests| requests.get(GPU)?.as_str()?.parse::<i64>().ok());
        *used.entry(text(pod, "/metadata/namespace").to_owned()).or_default() += gpus.unwrap_or(0);
    }
    for quota in objects.iter_mut().filter(|object| text(object, "/kind") == "ElasticQuota") {
        let used = used.get(text(quota, "/metadata/namespace")).copied().unwrap_or(0);
        let min = (used + sketch.random.between(-2, 2)).max(0);
        // A quota that does not name a resource has none of it.
        if sketch.random.chance(85) {
            put(quota, "/spec/min", GPU, json!(min.to_string()));
        }
        if sketch.random.chance(85) {
            put(quota, "/spec/max", GPU, json!((min.max(used) + sketch.random.between(0, 2)).to_string()));
        }
    }
    for group in objects.iter_mut().filter(|object| text(object, "/kind") == "PodGroup") {
        if sketch.random.chance(20) {
            put(group, "/spec/minResources", GPU, json!(sketch.random.between(1, 4).to_string()));
        }
    }
}

/// Makes some of the PodGroups of a few cases name a resource as their least that no node has. This is drawn last of all.
pub(super) fn odd(sketch: &mut CaseGenerator, objects: &mut [Value]) {
    if !sketch.flag("unknownResource", 8) {
        return;
    }
    for group in objects.iter_mut().filter(|object| text(object, "/kind") == "PodGroup") {
        if sketch.random.chance(60) {
            put(group, "/spec", "minResources", json!({"example.com/widget": "1"}));
        }
    }
}

/// Makes the pending pods of the gangs of a few cases differ in priority and in whether they preempt. This is drawn last of all.
pub(super) fn vary_priorities(sketch: &mut CaseGenerator, objects: &mut [Value]) {
    if !sketch.flag("unlikeMembers", 8) {
        return;
    }
    let is_member = |pod: &&mut Value| {
        let labels = ["pod-group/name", "scheduling.x-k8s.io/pod-group"];
        let waits = text(pod, "/kind") == "Pod" && at(pod, "/spec/nodeName").is_none();
        waits && labels.iter().any(|label| tag(pod, "labels", label).is_some())
    };
    for pod in objects.iter_mut().filter(is_member) {
        if sketch.random.chance(40) {
            put(pod, "/spec", "priority", json!(sketch.random.choose_number(&PRIORITIES)));
        }
        if sketch.random.chance(15) {
            put(pod, "/spec", "preemptionPolicy", json!("Never"));
        }
    }
}
