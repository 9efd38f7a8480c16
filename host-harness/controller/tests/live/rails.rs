//! Plans that a rail refuses in a living cluster.

use std::time::Duration;

use kube::api::DeleteParams;
use lictor_host::rails::{NEVER_EVICT, Rails};
use serde_json::json;

use crate::controller::{Controller, How, Said};
use crate::liar::{Liar, Lie};
use crate::support::objects::wait_for;
use crate::world::{SOON, World};

const GANG: [&str; 2] = ["g0", "g1"];

/// Waits until the host has refused a plan with these words, and lets some more decisions pass.
async fn refused(controller: &Controller, words: &str) {
    let is_named = |said: &Said| said.happened.refused.iter().any(|plan| plan.reason.message.contains(words));
    let refused = async || controller.said(is_named).then_some(());
    wait_for(&format!("the host refuses a plan: {words}"), SOON, refused).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
}

/// Checks a policy whose plans evict a pod that a rail protects: it evicts no pod, and the rail is named.
pub async fn a_policy_that_evicts_what_a_rail_protects_evicts_nobody(world: &World) {
    let step = world.step("rails", 3).await;
    step.victim("kept", json!({"metadata": {"labels": {NEVER_EVICT: "true"}}})).await;
    for name in ["v0", "v1"] {
        step.victim(name, json!({})).await;
    }
    step.all_run(&["kept", "v0", "v1"]).await;
    let controller = Controller::with(&world.how("coscheduling"), || Box::new(Liar::new(Lie::Protected).0));
    step.gang("g", &GANG).await;
    refused(&controller, "the rail `never-evict` protects").await;
    assert_eq!(step.evicted(), Vec::<String>::new());
    controller.stop().await;
    step.end().await;
}

/// Checks a PodDisruptionBudget that forbids one of two evictions, with the rail of budgets: no pod is evicted, and the rail is named. Without the
/// budget, the victims leave and the gang runs.
pub async fn a_budget_that_forbids_half_of_a_plan(world: &World) {
    let step = world.step("half-budget", 2).await;
    step.fill().await;
    let budgets = step.budget("half", json!({"minAvailable": 1})).await;
    let shown = async || {
        let budget = serde_json::to_value(budgets.get("half").await.unwrap()).unwrap();
        (budget["status"]["disruptionsAllowed"] == 1).then_some(())
    };
    wait_for("the budget allows one disruption", SOON, shown).await;
    let controller = Controller::start(&How { rails: Rails::of_command(), ..world.how("coscheduling") });
    step.gang("g", &GANG).await;
    let refuses = format!("refuses 2 victims of the PodDisruptionBudget `{}/half`: it allows 1", step.namespace);
    refused(&controller, &refuses).await;
    assert_eq!(step.evicted(), Vec::<String>::new(), "no half of the plan was begun");
    budgets.delete("half", &DeleteParams::default()).await.unwrap();
    step.all_run(&GANG).await;
    assert_eq!(step.evicted().len(), 2);
    controller.stop().await;
    step.end().await;
}
