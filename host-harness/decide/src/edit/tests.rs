use std::sync::Arc;

use lictor_host::policy::Policy;
use serde_json::json;

use super::*;
use crate::record::PolicySource;
use crate::{ClusterSession, ClusterSnapshot, DecisionSettings, Native};

mod priorities;

/// A node of 2 cpu, and a pod that has ended, because a snapshot needs a pod.
const ROOM: &str = r#"
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "2", memory: 8Gi, pods: "9"}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: old, namespace: d}, spec: {containers: [{name: c}]}, status: {phase: Succeeded}}
---
{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: default}, spec: {weight: 1}, status: {state: Open}}
"#;

fn snapshot(text: &str) -> ClusterSnapshot {
    ClusterSnapshot::from_text("it.yaml", text.to_owned()).unwrap()
}

fn job(pods: u32, min: u32) -> NewJob {
    let requests = BTreeMap::from([("cpu".to_owned(), "1".to_owned())]);
    let (name, namespace) = ("train".to_owned(), "d".to_owned());
    NewJob { name, namespace, pods, min, requests, priority: 7, ..NewJob::default() }
}

/// Returns the objects of a change, where pods of these schedulers are decided about.
fn edit_for(
    snapshot: &ClusterSnapshot,
    system: &str,
    schedulers: &[String],
    asked: &Edit,
) -> Result<Vec<Value>, Problem> {
    let described = Native::default().describe().unwrap();
    let objects: Vec<&KubernetesObject> = snapshot.objects.iter().collect();
    edit(&EditedCluster { objects: &objects, system: described.system(system), schedulers }, asked)
}

fn edited(snapshot: &ClusterSnapshot, system: &str, asked: &Edit) -> Result<Vec<Value>, Problem> {
    edit_for(snapshot, system, &[], asked)
}

/// Returns the cluster with these objects, which replace those of the same name.
fn changed(mut snapshot: ClusterSnapshot, objects: Vec<Value>) -> ClusterSnapshot {
    let objects: Vec<KubernetesObject> =
        objects.into_iter().map(|value| KubernetesObject::from_json(value, &Arc::from("the form")).unwrap()).collect();
    let keys: Vec<String> = objects.iter().map(KubernetesObject::full_key).collect();
    snapshot.objects.retain(|object| !keys.contains(&object.full_key()));
    snapshot.objects.extend(objects);
    snapshot
}

/// Returns the pods that are bound in the first cycle.
fn bound(snapshot: &ClusterSnapshot, system: &str) -> Vec<String> {
    bound_for(snapshot, system, &[])
}

/// Returns the pods that are bound in the first cycle, where pods of these schedulers are decided about.
fn bound_for(snapshot: &ClusterSnapshot, system: &str, schedulers: &[String]) -> Vec<String> {
    let mut policy = Box::<Native>::default();
    let described = policy.describe().unwrap();
    let with = DecisionSettings { system, schedulers, ..DecisionSettings::default() };
    let mut opened = ClusterSession::open(policy, described, with, || Ok(snapshot.clone())).unwrap();
    opened.decide(1, PolicySource::default()).unwrap().cycles[0].happened.bound.keys().cloned().collect()
}

fn with_job(system: &str, job: NewJob) -> Result<Vec<String>, Problem> {
    let room = snapshot(ROOM);
    let objects = edited(&room, system, &Edit::Job(job))?;
    Ok(bound(&changed(room, objects), system))
}

/// Adds jobs of which the node has room for two pods: both start where two are enough, and no pod starts where three must start together.
#[test]
fn a_gang_of_every_system_that_has_gangs_starts_as_a_whole_or_not_at_all() {
    for system in ["koordinator", "volcano", "coscheduling", "kubernetes"] {
        assert_eq!(with_job(system, job(3, 2)).unwrap().len(), 2, "{system}");
        assert_eq!(with_job(system, job(3, 3)).unwrap(), Vec::<String>::new(), "{system}");
        assert_eq!(with_job(system, job(2, 2)).unwrap(), ["d/train-0", "d/train-1"], "{system}");
    }
}

#[test]
fn pods_without_a_minimum_start_one_by_one_in_every_system() {
    for system in Native::default().describe().unwrap().systems {
        let name = system.name.as_str();
        let queued =
            NewJob { queue: if name == "yunikorn" { "root.default".to_owned() } else { String::new() }, ..job(3, 0) };
        assert_eq!(with_job(name, queued).unwrap().len(), 2, "{name}");
    }
}

#[test]
fn what_a_system_does_not_know_is_refused_with_a_remedy() {
    let said = |system: &str, job: NewJob| with_job(system, job).unwrap_err().message;
    assert_eq!(said("yunikorn", job(3, 2)), "yunikorn has no gangs");
    assert_eq!(said("volcano", job(2, 3)), "of 2 pods, 3 cannot start together");
    assert_eq!(said("volcano", job(0, 0)), "a job of 0 pods cannot be added");
    assert_eq!(
        said("coscheduling", NewJob { queue: "q".to_owned(), ..job(2, 2) }),
        "a job of coscheduling names no queue"
    );
    assert_eq!(said("volcano", NewJob { name: "Big Job".to_owned(), ..job(2, 2) }), "`Big Job` is no name");
    assert!(
        said("volcano", NewJob { requests: BTreeMap::from([("cpu".into(), "many".into())]), ..job(2, 2) })
            .starts_with("cpu: ")
    );
    let twice = changed(snapshot(ROOM), edited(&snapshot(ROOM), "kubernetes", &Edit::Job(job(1, 0))).unwrap());
    let again = edited(&twice, "kubernetes", &Edit::Job(job(1, 0))).unwrap_err();
    assert_eq!(again.message, "there is a Pod d/train-0 already");
}

#[test]
fn a_bound_is_set_by_the_name_of_its_quota() {
    let quotas = snapshot(
        "{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: ElasticQuota, metadata: {name: q, namespace: a}, spec: {max: {cpu: '4'}}}\n---\n\
         {apiVersion: scheduling.x-k8s.io/v1alpha1, kind: ElasticQuota, metadata: {name: q, namespace: b}, spec: {max: {cpu: '6'}}}",
    );
    let names: Vec<(String, String)> = bounds(&quotas.objects.iter().collect::<Vec<_>>())
        .into_iter()
        .map(|it| (it.queue, it.amounts["cpu"].clone()))
        .collect();
    assert_eq!(names, [("a/q".to_owned(), "4".to_owned()), ("b/q".to_owned(), "6".to_owned())]);
    let set = |queue: &str, amount: &str| {
        let (queue, bound, resource) = (queue.to_owned(), "max".to_owned(), "cpu".to_owned());
        edited(&quotas, "coscheduling", &Edit::Bound { queue, bound, resource, amount: amount.to_owned() })
    };
    let changed = set("b/q", "8500m").unwrap();
    assert_eq!(
        (changed.len(), &changed[0]["metadata"]["namespace"], &changed[0]["spec"]["max"]),
        (1, &json!("b"), &json!({"cpu": "8500m"}))
    );
    assert_eq!(set("q", "8").unwrap_err().message, "there is no max `q`");
    assert!(set("b/q", "lots").unwrap_err().message.starts_with("cpu: "));
}

#[test]
fn the_priority_of_pods_is_set_and_no_class_says_another() {
    let pods = snapshot(
        "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: d}, spec: {priority: 9, priorityClassName: high, containers: [{name: c}]}}",
    );
    let edit_of = |pod: &str| edited(&pods, "kubernetes", &Edit::Priority { pods: vec![pod.to_owned()], priority: -3 });
    assert_eq!(edit_of("d/p").unwrap()[0]["spec"], json!({"priority": -3, "containers": [{"name": "c"}]}));
    assert_eq!(edit_of("d/x").unwrap_err().message, "there is no pod `d/x`");
}

/// Drains `n1`: of its four pods, that of the DaemonSet, the mirror pod and the one that has ended stay.
#[test]
fn the_pods_of_a_node_that_is_drained_are_pending_again() {
    let text = r#"
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "2", pods: "9"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: "2", pods: "9"}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: d}, spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: "1"}}}]}, status: {phase: Running, startTime: "2026-01-01T00:00:00Z"}}
---
{apiVersion: v1, kind: Pod, metadata: {name: agent, namespace: d, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: u}]}, spec: {nodeName: n1, containers: [{name: c}]}, status: {phase: Running}}
---
{apiVersion: v1, kind: Pod, metadata: {name: static, namespace: d, annotations: {kubernetes.io/config.mirror: x}}, spec: {nodeName: n1, containers: [{name: c}]}, status: {phase: Running}}
---
{apiVersion: v1, kind: Pod, metadata: {name: done, namespace: d}, spec: {nodeName: n1, containers: [{name: c}]}, status: {phase: Succeeded}}
---
{apiVersion: v1, kind: Pod, metadata: {name: other, namespace: d}, spec: {nodeName: n2, containers: [{name: c}]}, status: {phase: Running}}
"#;
    let before = snapshot(text);
    let drained = edited(&before, "kubernetes", &Edit::Drain { node: "n1".to_owned() }).unwrap();
    let names: Vec<&Value> = drained.iter().map(|it| &it["metadata"]["name"]).collect();
    assert_eq!(names, ["n1", "web"]);
    assert_eq!(
        (&drained[0]["spec"]["unschedulable"], &drained[1]["status"]),
        (&json!(true), &json!({"phase": "Pending"}))
    );
    // The drained pod is decided about anew, and may not return.
    assert_eq!(bound(&changed(before.clone(), drained), "kubernetes"), ["d/web"]);
    let unknown = edited(&before, "kubernetes", &Edit::Drain { node: "n3".to_owned() }).unwrap_err();
    assert_eq!(unknown.message, "there is no node `n3`");
}

/// Cordons a node, which does not change otherwise, and whose pod stays.
#[test]
fn a_node_is_cordoned_and_its_pods_stay() {
    let before = snapshot(ROOM);
    let cordoned = edited(&before, "kubernetes", &Edit::Cordon { node: "n1".to_owned() }).unwrap();
    assert_eq!((cordoned.len(), &cordoned[0]["spec"]["unschedulable"]), (1, &json!(true)));
    assert_eq!(cordoned[0]["status"]["allocatable"]["pods"], "9");
    let drained = edited(&before, "kubernetes", &Edit::Drain { node: "n1".to_owned() }).unwrap();
    assert_eq!(drained, cordoned);
    let unknown = edited(&before, "kubernetes", &Edit::Cordon { node: "n2".to_owned() }).unwrap_err();
    assert_eq!(unknown.message, "there is no node `n2`");
}

/// Looks objects up by key. The first pod names no namespace, so that it is in `default`; two kinds of PodGroup have the name `g`.
#[test]
fn an_object_is_found_by_its_key() {
    let all = snapshot(
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c}]}}\n---\n\
         {apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: q}, spec: {weight: 1}}\n---\n\
         {apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g, namespace: d}, spec: {minMember: 2}}\n---\n\
         {apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g, namespace: d}, spec: {schedulingPolicy: {basic: {}}}}",
    );
    let found = |key: &str| edited(&all, "volcano", &Edit::Object { key: key.to_owned() });
    assert_eq!(found("Pod/default/p").unwrap()[0]["metadata"], json!({"name": "p"}));
    assert_eq!(found("Queue/q").unwrap()[0]["spec"]["weight"], 1);
    assert_eq!(found("PodGroup.scheduling.volcano.sh/d/g").unwrap()[0]["spec"]["minMember"], 2);
    let several = found("PodGroup/d/g").unwrap_err();
    assert_eq!(several.message, "several objects are called `PodGroup/d/g`");
    let remedy = "name one of them: `PodGroup.scheduling.k8s.io/d/g` or `PodGroup.scheduling.volcano.sh/d/g`";
    assert_eq!(several.remedy.as_deref(), Some(remedy));
    assert_eq!(found("Pod/d/p").unwrap_err().message, "there is no object `Pod/d/p`");
}

#[test]
fn objects_are_added_as_they_are_given_if_they_can_be_read() {
    let given = |object: Value| edited(&snapshot(ROOM), "kubernetes", &Edit::Objects { objects: vec![object] });
    let class =
        json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "c"}, "value": 7});
    assert_eq!(given(class.clone()).unwrap(), [class]);
    let nameless = given(json!({"apiVersion": "v1", "kind": "Node", "metadata": {}})).unwrap_err();
    assert!(nameless.message.contains("name") && nameless.remedy.is_some(), "{nameless:?}");
}

/// Adds a job where only pods of `ours` are decided about; without such names, pods of the system's schedulers are.
#[test]
fn a_job_that_is_added_has_a_scheduler_that_is_in_force() {
    let (room, ours) = (snapshot(ROOM), vec!["ours".to_owned()]);
    for system in Native::default().describe().unwrap().systems {
        let name = system.name.as_str();
        let queue = if name == "yunikorn" { "root.default".to_owned() } else { String::new() };
        let asked = Edit::Job(NewJob { queue, ..job(2, 0) });
        let objects = edit_for(&room, name, &ours, &asked).unwrap();
        assert_eq!(bound_for(&changed(room.clone(), objects), name, &ours).len(), 2, "{name}");
        let pod = edited(&room, name, &asked).unwrap().pop().unwrap();
        assert_eq!(pod["spec"]["schedulerName"], system.schedulers[0].as_str(), "{name}");
    }
}
