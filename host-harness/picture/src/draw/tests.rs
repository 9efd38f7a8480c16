mod books;
mod systems;

use lictor_decide::{ClusterSession, ClusterSnapshot, DecisionSettings, Native};

use super::*;
use crate::NodeUsage;

/// Two nodes; a gang of two, of which one runs, in the quota that its label names; a pod without a label; one that has ended.
const CLUSTER: &str = "
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '9'}}}
- {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: '8', memory: 8Gi, pods: '9', example.com/gpu: '2'}}}
- apiVersion: scheduling.sigs.k8s.io/v1alpha1
  kind: ElasticQuota
  metadata: {name: team, namespace: a}
  spec: {min: {cpu: '1'}, max: {cpu: '9'}}
- apiVersion: v1
  kind: Pod
  metadata: {name: w-0, namespace: a, labels: {quota.scheduling.koordinator.sh/name: team, pod-group.scheduling.sigs.k8s.io: w}}
  spec: {nodeName: n1, priority: 7, containers: [{name: c, resources: {requests: {cpu: '2', example.com/gpu: '1'}}}]}
  status: {phase: Running}
- apiVersion: v1
  kind: Pod
  metadata: {name: w-1, namespace: a, labels: {quota.scheduling.koordinator.sh/name: team, pod-group.scheduling.sigs.k8s.io: w}}
  spec: {schedulerName: koord-scheduler, priority: 9, containers: [{name: c, resources: {requests: {cpu: '2'}}}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: lone, namespace: b}
  spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 500m}}}]}
  status: {phase: Running}
- apiVersion: v1
  kind: Pod
  metadata: {name: done, namespace: b}
  spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: '1'}}}]}
  status: {phase: Succeeded}
";

fn opened() -> ClusterSession {
    opened_as("koordinator", CLUSTER)
}

fn opened_as(system: &str, cluster: &str) -> ClusterSession {
    let read = || ClusterSnapshot::from_text("cluster.yaml", cluster.to_owned());
    let with = DecisionSettings { system, ..DecisionSettings::default() };
    ClusterSession::open(Box::new(Native::default()), lictor_policy::Engine::describe(), with, read).unwrap()
}

fn drawn() -> Picture {
    drawn_of(&mut opened())
}

fn drawn_of(opened: &mut ClusterSession) -> Picture {
    let memberships = opened.memberships().unwrap();
    picture(opened.session().mirror(), &memberships)
}

#[test]
fn a_node_has_what_its_pods_hold_by_queue_and_priority() {
    let picture = drawn();
    assert_eq!(picture.resources, ["cpu", "memory", "example.com/gpu"]);
    let names: Vec<&str> = picture.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["n1", "n2"]);
    assert_eq!(picture.nodes[0].allocatable, [8000, 8 << 30, 2]);
    // The pod without a label is in the default quota; the ended pod holds nothing.
    assert_eq!(picture.queues, ["koordinator-default-quota", "team"]);
    let held = |queue, priority, cpu, gpu| NodeUsage { queue, priority, pods: 1, amounts: vec![cpu, 0, gpu] };
    assert_eq!(picture.nodes[0].held, [held(0, 0, 500, 0), held(1, 7, 2000, 1)]);
    assert!(picture.nodes[1].held.is_empty());
}

#[test]
fn a_gang_is_a_job_and_a_lone_pod_is_one_of_its_own() {
    let picture = drawn();
    let pod = |name: &str, placed| DrawnPod { name: name.to_owned(), placed };
    let gang =
        DrawnJob { name: "a/w".to_owned(), queue: 1, priority: 9, pods: vec![pod("a/w-0", true), pod("a/w-1", false)] };
    let lone = DrawnJob { name: "b/lone".to_owned(), queue: 0, priority: 0, pods: vec![pod("b/lone", true)] };
    assert_eq!(picture.jobs, [gang, lone]);
}

/// Kubernetes 1.37: a pod names its PodGroup in a field.
#[test]
fn a_gang_of_kubernetes_itself_is_a_job() {
    let pod = |name: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: a}}, spec: {{schedulingGroup: {{podGroupName: w}}, containers: [{{name: c}}]}}}}"
        )
    };
    let node = "{apiVersion: v1, kind: Node, metadata: {name: n}}";
    let cluster = format!("{node}\n---\n{}\n---\n{}", pod("w-0"), pod("w-1"));
    for system in ["kubernetes", "koordinator"] {
        let jobs = drawn_of(&mut opened_as(system, &cluster)).jobs;
        let named: Vec<(&str, usize)> = jobs.iter().map(|job| (job.name.as_str(), job.pods.len())).collect();
        assert_eq!(named, [("a/w", 2)], "{system}");
    }
}

#[test]
fn the_pods_of_a_node_are_listed_the_highest_priority_first() {
    let opened = opened();
    let pods = pods_on(opened.session().mirror(), "n1");
    let listed: Vec<(&str, i32, &str)> =
        pods.iter().map(|pod| (pod.name.as_str(), pod.priority, pod.amounts[0].as_str())).collect();
    assert_eq!(listed, [("a/w-0", 7, "2"), ("b/lone", 0, "0.5")]);
    assert!(pods_on(opened.session().mirror(), "n3").is_empty());
}
