mod inter_pod;
mod placed;

use lictor_contract::{Owner, Phase};

use super::*;
use crate::cluster::eligibility::{Effect, NodeTaint};
use crate::cluster::load;

fn object(text: &str) -> Result<KubernetesObject, InputError> {
    KubernetesObject::from_document(load::read("o.yaml", text).unwrap().remove(0))
}

fn pod(text: &str) -> PodFacts {
    match object(text).map(|object| object.body) {
        Ok(Body::Pod(facts)) => *facts,
        other => panic!("not a pod: {other:?}"),
    }
}

/// Reads a pod whose spec has these lines (indented by two) after one container without requests.
fn pod_with(spec: &str) -> Result<KubernetesObject, InputError> {
    object(&format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers: [{{name: c}}]\n{spec}\n"))
}

#[test]
fn reads_the_needed_fields_of_a_pod_and_no_others() {
    let facts = pod("\
apiVersion: v1
kind: Pod
metadata:
  name: a
  namespace: team
  uid: u-1
  creationTimestamp: 1970-01-01T00:00:01Z
  deletionTimestamp: 2026-01-01T00:00:00Z
  labels: {app: x}
  annotations: {note: y}
  ownerReferences:
  - {apiVersion: v1, kind: Node, name: n, uid: u-2}
  - {apiVersion: apps/v1, kind: ReplicaSet, name: rs, uid: u-3, controller: true}
  managedFields: [{manager: kubectl}]
  unknownField: 1
spec:
  priority: 7
  priorityClassName: high
  preemptionPolicy: Never
  schedulerName: koord-scheduler
  nodeName: n1
  containers:
  - name: c
    image: i
    resources: {requests: {cpu: 250m}}
    env: [{name: A, value: b}]
status:
  phase: Pending
  startTime: 1970-01-01T00:00:02.5Z
  nominatedNodeName: n2
  qosClass: Burstable
  conditions:
  - {type: PodScheduled, status: 'True', lastTransitionTime: 1970-01-01T00:00:03Z}
  - {type: DisruptionTarget, status: 'True', reason: PreemptionByScheduler}
");
    assert_eq!((&*facts.metadata.namespace, &*facts.metadata.name, &*facts.metadata.uid), ("team", "a", "u-1"));
    assert_eq!(
        (facts.scheduling.priority, &*facts.scheduling.priority_class, facts.scheduling.never_preempts),
        (Some(7), "high", Some(true))
    );
    assert_eq!(
        (&*facts.scheduling.scheduler, facts.status.phase, facts.kind),
        ("koord-scheduler", Phase::Pending, None)
    );
    assert_eq!((facts.node.as_deref(), facts.status.nominated.as_deref()), (Some("n1"), Some("n2")));
    assert_eq!((facts.metadata.terminating, facts.status.preempted), (true, true));
    assert_eq!((facts.metadata.created, facts.status.started), (Some(1_000_000_000), Some(2_500_000_000)));
    assert_eq!(facts.status.scheduled, Some(3_000_000_000));
    let owner = Owner { kind: "ReplicaSet".to_owned(), name: "rs".to_owned(), uid: "u-3".to_owned() };
    assert_eq!(facts.metadata.owner, Some(owner));
    assert_eq!(facts.requests, [("cpu".to_owned(), 250), ("pods".to_owned(), 1)].into());
    assert_eq!(facts.metadata.labels, [("app".to_owned(), "x".to_owned())].into());
    assert_eq!(facts.metadata.annotations, [("note".to_owned(), "y".to_owned())].into());
}

#[test]
fn absent_fields_have_defaults() {
    let facts = pod(
        "{apiVersion: v1, kind: Pod, metadata: {name: a, creationTimestamp: null}, spec: {containers: [{name: c}]}}",
    );
    assert_eq!(
        (&*facts.metadata.namespace, &*facts.scheduling.scheduler, facts.status.phase),
        ("default", "default-scheduler", Phase::Pending)
    );
    assert_eq!(
        (facts.scheduling.priority, facts.scheduling.never_preempts, facts.metadata.created, facts.node),
        (None, None, None, None)
    );
    let bound = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {nodeName: n, containers: [{name: c}]}}";
    assert_eq!(pod(bound).status.phase, Phase::Running);
}

#[test]
fn conditions_count_only_when_true_and_for_that_reason() {
    let with = |condition: &str| {
        pod(&format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: a}}, spec: {{containers: [{{name: c}}]}}, status: {{conditions: [{condition}]}}}}"
        ))
    };
    assert!(!with("{type: DisruptionTarget, status: 'False', reason: PreemptionByScheduler}").status.preempted);
    assert!(!with("{type: DisruptionTarget, status: 'True', reason: EvictionByEvictionAPI}").status.preempted);
    assert_eq!(
        with("{type: PodScheduled, status: 'False', lastTransitionTime: 1970-01-01T00:00:03Z}").status.scheduled,
        None
    );
}

#[test]
fn reads_a_node() {
    let text = "\
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {zone: a}}
spec:
  unschedulable: true
  taints:
  - {key: soft, effect: PreferNoSchedule}
  - {key: gpu, value: 'yes', effect: NoExecute}
status:
  capacity: {cpu: '99'}
  allocatable: {cpu: 3920m, memory: 1Gi, nvidia.com/gpu: 8, pods: '110'}
";
    let Body::Node(node) = object(text).unwrap().body else { panic!("no node") };
    let expected = [("cpu", 3920), ("memory", 1 << 30), ("nvidia.com/gpu", 8), ("pods", 110)];
    assert_eq!(node.allocatable, expected.map(|(name, amount)| (name.to_owned(), amount)).into());
    let taint = NodeTaint { key: "gpu".to_owned(), value: "yes".to_owned(), effect: Effect::NoExecute };
    assert_eq!((&*node.terrain.name, node.terrain.unschedulable, node.terrain.taints), ("n1", true, vec![taint]));
    let capacity = object("{apiVersion: v1, kind: Node, metadata: {name: n}, status: {capacity: {cpu: 2}}}").unwrap();
    let Body::Node(node) = capacity.body else { panic!("no node") };
    assert_eq!(node.allocatable, [("cpu".to_owned(), 2000)].into());
}

#[test]
fn reads_a_priority_class() {
    let text = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, value: -5, globalDefault: true, preemptionPolicy: Never}";
    let Body::PriorityClass(class, _) = object(text).unwrap().body else { panic!("no class") };
    assert_eq!(class, ClassFacts { value: -5, global_default: true, never_preempts: true });
}

#[test]
fn the_namespace_of_a_cluster_scoped_kind_is_ignored() {
    let key = |text: &str| object(text).unwrap().key();
    assert_eq!(key("{apiVersion: v1, kind: Node, metadata: {name: n, namespace: x}}"), "Node/n");
    assert_eq!(key("{apiVersion: v1, kind: ConfigMap, metadata: {name: n}}"), "ConfigMap/n");
}

#[test]
fn other_kinds_stay_as_they_are() {
    let object = object("{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: x}, spec: 5}").unwrap();
    assert_eq!(object.key(), "Deployment/x/d");
    assert_eq!(object.id.full_kind(), "apps/v1 Deployment");
    let Body::Other(value, _) = object.body else { panic!("not other") };
    assert_eq!(value.pointer("/spec"), Some(&5.into()));
}

#[test]
fn inline_objects_of_another_document_have_its_lines() {
    let document = load::read("s.yaml", "spec:\n  cluster:\n  - {apiVersion: v1, kind: Node, metadata: {name: n}}\n  - apiVersion: v1\n    kind: Node\n    metadata: {name: m}\n    status: {allocatable: {cpu: -1}}\n").unwrap().remove(0);
    let second = document.value.pointer("/spec/cluster/1").unwrap().clone();
    let mistake = KubernetesObject::from_value(second, &document.origin, "/spec/cluster/1").unwrap_err();
    assert_eq!(
        mistake.to_string(),
        "s.yaml:7: status.allocatable.cpu of Node m: `-1` is negative; write a quantity of 0 or more"
    );
}

#[test]
fn mistakes_are_named_with_their_line() {
    for (line, message, text) in [
        (1, "not a Kubernetes object", "- a\n"),
        (2, "apiVersion of the object: is missing", "\nkind: Pod\nmetadata: {name: a}"),
        (1, "kind of the object: is missing", "apiVersion: v1\nmetadata: {name: a}"),
        (2, "kind of the object: `5` is not a text", "apiVersion: v1\nkind: 5"),
        (2, "`v1` has no kind `Pods`", "apiVersion: v1\nkind: Pods\nmetadata: {name: a}"),
        (2, "`v1beta1` has no kind `Pod`", "apiVersion: v1beta1\nkind: Pod\nmetadata: {name: a}"),
        (2, "`apps/v1` has no kind `Pod`", "apiVersion: apps/v1\nkind: Pod\nmetadata: {name: a}"),
        (
            2,
            "no kind `priorityClasses`",
            "apiVersion: scheduling.k8s.io/v1\nkind: priorityClasses\nmetadata: {name: a}",
        ),
        (1, "a List is nested", "{apiVersion: v1, kind: List, metadata: {name: a}}"),
        (3, "metadata.name of Pod: is missing", "apiVersion: v1\nkind: Pod\nmetadata:\n  namespace: a"),
        (4, "metadata.name of Pod: `7` is not a text", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: 7"),
        (4, "metadata.name of Pod: `a/b` contains", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a/b"),
        (4, "spec.containers of Pod default/a: is missing", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {}"),
        (
            1,
            "value of PriorityClass p: is missing",
            "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata:\n name: p",
        ),
    ] {
        let mistake = object(text).unwrap_err();
        assert_eq!(mistake.line, line, "{mistake}");
        assert!(mistake.message.contains(message), "{mistake}");
        assert!(!mistake.remedy.is_empty());
    }
}

#[test]
fn mistakes_in_a_pods_spec_are_named_with_their_line() {
    let required = "  affinity:\n    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n        nodeSelectorTerms:\n        - ";
    let affinity = |term: &str| format!("{required}{term}");
    for (line, path, spec) in [
        (6, "spec.priority of Pod default/a: invalid", "  priority: high".to_owned()),
        (6, "spec.preemptionPolicy of Pod default/a: `Sometimes`", "  preemptionPolicy: Sometimes".to_owned()),
        (
            7,
            "spec.nodeSelector.disk of Pod default/a: invalid type: integer `5`",
            "  nodeSelector:\n    disk: 5".to_owned(),
        ),
        (7, "spec.tolerations[0].operator of", "  tolerations:\n  - {key: a, operator: Equals}".to_owned()),
        (8, "spec.tolerations[0].effect of", "  tolerations:\n  - key: a\n    effect: noSchedule".to_owned()),
        (7, "spec.tolerations[0].value of", "  tolerations:\n  - {key: a, operator: Gt, value: x}".to_owned()),
        (7, "spec.overhead.cpu of", "  overhead:\n    cpu: 1.2.3".to_owned()),
        (10, "matchExpressions[0].operator of", affinity("matchExpressions: [{key: a, operator: in, values: [b]}]")),
        (10, "matchExpressions[0].values of", affinity("matchExpressions: [{key: a, operator: In}]")),
        (10, "matchExpressions[0].values of", affinity("matchExpressions: [{key: a, operator: Exists, values: [b]}]")),
        (10, "matchExpressions[0].values[0] of", affinity("matchExpressions: [{key: a, operator: Gt, values: [b]}]")),
        (
            10,
            "matchExpressions[0].values of",
            affinity("matchExpressions: [{key: a, operator: Lt, values: ['1', '2']}]"),
        ),
        (10, "matchExpressions[0].key of", affinity("matchExpressions: [{operator: Exists}]")),
        (10, "matchFields[0].key of", affinity("matchFields: [{key: spec.x, operator: In, values: [b]}]")),
        (10, "matchFields[0].values of", affinity("matchFields: [{key: metadata.name, operator: In, values: [b, c]}]")),
        (
            10,
            "matchFields[0].operator of",
            affinity("matchFields: [{key: metadata.name, operator: Exists, values: [b]}]"),
        ),
    ] {
        let mistake = pod_with(&spec).unwrap_err();
        assert_eq!(mistake.line, line, "{mistake}");
        assert!(mistake.message.contains(path), "{mistake}");
        assert!(!mistake.remedy.is_empty());
    }
}

#[test]
fn an_object_of_an_older_version_is_read_and_one_of_no_version_is_left_out() {
    let text = |version: &str| {
        format!("apiVersion: scheduling.k8s.io/{version}\nkind: PriorityClass\nmetadata: {{name: a}}\nvalue: 7")
    };
    for version in ["v1", "v1beta1", "v1alpha1"] {
        let Body::PriorityClass(class, _) = object(&text(version)).unwrap().body else { panic!("no class") };
        assert_eq!(class.value, 7);
    }
    let Body::UnsupportedVersion(_, mistake) = object(&text("v2")).unwrap().body else { panic!("read") };
    let message = "apiVersion of PriorityClass a: `scheduling.k8s.io/v2` has no kind `PriorityClass` that is read, so the object is left out";
    assert_eq!(mistake.message, message);
    assert!(mistake.remedy.contains("`scheduling.k8s.io/v1` or `scheduling.k8s.io/v1beta1`"), "{mistake}");
}

#[test]
fn storage_beyond_64_bits_is_the_largest_amount() {
    for amount in ["8Ei", "50E", "'1e30'", "50000000000000000000"] {
        let text = format!(
            "apiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\nmetadata: {{name: a}}\nstorageClassName: c\ncapacity: {amount}"
        );
        let Body::Storage(Storage::Capacity(facts), _) = object(&text).unwrap().body else { panic!("no capacity") };
        assert_eq!(facts.largest, Some(i64::MAX), "{amount}");
    }
}
