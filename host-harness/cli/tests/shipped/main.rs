//! The manifests of `deploy/` and the command, as shipped: with each system a gang is admitted by preemption though the leading process is killed
//! in the middle of its plan, and what the processes write is for operators.
//!
//! It needs the testbed (`just testbed`); where that is not there, it says that it was not run. With `LICTOR_REQUIRE_TESTBED=1`, that is a
//! failure.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

mod cases;
#[path = "../../../controller/tests/support/get.rs"]
mod get;
mod process;
#[expect(dead_code, reason = "the tests of the controller use the rest")]
#[path = "../../../controller/tests/support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};

use kube::Client;
use kube::api::{DeleteParams, ListParams};
use serde_json::{Value, json};

use cases::Case;
use process::{Replica, document};
use support::objects::{SOON, create, get_pod, node, node_of, phase_of, pods, wait_for};
use support::observer::Observer;
use support::testbed::{FOLDER, Testbed};

const DEPLOY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../controller/deploy");
/// The gang, two pods.
const GANG: [&str; 2] = ["g0", "g1"];
/// The pods that fill three nodes of 4 cores, each with 3.
const LOW: [&str; 3] = ["l0", "l1", "l2"];

#[tokio::test(flavor = "multi_thread")]
async fn every_system_as_shipped_goes_on_when_its_leader_is_killed() {
    let Some(testbed) = Testbed::up(&["--manifests", &format!("{FOLDER}/crds")]) else { return };
    let admin = testbed.admin().await;
    for file in files_of_the_base().iter().map(String::as_str).chain(["yunikorn.yaml"]) {
        testbed.apply_path(&Path::new(DEPLOY).join(file)).await;
    }
    for (name, value) in [("low", 0), ("high", 1000)] {
        create(&admin, &cases::priority_class(name, value)).await;
    }
    let only = std::env::var("LICTOR_STEP").unwrap_or_default();
    for case in cases::all().into_iter().filter(|case| case.system.contains(&only)) {
        eprintln!("system {}", case.system);
        play(&testbed, &admin, &case).await;
    }
    says_who_must_delete(&testbed).await;
}

/// Starts Koordinator with its own arguments in place of those that are shipped: the process that leads says that another controller must delete victims.
async fn says_who_must_delete(testbed: &Testbed) {
    let path = within(testbed, "upstream.yaml");
    std::fs::write(&path, "{}").unwrap();
    let replica = Replica::with(testbed, "koordinator", "upstream", &path);
    let says =
        async || replica.log().contains("victims are only marked: another controller must delete them").then_some(());
    wait_for("it says who must delete victims", SOON, says).await;
    assert!(replica.log().contains("podShouldBeDeletedWhenPreempted"), "{}", replica.log());
}

/// Returns the files that `kustomization.yaml` lists, in its order.
fn files_of_the_base() -> Vec<String> {
    let kustomization = document(&Path::new(DEPLOY).join("kustomization.yaml"));
    kustomization["resources"].as_array().unwrap().iter().map(|file| file.as_str().unwrap().to_owned()).collect()
}

/// Plays a system: the low pods are let go and run, the gang arrives, the leader is killed when it has evicted a victim, and the other process admits
/// the gang. Both processes run as the Deployment starts them.
async fn play(testbed: &Testbed, admin: &Client, case: &Case) {
    let namespace = case.system;
    let nodes = [0, 1, 2].map(|number| format!("{namespace}-{number}"));
    for name in &nodes {
        create(admin, &node(name, 4)).await;
    }
    create(admin, &cases::namespace(namespace)).await;
    for object in &case.objects {
        create(admin, object).await;
    }
    let observer = Observer::start(testbed).await;
    let mut replicas = ["one", "two"].map(|name| Replica::start(testbed, case.system, name));
    for pod in &case.low {
        create(admin, pod).await;
        let name = pod["metadata"]["name"].as_str().unwrap();
        assert_eq!(gates(&get_pod(admin, namespace, name).await.unwrap()), 1, "the admission policy holds {name}");
        runs(admin, namespace, name).await;
    }
    let leads = replicas.iter().position(Replica::leads).unwrap();
    for pod in &case.gang {
        create(admin, pod).await;
    }
    wait_for("a victim is evicted", SOON, async || (!observer.evictions().is_empty()).then_some(())).await;
    replicas[leads].kill();
    for name in GANG {
        runs(admin, namespace, name).await;
    }
    // An eviction whose sender was killed before the answer arrived is carried out, too, and is not written down as accepted.
    let left = pods(admin, namespace).list(&ListParams::default()).await.unwrap().items.len();
    assert_eq!(left, GANG.len() + 1, "two of the three low pods are evicted, and no more");
    assert!(replicas[1 - leads].leads());
    replicas[1 - leads].ends_for_operators();
    observer.finish().await;
    clear(admin, namespace, &nodes).await;
}

fn gates(pod: &Value) -> usize {
    pod.pointer("/spec/schedulingGates").and_then(Value::as_array).map_or(0, Vec::len)
}

/// Waits until a pod runs.
async fn runs(admin: &Client, namespace: &str, name: &str) {
    let running = async || {
        let pod = get_pod(admin, namespace, name).await?;
        (phase_of(&pod) == "Running" && !node_of(&pod).is_empty()).then_some(())
    };
    wait_for(&format!("{namespace}/{name} runs"), SOON, running).await;
}

/// Removes the pods and the nodes of a system.
async fn clear(admin: &Client, namespace: &str, nodes: &[String]) {
    let at_once = DeleteParams { grace_period_seconds: Some(0), ..DeleteParams::default() };
    let pods = pods(admin, namespace);
    pods.delete_collection(&at_once, &ListParams::default()).await.unwrap();
    let gone = async || pods.list(&ListParams::default()).await.ok()?.items.is_empty().then_some(());
    wait_for("the pods are gone", SOON, gone).await;
    let api = support::objects::api(admin, "v1", "Node", "");
    for name in nodes {
        api.delete(name, &DeleteParams::default()).await.unwrap();
    }
}

/// Returns a path in the folder of the testbed.
fn within(testbed: &Testbed, name: &str) -> PathBuf {
    testbed.ready.folder.join(name)
}

/// Returns the arguments file of a system, written where a process can read it, as the volume of the Deployment has it.
fn arguments_of(testbed: &Testbed, system: &str) -> PathBuf {
    let map = document(&Path::new(DEPLOY).join("arguments.yaml"));
    let file = format!("{system}.yaml");
    let path = within(testbed, &file);
    std::fs::write(&path, map["data"][&file].as_str().unwrap()).unwrap();
    path
}

/// Returns the arguments of the container in the Deployment.
fn shipped_arguments() -> Vec<String> {
    let deployment = document(&Path::new(DEPLOY).join("deployment.yaml"));
    let args: Value = deployment.pointer("/spec/template/spec/containers/0/args").unwrap_or(&json!([])).clone();
    serde_json::from_value(args).unwrap()
}
