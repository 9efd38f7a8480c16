//! A policy whose plans a rail refuses, behind kube-scheduler.

use std::time::Duration;

use lictor_host::rails::NEVER_EVICT;
use serde_json::json;

use crate::host::{Host, Said};
use crate::liar::{Liar, Lie};
use crate::scheduler::Scheduler;
use crate::steps::{GANG, group, member};
use crate::support::objects::wait_for;
use crate::world::{SOON, World, is_running};

/// Checks a policy whose plans evict a pod that a rail protects: no pod is evicted, and the rail is named.
pub async fn a_policy_that_evicts_what_a_rail_protects(world: &World, scheduler: &Scheduler) {
    const VICTIMS: [&str; 3] = ["kept", "v0", "v1"];
    let step = world.step("rails", 3).await;
    let host = Host::start_other(|| Box::new(Liar::new(Lie::Protected).0), "coscheduling", &world.testbed.ready.folder);
    let running = scheduler.start(&world.testbed.ready, &host.socket);
    step.victim("kept", json!({"metadata": {"labels": {NEVER_EVICT: "true"}}})).await;
    step.victim("v0", json!({})).await;
    step.victim("v1", json!({})).await;
    step.all_run(&VICTIMS).await;
    let members = &GANG[..2];
    group(&step, "g", 2).await;
    for name in members {
        step.create(name, "high", member("g")).await;
    }
    let named = |said: &Said| {
        said.happened.refused.iter().any(|plan| plan.reason.message.contains("the rail `never-evict` protects"))
    };
    wait_for("the rail refuses the plan", SOON, async || host.said(named).then_some(())).await;
    // Some more attempts, with the same plan.
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(step.evicted(), Vec::<String>::new());
    for name in VICTIMS {
        assert!(is_running(step.pod(name).await.as_ref()), "{name} still runs");
    }
    step.end().await;
    drop(running);
}
