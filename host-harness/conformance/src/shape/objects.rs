//! The objects of a shape.

use std::iter::once;

use lictor_oracle::SystemKind;
use serde_json::{Map, Value, json};

use super::{ClusterSize, NAMESPACE};

/// The cores of a running pod of Koordinator. All others have one core.
const KOORDINATOR_CORES: usize = 6;

/// The label by which a disruption budget selects its pods.
const COVERED: &str = "app";

/// A short description of a pod.
struct PodParameters {
    name: String,
    queue: usize,
    cores: usize,
    priority: i64,
    /// The creation time in seconds of its day, and whether the pod is newer than all running pods.
    age: usize,
    is_new: bool,
    node: Option<String>,
    /// The gang of the pod.
    gang: Option<&'static str>,
}

impl ClusterSize {
    /// Returns the objects of the cluster, as kubectl would show them: queues, nodes, running pods, then the pending pods.
    pub fn objects(&self) -> impl Iterator<Item = Value> {
        let few =
            self.queues().into_iter().chain(self.disruption_budgets()).chain(self.machines()).chain(self.groups());
        few.chain(self.pods()).chain(self.waiting())
    }

    /// Returns the objects as one JSON text, a `List`.
    pub fn text(&self) -> String {
        json!({"apiVersion": "v1", "kind": "List", "items": self.objects().collect::<Vec<_>>()}).to_string()
    }

    fn cores(&self) -> usize {
        if self.system == SystemKind::Koordinator { KOORDINATOR_CORES } else { 1 }
    }

    /// Returns the node of a running pod, by the number of the pod.
    fn node_of(&self, pod: usize) -> String {
        let node = match self.system {
            SystemKind::Yunikorn => pod.checked_rem(self.nodes),
            _ => pod.checked_div(self.pods_per_node),
        };
        node_name(node.unwrap_or(0))
    }

    fn machines(&self) -> impl Iterator<Item = Value> {
        let cores = self.cores().saturating_mul(self.pods_per_node);
        let memory = format!("{}Gi", self.pods_per_node.saturating_mul(64));
        (0..self.nodes).map(move |node| {
            json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": node_name(node)},
                "status": {"allocatable": {"cpu": cores.to_string(), "memory": memory, "pods": "110"}}})
        })
    }

    /// Returns the quotas or queues of the system. In YuniKorn and Volcano only the queue of the job has a large guaranteed or deserved amount.
    fn queues(&self) -> Vec<Value> {
        match self.system {
            SystemKind::Koordinator => (0..self.queues).map(quota).collect(),
            SystemKind::Yunikorn => {
                let queue =
                    |number: usize| json!({"name": queue_name(number), "resources": {"guaranteed": {"vcore": 1}}});
                let asking = json!({"name": "asking", "resources": {"guaranteed": {"vcore": 1_000_000}}});
                let idle = json!({"name": "idle", "resources": {"guaranteed": {"vcore": 0}}});
                let queues: Vec<Value> = (0..self.queues).map(queue).chain([asking, idle]).collect();
                let partition = json!({"name": "default", "placementrules": [{"name": "provided", "create": true}],
                    "queues": [{"name": "root", "submitacl": "*", "queues": queues}]});
                // JSON is valid YAML.
                let text = json!({"partitions": [partition]}).to_string();
                vec![json!({"apiVersion": "v1", "kind": "ConfigMap",
                    "metadata": {"name": "yunikorn-configs", "namespace": "yunikorn"}, "data": {"queues.yaml": text}})]
            }
            SystemKind::Volcano => (0..self.queues)
                .map(|number| {
                    let deserved = if number == 0 { 1_000_000 } else { 1 };
                    json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue",
                        "metadata": {"name": queue_name(number)},
                        "spec": {"weight": 1, "deserved": {"cpu": deserved.to_string()}}, "status": {"state": "Open"}})
                })
                .collect(),
            SystemKind::Kubernetes | SystemKind::Coscheduling => Vec::new(),
        }
    }

    /// Returns the disruption budgets.
    fn disruption_budgets(&self) -> impl Iterator<Item = Value> {
        (0..self.budgets).map(|number| {
            json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                "metadata": {"name": queue_name(number), "namespace": NAMESPACE},
                "spec": {"selector": {"matchLabels": {COVERED: queue_name(number)}}}, "status": {"disruptionsAllowed": 1000}})
        })
    }

    /// Returns the pod groups: that of the job, and in Volcano one per queue for the running pods.
    fn groups(&self) -> Vec<Value> {
        let named = |api: &str, name: &str, spec: Value| {
            json!({"apiVersion": api, "kind": "PodGroup", "metadata": {"name": name, "namespace": NAMESPACE,
                "creationTimestamp": created(0, true)}, "spec": spec})
        };
        match self.system {
            SystemKind::Koordinator => {
                vec![named("scheduling.sigs.k8s.io/v1alpha1", "job", json!({"minMember": self.gang}))]
            }
            SystemKind::Coscheduling => {
                vec![named("scheduling.x-k8s.io/v1alpha1", "job", json!({"minMember": self.gang}))]
            }
            SystemKind::Volcano => {
                let api = "scheduling.volcano.sh/v1beta1";
                let running = (0..self.queues).map(|number| {
                    named(api, &queue_name(number), json!({"queue": queue_name(number), "minMember": 1}))
                });
                let waiting = json!({"queue": queue_name(0), "minMember": self.gang});
                running.chain([named(api, "job", waiting)]).collect()
            }
            SystemKind::Kubernetes | SystemKind::Yunikorn => Vec::new(),
        }
    }

    fn pods(&self) -> impl Iterator<Item = Value> {
        (0..self.running()).map(|number| {
            self.pod(PodParameters {
                name: format!("pod-{number:07}"),
                queue: number.checked_rem(self.queues).unwrap_or(0),
                cores: self.cores(),
                priority: i64::try_from(mixed(self.seed, number) % 9).unwrap_or(0).saturating_add(1000),
                age: usize::try_from(mixed(self.seed.wrapping_add(1), number) % 86_400).unwrap_or(0),
                is_new: false,
                node: Some(self.node_of(number)),
                gang: None,
            })
        })
    }

    /// Returns the pods of the preempting job, and a pod that fits on no node.
    fn waiting(&self) -> impl Iterator<Item = Value> {
        let cores = match self.system {
            SystemKind::Koordinator => KOORDINATOR_CORES.saturating_mul(self.pods_per_node),
            SystemKind::Volcano => 1,
            _ => 4.min(self.pods_per_node),
        };
        let waits = move |name: String, priority, gang| PodParameters {
            name,
            queue: 0,
            cores,
            priority,
            age: 0,
            is_new: true,
            node: None,
            gang,
        };
        let gang = (self.system != SystemKind::Kubernetes).then_some("job");
        let members = (0..self.gang).map(move |member| waits(format!("job-{member:03}"), 9000, gang));
        members.chain(once(waits("hopeless".to_owned(), 0, None))).map(|sketch| self.pod(sketch))
    }

    fn pod(&self, sketch: PodParameters) -> Value {
        let waits = sketch.node.is_none();
        let (mut labels, mut annotations) = (Map::new(), Map::new());
        match self.system {
            SystemKind::Koordinator => {
                labels.insert("quota.scheduling.koordinator.sh/name".to_owned(), json!(queue_name(sketch.queue)));
                let preemptible = if waits { "false" } else { "true" };
                labels.insert("quota.scheduling.koordinator.sh/preemptible".to_owned(), json!(preemptible));
                labels.extend(sketch.gang.map(|gang| ("pod-group.scheduling.sigs.k8s.io".to_owned(), json!(gang))));
            }
            SystemKind::Yunikorn => {
                let queue = match (waits, sketch.gang) {
                    (false, _) => queue_name(sketch.queue),
                    (true, Some(_)) => "asking".to_owned(),
                    (true, None) => "idle".to_owned(),
                };
                labels.insert("applicationId".to_owned(), json!(format!("app-{queue}")));
                labels.insert("queue".to_owned(), json!(format!("root.{queue}")));
            }
            SystemKind::Coscheduling => {
                labels.extend(sketch.gang.map(|gang| ("scheduling.x-k8s.io/pod-group".to_owned(), json!(gang))));
            }
            SystemKind::Volcano => {
                let group = sketch.gang.map_or_else(|| queue_name(sketch.queue), str::to_owned);
                annotations.insert("scheduling.k8s.io/group-name".to_owned(), json!(group));
                labels.insert("volcano.sh/preemptable".to_owned(), json!("true"));
            }
            SystemKind::Kubernetes => {}
        }
        if !waits && sketch.queue < self.budgets {
            labels.insert(COVERED.to_owned(), json!(queue_name(sketch.queue)));
        }
        let memory = sketch.cores.saturating_mul(4);
        let mut spec = json!({"schedulerName": self.scheduler(), "priority": sketch.priority, "containers": [{"name": "main",
            "resources": {"requests": {"cpu": sketch.cores.to_string(), "memory": format!("{memory}Gi")}}}]});
        if let (Some(node), Some(spec)) = (&sketch.node, spec.as_object_mut()) {
            spec.insert("nodeName".to_owned(), json!(node));
        }
        json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": sketch.name, "namespace": NAMESPACE, "uid": sketch.name, "labels": labels,
                "annotations": annotations, "creationTimestamp": created(sketch.age, sketch.is_new),
                "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "owner", "uid": "owner",
                    "controller": true}]},
            "spec": spec, "status": {"phase": if waits { "Pending" } else { "Running" }}})
    }

    fn scheduler(&self) -> &'static str {
        match self.system {
            SystemKind::Koordinator => "koord-scheduler",
            SystemKind::Yunikorn => "yunikorn",
            SystemKind::Volcano => "volcano",
            SystemKind::Kubernetes | SystemKind::Coscheduling => "default-scheduler",
        }
    }
}

/// Returns a quota of Koordinator. Each quota's min is larger than the cluster, so that capacity may be taken back from others.
fn quota(number: usize) -> Value {
    json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
        "metadata": {"name": queue_name(number), "namespace": "quotas"},
        "spec": {"min": {"cpu": "10M", "memory": "100Pi"}, "max": {"cpu": "40M", "memory": "400Pi"}}})
}

fn node_name(number: usize) -> String {
    format!("node-{number:06}")
}

fn queue_name(number: usize) -> String {
    format!("queue-{number:03}")
}

/// Returns a creation time: this second of the first day of a month. Pending pods are a month newer.
fn created(second: usize, is_new: bool) -> String {
    let part = |unit: usize, of: usize| second.checked_div(unit).unwrap_or(0).checked_rem(of).unwrap_or(0);
    let month = if is_new { 2 } else { 1 };
    format!("2026-{month:02}-01T{:02}:{:02}:{:02}Z", part(3600, 24), part(60, 60), part(1, 60))
}

/// Returns a pseudo-random number that is always the same for the same input (splitmix64).
fn mixed(seed: u64, number: usize) -> u64 {
    let number = u64::try_from(number).unwrap_or(u64::MAX);
    let mut z = seed.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
