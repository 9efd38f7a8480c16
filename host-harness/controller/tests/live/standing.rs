//! Running pods say whether they are safe.

use kube::api::{ListParams, Patch, PatchParams};
use lictor_controller::mark::SAFE;
use serde_json::{Value, json};

use crate::controller::Controller;
use crate::support::objects::pods;
use crate::world::World;

/// What decides in Koordinator whether a pod is a victim (koordinator/preemptible).
const PREEMPTIBLE: &str = "quota.scheduling.koordinator.sh/preemptible";

/// Returns the mark of a pod: its label, and status, reason and message of its condition.
fn mark(pod: &Value) -> [&str; 4] {
    let label = pod.pointer("/metadata/labels/lictor.dev~1standing").and_then(Value::as_str).unwrap_or_default();
    let mut conditions = pod.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten();
    let condition = conditions.rfind(|it| it["type"] == SAFE).unwrap_or(&Value::Null);
    let [status, reason, message] =
        ["status", "reason", "message"].map(|key| condition[key].as_str().unwrap_or_default());
    [label, status, reason, message]
}

/// Checks that a pod that may be evicted and one that a law protects are marked, and marked anew when the law holds no more. A pod that waits has no
/// mark, and is not tried again because others were marked.
pub async fn running_pods_are_marked(world: &World) {
    let step = world.step("standing", 2).await;
    step.victim("plain", json!({})).await;
    step.victim("spared", json!({"metadata": {"labels": {(PREEMPTIBLE): "false"}}})).await;
    step.all_run(&["plain", "spared"]).await;
    let controller = Controller::start(&world.how("koordinator"));
    step.held("waits", "low", json!({})).await;
    step.until("plain", "marked as one that may be evicted", |pod| {
        pod.is_some_and(|pod| matches!(mark(pod), ["evictable", "False", "MayBeEvicted", said] if said.starts_with("may be evicted by a pod")))
    })
    .await;
    step.until("spared", "marked as safe by its law", |pod| {
        pod.is_some_and(|pod| matches!(mark(pod), ["safe", "True", "KoordinatorVictimIsPreemptible", said] if said.contains("koordinator/victim-is-preemptible")))
    })
    .await;
    let tries =
        || controller.said(|said| said.happened.attempts.iter().filter(|it| it.pod.ends_with("/waits")).count());
    let before = tries();
    assert!(before > 0);
    let all = pods(&world.admin, &step.namespace);
    let selected = all.list(&ListParams::default().labels("lictor.dev/standing=safe")).await.unwrap();
    let names: Vec<String> = selected.items.into_iter().filter_map(|pod| pod.metadata.name).collect();
    assert_eq!(names, ["spared"]);
    let changed = json!({"metadata": {"labels": {(PREEMPTIBLE): null}}});
    all.patch("spared", &PatchParams::default(), &Patch::Merge(&changed)).await.unwrap();
    step.until("spared", "marked anew", |pod| pod.is_some_and(|pod| mark(pod)[0] == "evictable")).await;
    assert_eq!(mark(&step.pod("waits").await.unwrap()), ["", "", "", ""]);
    // The label that was changed may have it tried again, the two marks do not.
    let after = tries();
    assert!(after <= before.saturating_add(2), "{before} attempts, then {after}");
    controller.stop().await;
    step.end().await;
}
