//! Two processes that both believe that they lead.

use kube::api::PostParams;
use serde_json::{Value, json};

use crate::support::objects::{merge, pods};
use crate::systems::sized;
use crate::world::{Step, World, is_running};

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

/// The API server evicts a pod as it was seen, and no other: of two processes one is served.
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
