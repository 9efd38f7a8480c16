//! The pods of a test: gangs of Koordinator that come, run and end, wave after wave, each wave of other names.

use lictor_controller::names::SCHEDULING_GATE;
use serde_json::{Value, json};

use crate::cluster::{Cluster, name_of};
use crate::kinds::PODS;

/// Pods of a gang.
const GANG: usize = 4;

/// Waves for which a gang that fits on no node waits.
const REFUSED: usize = 10;

/// The label of the node whose cores a quota lends, and of the pods that run there.
const LENT: &str = "example.com/lent";

/// The labels of a pod for its quota, and for whether it may be evicted.
const QUOTA: &str = "quota.scheduling.koordinator.sh/name";
const PREEMPTIBLE: &str = "quota.scheduling.koordinator.sh/preemptible";

/// The pods that come and go.
pub struct Load {
    cluster: Cluster,
    /// Gangs of a wave, without the two that are about the quotas.
    gangs: usize,
    wave: usize,
    /// The gang that fits on no node.
    refused: Vec<Value>,
}

impl Load {
    /// Fills a cluster with nodes of this number of cores, of which an ordinary pod requests one, and one node for a gang, which a quota lends.
    pub fn new(cluster: &Cluster, gangs: usize, (nodes, cores): (usize, usize)) -> Load {
        cluster.with(|state| {
            for name in ["default", "team"] {
                state.create(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
            }
            for (name, value) in [("low", 0), ("high", 1000)] {
                let class = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                    "metadata": {"name": name}, "value": value});
                state.create(class);
            }
            for (name, min) in [("lends", GANG), ("borrows", 0)] {
                let max = json!({"cpu": GANG.to_string(), "memory": "1Ti"});
                state.create(json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
                    "metadata": {"name": name, "namespace": "team",
                                 "labels": {"quota.scheduling.koordinator.sh/is-parent": "false"}},
                    "spec": {"min": {"cpu": min.to_string(), "memory": "1Ti"}, "max": max}}));
            }
            (0..nodes).for_each(|at| state.create(node(&format!("node-{at}"), cores, "no")));
            state.create(node("lent", GANG, "yes"));
        });
        Load { cluster: cluster.clone(), gangs, wave: 0, refused: Vec::new() }
    }

    /// Returns the pods of a wave.
    pub fn pods(&self) -> usize {
        (self.gangs + 2) * GANG
    }

    /// Plays one wave: its gangs are let go, one of them takes back what its quota has lent, and all end.
    pub async fn wave(&mut self) {
        let wave = self.wave;
        if wave.is_multiple_of(REFUSED) {
            self.replace_refused();
        }
        let mut pods = self.ordinary();
        let of = |quota: &str, preemptible: &str| json!({QUOTA: quota, PREEMPTIBLE: preemptible});
        pods.extend(gang(&format!("borrows-{wave}"), "1", "low", &of("borrows", "true")));
        self.cluster.place(pods.clone()).await;
        let lends = gang(&format!("lends-{wave}"), "1", "high", &of("lends", "false"));
        self.cluster.place(lends.clone()).await;
        pods.extend(lends);
        self.cluster.end(&pods);
        self.wave += 1;
    }

    /// Plays one wave whose gangs stay.
    pub async fn stay(&mut self) {
        self.cluster.place(self.ordinary()).await;
        self.wave += 1;
    }

    /// Returns the pods of a wave that are of no quota.
    fn ordinary(&self) -> Vec<Value> {
        let name = |at| format!("train-{}-{at}", self.wave);
        (0..self.gangs).flat_map(|at| gang(&name(at), "1", "low", &json!({}))).collect()
    }

    /// Deletes the gang that waits and fits on no node, and creates another one.
    fn replace_refused(&mut self) {
        let refused = gang(&format!("large-{}", self.wave), "100", "low", &json!({}));
        let before = std::mem::replace(&mut self.refused, refused);
        self.cluster.with(|state| {
            before.iter().for_each(|pod| state.remove(PODS, &name_of(pod)));
            self.refused.iter().for_each(|pod| state.create(pod.clone()));
        });
    }
}

fn node(name: &str, cores: usize, lent: &str) -> Value {
    let has = json!({"cpu": cores.to_string(), "memory": "256Gi", "pods": "110", "ephemeral-storage": "100Gi"});
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", LENT: lent}},
        "spec": {},
        "status": {"capacity": has, "allocatable": has, "conditions": [{"type": "Ready", "status": "True"}]},
    })
}

/// Returns the pods of a gang, as pods of a training job are when the API server has filled in its defaults: 3.5 KB each as JSON. Pods of a quota run
/// on the node whose cores are lent.
fn gang(name: &str, cpu: &str, class: &str, quota: &Value) -> Vec<Value> {
    (0..GANG).map(|at| pod(name, at, (cpu, class), quota)).collect()
}

fn pod(gang: &str, at: usize, (cpu, class): (&str, &str), quota: &Value) -> Value {
    let mut labels = json!({"app.kubernetes.io/name": "train", "app.kubernetes.io/instance": gang, "job-name": gang,
        "batch.kubernetes.io/controller-uid": gang, "batch.kubernetes.io/job-completion-index": at.to_string()});
    for (key, value) in quota.as_object().into_iter().flatten() {
        labels[key] = value.clone();
    }
    let lent = if quota.as_object().is_some_and(|quota| !quota.is_empty()) { "yes" } else { "no" };
    let priority = if class == "high" { 1000 } else { 0 };
    let env: Vec<Value> =
        [("MASTER_ADDR", gang), ("MASTER_PORT", "29500"), ("WORLD_SIZE", "4"), ("NCCL_DEBUG", "WARN")]
            .map(|(name, value)| json!({"name": name, "value": value}))
            .into();
    let tolerations: Vec<Value> = ["not-ready", "unreachable"]
        .map(|of| json!({"key": format!("node.kubernetes.io/{of}"), "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}))
        .into();
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": format!("{gang}-{at}"), "namespace": "team", "labels": labels,
            "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": gang, "uid": gang,
                                 "controller": true, "blockOwnerDeletion": true}],
            "annotations": {
                "gang.scheduling.koordinator.sh/name": gang,
                "gang.scheduling.koordinator.sh/min-available": GANG.to_string(),
                "prometheus.io/scrape": "true", "prometheus.io/port": "9400",
            },
        },
        "spec": {
            "schedulingGates": [{"name": SCHEDULING_GATE}],
            "schedulerName": "default-scheduler", "priorityClassName": class, "priority": priority,
            "preemptionPolicy": "PreemptLowerPriority", "restartPolicy": "Never", "dnsPolicy": "ClusterFirst",
            "serviceAccountName": "train", "serviceAccount": "train", "enableServiceLinks": true, "securityContext": {},
            "terminationGracePeriodSeconds": 30, "nodeSelector": {LENT: lent}, "tolerations": tolerations,
            "containers": [{
                "name": "main", "image": "registry.example.com/team/train:1.4.2", "imagePullPolicy": "IfNotPresent",
                "command": ["python", "-m", "train", "--config", "/etc/train/config.yaml"], "env": env,
                "resources": {"requests": {"cpu": cpu, "memory": "1Gi"}, "limits": {"memory": "2Gi"}},
                "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
                "volumeMounts": [
                    {"name": "config", "mountPath": "/etc/train", "readOnly": true},
                    {"name": "token", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": true},
                ],
            }],
            "volumes": [
                {"name": "config", "configMap": {"name": format!("{gang}-config"), "defaultMode": 420}},
                {"name": "token", "projected": {"defaultMode": 420, "sources": [
                    {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                    {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
                ]}},
            ],
        },
        "status": {"phase": "Pending", "qosClass": "Burstable", "conditions": [{"type": "PodScheduled", "status": "False",
            "reason": "SchedulingGated", "message": "Scheduling is blocked due to non-empty scheduling gates"}]},
    })
}
