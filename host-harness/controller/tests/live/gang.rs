//! A gang that needs the room of three victims on three nodes.

use std::time::Duration;

use lictor_controller::decide::RunMode;
use lictor_controller::mark::StandingMark;

use crate::controller::Controller;
use crate::support::observer::What;
use crate::world::{World, is_gated, is_running};

const GANG: [&str; 3] = ["g0", "g1", "g2"];
const VICTIMS: [&str; 3] = ["v0", "v1", "v2"];

/// Admits a gang with a system as `deploy/` ships it: its victims are evicted, and it is bound within half a second after they have left.
pub async fn is_admitted_when_its_victims_have_left(world: &World, system: &str) {
    let step = world.step("gang", 3).await;
    step.fill().await;
    let controller = Controller::start(&world.shipped(system));
    step.gang("g", &GANG).await;
    step.all_run(&GANG).await;
    step.observer.catch_up().await;
    let when = |pod: &&str, what| step.observer.when(&format!("{}/{pod}", step.namespace), what).unwrap();
    let left = VICTIMS.iter().map(|pod| when(pod, What::Gone)).max().unwrap();
    let bound = GANG.iter().map(|pod| when(pod, What::Bound)).max().unwrap();
    let took = bound.saturating_duration_since(left);
    assert!(took < Duration::from_millis(500), "bound {took:?} after the last victim had left");
    eprintln!("{system}: bound {took:?} after the last victim had left");
    assert_eq!(step.evicted().len(), 3);
    controller.stop().await;
    step.end().await;
}

/// Checks that a controller that only reports what the laws would do evicts no pod and removes no gate; with or without gates.
pub async fn is_only_talked_about(world: &World) {
    let step = world.step("talk", 3).await;
    step.fill().await;
    let dry = Controller::start(&world.how("coscheduling").mode(RunMode::DryRun));
    let observes = Controller::start(&world.how("coscheduling").mode(RunMode::Observe));
    step.gang("g", &GANG).await;
    for controller in [&dry, &observes] {
        let planned = async || controller.said(|said| !said.happened.plans.is_empty()).then_some(());
        crate::support::objects::wait_for("a plan is said", crate::world::SOON, planned).await;
        controller.said(|said| assert_eq!(said.happened.plans[0].victims.len(), 3));
    }
    for name in GANG {
        let pod = step.pod(name).await.unwrap();
        assert!(is_gated(&pod) && crate::world::nominated(&pod).is_empty());
    }
    for name in VICTIMS {
        let pod = step.pod(name).await.unwrap();
        assert!(is_running(Some(&pod)));
        assert_eq!(StandingMark::read(&pod), StandingMark::default(), "no mark is written");
    }
    assert!(step.evicted().is_empty());
    dry.stop().await;
    observes.stop().await;
    step.end().await;
}
