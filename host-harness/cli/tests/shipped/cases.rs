//! A cluster for each system in which a gang of two, with 3 cores each, can only run where two of three low pods are evicted.

use serde_json::{Value, json};

use crate::support::objects::{merge, pod};
use crate::{GANG, LOW};

/// The objects of a system, in its own namespace.
pub struct Case {
    /// The name of the system, and of the namespace.
    pub system: &'static str,
    /// Queues, quotas and groups.
    pub objects: Vec<Value>,
    /// The pods that fill the nodes.
    pub low: Vec<Value>,
    /// The pods of the gang.
    pub gang: Vec<Value>,
}

/// Returns the clusters of all systems.
pub fn all() -> [Case; 5] {
    [coscheduling(), koordinator(), kubernetes(), volcano(), yunikorn()]
}

/// Returns a namespace in which the admission policy holds all pods.
pub fn namespace(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace",
           "metadata": {"name": name, "labels": {"lictor.dev/admission": "enabled"}}})
}

/// Returns a priority class.
pub fn priority_class(name: &str, value: i32) -> Value {
    json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value})
}

impl Case {
    /// Builds the cluster of a system in which low pods and gang have these fields.
    fn of(system: &'static str, objects: Vec<Value>, low: &Value, gang: &Value) -> Case {
        let all = |names: &[&str], class: &str, fields: &Value| -> Vec<Value> {
            let class = json!({"spec": {"priorityClassName": class}});
            names.iter().map(|name| merge(merge(pod(system, name, "3"), &class), fields)).collect()
        };
        Case { system, objects, low: all(&LOW, "low", low), gang: all(&GANG, "high", gang) }
    }
}

/// Returns a group `g` of two pods at least.
fn group(version: &str, namespace: &str, spec: &Value) -> Value {
    json!({"apiVersion": version, "kind": "PodGroup", "metadata": {"name": "g", "namespace": namespace}, "spec": spec})
}

fn labelled(key: &str, value: &str) -> Value {
    json!({"metadata": {"labels": {key: value}}})
}

fn coscheduling() -> Case {
    let group = group("scheduling.x-k8s.io/v1alpha1", "coscheduling", &json!({"minMember": 2}));
    Case::of("coscheduling", vec![group], &json!({}), &labelled("scheduling.x-k8s.io/pod-group", "g"))
}

fn koordinator() -> Case {
    let group = group("scheduling.sigs.k8s.io/v1alpha1", "koordinator", &json!({"minMember": 2}));
    Case::of("koordinator", vec![group], &json!({}), &labelled("pod-group.scheduling.sigs.k8s.io", "g"))
}

fn kubernetes() -> Case {
    let spec = json!({"priorityClassName": "high", "schedulingPolicy": {"gang": {"minCount": 2}}});
    let group = group("scheduling.k8s.io/v1beta1", "kubernetes", &spec);
    Case::of("kubernetes", vec![group], &json!({}), &json!({"spec": {"schedulingGroup": {"podGroupName": "g"}}}))
}

/// Builds two queues: one has 9 cores and deserves 3, the other has none and deserves 6.
fn volcano() -> Case {
    let queue = |name: &str, cores: &str| {
        json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name},
               "spec": {"deserved": {"cpu": cores}}, "status": {"state": "Open"}})
    };
    let version = "scheduling.volcano.sh/v1beta1";
    let spec = |minimum: u32, queue: &str| json!({"minMember": minimum, "queue": queue});
    let low = merge(group(version, "volcano", &spec(1, "lends")), &json!({"metadata": {"name": "l"}}));
    let gang = group(version, "volcano", &spec(2, "owed"));
    let member = |group: &str| json!({"metadata": {"annotations": {"scheduling.k8s.io/group-name": group}}});
    let objects = vec![queue("lends", "3"), queue("owed", "6"), low, gang];
    Case::of("volcano", objects, &member("l"), &member("g"))
}

/// Builds a queue that is guaranteed 6 cores and has none, and one without a guarantee. The pod that began an application goes last, and a
/// placeholder did not begin it: two of the low pods are placeholders.
fn yunikorn() -> Case {
    let queues = "
partitions:
  - name: default
    placementrules:
      - name: provided
        create: true
    queues:
      - name: root
        submitacl: '*'
        queues:
          - name: prod
            resources:
              guaranteed: {vcore: 6}
            properties:
              preemption.delay: 1s
          - name: test
";
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "yunikorn-configs", "namespace": "yunikorn"}, "data": {"queues.yaml": queues}});
    let of = |queue: &str| json!({"metadata": {"labels": {"applicationId": queue, "queue": format!("root.{queue}")}}});
    let mut case = Case::of("yunikorn", vec![map], &of("test"), &of("prod"));
    let placeholder = json!({"metadata": {"annotations": {"yunikorn.apache.org/placeholder": "true"}}});
    for pod in case.low.iter_mut().take(2) {
        *pod = merge(pod.take(), &placeholder);
    }
    case
}
