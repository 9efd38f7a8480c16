//! Gated and ordinary pods on the same nodes: kube-scheduler binds both, and may bind an ordinary pod where a gated pod is to run.

use kube::api::{DeleteParams, ListParams};
use lictor_controller::names::{ASSIGNED_NODE, SCHEDULING_GATE};
use lictor_controller::ops::explain::LivePodState;
use lictor_controller::run::Settings;
use serde_json::{Value, json};

use crate::controller::{Controller, How};
use crate::ends::explained;
use crate::get::{free_address, get};
use crate::sound::admitted;
use crate::support::objects::{api, create, delete_pod, merge, node_of, pods, wait_for};
use crate::systems::sized;
use crate::world::{SOON, Step, World, is_gated, is_running};

/// Creates a Job that allows no failure and so many ordinary pods together; each pod of both takes a node. Every node gets a pod, a pod that
/// was let go and whose room is taken says so, no pod is deleted by the default arguments, and when the ordinary pods have gone the whole Job runs.
pub async fn held_and_ordinary_pods(world: &World, system: &str, nodes: u32, count: usize) {
    let step = world.step("crowd", nodes).await;
    held_and_ordinary_pods_in(step, system, count, &json!({})).await;
}

/// Creates the same in this step, with pods of the Job that have these fields.
pub async fn held_and_ordinary_pods_in(step: Step<'_>, system: &str, count: usize, fields: &Value) {
    let world = step.world;
    let controller = Controller::start(&How { settings: Settings::default(), ..world.how(system) });
    let ordinary: Vec<String> = (0..count).map(|place| format!("o{place}")).collect();
    let others = async {
        for name in &ordinary {
            step.create(name, "low", json!({})).await;
        }
    };
    tokio::join!(job(&step, count, fields), others);
    let full = async || {
        let running = all(&step).await.iter().filter(|pod| is_running(Some(pod))).count();
        (running == step.nodes.len()).then_some(())
    };
    wait_for("every node has its pod", SOON, full).await;
    let lost = |pod: &Value| is_of_job(pod) && !is_gated(pod) && node_of(pod).is_empty();
    let said =
        async || all(&step).await.iter().filter(|pod| lost(pod)).all(|pod| admitted(pod) == "RoomTaken").then_some(());
    wait_for("every pod that has lost its room says so", SOON, said).await;
    let losers = all(&step).await.iter().filter(|pod| lost(pod)).count();
    eprintln!("{system}: {losers} of {count} have lost their room");
    for name in &ordinary {
        delete_pod(&world.admin, &step.namespace, name).await;
    }
    let runs = async || {
        let running = all(&step).await.iter().filter(|pod| is_of_job(pod) && is_running(Some(pod))).count();
        (running == count).then_some(())
    };
    wait_for("the whole Job runs", SOON, runs).await;
    let status = api(&world.admin, "batch/v1", "Job", &step.namespace).get("j").await.unwrap().data["status"].clone();
    assert_eq!(status.get("failed"), None, "{status}");
    assert!(step.gone().await.iter().all(|pod| ordinary.contains(pod)), "no other pod was deleted");
    controller.said(|said| assert!(said.refused.iter().all(|(_, deleted)| !deleted), "{:?}", said.refused));
    api(&world.admin, "batch/v1", "Job", &step.namespace).delete("j", &DeleteParams::background()).await.unwrap();
    controller.stop().await;
    step.end().await;
}

/// Takes the room of a pod that was let go, and the other node, too: when the other node gets free the pod starts there, though its own stays taken.
pub async fn a_pod_starts_where_a_node_gets_free(world: &World) {
    let step = world.step("elsewhere", 2).await;
    world.testbed.command("stop kube-scheduler").await;
    let address = free_address();
    let (socket, listen) = (Some(world.testbed.ready.folder.join("elsewhere.sock")), Some(address));
    let how = How { settings: Settings::default(), socket, listen, ..world.how("coscheduling") };
    let controller = Controller::start(&how);
    step.held("p", "low", json!({})).await;
    step.until("p", "let go", |pod| pod.is_some_and(|pod| !is_gated(pod))).await;
    for (thief, node) in ["t0", "t1"].into_iter().zip(&step.nodes) {
        step.create(thief, "low", json!({"spec": {"nodeName": node}})).await;
    }
    step.all_run(&["t0", "t1"]).await;
    world.testbed.command("start kube-scheduler").await;
    step.until("p", "said to have lost its room", |pod| pod.is_some_and(|pod| admitted(pod) == "RoomTaken")).await;
    let lost = explained(&step, &how, "p", LivePodState::RoomTaken).await;
    assert!(lost.said.iter().any(|said| said.message.contains("nodes are available")), "{lost:?}");
    let refused = async |count: u32| {
        let line = format!("lictor_refused_pods {count}\n");
        let shown = async || get(address, "/metrics").contains(&line).then_some(());
        wait_for(&format!("{count} pods that were let go are refused"), SOON, shown).await;
    };
    refused(1).await;
    let meant = step.pod("p").await.unwrap()["metadata"]["annotations"][ASSIGNED_NODE].as_str().unwrap().to_owned();
    let (thief, other) = if meant == step.nodes[0] { ("t1", &step.nodes[1]) } else { ("t0", &step.nodes[0]) };
    delete_pod(&world.admin, &step.namespace, thief).await;
    step.all_run(&["p"]).await;
    assert_eq!(node_of(&step.pod("p").await.unwrap()), other);
    step.until("p", "said to be admitted", |pod| pod.is_some_and(|pod| admitted(pod) == "Admitted")).await;
    explained(&step, &how, "p", LivePodState::Bound).await;
    refused(0).await;
    // The session knows where the pod is: what is left of its node is given to the next one, and no more.
    step.held("q", "low", sized("1", json!({}))).await;
    step.held("r", "low", sized("1", json!({}))).await;
    step.held("s", "low", sized("1", json!({}))).await;
    let runs = async || {
        let mut count = 0;
        for name in ["q", "r", "s"] {
            count += usize::from(is_running(step.pod(name).await.as_ref()));
        }
        (count == 2).then_some(())
    };
    wait_for("one pod on each node has its room", SOON, runs).await;
    controller.stop().await;
    step.end().await;
}

/// Creates a Job whose pods have our gate and these fields, and that fails with the first of them.
async fn job(step: &Step<'_>, count: usize, fields: &Value) {
    let held = json!({"spec": {"priorityClassName": "low", "restartPolicy": "Never", "schedulingGates": [{"name": SCHEDULING_GATE}]}});
    let stops_at_once = json!({"metadata": {"annotations": {"testbed.lictor.dev/stop-seconds": "0"}}});
    let template = merge(merge(sized("3", held), &stops_at_once), fields);
    let spec = json!({"backoffLimit": 0, "parallelism": count, "completions": count, "template": template});
    let metadata = json!({"name": "j", "namespace": step.namespace});
    create(&step.world.admin, &json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}))
        .await;
}

fn is_of_job(pod: &Value) -> bool {
    pod.pointer("/metadata/labels/job-name").is_some_and(|name| name == "j")
}

/// Returns the pods of a step.
async fn all(step: &Step<'_>) -> Vec<Value> {
    let all = pods(&step.world.admin, &step.namespace).list(&ListParams::default()).await.unwrap();
    all.items.into_iter().map(|pod| serde_json::to_value(pod).unwrap()).collect()
}
