//! Kubernetes: PodGroups of `scheduling.k8s.io`.

use serde_json::json;

use crate::controller::Controller;
use crate::support::objects::{create, wait_for};
use crate::world::{SOON, World};

/// Checks a pod that needs the capacity of one pod of a group that is evicted as a whole. All pods of the group are evicted, on the other node,
/// too, and the group comes back where capacity is free.
pub async fn a_group_leaves_whole(world: &World) {
    let step = world.step("whole", 3).await;
    let group = json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
        "metadata": {"name": "whole", "namespace": step.namespace},
        "spec": {"priorityClassName": "low", "disruptionMode": {"all": {}},
                 "schedulingPolicy": {"gang": {"minCount": 2}}}});
    create(&world.admin, &group).await;
    let controller = Controller::start(&world.how("kubernetes"));
    let member = json!({"spec": {"schedulingGroup": {"podGroupName": "whole"}}});
    for name in ["w0", "w1"] {
        step.held(name, "low", member.clone()).await;
    }
    step.all_run(&["w0", "w1"]).await;
    step.held("other", "high", json!({})).await;
    step.all_run(&["other"]).await;
    step.held("p", "high", json!({})).await;
    step.all_run(&["p", "other"]).await;
    // It needs the room of one of them only, and may run before the other one is gone.
    wait_for("both leave", SOON, async || (step.evicted().len() == 2).then_some(())).await;
    let mut evicted = step.evicted();
    evicted.sort();
    assert_eq!(evicted, ["w0", "w1"]);
    controller.stop().await;
    step.end().await;
}
