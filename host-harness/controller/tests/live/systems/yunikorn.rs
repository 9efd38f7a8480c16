//! YuniKorn: a tree of queues in a ConfigMap.

use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};

use super::refused;
use crate::controller::{Controller, How};
use crate::crowd;
use crate::restart::killed;
use crate::support::objects::{api, merge, try_create, wait_for};
use crate::world::{SOON, World, is_gated};

/// Makes these queues the ones in force, below the root.
async fn queues(world: &World, switches: &str, queues: &str) {
    let text = format!(
        "
partitions:
  - name: default
    preemption: {{{switches}}}
    placementrules:
      - name: provided
        create: true
    queues:
      - name: root
        submitacl: '*'
        queues:
{queues}"
    );
    let space = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "yunikorn"}});
    // It may be there already.
    let _known = try_create(&world.admin, &space).await;
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap",
                     "metadata": {"name": "yunikorn-configs", "namespace": "yunikorn"}, "data": {"queues.yaml": text}});
    if try_create(&world.admin, &map).await.is_err() {
        let maps = api(&world.admin, "v1", "ConfigMap", "yunikorn");
        maps.patch("yunikorn-configs", &PatchParams::default(), &Patch::Merge(map)).await.unwrap();
    }
}

async fn no_queues(world: &World) {
    let maps = api(&world.admin, "v1", "ConfigMap", "yunikorn");
    maps.delete("yunikorn-configs", &DeleteParams::default()).await.unwrap();
}

/// Returns a queue with a guarantee of 3 cores, and more of its configuration.
fn guaranteed(name: &str, more: &str) -> String {
    format!("          - name: {name}\n            resources:\n              guaranteed: {{vcore: 3}}\n{more}")
}

/// Returns the fields of a pod of the application and the queue of this name.
fn of(queue: &str) -> Value {
    json!({"metadata": {"labels": {"applicationId": queue, "queue": format!("root.{queue}")}}})
}

/// Creates pods of a Job in a queue, and ordinary pods on the same nodes.
pub async fn held_and_ordinary_pods(world: &World) {
    queues(world, "", &guaranteed("test", "")).await;
    crowd::held_and_ordinary_pods_in(world.step("crowd", 5).await, "yunikorn", 4, &of("test")).await;
    no_queues(world).await;
}

/// Gives a queue below its guarantee back what another one has above its own, after the delay, one victim at a time, as `deploy/` ships it;
/// `is_killed`: another controller takes over when the victim is evicted.
pub async fn a_queue_gets_its_guarantee_back(world: &World, is_killed: bool) {
    let step = world.step("yunikorn", 3).await;
    let delay = "            properties:\n              preemption.delay: 1s\n";
    queues(world, "", &(guaranteed("prod", delay) + &guaranteed("test", ""))).await;
    let how = world.shipped("yunikorn");
    let mut controller = Controller::start(&how);
    // Placeholders keep the room of a gang that is to come; the first pod that is none began the application.
    let placeholder = json!({"metadata": {"annotations": {"yunikorn.apache.org/placeholder": "true"}}});
    for name in ["t0", "t1"] {
        step.held(name, "low", merge(of("test"), &placeholder)).await;
    }
    step.all_run(&["t0", "t1"]).await;
    step.held("t2", "low", of("test")).await;
    step.all_run(&["t0", "t1", "t2"]).await;
    step.held("p0", "low", of("prod")).await;
    if is_killed {
        controller = killed(&step, controller, &how).await;
    }
    step.all_run(&["p0"]).await;
    let gone = step.gone().await;
    assert_eq!(gone.len(), 1);
    assert!(!gone.contains("t2"), "a placeholder is evicted before the pod that began the application");
    // Above its guarantee it gets nothing more.
    step.held("p1", "low", of("prod")).await;
    refused(&step, &controller, "p1").await;
    assert!(is_gated(&step.pod("p1").await.unwrap()));
    assert_eq!(step.gone().await, gone);
    controller.stop().await;
    no_queues(world).await;
    step.end().await;
}

/// Checks a queue whose maximum is lowered: after the delay it gives back what it holds over the maximum, although no pod waits for the capacity.
pub async fn a_queue_gives_back_what_it_holds_over_a_lowered_maximum(world: &World) {
    let step = world.step("lowered", 3).await;
    let max = |cores: u32| {
        format!(
            "          - name: over\n            resources: {{max: {{vcore: {cores}}}}}\n            properties: {{quota.preemption.delay: 1s}}\n"
        )
    };
    queues(world, "quotapreemptionenabled: true", &max(9)).await;
    let controller = Controller::start(&world.how("yunikorn"));
    for name in ["o0", "o1", "o2"] {
        step.held(name, "low", of("over")).await;
    }
    step.all_run(&["o0", "o1", "o2"]).await;
    queues(world, "quotapreemptionenabled: true", &max(3)).await;
    wait_for("two are evicted", SOON, async || (step.evicted().len() == 2).then_some(())).await;
    // The first pod of an application goes last.
    let mut evicted = step.evicted();
    evicted.sort();
    assert_eq!(evicted, ["o1", "o2"]);
    controller.said(|said| assert!(said.happened.nominated.is_empty()));
    controller.stop().await;
    no_queues(world).await;
    step.end().await;
}

/// Checks a controller that ends after its clock was an hour ahead, and a controller that continues from its checkpoint: no delay takes an hour.
pub async fn a_clock_that_was_ahead(world: &World) {
    let step = world.step("ahead", 1).await;
    let delay = "            properties:\n              preemption.delay: 1s\n";
    queues(world, "", &(guaranteed("prod", delay) + "          - name: test\n")).await;
    let file = world.testbed.ready.folder.join("ahead.json");
    let how = How { checkpoint: Some(file.clone()), ..world.how("yunikorn") };
    let controller = Controller::start(&how);
    step.held("t0", "low", of("test")).await;
    step.all_run(&["t0"]).await;
    controller.stop().await;
    let mut saved: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let now = saved["session"]["now"].as_i64().unwrap();
    saved["session"]["now"] = json!(now + 3_600_000_000_000);
    std::fs::write(&file, saved.to_string()).unwrap();
    let controller = Controller::start(&how);
    step.held("p0", "low", of("prod")).await;
    step.all_run(&["p0"]).await;
    assert_eq!(step.evicted(), ["t0"]);
    controller.said(|said| assert!(said.unsaved.is_empty() && said.errors.is_empty(), "{said:?}"));
    controller.stop().await;
    no_queues(world).await;
    step.end().await;
}
