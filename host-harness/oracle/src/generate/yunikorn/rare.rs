//! What clusters rarely have, and what laws decide about: pods that request nothing, preemption that is switched off, guarantees that the
//! children of a parent share and use up, pods of a DaemonSet in the application of others, task groups of some size, and devices in parts.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::odd::switch_off;
use crate::build::put;
use crate::generate::CaseGenerator;
use crate::generate::shares::DeviceProfile;
use crate::object::{at, tag, text};

/// The annotation of task groups.
const TASK_GROUPS: &str = "yunikorn.apache.org/task-groups";

/// A resource that counts devices in percent.
const PERCENT: &str = "koordinator.sh/gpu-core";

/// A resource that pods take of devices, whatever devices nodes have.
const UNCOUNTED: &str = "nvidia.com/gpumem";

/// Adds these to some cases. All other parameters are drawn before, so that they stay the same.
pub(in crate::generate) fn vary(sketch: &mut CaseGenerator, objects: &mut [Value]) {
    if sketch.parameters.get("loweredMaxima") == Some(&1) {
        if sketch.flag("podsWithoutCpu", 30) {
            take_cpu(sketch, objects);
        }
        return;
    }
    if sketch.flag("preemptionOff", 5) {
        switch_off(objects);
    }
    if sketch.flag("usedUpParents", 12) {
        use_up(sketch, objects);
    }
    if sketch.flag("daemonsOfApplications", 6) {
        join_applications(sketch, objects);
    }
    if sketch.parameters.get("demands") == Some(&1) && sketch.flag("sizedTaskGroups", 60) {
        size_task_groups(sketch, objects);
    }
    if sketch.flag("deviceShares", 8) {
        share_devices(sketch, objects);
    }
}

/// Returns whether a pod runs.
fn runs(pod: &Value) -> bool {
    at(pod, "/spec/nodeName").is_some()
}

/// Returns the pods.
fn pods(objects: &mut [Value]) -> impl Iterator<Item = &mut Value> {
    objects.iter_mut().filter(|object| text(object, "/kind") == "Pod")
}

/// Returns the whole cpus that a pod requests.
fn cpus(pod: &Value) -> i64 {
    text(pod, "/spec/containers/0/resources/requests/cpu").parse().unwrap_or(0)
}

/// Takes the cpu from some pods: they hold nothing of which a queue uses too much.
fn take_cpu(sketch: &mut CaseGenerator, objects: &mut [Value]) {
    for pod in pods(objects) {
        if sketch.random.chance(30) {
            put(pod, "/spec/containers/0/resources", "requests", json!({}));
        }
    }
}

/// Lets parents guarantee what they use, or a little more, and their children little or nothing.
fn use_up(sketch: &mut CaseGenerator, objects: &mut [Value]) {
    let mut used: BTreeMap<String, i64> = BTreeMap::new();
    for pod in pods(objects).filter(|pod| runs(pod)) {
        *used.entry(tag(pod, "labels", "queue").unwrap_or_default().to_owned()).or_insert(0) += cpus(pod);
    }
    for config in objects.iter_mut().filter(|object| text(object, "/kind") == "ConfigMap") {
        let written = at(config, "/data").and_then(|data| data.get("queues.yaml")?.as_str()).unwrap_or_default();
        let Ok(mut tree) = serde_json::from_str::<Value>(written) else { continue };
        let tops = tree.pointer_mut("/partitions/0/queues/0/queues").and_then(Value::as_array_mut);
        for parent in tops.into_iter().flatten() {
            let path = format!("root.{}.", text(parent, "/name"));
            let below = used.iter().filter(|(queue, _)| queue.starts_with(&path)).map(|(_, cpu)| cpu).sum::<i64>();
            let Some(children) = parent.pointer_mut("/queues").and_then(Value::as_array_mut) else { continue };
            for child in children.iter_mut() {
                put(child, "", "resources", json!({}));
            }
            let most: i64 = text(parent, "/resources/max/vcore").parse().unwrap_or(i64::MAX);
            let guaranteed = (below + sketch.random.choose_number(&[0, 0, 0, 1])).min(most);
            if guaranteed > 0 {
                put(parent, "/resources", "guaranteed", json!({"vcore": guaranteed.to_string()}));
            }
        }
        put(config, "/data", "queues.yaml", json!(tree.to_string()));
    }
}

/// Moves pending pods of DaemonSets to the application of a pod on their node.
fn join_applications(sketch: &mut CaseGenerator, objects: &mut [Value]) {
    let mut labels: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let is_in_one = |pod: &&mut Value| runs(pod) && tag(pod, "labels", "applicationId").is_some();
    for pod in pods(objects).filter(is_in_one) {
        let labels = labels.entry(text(pod, "/spec/nodeName").to_owned()).or_default();
        labels.extend(at(pod, "/metadata/labels").cloned());
    }
    let waits = |pod: &&mut Value| !runs(pod) && at(pod, "/metadata/ownerReferences").is_some();
    let names = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/matchFields/0/values/0";
    for pod in pods(objects).filter(waits) {
        let there = labels.get(text(pod, names)).map(Vec::as_slice).unwrap_or_default();
        if let Some(joined) = sketch.random.pick(there) {
            put(pod, "/metadata", "labels", joined.clone());
        }
    }
}

/// Gives task groups a size.
fn size_task_groups(sketch: &mut CaseGenerator, objects: &mut [Value]) {
    for pod in pods(objects).filter(|pod| tag(pod, "annotations", TASK_GROUPS).is_some()) {
        let (members, cpu) = (sketch.random.between(1, 3), sketch.random.between(1, 3));
        let group = json!([{"name": "w", "minMember": members, "minResource": {"cpu": cpu.to_string()}}]);
        put(pod, "/metadata/annotations", TASK_GROUPS, json!(group.to_string()));
    }
}

/// Gives nodes devices, and pods some or parts of them. Where pods request whole GPUs, these are the same devices under another name.
fn share_devices(sketch: &mut CaseGenerator, objects: &mut [Value]) {
    let (resource, whole, parts) = match sketch.random.chance(25) {
        true => (UNCOUNTED, 8, [4, 4, 8, 8]),
        false => (PERCENT, 100, [50, 100, 100, 200]),
    };
    DeviceProfile { resources: &[resource], whole, parts, takers: 50 }.share(sketch, objects);
}
