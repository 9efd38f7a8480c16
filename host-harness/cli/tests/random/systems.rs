//! The systems, their pods and the objects that they need.

use lictor::Native;
use lictor_contract::{ExtensionPoint, SystemInfo};
use lictor_host::cluster::KubernetesObject;
use lictor_host::driver::random::SimulatedPod;
use lictor_host::policy::Policy;
use lictor_host::verify::testing::object;
use serde_json::json;

/// The commands of a system that binds, and of one that preempts pods of lower priority on demand.
const BINDS: [&str; 2] = ["bind", "confirm"];
const PREEMPTS: [&str; 4] = ["bind", "confirm", "nominate", "evict"];

/// How many simulations are played with a system.
const SEEDS: u64 = 8;
/// How many of them make a system preempt often that evicts only for queues below their guarantee.
const MANY_SEEDS: u64 = 24;

/// A system to play with.
pub struct Played {
    pub name: &'static str,
    /// What is written on each pod that is created.
    pub dress: fn(usize, &mut SimulatedPod),
    /// The objects that the system needs in addition to nodes and pods.
    pub objects: Vec<KubernetesObject>,
    /// How many simulations show all of it.
    pub seeds: u64,
    /// The commands that it must ask for often.
    pub commands: &'static [&'static str],
}

impl Played {
    pub fn info(&self) -> SystemInfo {
        let described = Native::default().describe().unwrap();
        described.systems.into_iter().find(|info| info.name == self.name).unwrap()
    }

    /// Returns whether the system tries pods one by one.
    pub fn is_pod_by_pod(&self) -> bool {
        !self.info().extension_points.iter().any(|point| point == ExtensionPoint::Act.name())
    }
}

/// Returns all systems, so that pods are evicted in each.
pub fn all() -> [Played; 5] {
    [kubernetes(), coscheduling(), koordinator_evicting(), yunikorn(), volcano_reclaiming()]
}

pub fn kubernetes() -> Played {
    Played { name: "kubernetes", dress: |_, _| {}, objects: Vec::new(), seeds: SEEDS, commands: &PREEMPTS }
}

/// Returns coscheduling with gangs of two.
pub fn coscheduling() -> Played {
    let dress: fn(usize, &mut SimulatedPod) = |number, pod| {
        if number.is_multiple_of(3) {
            pod.labels.insert("pod-group/name".to_owned(), format!("g{}", number % 4));
            pod.labels.insert("pod-group/min-available".to_owned(), "2".to_owned());
        }
    };
    Played { name: "coscheduling", dress, objects: vec![], seeds: SEEDS, commands: &PREEMPTS }
}

/// Returns Koordinator with gangs of two.
pub fn koordinator() -> Played {
    let dress: fn(usize, &mut SimulatedPod) = |number, pod| {
        pod.labels.insert("quota.scheduling.koordinator.sh/name".to_owned(), "q".to_owned());
        if number.is_multiple_of(3) {
            let gang = format!("g{}", number % 4);
            pod.annotations.insert("gang.scheduling.koordinator.sh/name".to_owned(), gang);
            pod.annotations.insert("gang.scheduling.koordinator.sh/min-available".to_owned(), "2".to_owned());
        }
    };
    let quota = json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
                       "metadata": {"name": "q", "namespace": "default"},
                       "spec": {"min": {"cpu": "18"}, "max": {"cpu": "18"}}});
    Played { name: "koordinator", dress, objects: vec![object(quota)], seeds: SEEDS, commands: &BINDS }
}

pub fn yunikorn() -> Played {
    let dress: fn(usize, &mut SimulatedPod) = |number, pod| {
        pod.scheduler = "yunikorn";
        pod.labels.insert("applicationId".to_owned(), format!("app{}", number % 4));
        pod.labels.insert("queue".to_owned(), format!("root.q{}", number % 2));
    };
    // Each of two queues gets half of the cluster back whenever it needs it.
    let queue = |name: &str| json!({"name": name, "resources": {"guaranteed": {"vcore": 12}}, "properties": {"preemption.delay": "1s"}});
    let root = json!({"name": "root", "submitacl": "*", "queues": [queue("q0"), queue("q1")]});
    let rules = json!([{"name": "provided", "create": true}]);
    let config = json!({"partitions": [{"name": "default", "placementrules": rules, "queues": [root]}]});
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap",
                     "metadata": {"name": "yunikorn-configs", "namespace": "yunikorn"},
                     "data": {"queues.yaml": config.to_string()}});
    Played { name: "yunikorn", dress, objects: vec![object(map)], seeds: MANY_SEEDS, commands: &PREEMPTS }
}

pub fn volcano() -> Played {
    let dress: fn(usize, &mut SimulatedPod) = |number, pod| {
        pod.scheduler = "volcano";
        pod.annotations.insert("scheduling.k8s.io/group-name".to_owned(), format!("j{}", number % 3));
    };
    let group = |name: &str, class: &str| {
        object(json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
                      "metadata": {"name": name, "namespace": "default"},
                      "spec": {"queue": "default", "minMember": 1, "priorityClassName": class},
                      "status": {"phase": "Running"}}))
    };
    let class = |name: &str, value: i32| {
        object(json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                      "metadata": {"name": name}, "value": value}))
    };
    let objects = [class("low", 1), class("high", 9), group("j0", "low"), group("j1", "low"), group("j2", "high")];
    Played { name: "volcano", dress, objects: objects.to_vec(), seeds: SEEDS, commands: &BINDS }
}

/// Returns Koordinator where every other pod is not preemptible, and reclaims what the quota is guaranteed from preemptible pods.
pub fn koordinator_evicting() -> Played {
    let dress: fn(usize, &mut SimulatedPod) = |number, pod| {
        let preemptible = !number.is_multiple_of(2);
        pod.labels.insert("quota.scheduling.koordinator.sh/name".to_owned(), "q".to_owned());
        pod.labels.insert("quota.scheduling.koordinator.sh/preemptible".to_owned(), preemptible.to_string());
        pod.priority = if preemptible { 0 } else { 50 };
    };
    let quota = json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
                       "metadata": {"name": "q", "namespace": "default"},
                       "spec": {"min": {"cpu": "18"}, "max": {"cpu": "64"}}});
    Played { name: "koordinator", dress, objects: vec![object(quota)], seeds: SEEDS, commands: &PREEMPTS }
}

/// Returns Volcano with two queues, each of which reclaims what it deserves from the other. In so small a cluster that is rare.
pub fn volcano_reclaiming() -> Played {
    let dress: fn(usize, &mut SimulatedPod) = |number, pod| {
        pod.scheduler = "volcano";
        pod.annotations.insert("scheduling.k8s.io/group-name".to_owned(), format!("j{}", number % 4));
    };
    let group = |number: usize| {
        object(json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
                      "metadata": {"name": format!("j{number}"), "namespace": "default"},
                      "spec": {"queue": format!("q{}", number % 2), "minMember": 1},
                      "status": {"phase": "Running"}}))
    };
    let queue = |name: &str, cpu: &str| {
        object(json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name},
                      "spec": {"deserved": {"cpu": cpu}, "reclaimable": true}, "status": {"state": "Open"}}))
    };
    let objects = (0..4).map(group).chain([queue("q0", "18"), queue("q1", "6")]).collect();
    Played { name: "volcano", dress, objects, seeds: SEEDS, commands: &BINDS }
}
