//! Tests of a controller that ends in the middle of a plan, and of the next controller, which continues the plan.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;

use crate::controller::{Controller, How};
use crate::support::objects::wait_for;
use crate::systems::sized;
use crate::world::{SOON, Step, World, is_gated, is_running, nominated};

const GANG: [&str; 2] = ["g0", "g1"];
/// The pods that are evicted for the gang.
const VICTIMS: [&str; 2] = ["v0", "v1"];

/// Returns a path for a checkpoint that does not exist yet.
fn checkpoint(step: &Step<'_>) -> PathBuf {
    step.world.testbed.ready.folder.join(format!("{}.json", step.namespace))
}

/// Checks a controller that is killed when its victims leave; the next controller has nothing but the cluster.
pub async fn from_the_cluster_alone(world: &World) {
    let step = world.step("alone", 2).await;
    in_the_middle(&step, &world.how("coscheduling")).await;
    step.end().await;
}

/// Checks a controller that is killed when its victims leave, with a system as `deploy/` ships it.
pub async fn as_it_is_shipped(world: &World, system: &str) {
    let step = world.step("shipped", 2).await;
    in_the_middle(&step, &world.shipped(system)).await;
    step.end().await;
}

/// Checks a controller that is killed when its victims leave; the next controller has a checkpoint.
pub async fn from_a_checkpoint(world: &World) {
    let step = world.step("kept", 2).await;
    let how = How { checkpoint: Some(checkpoint(&step)), ..world.how("coscheduling") };
    in_the_middle(&step, &how).await;
    assert!(how.checkpoint.unwrap().exists());
    step.end().await;
}

async fn in_the_middle(step: &Step<'_>, how: &How) {
    step.fill().await;
    let controller = Controller::start(how);
    step.gang("g", &GANG).await;
    let controller = killed(step, controller, how).await;
    step.all_run(&GANG).await;
    assert_eq!(step.gone().await, VICTIMS.map(str::to_owned).into());
    controller.said(|said| assert!(said.errors.is_empty() && said.unsaved.is_empty(), "{said:?}"));
    controller.stop().await;
}

/// Kills a controller when it has evicted a victim, and starts another one.
pub async fn killed(step: &Step<'_>, controller: Controller, how: &How) -> Controller {
    wait_for("a victim is evicted", SOON, async || (!step.evicted().is_empty()).then_some(())).await;
    controller.kill().await;
    Controller::start(how)
}

/// Checks that a controller that is stopped finishes what it has begun, and begins nothing more.
pub async fn told_to_end(world: &World) {
    let step = world.step("ends", 2).await;
    step.fill().await;
    let controller = Controller::start(&world.how("coscheduling"));
    step.gang("g", &GANG).await;
    step.until("g0", "nominated", |pod| pod.is_some_and(|pod| !nominated(pod).is_empty())).await;
    controller.stop().await;
    let evicted = step.evicted().len();
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(step.evicted().len(), evicted, "nothing is written after the end");
    for name in GANG {
        assert!(is_gated(&step.pod(name).await.unwrap()), "and nobody is let go");
    }
    let controller = Controller::start(&world.how("coscheduling"));
    step.all_run(&GANG).await;
    assert_eq!(step.evicted().len(), 2);
    controller.stop().await;
    step.end().await;
}

/// Kills the controller at fifty moments of a plan, alternately with and without a checkpoint.
pub async fn killed_again_and_again(world: &World) {
    for (round, kept) in (0..10_u64).zip([true, false].into_iter().cycle()) {
        let step = world.step("again", 2).await;
        step.fill().await;
        let how = How { checkpoint: kept.then(|| checkpoint(&step)), ..world.how("coscheduling") };
        let mut controller = Controller::start(&how);
        step.gang("g", &GANG).await;
        for kill in 0..5_u64 {
            // From the first request to the last; a different moment each time.
            tokio::time::sleep(Duration::from_millis((round * 37 + kill * 53) % 190 + 10)).await;
            controller.kill().await;
            controller = Controller::start(&how);
        }
        step.all_run(&GANG).await;
        assert_eq!(step.gone().await, VICTIMS.map(str::to_owned).into(), "round {round}: {:?}", step.evicted());
        controller.stop().await;
        step.end().await;
    }
}

/// Checks two controllers: the lead passes from one to the other in the middle of a plan, and for a moment both believe that they lead.
pub async fn when_another_leads(world: &World) {
    let step = world.step("leads", 2).await;
    step.fill().await;
    let (one, other) = (Controller::start(&world.how("coscheduling")), Controller::start(&world.how("coscheduling")));
    other.leads.send_replace(false);
    step.gang("g", &GANG).await;
    step.until("g0", "nominated", |pod| pod.is_some_and(|pod| !nominated(pod).is_empty())).await;
    other.leads.send_replace(true);
    tokio::time::sleep(Duration::from_millis(300)).await;
    one.leads.send_replace(false);
    step.all_run(&GANG).await;
    let mut evicted = step.evicted();
    evicted.sort();
    assert_eq!(evicted, VICTIMS);
    one.stop().await;
    other.stop().await;
    step.end().await;
}

/// Limits checkpoints to fewer bytes than there are: the process says how many and what helps, and admits the gang without one.
pub async fn with_a_checkpoint_that_is_too_large(world: &World) {
    let step = world.step("large", 2).await;
    step.fill().await;
    let map = Some((format!("{}-checkpoint", step.namespace), 100));
    let controller = Controller::start(&How { map, ..world.how("coscheduling") });
    step.gang("g", &["g0", "g1"]).await;
    step.all_run(&["g0", "g1"]).await;
    controller.said(|said| {
        let why = said.unsaved.first().unwrap();
        assert!(why.contains(" bytes, and a ConfigMap takes 100") && why.contains("--checkpoint FILE"), "{why}");
    });
    controller.stop().await;
    step.end().await;
}

/// Runs two controllers that no Lease keeps apart: one of them says that there is another.
pub async fn beside_another_without_a_lease(world: &World) {
    let step = world.step("rivals", 1).await;
    let controllers = [(); 2].map(|()| Controller::start(&world.how("coscheduling")));
    let mut created = 0;
    let said = async || {
        // The controller that is faster about a pod writes alone: pods come until both have written.
        let small = sized("10m", json!({}));
        if created < 100 {
            step.held(&format!("p{created}"), "low", small).await;
            step.until(&format!("p{created}"), "running", is_running).await;
            created += 1;
        }
        controllers.iter().any(|one| one.said(|said| !said.rivals.is_empty())).then_some(())
    };
    wait_for("one of them sees the other", SOON, said).await;
    for controller in &controllers {
        controller.said(|said| assert!(said.rivals.iter().all(|name| name.starts_with("lictor.dev/")), "{said:?}"));
    }
    for controller in controllers {
        controller.stop().await;
    }
    step.end().await;
}
