mod actions;
mod assumed;
mod disks;
mod inter_pod;
mod loading;
mod order;
mod picture;
mod placing;
mod random;
mod removal;
mod volumes;

use lictor_contract::*;

use super::*;
use crate::cluster::{KubernetesObject as Read, load};
use crate::verify::testing::slots;

impl Mirror {
    /// Binds a pod. Does nothing where the node does not exist.
    pub fn bind(&mut self, pod: PodId, node: NodeId) {
        if let Some(node) = self.node(node).map(|node| node.name.clone()) {
            self.change(pod, &PodChange::Bind { node, at: self.now(), marks: Vec::new() });
        }
    }

    /// Nominates a pod, or clears its nomination (`None`).
    pub fn nominate(&mut self, pod: PodId, node: Option<NodeId>) {
        let node = node.and_then(|node| self.node(node)).map(|node| node.name.clone());
        self.change(pod, &PodChange::Nominate(node));
    }

    /// Writes labels and annotations on a pod.
    pub fn mark(&mut self, pod: PodId, marks: &[Mark]) {
        self.change(pod, &PodChange::Mark(marks.to_vec()));
    }

    /// Marks a pod as being deleted.
    pub fn terminate(&mut self, pod: PodId) {
        self.change(pod, &PodChange::Evict { deleted: Some(self.now()), marks: Vec::new() });
    }
}

/// Creates a mirror for a policy with these interests.
fn mirror() -> Mirror {
    let kind = |group: &str, kind: &str| KindInterest { group: group.to_owned(), kind: kind.to_owned() };
    Mirror::new(Interests {
        labels: vec!["team".to_owned(), "tier".to_owned()],
        leaving_labels: vec!["tier".to_owned(), "unread".to_owned()],
        annotations: vec!["note".to_owned()],
        pod_fields: vec!["/spec/runtimeClassName".to_owned(), "/spec/containers/0/resources".to_owned()],
        node_labels: vec!["zone".to_owned()],
        kinds: vec![kind("scheduling.sigs.k8s.io", "ElasticQuota"), kind("scheduling.k8s.io", "PriorityClass")],
        placed_kinds: vec![slots()],
    })
}

/// Reads the objects of a text.
fn objects(text: &str) -> Vec<Read> {
    load::read("c.yaml", text).unwrap().into_iter().map(|document| Read::from_document(document).unwrap()).collect()
}

fn apply(mirror: &mut Mirror, text: &str) {
    for object in objects(text) {
        mirror.upsert(object);
    }
}

/// Returns a node with 4 cores.
fn node(name: &str) -> String {
    format!(
        "---\n{{apiVersion: v1, kind: Node, metadata: {{name: {name}}}, status: {{allocatable: {{cpu: 4, pods: 110}}}}}}\n"
    )
}

/// Returns a pod with 1 core and these further fields of its spec.
fn pod(name: &str, spec: &str) -> String {
    format!(
        "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, spec: {{containers: [{{name: c, resources: {{requests: {{cpu: 1}}}}}}], {spec}}}}}\n"
    )
}

fn class(name: &str, value: i32, more: &str) -> String {
    format!(
        "---\n{{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {{name: {name}}}, value: {value}, {more}}}\n"
    )
}

const SLOT: &str = "---
apiVersion: example.com/v1
kind: Slot
metadata: {name: r, labels: {team: own}}
spec:
  pod:
    metadata: {labels: {team: template, tier: gold}}
    spec:
      containers:
      - resources: {requests: {cpu: '2', memory: 1Gi}}
        ports: [{containerPort: 80, hostPort: 80}]
";

fn the_pod<'m>(mirror: &'m Mirror, name: &str) -> &'m Pod {
    mirror.pod(mirror.pod_id(name).unwrap()).unwrap()
}

/// Returns a short text for an event.
fn short(event: &Event) -> String {
    match event {
        Event::Resources(all) => all.iter().map(|resource| format!("+{} ", resource.name)).collect(),
        Event::NodeUpserted(node) => format!("node {}", node.name),
        Event::NodeRemoved(id) => format!("no node {id}"),
        Event::PodUpserted(pod) => format!("pod {} {}", pod.id, pod.name),
        Event::PodStatus(status) => format!("status {}", status.id),
        Event::PodRemoved(id) => format!("no pod {id}"),
        Event::Eligibility(eligibility) => format!("shape {} {:?}", eligibility.shape, eligibility.nodes),
        Event::Topology(topology) => format!("topology {} {:?}", topology.key, topology.domains),
        Event::InterPod(inter_pod) => format!("inter-pod {}", inter_pod.id),
        Event::ObjectUpserted(object) => format!("object {} {}", object.kind, object.name),
        Event::ObjectRemoved(key) => format!("no object {} {}", key.kind, key.name),
        Event::Clock(now) => format!("clock {now}"),
        Event::PlanAccepted(_) | Event::PlanRefused(_) => panic!("the mirror knows no plans"),
    }
}

fn drained(mirror: &mut Mirror) -> Vec<String> {
    mirror.drain_events().iter().map(short).collect()
}
