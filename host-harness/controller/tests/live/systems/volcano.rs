//! Volcano: queues, jobs, elastic jobs.

use kube::api::DeleteParams;
use serde_json::{Value, json};

use super::sized;
use crate::controller::Controller;
use crate::crowd;
use crate::restart::killed;
use crate::support::objects::{api, create, wait_for};
use crate::world::{SOON, Step, World};

async fn queue(world: &World, name: &str, spec: Value) {
    let queue = json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name},
                       "spec": spec, "status": {"state": "Open"}});
    create(&world.admin, &queue).await;
}

async fn group(step: &Step<'_>, name: &str, queue: &str, class: &str, annotations: Value) {
    gang(step, name, queue, (class, 2), annotations).await;
}

/// Creates a group of at least so many pods.
async fn gang(step: &Step<'_>, name: &str, queue: &str, (class, minimum): (&str, u32), annotations: Value) {
    let group = json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
        "metadata": {"name": name, "namespace": step.namespace, "annotations": annotations},
        "spec": {"minMember": minimum, "queue": queue, "priorityClassName": class}});
    create(&step.world.admin, &group).await;
}

/// Waits until the status of a group says so, as Volcano's own tools read it.
async fn phase(step: &Step<'_>, name: &str, phase: &str, running: u64) {
    let groups = api(&step.world.admin, "scheduling.volcano.sh/v1beta1", "PodGroup", &step.namespace);
    let says = async || {
        let status = groups.get(name).await.ok()?.data["status"].clone();
        (status["phase"] == phase && status["running"].as_u64().unwrap_or_default() == running).then_some(())
    };
    wait_for(&format!("the group {name} is {phase} with {running} pods that run"), SOON, says).await;
}

async fn member(step: &Step<'_>, group: &str, name: &str, (class, cores): (&str, &str), labels: Value) {
    let metadata = json!({"annotations": {"scheduling.k8s.io/group-name": group}, "labels": labels});
    step.held(name, class, sized(cores, json!({"metadata": metadata}))).await;
}

/// Creates pods of a Job, each of which may run without the others, and ordinary pods on the same nodes.
pub async fn held_and_ordinary_pods(world: &World) {
    let step = world.step("crowd", 5).await;
    queue(world, "plain", json!({})).await;
    gang(&step, "g", "plain", ("low", 1), json!({})).await;
    let of_group = json!({"metadata": {"annotations": {"scheduling.k8s.io/group-name": "g"}}});
    crowd::held_and_ordinary_pods_in(step, "volcano", 4, &of_group).await;
}

/// Lets a gang take back what its queue deserves from the pods of a queue that has more, as `deploy/` ships it; `is_killed`: another controller takes over
/// when the first victim is evicted.
pub async fn a_gang_takes_back_what_its_queue_deserves(world: &World, is_killed: bool) {
    let step = world.step("deserves", 3).await;
    for (name, deserved) in [("ql", "3"), ("qm", "6")] {
        queue(world, name, json!({"deserved": {"cpu": deserved}})).await;
    }
    let how = world.shipped("volcano");
    gang(&step, "l", "ql", ("low", 1), json!({})).await;
    gang(&step, "m", "qm", ("low", 2), json!({})).await;
    let mut controller = Controller::start(&how);
    for name in ["l0", "l1", "l2"] {
        member(&step, "l", name, ("low", "3"), json!({})).await;
    }
    step.all_run(&["l0", "l1", "l2"]).await;
    for name in ["m0", "m1"] {
        member(&step, "m", name, ("low", "3"), json!({})).await;
    }
    if is_killed {
        controller = killed(&step, controller, &how).await;
    }
    step.all_run(&["m0", "m1"]).await;
    assert_eq!(step.gone().await.len(), 2, "what is over the deserved amount, and no more: {:?}", step.gone().await);
    controller.stop().await;
    for name in ["ql", "qm"] {
        api(&world.admin, "scheduling.volcano.sh/v1beta1", "Queue", "")
            .delete(name, &DeleteParams::default())
            .await
            .unwrap();
    }
    step.end().await;
}

/// Checks that an elastic job grows into idle capacity, and shrinks when a queue reclaims what it deserves for a gang.
pub async fn an_elastic_job_grows_and_shrinks(world: &World) {
    let step = world.step("volcano", 1).await;
    for name in ["qa", "qb"] {
        queue(world, name, json!({"deserved": {"cpu": "2"}})).await;
    }
    let elastic = json!({"volcano.sh/elastic-train": "true", "volcano.sh/elastic-train-power-of-two": "true"});
    group(&step, "t", "qb", "low", elastic).await;
    let mut how = world.how("volcano");
    how.arguments = json!({"actions": "allocate, elastic, reclaim", "capacity.reclaim.mode": "elastic"}).to_string();
    let controller = Controller::start(&how);
    for place in 0..4 {
        let mut labels = json!({"volcano.sh/task-index": place.to_string()});
        if place >= 2 {
            labels["volcano.sh/elastic-train"] = json!("true");
        }
        member(&step, "t", &format!("t-{place}"), ("low", "1"), labels).await;
    }
    step.all_run(&["t-0", "t-1", "t-2", "t-3"]).await;
    group(&step, "s", "qa", "low", json!({})).await;
    for name in ["s-0", "s-1"] {
        member(&step, "s", name, ("low", "1"), json!({})).await;
    }
    step.all_run(&["s-0", "s-1", "t-0", "t-1"]).await;
    let mut evicted = step.evicted();
    evicted.sort();
    assert_eq!(evicted, ["t-2", "t-3"], "the elastic pods, and no others");
    controller.stop().await;
    step.end().await;
}

/// Checks a job of higher priority that evicts a whole gang of its own queue. The status of the groups is the one that Volcano writes.
pub async fn a_job_preempts_a_job_of_its_queue(world: &World) {
    let step = world.step("volcanic", 2).await;
    queue(world, "qc", json!({})).await;
    let mut how = world.how("volcano");
    how.arguments = json!({"actions": "allocate, preempt"}).to_string();
    let controller = Controller::start(&how);
    for (job, class) in [("low", "low"), ("other", "high")] {
        group(&step, job, "qc", class, json!({})).await;
        for place in 0..2 {
            member(&step, job, &format!("{job}-{place}"), (class, "2"), json!({})).await;
        }
        phase(&step, job, "Running", 2).await;
    }
    group(&step, "p", "qc", "high", json!({})).await;
    for place in 0..2 {
        member(&step, "p", &format!("p-{place}"), ("high", "2"), json!({})).await;
    }
    step.all_run(&["p-0", "p-1", "other-0", "other-1"]).await;
    let mut evicted = step.evicted();
    evicted.sort();
    assert_eq!(evicted, ["low-0", "low-1"], "the gang of lower priority, whole, and not the other one");
    phase(&step, "p", "Running", 2).await;
    // It has lost its pods, and is let into the queue once more.
    phase(&step, "low", "Inqueue", 0).await;
    controller.stop().await;
    step.end().await;
}
