//! The cluster that commands are carried out in.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::cluster::KubernetesObject;
use crate::session::{Command, CommandAction};
use crate::verify::testing::{node, object};

/// A pod as the cluster has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimulatedPod {
    /// The uid. A pod of the same name and another uid is another pod.
    pub uid: String,
    /// The cores that the pod requests.
    pub cpu: u32,
    /// The priority.
    pub priority: i32,
    /// The scheduler that the pod names.
    pub scheduler: &'static str,
    /// Labels.
    pub labels: BTreeMap<String, String>,
    /// Annotations.
    pub annotations: BTreeMap<String, String>,
    /// The node that the pod is bound to.
    pub node: Option<String>,
    /// The node that the pod is nominated to.
    pub nominated: Option<String>,
    /// The pod is being deleted.
    pub deleted: bool,
    /// The session had the pod evicted.
    pub evicted: bool,
}

/// The pods by name, and the cores of the nodes.
#[derive(Debug, Clone, Default)]
pub struct SimulatedCluster {
    /// The pods, all in namespace `default`.
    pub pods: BTreeMap<String, SimulatedPod>,
    /// The number of cores of each node.
    pub nodes: BTreeMap<String, u32>,
}

impl SimulatedCluster {
    /// Returns the pod as an object. `None`: the pod does not exist.
    pub fn object(&self, name: &str) -> Option<KubernetesObject> {
        let pod = self.pods.get(name)?;
        let mut metadata = json!({"name": name, "namespace": "default", "uid": pod.uid, "labels": pod.labels,
                                  "annotations": pod.annotations, "creationTimestamp": "1970-01-01T00:00:00Z"});
        if pod.deleted {
            metadata["deletionTimestamp"] = json!("1970-01-01T00:00:00Z");
        }
        let mut spec = json!({"priority": pod.priority, "schedulerName": pod.scheduler, "containers": [
            {"name": "c", "resources": {"requests": {"cpu": pod.cpu.to_string()}}}]});
        let mut status = json!({"phase": "Pending"});
        if let Some(node) = &pod.node {
            spec["nodeName"] = json!(node);
            status = json!({"phase": "Running", "startTime": "1970-01-01T00:00:00Z"});
        } else if let Some(node) = &pod.nominated {
            status["nominatedNodeName"] = json!(node);
        }
        let value: Value =
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status});
        Some(object(value))
    }

    /// Returns all nodes and pods as objects.
    pub fn objects(&self) -> Vec<KubernetesObject> {
        let nodes = self.nodes.iter().map(|(name, cpu)| object(node(name, *cpu)));
        nodes.chain(self.pods.keys().filter_map(|name| self.object(name))).collect()
    }

    /// Carries out a command. Returns the reason where the API server would refuse the command.
    ///
    /// # Panics
    /// The session requests something that it must never request.
    pub fn apply_command(&mut self, command: &Command) -> Result<(), String> {
        let used: BTreeMap<String, u32> = self.nodes.keys().map(|node| (node.clone(), self.used(node))).collect();
        let nodes = self.nodes.clone();
        let name = &command.object.name;
        let Some(pod) = self.pods.get_mut(name).filter(|pod| pod.uid == command.object.uid) else {
            return match command.action {
                CommandAction::Evict { .. } => Ok(()),
                _ => Err("not found".to_owned()),
            };
        };
        match &command.action {
            CommandAction::Bind { node, .. } => {
                assert!(pod.node.is_none(), "`{name}` is bound twice: to {:?} and {node}", pod.node);
                if pod.deleted {
                    return Err("the pod is being deleted".to_owned());
                }
                let after = used[node] + pod.cpu;
                assert!(after <= nodes[node], "`{name}` needs {after} cores of `{node}`, which has {}", nodes[node]);
                (pod.node, pod.nominated) = (Some(node.clone()), None);
            }
            CommandAction::Nominate { node } if pod.node.is_none() => pod.nominated.clone_from(node),
            CommandAction::Nominate { .. } => return Err("the pod is bound".to_owned()),
            CommandAction::Evict { delete, marks, .. } => {
                assert!(!(pod.evicted && *delete), "`{name}` is evicted twice");
                for mark in marks {
                    pod.labels.insert(mark.key.clone(), mark.value.clone());
                    pod.annotations.insert(mark.key.clone(), mark.value.clone());
                }
                pod.evicted = true;
                pod.deleted |= *delete;
            }
            CommandAction::Confirm => {}
        }
        Ok(())
    }

    /// Returns the cores in use on a node.
    fn used(&self, node: &str) -> u32 {
        self.pods.values().filter(|pod| pod.node.as_deref() == Some(node)).map(|pod| pod.cpu).sum()
    }
}
