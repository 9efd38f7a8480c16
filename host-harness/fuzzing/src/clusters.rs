//! Small clusters in the words of Kubernetes, with numbers and names that meet.

use serde_json::{Value, json};

use crate::bytes::FuzzInput;

const GROUPS: [&str; 3] = ["g0", "g1", ""];
const QUEUES: [&str; 4] = ["root.a", "a", "b", ""];
const AMOUNTS: [&str; 8] = ["1", "2", "500m", "0", "9223372036854775807", "-1", "x", "1Gi"];
const TIMES: [&str; 4] = ["2026-01-01T00:00:00Z", "2026-01-01T00:00:07Z", "0000-00-00", ""];

/// Returns a node, a pod, or an object that a system reads.
pub(crate) fn object(bytes: &mut FuzzInput<'_>) -> Value {
    match bytes.below(8) {
        0 | 1 => node(bytes),
        2..=5 => pod(bytes),
        6 => group(bytes),
        _ => queue(bytes),
    }
}

fn name(bytes: &mut FuzzInput<'_>, letter: &str, bound: u32) -> String {
    format!("{letter}{}", bytes.below(bound))
}

fn namespace(bytes: &mut FuzzInput<'_>) -> String {
    bytes.text(&["a", "a", "a", "b"])
}

/// Returns an amount: mostly one that is possible.
fn amount(bytes: &mut FuzzInput<'_>) -> String {
    let known = if bytes.rarely(8) { AMOUNTS.len() } else { 3 };
    bytes.text(AMOUNTS.get(..known).unwrap_or_default())
}

fn amounts(bytes: &mut FuzzInput<'_>) -> Value {
    let mut amounts = json!({"cpu": amount(bytes), "memory": amount(bytes)});
    if let (Some(amounts), true) = (amounts.as_object_mut(), bytes.rarely(4)) {
        amounts.insert("nvidia.com/gpu".to_owned(), json!(amount(bytes)));
    }
    amounts
}

fn node(bytes: &mut FuzzInput<'_>) -> Value {
    let mut allocatable = amounts(bytes);
    if let Some(allocatable) = allocatable.as_object_mut() {
        allocatable.insert("pods".to_owned(), json!("10"));
    }
    let labels = json!({"zone": bytes.text(&["z0", "z1"]), "kubernetes.io/hostname": "x"});
    let taints = if bytes.rarely(6) { json!([{"key": "k", "effect": "NoSchedule"}]) } else { json!([]) };
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name(bytes, "n", 3), "labels": labels},
        "spec": {"taints": taints, "unschedulable": bytes.rarely(8)}, "status": {"allocatable": allocatable},
    })
}

fn pod(bytes: &mut FuzzInput<'_>) -> Value {
    let group = bytes.text(&GROUPS);
    let queue = bytes.text(&QUEUES);
    let labels = json!({
        "app": bytes.text(&["x", "y"]),
        "pod-group.scheduling.sigs.k8s.io": group, "scheduling.x-k8s.io/pod-group": group, "volcano.sh/queue-name": queue,
        "quota.scheduling.koordinator.sh/name": queue, "quota.scheduling.koordinator.sh/preemptible": bytes.text(&["true", "false"]),
        "queue": queue, "applicationId": group,
    });
    let annotations = json!({
        "scheduling.k8s.io/group-name": group, "volcano.sh/preemptable": bytes.text(&["true", "false", "x"]),
        "yunikorn.apache.org/allow-preemption": bytes.text(&["true", "false"]),
    });
    let mut spec = json!({
        "containers": [{"name": "c", "resources": {"requests": amounts(bytes)}}],
        "priority": bytes.choose(&[0, 5, 9, -1, i32::MAX, i32::MIN]), "schedulerName": bytes.text(&["default-scheduler", "other", "volcano"]),
        "preemptionPolicy": bytes.text(&["PreemptLowerPriority", "Never"]),
    });
    if let Some(spec) = spec.as_object_mut() {
        if bytes.rarely(2) {
            spec.insert("nodeName".to_owned(), json!(name(bytes, "n", 4)));
        }
        if bytes.rarely(4) {
            let term = json!({"labelSelector": {"matchLabels": {"app": "x"}}, "topologyKey": "zone"});
            let kind = bytes.text(&["podAntiAffinity", "podAffinity"]);
            spec.insert(
                "affinity".to_owned(),
                json!({kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}),
            );
        }
    }
    let mut metadata = json!({
        "namespace": namespace(bytes), "name": name(bytes, "p", 6), "uid": name(bytes, "u", 2),
        "labels": labels, "annotations": annotations, "creationTimestamp": bytes.text(&TIMES),
    });
    if let (Some(metadata), true) = (metadata.as_object_mut(), bytes.rarely(8)) {
        metadata.insert("deletionTimestamp".to_owned(), json!(bytes.text(&TIMES)));
    }
    let status = json!({"phase": bytes.text(&["Pending", "Running", "Succeeded", "Failed", "Unknown"]), "startTime": bytes.text(&TIMES)});
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status})
}

fn group(bytes: &mut FuzzInput<'_>) -> Value {
    let version = bytes.text(&[
        "scheduling.sigs.k8s.io/v1alpha1",
        "scheduling.x-k8s.io/v1alpha1",
        "scheduling.volcano.sh/v1beta1",
    ]);
    json!({
        "apiVersion": version, "kind": "PodGroup",
        "metadata": {"namespace": namespace(bytes), "name": name(bytes, "g", 2), "creationTimestamp": bytes.text(&TIMES)},
        "spec": {
            "minMember": bytes.choose(&[1, 2, 3, 0, -1, i64::MAX]), "queue": bytes.text(&QUEUES),
            "minResources": amounts(bytes), "scheduleTimeoutSeconds": bytes.choose(&[1, 0, -1, i64::MAX]),
        },
        "status": {"phase": bytes.text(&["Pending", "Inqueue", "Running"])},
    })
}

fn queue(bytes: &mut FuzzInput<'_>) -> Value {
    let (one, other, third) = (amounts(bytes), amounts(bytes), amounts(bytes));
    match bytes.below(4) {
        0 => {
            let limits = json!({"max": one, "guaranteed": other});
            let queues = json!({"partitions": [{"name": "default", "queues": [{"name": "root", "queues": [
                {"name": "a", "resources": limits, "properties": {"preemption.delay": bytes.text(&["1s", "x", "-1s"])}},
            ]}]}]});
            json!({
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "yunikorn", "name": "yunikorn-configs"},
                "data": {"queues.yaml": queues.to_string()},
            })
        }
        1 => json!({
            "apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": bytes.text(&["a", "b", "root"])},
            "spec": {
                "capability": one, "guarantee": {"resource": other}, "deserved": third, "reclaimable": bytes.rarely(2),
                "parent": bytes.text(&["", "a", "b", "root"]), "weight": bytes.choose(&[1, 0, -1, i64::MAX]),
            },
        }),
        2 => json!({
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"namespace": namespace(bytes), "name": "budget"},
            "spec": {"selector": {"matchLabels": {"app": "x"}}},
            "status": {"disruptionsAllowed": bytes.choose(&[0, 1, -1, i64::MAX])},
        }),
        _ => {
            let version = bytes.text(&["scheduling.sigs.k8s.io/v1alpha1", "scheduling.x-k8s.io/v1alpha1"]);
            let labels = json!({"quota.scheduling.koordinator.sh/parent": bytes.text(&["", "a", "b"])});
            json!({
                "apiVersion": version, "kind": "ElasticQuota", "spec": {"min": one, "max": other},
                "metadata": {"namespace": namespace(bytes), "name": bytes.text(&["a", "b"]), "labels": labels},
            })
        }
    }
}
