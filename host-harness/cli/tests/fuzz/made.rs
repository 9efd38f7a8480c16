//! Clusters of Volcano made by hand, for what random ones show too seldom.

use lictor_oracle::{FuzzCase, SystemKind, generate};
use serde_json::{Value, json};

/// The resource name of GPUs.
const GPU: &str = "nvidia.com/gpu";

/// Builds a case with these objects, in a mode of reclaim.
fn case(mode: &str, objects: Vec<Value>) -> FuzzCase {
    let args = [("capacity.reclaim.mode".to_owned(), json!(mode))].into_iter().collect();
    FuzzCase { args, objects, later: Vec::new(), ..generate(SystemKind::Volcano, 1, 0) }
}

fn node(name: &str, allocatable: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {"allocatable": allocatable}})
}

fn queue(name: &str, deserved: Value) -> Value {
    json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name},
        "spec": {"weight": 1, "reclaimable": true, "deserved": deserved}, "status": {"state": "Open"}})
}

fn group(name: &str, queue: &str, second: u8) -> Value {
    json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
        "metadata": {"name": name, "namespace": "default", "creationTimestamp": format!("1970-01-01T00:00:0{second}Z")},
        "spec": {"queue": queue, "minMember": 1}, "status": {"phase": "Inqueue"}})
}

fn pod(group: &str, index: u8, requests: Value, node: Option<&str>) -> Value {
    let phase = if node.is_some() { "Running" } else { "Pending" };
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": format!("{group}-{index}"), "namespace": "default",
        "creationTimestamp": "1970-01-01T00:00:09Z", "labels": {},
        "annotations": {"scheduling.k8s.io/group-name": group, "volcano.sh/task-index": index.to_string()}},
        "spec": {"schedulerName": "volcano", "nodeName": node,
            "containers": [{"name": "main", "resources": {"requests": requests}}]},
        "status": {"phase": phase}})
}

/// Builds a case in which queue `qa` waits for a GPU that it deserves, and with it for cpu beyond what it deserves. 2 cpu are free, and `qc` lacks
/// 4 that it deserves. The node is short of the GPU alone.
pub(crate) fn contested() -> FuzzCase {
    let mut kept = pod("a1", 0, json!({"cpu": "2"}), Some("n1"));
    kept["metadata"]["labels"]["volcano.sh/preemptable"] = json!("false");
    let objects = vec![
        node("n1", json!({"cpu": "8", GPU: "1", "pods": "110"})),
        queue("qa", json!({"cpu": "1", GPU: "1"})),
        queue("qb", json!({"cpu": "5", GPU: "0"})),
        queue("qc", json!({"cpu": "4"})),
        group("a1", "qa", 1),
        kept,
        group("b1", "qb", 2),
        pod("b1", 0, json!({"cpu": "4", GPU: "1"}), Some("n1")),
        group("a2", "qa", 3),
        pod("a2", 0, json!({"cpu": "1", GPU: "1"}), None),
        group("c1", "qc", 4),
        pod("c1", 0, json!({"cpu": "4"}), None),
    ];
    case("reclaim", objects)
}

/// Builds a case of an elastic job whose sizes are powers of two: its eight pods of 1 cpu fill `n1`. Two pods wait, of 4 cpu and of 2 cpu, and `n2`
/// and `n3` have 1 cpu each.
pub(crate) fn grows_after_it_shrinks() -> FuzzCase {
    let elastic = json!({"volcano.sh/elastic-train": "true", "volcano.sh/elastic-train-power-of-two": "true"});
    let mut grown = group("e", "qa", 1);
    grown["metadata"]["annotations"] = elastic.clone();
    grown["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "job", "controller": true}]);
    grown["status"]["phase"] = json!("Running");
    let one = || json!({"cpu": "1"});
    let mut objects = vec![
        node("n1", json!({"cpu": "8", "pods": "110"})),
        node("n2", json!({"cpu": "1", "pods": "110"})),
        node("n3", json!({"cpu": "1", "pods": "110"})),
        queue("qa", json!({})),
        queue("qb", json!({})),
        json!({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
            "metadata": {"name": "job", "namespace": "default", "annotations": elastic, "creationTimestamp": "1970-01-01T00:00:01Z"},
            "spec": {"minAvailable": 1, "queue": "qa", "schedulerName": "volcano", "tasks": [{"name": "worker", "replicas": 10,
                "template": {"spec": {"containers": [{"name": "main", "resources": {"requests": one()}}]}}}]}}),
        grown,
        group("four", "qb", 2),
        pod("four", 0, json!({"cpu": "4"}), None),
        group("two", "qb", 3),
        pod("two", 0, json!({"cpu": "2"}), None),
    ];
    for index in 0..10 {
        let mut pod = pod("e", index, one(), (index < 8).then_some("n1"));
        for (key, value) in [("job-name", "job"), ("task-spec", "worker"), ("queue-name", "qa")] {
            pod["metadata"]["labels"][format!("volcano.sh/{key}")] = json!(value);
            pod["metadata"]["annotations"][format!("volcano.sh/{key}")] = json!(value);
        }
        if index > 0 {
            pod["metadata"]["labels"]["volcano.sh/elastic-train"] = json!("true");
        }
        objects.push(pod);
    }
    case("elastic", objects)
}
