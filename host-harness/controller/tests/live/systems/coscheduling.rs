//! scheduler-plugins: PodGroups of its own, and quotas of namespaces.

use serde_json::json;

use crate::controller::Controller;
use crate::support::objects::create;
use crate::world::World;

/// Checks that a gang within the minimum of the quota of its namespace reclaims what another namespace has borrowed, for all its pods at once.
pub async fn a_gang_takes_back_what_its_quota_has_lent(world: &World) {
    let (step, lends) = (world.step("lends", 3).await, world.step("borrows", 0).await);
    for (namespace, min) in [(&step.namespace, "6"), (&lends.namespace, "3")] {
        let quota = json!({"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "ElasticQuota",
            "metadata": {"name": "quota", "namespace": namespace}, "spec": {"min": {"cpu": min}}});
        create(&world.admin, &quota).await;
    }
    let controller = Controller::start(&world.how("coscheduling"));
    let borrowers = ["b0", "b1", "b2"];
    for (name, class) in borrowers.iter().zip(["high", "low", "low"]) {
        lends.held(name, class, json!({})).await;
    }
    lends.all_run(&borrowers).await;
    let group = json!({"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": step.namespace}, "spec": {"minMember": 2}});
    create(&world.admin, &group).await;
    for name in ["g0", "g1"] {
        step.held(name, "low", json!({"metadata": {"labels": {"scheduling.x-k8s.io/pod-group": "g"}}})).await;
    }
    step.all_run(&["g0", "g1"]).await;
    let mut evicted = lends.evicted();
    evicted.sort();
    assert_eq!(evicted, ["b1", "b2"], "the least important of the quota that is over its minimum");
    lends.all_run(&["b0"]).await;
    controller.stop().await;
    step.end().await;
    lends.end().await;
}
