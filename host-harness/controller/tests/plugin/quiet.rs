//! Gangs in a cluster where nothing else happens: no event but their own wakes their members.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::host::Host;
use crate::scheduler::Scheduler;
use crate::steps::{GANG, group, group_of_kubernetes, member, message};
use crate::support::objects::{create, wait_for};
use crate::support::observer::What;
use crate::world::{SOON, Step, World};

const VICTIMS: [&str; 3] = ["v0", "v1", "v2"];

/// How long a gang with room may take to run: the longest backoff of a member, and some seconds. A member that is not woken waits 20 s at Permit,
/// or 5 minutes.
const START: Duration = Duration::from_secs(18);

/// Creates a gang. Each member is refused before the next one is created.
async fn one_after_the_other(step: &Step<'_>) {
    group(step, "g", 3).await;
    for name in GANG {
        step.create(name, "high", member("g")).await;
        let refused = async || message(step.pod(name).await.as_ref()?).filter(|said| said.contains("the 3 it needs"));
        if name != "g2" {
            wait_for("a member is refused", SOON, refused).await;
        }
    }
}

/// Checks that a gang starts whose members are refused one after the other. The members that were refused are tried again when the last one comes.
pub async fn members_are_created_one_after_the_other(world: &World, scheduler: &Scheduler) {
    let step = world.step("quiet", 3).await;
    let host = Host::start("coscheduling", &world.testbed.ready.folder);
    let running = scheduler.start_by_default(&world.testbed.ready, &host.socket);
    one_after_the_other(&step).await;
    start_soon(&step).await;
    none_was_released(&host);
    step.end().await;
    drop((running, host));
}

/// Creates the members of a gang of Koordinator one after the other.
pub async fn members_of_koordinator(world: &World, scheduler: &Scheduler) {
    let step = world.step("quiet-koordinator", 3).await;
    let host = Host::start("koordinator", &world.testbed.ready.folder);
    let running = scheduler.start_by_default(&world.testbed.ready, &host.socket);
    let group = json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": step.namespace},
        "spec": {"minMember": 3, "scheduleTimeoutSeconds": 20}});
    create(&world.admin, &group).await;
    let member = json!({"metadata": {"labels": {"pod-group.scheduling.sigs.k8s.io": "g"}}});
    for name in GANG {
        step.create(name, "high", member.clone()).await;
        if name != "g2" {
            let refused = async || message(step.pod(name).await.as_ref()?);
            wait_for("a member is refused", SOON, refused).await;
        }
    }
    start_soon(&step).await;
    none_was_released(&host);
    step.end().await;
    drop((running, host));
}

/// Creates the members of a group of Kubernetes one after the other. kube-scheduler holds them back until there are enough of them.
pub async fn members_of_kubernetes(world: &World, scheduler: &Scheduler) {
    let step = world.step("quiet-kubernetes", 3).await;
    let host = Host::start("kubernetes", &world.testbed.ready.folder);
    let running = scheduler.start(&world.testbed.ready, &host.socket);
    group_of_kubernetes(&step).await;
    // A cycle of groups tries the members, takes that back, and then places all of them.
    start_soon(&step).await;
    step.end().await;
    drop((running, host));
}

/// Checks that the gang runs within [`START`] of its last member.
async fn start_soon(step: &Step<'_>) {
    let began = Instant::now();
    step.all_run(&GANG).await;
    let took = began.elapsed();
    eprintln!("{} runs after {took:?}", step.namespace);
    assert!(took < START, "{took:?}: it was woken by something else");
}

/// Checks that no member was thrown out of Permit: the last one has waited for the others, and not once in vain.
fn none_was_released(host: &Host) {
    let lost = host.said(|said| said.happened.released.clone());
    assert!(lost.is_empty(), "{lost:?}");
}

/// Checks that a gang has one plan, which evicts three pods that take 5 s to stop. The gang needs the quota of all three and two of their nodes: one
/// member gets the free node, which no victim leaves. While they stop, no other plan is made.
pub async fn a_gang_under_a_quota_is_not_planned_over_and_over(world: &World, scheduler: &Scheduler) {
    let step = world.step("once", 4).await;
    let host = Host::start("coscheduling", &world.testbed.ready.folder);
    let running = scheduler.start_by_default(&world.testbed.ready, &host.socket);
    // Three victims use 9 of 15 cores. Together with the gang it would be 18.
    let quota = json!({"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "ElasticQuota",
        "metadata": {"name": "q", "namespace": step.namespace},
        "spec": {"min": {"cpu": "10", "memory": "96Gi"}, "max": {"cpu": "15", "memory": "96Gi"}}});
    create(&world.admin, &quota).await;
    for name in VICTIMS {
        let slow = json!({"metadata": {"annotations": {"testbed.lictor.dev/stop-seconds": "5"}}});
        step.victim(name, slow).await;
    }
    step.all_run(&VICTIMS).await;
    one_after_the_other(&step).await;
    step.all_run(&GANG).await;
    step.observer.catch_up().await;
    let when = |pod: &str, what| step.observer.when(&format!("{}/{pod}", step.namespace), what).unwrap();
    let left = VICTIMS.iter().map(|pod| when(pod, What::Gone)).max().unwrap();
    let bound = GANG.iter().map(|pod| when(pod, What::Bound)).max().unwrap();
    eprintln!("bound {:?} after the last victim had left", bound.saturating_duration_since(left));
    let (plans, tried) = host.said(|said| (said.happened.plans.clone(), said.tried.clone()));
    eprintln!("tried {tried:?}, plans {plans:?}");
    assert_eq!(plans.iter().map(|plan| plan.victims.len()).sum::<usize>(), 3, "{plans:?}");
    assert!(plans.len() == 1, "one plan of a job is in flight, and none is made that evicts no pod: {plans:?}");
    step.end().await;
    drop((running, host));
}
