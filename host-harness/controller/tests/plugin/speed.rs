//! How fast pods are bound, and how fast they preempt: by kube-scheduler as it comes, and with the plugin. The same binary each time.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use futures::{StreamExt, stream};
use kube::api::ListParams;
use serde_json::json;

use crate::host::Host;
use crate::scheduler::{Claim, Scheduler};
use crate::support::objects::{create, merge, pod, pods};
use crate::support::testbed::Ready;
use crate::world::{Step, World};

const NODES: u32 = 500;
const PODS: u32 = 2000;
const PREEMPTORS: u32 = 200;
/// How often each is measured, one after the other: what the machine does beside changes from minute to minute.
const ROUNDS: u32 = 2;

/// The host: the command that the environment names in `LICTOR_BINARY`, else in this process, unoptimised.
enum Answers {
    Here { _host: Host },
    There(Child),
}

impl Answers {
    fn start(ready: &Ready) -> (Answers, std::path::PathBuf) {
        let Some(binary) = std::env::var_os("LICTOR_BINARY") else {
            let host = Host::start("kubernetes", &ready.folder);
            let socket = host.socket.clone();
            return (Answers::Here { _host: host }, socket);
        };
        let socket = ready.folder.join("lictor.sock");
        let child = Command::new(binary).args(["serve", "--system", "kubernetes", "--socket"]).arg(&socket).spawn();
        (Answers::There(child.unwrap()), socket)
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        if let Answers::There(child) = self {
            let _gone = child.kill();
            let _gone = child.wait();
        }
    }
}

/// Prints pods a second.
pub async fn side_by_side(world: &World, scheduler: &Scheduler) {
    for round in 0..ROUNDS {
        for claim in [Claim::Nothing, Claim::Labelled, Claim::All] {
            let ready = &world.testbed.ready;
            let (_answers, socket) = Answers::start(ready);
            let step = world.step("speed", NODES).await;
            made(&step, "p", PODS, "100m", "low").await;
            let rate = bound(&step, scheduler.start_with(ready, &socket, claim), PODS).await;
            eprintln!("round {round}, {claim:?}: {rate:.0} pods a second");
            step.end().await;
            // Without its own preemption, kube-scheduler preempts for nobody that the policy is not asked about.
            if claim == Claim::Labelled {
                continue;
            }
            let step = world.step("preempts", PREEMPTORS).await;
            let running = scheduler.start_with(ready, &socket, claim);
            made(&step, "v", PREEMPTORS, "3", "low").await;
            all_bound(&step).await;
            drop(running);
            made(&step, "p", PREEMPTORS, "3", "high").await;
            let rate = preempted(&step, scheduler.start_with(ready, &socket, claim)).await;
            eprintln!("round {round}, {claim:?}: {rate:.0} preemptions a second");
            step.end().await;
        }
    }
}

async fn made(step: &Step<'_>, prefix: &str, count: u32, cpu: &str, class: &str) {
    let created = (0..count).map(|number| {
        let fields = json!({"spec": {"priorityClassName": class}});
        let pod = merge(pod(&step.namespace, &format!("{prefix}{number}"), cpu), &fields);
        async move { create(&step.world.admin, &pod).await }
    });
    stream::iter(created).buffer_unordered(16).for_each(|_| async {}).await;
}

async fn pending(step: &Step<'_>) -> usize {
    let unbound = ListParams::default().fields("spec.nodeName=");
    pods(&step.world.admin, &step.namespace).list(&unbound).await.unwrap().items.len()
}

async fn all_bound(step: &Step<'_>) {
    while pending(step).await > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Pods a second, from the first that is bound to the last.
async fn bound<T>(step: &Step<'_>, running: T, count: u32) -> f64 {
    rate(step, running, count, async || pending(step).await).await
}

/// Preemptions a second, from the first victim that leaves to the last preemptor that is bound.
async fn preempted<T>(step: &Step<'_>, running: T) -> f64 {
    let there = pods(&step.world.admin, &step.namespace);
    rate(step, running, PREEMPTORS, async || there.list_metadata(&ListParams::default()).await.unwrap().items.len())
        .await
}

/// So many a second, from when this number changes to when all pods are bound.
async fn rate<T>(step: &Step<'_>, running: T, count: u32, number: impl AsyncFn() -> usize) -> f64 {
    let all = number().await;
    while number().await == all {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let begun = Instant::now();
    all_bound(step).await;
    let rate = f64::from(count) / begun.elapsed().as_secs_f64();
    drop(running);
    rate
}
