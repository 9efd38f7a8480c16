//! The systems with objects of their own: reclaim, preemption by jobs, elastic jobs that grow and shrink.

use lictor_controller::names::EVICTED_FOR;
use serde_json::{Value, json};

use crate::controller::Controller;
use crate::support::objects::{api, create, delete_pod, merge, wait_for};
use crate::world::{SOON, Step, World, is_gated};

/// A pod of 1 core.
fn small(fields: Value) -> Value {
    merge(
        json!({"spec": {"containers": [{"name": "main", "image": "none", "resources": {"requests": {"cpu": "1"}}}]}}),
        &fields,
    )
}

/// Volcano: an elastic job grows into the room that is idle, and shrinks when a queue takes back what it deserves for a gang.
pub async fn volcano(world: &World) {
    let step = world.step("volcano", 1).await;
    for queue in ["qa", "qb"] {
        let queue = json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": queue},
                           "spec": {"deserved": {"cpu": "2"}}, "status": {"state": "Open"}});
        create(&world.admin, &queue).await;
    }
    let group = |name: &str, queue: &str, annotations: Value| {
        json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
               "metadata": {"name": name, "namespace": step.namespace, "annotations": annotations},
               "spec": {"minMember": 2, "queue": queue}, "status": {"phase": "Running"}})
    };
    let elastic = json!({"volcano.sh/elastic-train": "true", "volcano.sh/elastic-train-power-of-two": "true"});
    create(&world.admin, &group("t", "qb", elastic)).await;
    let mut how = world.how("volcano");
    how.arguments = json!({"actions": "allocate, elastic, reclaim", "capacity.reclaim.mode": "elastic"}).to_string();
    let controller = Controller::start(&how);
    for place in 0..4 {
        let mut labels = json!({"volcano.sh/task-index": place.to_string()});
        if place >= 2 {
            labels["volcano.sh/elastic-train"] = json!("true");
        }
        let metadata = json!({"annotations": {"scheduling.k8s.io/group-name": "t"}, "labels": labels});
        step.held(&format!("t-{place}"), "low", small(json!({"metadata": metadata}))).await;
    }
    step.all_run(&["t-0", "t-1", "t-2", "t-3"]).await;
    create(&world.admin, &group("s", "qa", json!({}))).await;
    for name in ["s-0", "s-1"] {
        let metadata = json!({"annotations": {"scheduling.k8s.io/group-name": "s"}});
        step.held(name, "low", small(json!({"metadata": metadata}))).await;
    }
    step.all_run(&["s-0", "s-1", "t-0", "t-1"]).await;
    let mut evicted = step.evicted();
    evicted.sort();
    assert_eq!(evicted, ["t-2", "t-3"], "the elastic pods, and no others");
    controller.stop().await;
    step.end().await;
}

/// Koordinator: a job within the minimum of its quota takes back, as a whole, what another quota has borrowed.
pub async fn koordinator(world: &World) {
    let step = world.step("koordinator", 4).await;
    for (name, min) in [("team-a", "9"), ("team-b", "3")] {
        let quota = json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
            "metadata": {"name": name, "namespace": step.namespace,
                         "labels": {"quota.scheduling.koordinator.sh/is-parent": "false"}},
            "spec": {"min": {"cpu": min, "memory": "1Ti"}, "max": {"cpu": "16", "memory": "1Ti"}}});
        create(&world.admin, &quota).await;
    }
    let of = |team: &str, preemptible: &str| json!({"quota.scheduling.koordinator.sh/name": team, "quota.scheduling.koordinator.sh/preemptible": preemptible});
    let controller = Controller::start(&world.how("koordinator"));
    let borrowers = ["b0", "b1", "b2", "b3"];
    for name in borrowers {
        step.held(name, "low", json!({"metadata": {"labels": of("team-b", "true")}})).await;
    }
    step.all_run(&borrowers).await;
    let group = json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "PodGroup",
                       "metadata": {"name": "job-a", "namespace": step.namespace}, "spec": {"minMember": 3}});
    create(&world.admin, &group).await;
    for name in ["a0", "a1", "a2"] {
        let labels = merge(of("team-a", "false"), &json!({"pod-group.scheduling.sigs.k8s.io": "job-a"}));
        step.held(name, "high", json!({"metadata": {"labels": labels}})).await;
    }
    // A job's victims are only marked: in Koordinator another controller deletes what is marked. Here the test does.
    let marked = async || {
        let mut marked = Vec::new();
        for name in borrowers {
            let pod = step.pod(name).await?;
            marked.extend(pod["metadata"]["annotations"].get(EVICTED_FOR).map(|_| name));
        }
        (marked.len() == 3).then_some(marked)
    };
    let marked = wait_for("three victims are marked, and no more", SOON, marked).await;
    for name in marked {
        delete_pod(&world.admin, &step.namespace, name).await;
    }
    step.all_run(&["a0", "a1", "a2"]).await;
    assert!(step.evicted().is_empty(), "{:?}", step.evicted());
    controller.stop().await;
    step.end().await;
}

/// YuniKorn: a queue below its guarantee gets it back from one above its own, after the delay, one victim at a time.
pub async fn yunikorn(world: &World) {
    let step = world.step("yunikorn", 3).await;
    let queues = "
partitions:
  - name: default
    placementrules:
      - name: provided
        create: true
    queues:
      - name: root
        submitacl: '*'
        queues:
          - name: prod
            resources:
              guaranteed: {vcore: 3}
            properties:
              preemption.delay: 1s
          - name: test
            resources:
              guaranteed: {vcore: 3}
";
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap",
                     "metadata": {"name": "yunikorn-configs", "namespace": "yunikorn"}, "data": {"queues.yaml": queues}});
    crate::support::objects::create_namespace(&world.admin, "yunikorn").await;
    create(&world.admin, &map).await;
    let controller = Controller::start(&world.how("yunikorn"));
    let of = |queue: &str| json!({"metadata": {"labels": {"applicationId": queue, "queue": format!("root.{queue}")}}});
    for name in ["t0", "t1", "t2"] {
        step.held(name, "low", of("test")).await;
    }
    step.all_run(&["t0", "t1", "t2"]).await;
    step.held("p0", "low", of("prod")).await;
    step.all_run(&["p0"]).await;
    assert_eq!(step.evicted().len(), 1);
    // Above its guarantee it gets nothing more.
    step.held("p1", "low", of("prod")).await;
    refused(&step, &controller, "p1").await;
    assert!(is_gated(&step.pod("p1").await.unwrap()));
    assert_eq!(step.evicted().len(), 1);
    controller.stop().await;
    let config = api(&world.admin, "v1", "ConfigMap", "yunikorn");
    config.delete("yunikorn-configs", &kube::api::DeleteParams::default()).await.unwrap();
    step.end().await;
}

async fn refused(step: &Step<'_>, controller: &Controller, name: &str) {
    let name = format!("{}/{name}", step.namespace);
    let is_refused =
        || controller.said(|said| said.happened.attempts.iter().any(|it| it.pod == name && it.node.is_none()));
    wait_for("it is refused", SOON, async || is_refused().then_some(())).await;
}
