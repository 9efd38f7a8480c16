//! What clusters rarely have: pods that opted out of preemption, pods of the default quota, quotas above that are full, gangs whose
//! topology that another scheduler would have to gather, and gangs that no PodGroup describes.

use serde_json::{Map, Value, json};

use crate::build::put;
use crate::generate::CaseGenerator;
use crate::world::{at, tag, text};

const JOB: &str = "pod-group.scheduling.sigs.k8s.io";
const NAME: &str = "quota.scheduling.koordinator.sh/name";
const CLASS: &str = "quota.scheduling.koordinator.sh/preemptible";
const TRIGGER: &str = "quota.scheduling.koordinator.sh/can-preempt";
const PARENT: &str = "quota.scheduling.koordinator.sh/parent";
const OPTED_OUT: &str = "scheduling.koordinator.sh/disable-preemptible";
const TOPOLOGY: &str = "gang.scheduling.koordinator.sh/network-topology-spec";

/// Adds these to some cases. This is drawn last of all, so that everything else stays the same.
pub(in crate::generate) fn vary(sketch: &mut CaseGenerator, args: &mut Map<String, Value>, objects: &mut Vec<Value>) {
    if !sketch.flag("odd", 30) {
        return;
    }
    match sketch.draw("oddPart", 1, 5) {
        1 => opt_out(sketch, objects),
        2 => move_to_default_quota(sketch, args, objects),
        3 => fill_parent(sketch, args, objects),
        4 => require_topology(sketch, objects),
        _ => objects.retain(|object| text(object, "/kind") != "PodGroup" || sketch.random.chance(50)),
    }
}

/// Makes some of the pods opt out of preemption.
fn opt_out(sketch: &mut CaseGenerator, objects: &mut [Value]) {
    for pod in pods(objects) {
        if sketch.random.chance(40) {
            put(pod, "/metadata/labels", OPTED_OUT, json!("true"));
        }
    }
}

/// Takes some of the pods of no gang out of their quotas, and mostly has the default quota protect those that run.
fn move_to_default_quota(sketch: &mut CaseGenerator, args: &mut Map<String, Value>, objects: &mut [Value]) {
    if sketch.random.chance(70) {
        args.insert("disableDefaultQuotaPreemption".to_owned(), json!(true));
    }
    for pod in pods(objects).filter(|pod| tag(pod, "labels", JOB).is_none()) {
        let labels = pod.pointer_mut("/metadata/labels").and_then(Value::as_object_mut);
        if let Some(labels) = labels.filter(|_| sketch.random.chance(60)) {
            labels.remove(NAME);
        }
    }
}

/// Fills a quota above, while the quotas below it and the nodes have room: only the bound above refuses pods. Single pods are
/// non-preemptible, as those alone evict pods for a bound.
fn fill_parent(sketch: &mut CaseGenerator, args: &mut Map<String, Value>, objects: &mut [Value]) {
    let is_below = |quota: &Value| tag(quota, "labels", PARENT) == Some("department");
    let below = objects.iter().filter(|object| is_below(object));
    let names: Vec<String> = below.map(|quota| text(quota, "/metadata/name").to_owned()).collect();
    if names.is_empty() {
        return;
    }
    args.insert("enableCheckParentQuota".to_owned(), json!(true));
    let cpu = |object: &Value, at: &str| text(object, at).parse::<i64>().unwrap_or(0);
    let runs = |object: &&Value| text(object, "/kind") == "Pod" && at(object, "/spec/nodeName").is_some();
    let is_ours = |pod: &&Value| tag(pod, "labels", NAME).is_some_and(|name| names.iter().any(|other| other == name));
    let ours = objects.iter().filter(runs).filter(is_ours);
    let used: i64 = ours.map(|pod| cpu(pod, "/spec/containers/0/resources/requests/cpu")).sum();
    for pod in pods(objects).filter(|pod| tag(pod, "labels", JOB).is_none()) {
        let runs = at(pod, "/spec/nodeName").is_some();
        if runs && sketch.random.chance(70) {
            put(pod, "/metadata/labels", CLASS, json!("true"));
        } else if !runs && sketch.random.chance(80) {
            put(pod, "/metadata/labels", CLASS, json!("false"));
            put(pod, "/metadata/labels", TRIGGER, json!("true"));
            put(pod, "/spec", "preemptionPolicy", json!("PreemptLowerPriority"));
            put(pod, "/spec", "priority", json!(9000));
        }
    }
    for object in objects.iter_mut() {
        let name = text(object, "/metadata/name").to_owned();
        match text(object, "/kind") {
            "Node" => {
                let more = cpu(object, "/status/allocatable/cpu") + 5;
                put(object, "/status/allocatable", "cpu", json!(more.to_string()));
            }
            "ElasticQuota" if name == "department" => {
                let most = used.max(cpu(object, "/spec/min/cpu")) + sketch.random.choose_number(&[0, 0, 1]);
                put(object, "/spec/max", "cpu", json!(most.to_string()));
                put(object, "/spec/min", "cpu", json!(most.to_string()));
            }
            "ElasticQuota" if names.contains(&name) => {
                let more = sketch.random.choose_number(&[0, 0, 4, 8]);
                let (least, most) = (cpu(object, "/spec/min/cpu") + more, cpu(object, "/spec/max/cpu") + 8);
                put(object, "/spec/min", "cpu", json!(least.to_string()));
                put(object, "/spec/max", "cpu", json!(most.to_string()));
            }
            _ => {}
        }
    }
}

/// Gives some of the gangs a topology that must be gathered.
fn require_topology(sketch: &mut CaseGenerator, objects: &mut [Value]) {
    for group in objects.iter_mut().filter(|object| text(object, "/kind") == "PodGroup") {
        if sketch.random.chance(60) {
            let strategy = json!({"gatherStrategy": [{"layer": "SpineLayer", "strategy": "MustGather"}]});
            if at(group, "/metadata/annotations").is_none() {
                put(group, "/metadata", "annotations", json!({}));
            }
            put(group, "/metadata/annotations", TOPOLOGY, json!(strategy.to_string()));
        }
    }
}

/// Returns the pods.
fn pods(objects: &mut [Value]) -> impl Iterator<Item = &mut Value> {
    objects.iter_mut().filter(|object| text(object, "/kind") == "Pod")
}
