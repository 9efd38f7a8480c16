//! Two processes that both believe that they lead, and an API server that does not answer.

use kube::api::PostParams;
use lictor_controller::names::CHECKPOINT_OF;
use serde_json::{Value, json};

use crate::controller::{Controller, How};
use crate::support::objects::{api, merge, pods, wait_for};
use crate::systems::sized;
use crate::world::{SOON, Step, World, is_running};

const GANG: [&str; 2] = ["g0", "g1"];

/// Returns an annotation of a ConfigMap in the namespace `default`; empty where there is none.
async fn holder(world: &World, name: &str) -> String {
    let map = api(&world.admin, "v1", "ConfigMap", "default").get(name).await.unwrap();
    map.metadata.annotations.unwrap_or_default().get(CHECKPOINT_OF).cloned().unwrap_or_default()
}

/// Takes the lead from a process without notice: the process finds the other name when it stores its next checkpoint, and carries nothing out.
pub async fn with_a_checkpoint_that_another_has_taken_over(world: &World) {
    let step = world.step("fenced", 2).await;
    let name = format!("{}-checkpoint", step.namespace);
    let how = How { map: Some((name.clone(), 1_000_000)), ..world.how("coscheduling") };
    let one = Controller::start(&how);
    let small = || sized("10m", json!({}));
    step.held("p0", "low", small()).await;
    step.until("p0", "running", is_running).await;
    let first = holder(world, &name).await;
    let other = Controller::start(&how);
    wait_for("the other one takes over", SOON, async || (holder(world, &name).await != first).then_some(())).await;
    let second = holder(world, &name).await;
    let mut created = 1;
    let told = async || {
        // Both see it; where the other one is faster about it, the first one has nothing to store.
        let name = format!("p{created}");
        created += 1;
        step.held(&name, "low", small()).await;
        step.until(&name, "running", is_running).await;
        one.said(|said| (!said.taken_over.is_empty()).then_some(()))
    };
    wait_for("the first one is told", SOON, told).await;
    one.said(|said| assert!(said.taken_over[0].contains(&format!("`{second}` has taken it over")), "{said:?}"));
    // Before it begins to lead again.
    one.leads.send_replace(false);
    step.fill().await;
    step.gang("g", &GANG).await;
    step.all_run(&GANG).await;
    assert_eq!(holder(world, &name).await, second, "the first one waits");
    other.said(|said| assert!(said.taken_over.is_empty() && said.unsaved.is_empty(), "{said:?}"));
    one.stop().await;
    other.stop().await;
    step.end().await;
}

/// Leaves requests for the checkpoint without an answer: the process says so, and decides without a checkpoint.
pub async fn with_a_checkpoint_that_nobody_answers(world: &World) {
    let step = world.step("silent", 2).await;
    step.fill().await;
    world.testbed.command("delay 600000 path=/configmaps").await;
    let map = Some((format!("{}-checkpoint", step.namespace), 1_000_000));
    let controller = Controller::start(&How { map, ..world.proxied("coscheduling") });
    step.gang("g", &GANG).await;
    step.all_run(&GANG).await;
    controller.said(|said| assert!(said.unsaved[0].contains("no answer within 10 s"), "{said:?}"));
    controller.stop().await;
    world.testbed.command("clear").await;
    step.end().await;
}

/// Asks the API server to evict a pod as long as it has the version of this copy. Returns the status of the answer; 0 where there is none.
async fn evict(step: &Step<'_>, pod: &Value) -> u16 {
    let name = pod["metadata"]["name"].as_str().unwrap();
    let preconditions = json!({"uid": pod["metadata"]["uid"], "resourceVersion": pod["metadata"]["resourceVersion"]});
    let metadata = json!({"namespace": step.namespace, "name": name});
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata,
        "deleteOptions": {"preconditions": preconditions}});
    let pods = pods(&step.world.admin, &step.namespace);
    match pods.create_subresource::<Value, Value>("eviction", name, &PostParams::default(), &eviction).await {
        Ok(_) => 201,
        Err(kube::Error::Api(status)) => status.code,
        Err(_) => 0,
    }
}

/// Evicts a pod twice, as two processes do that have seen the same version of the pod: one eviction is served.
pub async fn of_two_evictions_one_is_served(world: &World) {
    let step = world.step("versions", 1).await;
    // It takes its time to stop.
    let slow = json!({"metadata": {"annotations": {"testbed.lictor.dev/stop-seconds": "2"}}});
    step.create("p0", "low", merge(slow, &sized("10m", json!({})))).await;
    step.until("p0", "running", is_running).await;
    let before = step.pod("p0").await.unwrap();
    let mark = json!({"metadata": {"annotations": {"example.com/changed": "true"}}});
    let patch = kube::api::Patch::Merge(&mark);
    pods(&world.admin, &step.namespace).patch("p0", &Default::default(), &patch).await.unwrap();
    assert_eq!(evict(&step, &before).await, 409, "it has changed");
    let marked = step.pod("p0").await.unwrap();
    assert_eq!(marked.pointer("/metadata/deletionTimestamp"), None);
    assert_eq!([evict(&step, &marked).await, evict(&step, &marked).await], [201, 409]);
    step.until("p0", "gone", |pod| pod.is_none()).await;
    step.end().await;
}
