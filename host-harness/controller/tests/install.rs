//! The manifests of `deploy/` on a real API server: they are taken as they stand, hold the pods that they say and no others, grant what the
//! controller uses, and what is held can be let go by one line.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "tests")]

#[expect(dead_code, reason = "this test needs a part of it")]
mod support;

use std::path::Path;
use std::process::Command;

use kube::Client;
use kube::api::{Api, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use lictor::Native;
use lictor_controller::ops::rights::{CLUSTER, OWN_NAMESPACE, RbacRule};
use lictor_host::cluster::KubernetesObject;
use lictor_host::cluster::load::read;
use lictor_host::living::only_marks;
use lictor_host::policy::Policy;
use lictor_host::session::{EvictionMethod, Session, SessionInput};
use serde_json::{Value, json};
use support::objects::{SOON, create, create_namespace, get_pod, merge, node, pod, pods, try_create, wait_for};
use support::testbed::{Testbed, client};

const DEPLOY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy");
const GATE: &str = "lictor.dev/admission";

/// Reads the objects of the base: of every file that `kustomization.yaml` lists, in its order.
fn base() -> Vec<Value> {
    let load = |name: &str| {
        let text = std::fs::read_to_string(Path::new(DEPLOY).join(name)).unwrap();
        read(name, &text).unwrap().into_iter().map(|document| document.value).collect::<Vec<Value>>()
    };
    let kustomization = load("kustomization.yaml").remove(0);
    let files = kustomization["resources"].as_array().unwrap().iter().map(|file| file.as_str().unwrap());
    files.flat_map(load).collect()
}

/// Applies an object as `kubectl apply --server-side` does. The plural of every kind of the base is regular.
async fn apply(admin: &Client, object: &Value) {
    let text = |pointer| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (group, version) = text("/apiVersion").split_once('/').unwrap_or(("", text("/apiVersion")));
    let kind = GroupVersionKind::gvk(group, version, text("/kind"));
    let resource = match text("/kind") {
        "MutatingAdmissionPolicy" => ApiResource::from_gvk_with_plural(&kind, "mutatingadmissionpolicies"),
        "PriorityClass" => ApiResource::from_gvk_with_plural(&kind, "priorityclasses"),
        _ => ApiResource::from_gvk(&kind),
    };
    let api: Api<DynamicObject> = match text("/metadata/namespace") {
        "" => Api::all_with(admin.clone(), &resource),
        namespace => Api::namespaced_with(admin.clone(), namespace, &resource),
    };
    let by = PatchParams::apply("test").validation_strict();
    let applied = api.patch(text("/metadata/name"), &by, &Patch::Apply(object)).await;
    applied.unwrap_or_else(|error| panic!("{} {}: {error}", text("/kind"), text("/metadata/name")));
}

fn gates(pod: &Value) -> Vec<&str> {
    let gates = pod.pointer("/spec/schedulingGates").and_then(Value::as_array);
    gates.into_iter().flatten().filter_map(|gate| gate["name"].as_str()).collect()
}

/// Returns the gates that a pod gets at its creation, without creating it.
async fn gates_of(admin: &Client, pod: &Value) -> Vec<String> {
    let namespace = pod.pointer("/metadata/namespace").and_then(Value::as_str).unwrap();
    let object: DynamicObject = serde_json::from_value(pod.clone()).unwrap();
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    let created = pods(admin, namespace).create(&dry, &object).await.unwrap_or_else(|error| panic!("{pod}: {error}"));
    gates(&serde_json::to_value(created).unwrap()).into_iter().map(str::to_owned).collect()
}

/// Creates a namespace with this label.
async fn labelled(admin: &Client, name: &str, value: &str) {
    let labels = json!({"lictor.dev/admission": value});
    create(admin, &json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_base_holds_what_it_says_grants_what_is_used_and_lets_go_by_one_line() {
    let Some(testbed) = Testbed::up(&[]) else { return };
    let admin = testbed.admin().await;
    create(&admin, &node("a", 4)).await;
    // Twice: to apply the base again changes nothing.
    for _ in 0..2 {
        for object in base() {
            apply(&admin, &object).await;
        }
    }
    labelled(&admin, "all", "enabled").await;
    labelled(&admin, "groups", "pod-groups").await;
    create_namespace(&admin, "none").await;
    let probe = async || (gates_of(&admin, &pod("all", "probe", "1")).await == [GATE]).then_some(());
    wait_for("the admission policy acts", SOON, probe).await;

    holds_what_it_says(&admin).await;
    grants_what_is_used(&testbed, &admin).await;
    lets_go(&testbed, &admin).await;
}

async fn holds_what_it_says(admin: &Client) {
    let with = |namespace: &str, patch: Value| merge(pod(namespace, "p", "1"), &patch);
    let own = |value: &str| json!({"metadata": {"labels": {"lictor.dev/admission": value}}});
    let owner = |kind: &str| {
        json!({"metadata": {"ownerReferences": [
        {"apiVersion": "apps/v1", "kind": kind, "name": "o", "uid": "1", "controller": true}]}})
    };
    let held = [
        with("all", json!({})),
        with("none", own("enabled")),
        with("all", owner("ReplicaSet")),
        with("groups", json!({"metadata": {"labels": {"scheduling.x-k8s.io/pod-group": "g"}}})),
        with("groups", json!({"metadata": {"labels": {"pod-group.scheduling.sigs.k8s.io": "g"}}})),
        with("groups", json!({"metadata": {"annotations": {"scheduling.k8s.io/group-name": "g"}}})),
        with("groups", own("enabled")),
    ];
    for pod in held {
        assert_eq!(gates_of(admin, &pod).await, [GATE], "{pod}");
    }
    let free = [
        with("none", json!({})),
        with("groups", json!({})),
        with("all", own("disabled")),
        with("all", owner("DaemonSet")),
        with("all", json!({"spec": {"nodeName": "a"}})),
        with("all", json!({"spec": {"schedulerName": "another"}})),
        with("kube-system", own("enabled")),
        with("kube-system", json!({"spec": {"priorityClassName": "system-node-critical"}})),
        with("lictor-system", own("enabled")),
    ];
    for pod in free {
        // The namespace of the controller takes restricted pods only; that is not what is tested here.
        let restricted = json!({"spec": {"securityContext": {"runAsNonRoot": true, "runAsUser": 65532,
            "seccompProfile": {"type": "RuntimeDefault"}}}});
        let mut pod = merge(pod, &restricted);
        let confined = json!({"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}});
        pod["spec"]["containers"][0]["securityContext"] = confined;
        assert_eq!(gates_of(admin, &pod).await, Vec::<String>::new(), "{pod}");
    }
    // The gate of another controller stays, and ours is added once.
    let gated = |name: &str| with("all", json!({"spec": {"schedulingGates": [{"name": name}]}}));
    assert_eq!(gates_of(admin, &gated("example.com/other")).await, ["example.com/other", GATE]);
    assert_eq!(gates_of(admin, &gated(GATE)).await, [GATE]);
    // The class of pods for which kube-scheduler evicts no pod.
    let classed = try_create(admin, &with("all", json!({"spec": {"priorityClassName": "lictor-held"}}))).await.unwrap();
    assert_eq!(classed.pointer("/spec/preemptionPolicy"), Some(&json!("Never")));
}

/// Returns whether the service account may do this. The service account requests the answer from the API server itself.
async fn may(user: &Client, namespace: &str, group: &str, resource: &str, verb: &str) -> bool {
    let (resource, below) = resource.split_once('/').unwrap_or((resource, ""));
    let attributes =
        json!({"namespace": namespace, "group": group, "resource": resource, "subresource": below, "verb": verb});
    let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes}});
    let answer = try_create(user, &review).await.unwrap();
    answer.pointer("/status/allowed") == Some(&json!(true))
}

/// Checks the roles: they grant what the controller uses, and no more. The user of the testbed is the service account of the Deployment: RBAC binds
/// it.
async fn grants_what_is_used(testbed: &Testbed, admin: &Client) {
    let user = client(&testbed.ready.user.kubeconfig).await;
    let settled = async || may(&user, "all", "", "pods", "patch").await.then_some(());
    wait_for("the roles act", SOON, settled).await;
    let all = |rights: &'static [RbacRule]| {
        rights.iter().flat_map(|right| right.verbs.iter().map(move |verb| (right, *verb)))
    };
    for (right, verb) in all(CLUSTER) {
        assert!(may(&user, "all", right.group, right.resource, verb).await, "{verb} {}", right.resource);
    }
    for (right, verb) in all(OWN_NAMESPACE) {
        assert!(may(&user, "lictor-system", right.group, right.resource, verb).await, "{verb} {}", right.resource);
        assert!(!may(&user, "all", right.group, right.resource, verb).await, "{verb} {} elsewhere", right.resource);
    }
    for (group, resource, verb) in
        [("", "secrets", "get"), ("", "pods", "create"), ("", "nodes", "patch"), ("", "pods/binding", "create")]
    {
        assert!(!may(&user, "all", group, resource, verb).await, "{verb} {resource}");
    }
    drop(admin.clone());
}

/// Returns the line of the manual that removes the gate of all held pods.
fn line() -> String {
    let manual = include_str!("../README.md");
    let line =
        manual.lines().find(|line| line.starts_with("$ kubectl get pods --all-namespaces") && line.contains(GATE));
    line.unwrap().trim_start_matches("$ ").to_owned()
}

async fn lets_go(testbed: &Testbed, admin: &Client) {
    let other = json!({"spec": {"schedulingGates": [{"name": "example.com/other"}]}});
    create(admin, &pod("all", "q", "1")).await;
    create(admin, &merge(pod("all", "r", "1"), &other)).await;
    let held = async || {
        let all = pods(admin, "all").list(&ListParams::default()).await.unwrap();
        let all: Vec<Value> = all.items.into_iter().map(|pod| serde_json::to_value(pod).unwrap()).collect();
        all.iter().filter(|pod| gates(pod).contains(&GATE)).count()
    };
    assert_eq!(held().await, 3);
    // No new ones are held.
    let bindings = GroupVersionKind::gvk("admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicyBinding");
    let bindings: Api<DynamicObject> = Api::all_with(admin.clone(), &ApiResource::from_gvk(&bindings));
    bindings.delete("lictor-admission", &Default::default()).await.unwrap();
    let free = async || gates_of(admin, &pod("all", "probe", "1")).await.is_empty().then_some(());
    wait_for("the admission policy acts no more", SOON, free).await;

    let has_kubectl =
        Command::new("kubectl").arg("version").arg("--client").output().is_ok_and(|ran| ran.status.success());
    if has_kubectl {
        let run = Command::new("sh")
            .arg("-c")
            .arg(line())
            .env("KUBECONFIG", &testbed.ready.admin.kubeconfig)
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    } else {
        // What the line sends, pod by pod.
        let patch = json!({"spec": {"schedulingGates": [{"$patch": "delete", "name": GATE}]}});
        for name in ["p", "q", "r"] {
            pods(admin, "all").patch(name, &PatchParams::default(), &Patch::Strategic(&patch)).await.unwrap();
        }
    }
    assert_eq!(held().await, 0);
    assert_eq!(gates(&get_pod(admin, "all", "r").await.unwrap()), ["example.com/other"], "the others stay");
    let bound = async || {
        let pod = get_pod(admin, "all", "q").await.unwrap();
        pod.pointer("/spec/nodeName").map(drop)
    };
    wait_for("kube-scheduler binds what was let go", SOON, bound).await;
}

/// Checks that the manifests as shipped delete victims: a gang of Koordinator preempts with the arguments of its file, and each system takes its own.
#[test]
fn every_system_deletes_its_victims_with_the_arguments_that_are_shipped() {
    let objects = base();
    let arguments = objects.iter().find(|object| object["metadata"]["name"] == "lictor-arguments").unwrap();
    let deployment = objects.iter().find(|object| object["kind"] == "Deployment").unwrap();
    let args = deployment.pointer("/spec/template/spec/containers/0/args").unwrap().to_string();
    assert!(args.contains("--system=koordinator") && args.contains("--args=/etc/lictor/koordinator.yaml"), "{args}");
    for system in Native::default().describe().unwrap().systems {
        let text =
            arguments["data"][format!("{}.yaml", system.name)].as_str().unwrap_or_else(|| panic!("{}", system.name));
        let json = read("arguments.yaml", text).unwrap().remove(0).value.to_string();
        let mut session = Session::open(Box::new(Native::default()), &system.name, &json).unwrap();
        assert!(!only_marks(&system.name, &json), "{}", system.name);
        if system.name != "koordinator" {
            continue;
        }
        session.set_schedulers(["default-scheduler".to_owned()]);
        let victim = merge(pod("a", "v", "3"), &json!({"spec": {"nodeName": "n"}, "status": {"phase": "Running"}}));
        let preemptor = merge(pod("a", "p", "3"), &json!({"spec": {"priority": 1000}}));
        let cluster = [node("n", 4), victim, preemptor]
            .map(|object| KubernetesObject::from_json(object, &"test".into()).unwrap());
        session.handle(SessionInput::InitialList(cluster.into())).unwrap();
        let step = session.handle(SessionInput::Cycle).unwrap();
        assert_eq!(step.happened.victims["a/v"].how, EvictionMethod::Delete);
    }
}
