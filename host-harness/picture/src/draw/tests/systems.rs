//! The queue and the job of pods, system by system, where a name alone would mislead. Each value follows from the rule that stands next to it.

use serde_json::{Value, json};

use super::*;

/// Builds an object of Kubernetes.
fn object(version: &str, kind: &str, (namespace, name): (&str, &str), more: Value) -> Value {
    let mut object = json!({"apiVersion": version, "kind": kind, "metadata": {"namespace": namespace, "name": name}});
    merge(&mut object, more);
    object
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}

/// Builds a pod of `scheduler` on the only node.
fn pod(scheduler: &str, name: (&str, &str), labels: Value, annotations: Value) -> Value {
    let spec = json!({"schedulerName": scheduler, "nodeName": "n", "containers": [{"name": "c"}]});
    let more = json!({"metadata": {"labels": labels, "annotations": annotations}, "spec": spec, "status": {"phase": "Running"}});
    object("v1", "Pod", name, more)
}

/// Returns the job and the queue of each pod, as they are drawn: `pod: job in queue`.
fn shown(system: &str, mut objects: Vec<Value>) -> Vec<String> {
    let allocatable = json!({"status": {"allocatable": {"cpu": "8", "pods": "9"}}});
    objects.push(object("v1", "Node", ("", "n"), allocatable));
    let text = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
    let picture = drawn_of(&mut opened_as(system, &text));
    let of = |job: &DrawnJob, pod: &DrawnPod| format!("{}: {} in {}", pod.name, job.name, picture.queues[job.queue]);
    let mut lines: Vec<String> = picture
        .jobs
        .iter()
        .flat_map(|job| job.pods.iter().map(move |pod| (job, pod)))
        .map(|(job, pod)| of(job, pod))
        .collect();
    lines.sort();
    lines
}

/// Checks that the queue is that of the PodGroup. A pod without a PodGroup names its queue by annotation, and else has the queue `default`.
#[test]
fn volcano_has_the_queue_in_the_pod_group() {
    let queue =
        |name: &str| object("scheduling.volcano.sh/v1beta1", "Queue", ("", name), json!({"spec": {"weight": 1}}));
    let group = json!({"spec": {"minMember": 2, "queue": "research"}});
    let in_group =
        |name| pod("volcano", ("a", name), json!({"team": "batch"}), json!({"scheduling.k8s.io/group-name": "g"}));
    let alone = |name, annotations| pod("volcano", ("a", name), json!({"volcano.sh/task-spec": "batch"}), annotations);
    let objects = vec![
        queue("research"),
        queue("batch"),
        object("scheduling.volcano.sh/v1beta1", "PodGroup", ("a", "g"), group),
        in_group("g-0"),
        in_group("g-1"),
        alone("named", json!({"scheduling.volcano.sh/queue-name": "research"})),
        alone("other", json!({})),
    ];
    assert_eq!(
        shown("volcano", objects),
        [
            "a/g-0: a/g in research",
            "a/g-1: a/g in research",
            "a/named: a/named in research",
            "a/other: a/other in default"
        ]
    );
}

/// Checks the three labels that name an application. The first pod of the application names its queue, with or without `root.`, and the first
/// placement rule that finds a queue decides. A pod that names no application is a job of its own.
#[test]
fn yunikorn_places_applications_by_its_rules() {
    let queues = "
partitions:
- name: default
  placementrules:
  - {name: provided, create: false}
  - {name: fixed, value: root.rest}
  queues:
  - name: root
    queues: [{name: search}, {name: batch}, {name: rest}]
";
    let config = object("v1", "ConfigMap", ("yunikorn", "yunikorn-configs"), json!({"data": {"queues.yaml": queues}}));
    let app = |name, labels| pod("yunikorn", ("a", name), labels, json!({}));
    let objects = vec![
        config,
        app("new-0", json!({"yunikorn.apache.org/app-id": "app-1", "queue": "search"})),
        // The queue that a later pod names is ignored.
        app("new-1", json!({"yunikorn.apache.org/app-id": "app-1", "queue": "batch"})),
        app("old-0", json!({"applicationId": "app-2", "queue": "root.batch"})),
        app("spark-0", json!({"spark-app-selector": "spark-3"})),
        app("lone", json!({})),
    ];
    assert_eq!(
        shown("yunikorn", objects),
        [
            "a/lone: a/lone in root.rest",
            "a/new-0: a/app-1 in root.search",
            "a/new-1: a/app-1 in root.search",
            "a/old-0: a/app-2 in root.batch",
            "a/spark-0: a/spark-3 in root.rest",
        ]
    );
}

/// Checks that a pod is in the quota that its own label names, else in that of its namespace, else in the default quota. A label of another meaning
/// names no quota. The older label and the annotation name a gang, too.
#[test]
fn koordinator_reads_the_quota_from_its_own_label() {
    let quota = |name: &str| {
        let spec = json!({"spec": {"min": {"cpu": "1"}, "max": {"cpu": "9"}}});
        object("scheduling.sigs.k8s.io/v1alpha1", "ElasticQuota", ("quotas", name), spec)
    };
    let koord = |name, labels, annotations| pod("koord-scheduler", ("a", name), labels, annotations);
    let objects = vec![
        quota("search"),
        quota("team"),
        koord("labelled", json!({"app": "search", "quota.scheduling.koordinator.sh/name": "team"}), json!({})),
        koord("misleading", json!({"tier": "search"}), json!({})),
        koord("old", json!({"pod-group.scheduling.sigs.k8s.io/name": "g"}), json!({})),
        koord("noted", json!({}), json!({"gang.scheduling.koordinator.sh/name": "g"})),
    ];
    assert_eq!(
        shown("koordinator", objects),
        [
            "a/labelled: a/labelled in team",
            "a/misleading: a/misleading in koordinator-default-quota",
            "a/noted: a/g in koordinator-default-quota",
            "a/old: a/g in koordinator-default-quota",
        ]
    );
}

/// Checks that a pod is in the quota of its namespace, whatever its labels say. A label of the PodGroup or of the proposal puts it in a group. A
/// group of the proposal needs a minimum.
#[test]
fn coscheduling_has_one_quota_a_namespace_and_gangs_by_two_labels() {
    let quota = |namespace: &str, name: &str| {
        let spec = json!({"spec": {"min": {"cpu": "1"}, "max": {"cpu": "9", "memory": "9Gi"}}});
        object("scheduling.x-k8s.io/v1alpha1", "ElasticQuota", (namespace, name), spec)
    };
    let member = |namespace, name, labels| pod("default-scheduler", (namespace, name), labels, json!({}));
    let objects = vec![
        quota("a", "first"),
        quota("b", "second"),
        member("a", "g-0", json!({"app": "b", "scheduling.x-k8s.io/pod-group": "g"})),
        member("a", "p-0", json!({"pod-group/name": "p", "pod-group/min-available": "1"})),
        member("b", "none", json!({"pod-group/name": "p"})),
        // The namespace has no quota, and the name of another one in a label is none.
        member("c", "lone", json!({"team": "a"})),
    ];
    assert_eq!(
        shown("coscheduling", objects),
        ["a/g-0: a/g in a", "a/p-0: a/p in a", "b/none: b/none in b", "c/lone: c/lone in c"]
    );
}

/// Checks that kube-scheduler has no queues: a pod is shown by its namespace, and its job is the PodGroup of its scheduling group.
#[test]
fn kubernetes_has_the_job_in_the_scheduling_group() {
    let member = |name, labels| {
        let mut member = pod("default-scheduler", ("a", name), labels, json!({}));
        merge(&mut member, json!({"spec": {"schedulingGroup": {"podGroupName": "w"}}}));
        member
    };
    let lone = pod("default-scheduler", ("b", "lone"), json!({"scheduling.x-k8s.io/pod-group": "w"}), json!({}));
    let objects = vec![member("w-0", json!({"queue": "b"})), member("w-1", json!({})), lone];
    assert_eq!(shown("kubernetes", objects), ["a/w-0: a/w in a", "a/w-1: a/w in a", "b/lone: b/lone in b"]);
}

/// Checks that a gang of the system and a PodGroup of Kubernetes with one name are two jobs: the second has the name that reasons give it.
#[test]
fn two_jobs_of_one_name_are_told_apart() {
    let gang = pod("koord-scheduler", ("a", "gang"), json!({"pod-group.scheduling.sigs.k8s.io": "w"}), json!({}));
    let mut group = pod("koord-scheduler", ("a", "group"), json!({}), json!({}));
    merge(&mut group, json!({"spec": {"schedulingGroup": {"podGroupName": "w"}}}));
    assert_eq!(
        shown("koordinator", vec![gang, group]),
        [
            "a/gang: a/w in koordinator-default-quota",
            "a/group: a/podgroup.scheduling.k8s.io/w in koordinator-default-quota"
        ]
    );
}

/// Checks that a namespace without a quota that is called like a quota is not drawn as that quota.
#[test]
fn a_namespace_is_not_taken_for_a_queue_of_its_name() {
    let queue = object("scheduling.volcano.sh/v1beta1", "Queue", ("", "a"), json!({"spec": {"weight": 1}}));
    let annotations = json!({"scheduling.volcano.sh/queue-name": "a"});
    let objects = vec![
        queue,
        pod("volcano", ("b", "mine"), json!({}), annotations),
        // Volcano does not count pods of other schedulers that have no PodGroup.
        pod("default-scheduler", ("a", "other"), json!({}), json!({})),
    ];
    assert_eq!(shown("volcano", objects), ["a/other: a/other in namespace a", "b/mine: b/mine in a"]);
}
