//! Objects of a cluster as each system reads them.

use std::sync::Arc;

use lictor_host::cluster::KubernetesObject;
use serde_json::{Value, json};

use crate::trace::{Job, TEAMS};

/// The system, and what varies in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    Koordinator,
    Coscheduling,
    /// PodGroups whose pods are evicted one by one.
    KubernetesSingle,
    /// PodGroups that are evicted as a whole.
    KubernetesAll,
    Volcano,
    Yunikorn,
}

impl Rules {
    pub const ALL: [Rules; 6] = [
        Rules::Koordinator,
        Rules::Coscheduling,
        Rules::KubernetesSingle,
        Rules::KubernetesAll,
        Rules::Volcano,
        Rules::Yunikorn,
    ];

    /// Returns the name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Rules::Koordinator => "koordinator",
            Rules::Coscheduling => "coscheduling",
            Rules::KubernetesSingle => "kubernetes-single",
            Rules::KubernetesAll => "kubernetes-all",
            Rules::Volcano => "volcano",
            Rules::Yunikorn => "yunikorn",
        }
    }

    /// Returns the system that the policy is configured for.
    pub fn system(self) -> &'static str {
        if self.is_kubernetes() { "kubernetes" } else { self.name() }
    }

    /// Returns whether jobs are PodGroups of Kubernetes itself, without quotas.
    pub fn is_kubernetes(self) -> bool {
        matches!(self, Rules::KubernetesSingle | Rules::KubernetesAll)
    }

    /// Returns whether the source of the system names no order among victims of equal rank, so that the least that must stop is sought.
    pub fn leaves_the_order_open(self) -> bool {
        matches!(self, Rules::Koordinator | Rules::Coscheduling | Rules::Volcano)
    }

    /// Returns the jobs of a trace as the system schedules them. YuniKorn places the pods of an application one by one (ruling D27), so each pod is a job there.
    pub fn jobs(self, jobs: Vec<Job>) -> Vec<Job> {
        if self != Rules::Yunikorn {
            return jobs;
        }
        let pods = jobs.into_iter().flat_map(|job| std::iter::repeat_n(Job { pods: 1, ..job.clone() }, job.pods));
        pods.enumerate().map(|(number, job)| Job { name: format!("j{number:04}"), ..job }).collect()
    }

    /// Returns the nodes and the quotas.
    pub fn cluster(self, nodes: usize) -> Vec<KubernetesObject> {
        let node = |number: usize| {
            json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": format!("n{number:03}")},
                   "status": {"allocatable": {"cpu": "64", "nvidia.com/gpu": "8", "pods": "110"}}})
        };
        let total = u32::try_from(nodes * 8).unwrap();
        let quotas = TEAMS.iter().filter_map(|(team, percent)| self.quota(team, total * percent / 100, total));
        let queues = (self == Rules::Yunikorn).then(|| queues(total));
        (0..nodes).map(node).chain(quotas).chain(queues).map(object).collect()
    }

    fn quota(self, team: &str, min: u32, max: u32) -> Option<Value> {
        let (min, max) = (amounts(min), amounts(max));
        Some(match self {
            Rules::Koordinator => {
                let labels = json!({"quota.scheduling.koordinator.sh/parent": "koordinator-root-quota",
                                    "quota.scheduling.koordinator.sh/is-parent": "false"});
                json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
                       "metadata": {"name": team, "namespace": team, "labels": labels}, "spec": {"min": min, "max": max}})
            }
            Rules::Coscheduling => json!({"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "ElasticQuota",
                                          "metadata": {"name": "quota", "namespace": team}, "spec": {"min": min}}),
            Rules::Volcano => {
                json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": team},
                       "spec": {"weight": 1, "reclaimable": true, "deserved": min}, "status": {"state": "Open"}})
            }
            Rules::KubernetesSingle | Rules::KubernetesAll | Rules::Yunikorn => return None,
        })
    }

    /// Returns the PodGroup of a job; none for a job of one pod where the system needs none.
    pub fn group(self, job: &Job, now: i64) -> Option<KubernetesObject> {
        let metadata = json!({"name": job.name, "namespace": job.team, "creationTimestamp": time(now)});
        let (version, spec, status) = match self {
            Rules::Volcano => {
                let class = format!("p{}", job.priority);
                let spec = json!({"queue": job.team, "minMember": job.pods, "priorityClassName": class});
                ("scheduling.volcano.sh/v1beta1", spec, json!({"phase": "Inqueue"}))
            }
            Rules::Yunikorn => return None,
            _ if job.pods == 1 => return None,
            Rules::Koordinator => ("scheduling.sigs.k8s.io/v1alpha1", json!({"minMember": job.pods}), json!({})),
            Rules::Coscheduling => ("scheduling.x-k8s.io/v1alpha1", json!({"minMember": job.pods}), json!({})),
            Rules::KubernetesSingle | Rules::KubernetesAll => {
                let mode = if self == Rules::KubernetesAll { json!({"all": {}}) } else { json!({"single": {}}) };
                let policy = json!({"gang": {"minCount": job.pods}});
                let spec = json!({"schedulingPolicy": policy, "disruptionMode": mode, "priority": job.priority});
                ("scheduling.k8s.io/v1beta1", spec, json!({}))
            }
        };
        let group =
            json!({"apiVersion": version, "kind": "PodGroup", "metadata": metadata, "spec": spec, "status": status});
        Some(object(group))
    }

    /// Returns the key by which the session removes the PodGroup of a job.
    pub fn group_key(self, job: &Job) -> String {
        let group = match self {
            Rules::Koordinator => "scheduling.sigs.k8s.io",
            Rules::Coscheduling => "scheduling.x-k8s.io",
            Rules::Volcano => "scheduling.volcano.sh",
            Rules::KubernetesSingle | Rules::KubernetesAll | Rules::Yunikorn => "scheduling.k8s.io",
        };
        format!("PodGroup.{group}/{}/{}", job.team, job.name)
    }

    /// Returns a pod of a job that was created at a time, and runs on a node since another time.
    pub fn pod(self, job: &Job, name: &str, created: i64, runs: Option<(&str, i64)>) -> KubernetesObject {
        let (_, short) = name.split_once('/').unwrap();
        let mut labels = json!({});
        let mut annotations = json!({});
        let mut spec = json!({"priority": job.priority,
            "containers": [{"name": "main", "resources": {"requests": amounts(job.gpus)}}]});
        match self {
            Rules::Koordinator => {
                labels["quota.scheduling.koordinator.sh/name"] = json!(job.team);
                labels["quota.scheduling.koordinator.sh/preemptible"] = json!("true");
                if job.pods > 1 {
                    labels["pod-group.scheduling.sigs.k8s.io"] = json!(job.name);
                }
            }
            Rules::Coscheduling if job.pods > 1 => labels["scheduling.x-k8s.io/pod-group"] = json!(job.name),
            Rules::Volcano => {
                annotations["scheduling.k8s.io/group-name"] = json!(job.name);
                annotations["volcano.sh/preemptable"] = json!("true");
                spec["schedulerName"] = json!("volcano");
            }
            Rules::Yunikorn => {
                labels["applicationId"] = json!(job.name);
                labels["queue"] = json!(format!("root.{}", job.team));
                spec["schedulerName"] = json!("yunikorn");
            }
            Rules::KubernetesSingle | Rules::KubernetesAll if job.pods > 1 => {
                spec["schedulingGroup"] = json!({"podGroupName": job.name});
            }
            _ => {}
        }
        let mut status = json!({"phase": "Pending"});
        if let Some((node, since)) = runs {
            spec["nodeName"] = json!(node);
            status = json!({"phase": "Running", "startTime": time(since)});
        }
        let metadata = json!({"name": short, "namespace": job.team, "uid": format!("{short}-{created}"),
            "creationTimestamp": time(created), "labels": labels, "annotations": annotations});
        object(json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}))
    }

    /// Returns the priority classes.
    pub fn classes() -> Vec<KubernetesObject> {
        let class = |value: i64| {
            object(json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                          "metadata": {"name": format!("p{value}")}, "value": value}))
        };
        [1000, 3000, 5000, 9000].map(class).into()
    }
}

/// Returns so many GPUs, and the processors that belong to them.
fn amounts(gpus: u32) -> Value {
    json!({"nvidia.com/gpu": gpus.to_string(), "cpu": (gpus * 7).to_string()})
}

/// Returns the queues of YuniKorn, each with its guarantee.
fn queues(total: u32) -> Value {
    let queue = |(team, percent): &(&str, u32)| {
        let gpus = total * percent / 100;
        json!({"name": team, "resources": {"guaranteed": {"nvidia.com/gpu": gpus, "vcore": gpus * 7}}})
    };
    let queues: Vec<Value> = TEAMS.iter().map(queue).collect();
    let root = json!({"name": "root", "submitacl": "*", "queues": queues});
    let text = json!({"partitions": [{"name": "default", "placementrules": [{"name": "provided"}], "queues": [root]}]});
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "yunikorn-configs", "namespace": "yunikorn"},
           "data": {"queues.yaml": text.to_string()}})
}

/// Returns a time as objects have it.
fn time(seconds: i64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    format!("2026-01-{:02}T{:02}:{:02}:{:02}Z", days + 1, rest / 3600, rest % 3600 / 60, rest % 60)
}

/// When the trace begins, seconds since 1970: 2026-01-01.
pub const BEGIN: i64 = 1_767_225_600;

fn object(value: Value) -> KubernetesObject {
    KubernetesObject::from_json(value, &Arc::from("days")).unwrap()
}
