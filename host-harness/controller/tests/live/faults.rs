//! An API server that refuses, forgets to answer, cuts watches, or is killed.

use crate::controller::Controller;
use crate::world::World;

const GANG: [&str; 2] = ["g0", "g1"];

/// Checks failing requests: 409, 429 and 500; answers that are lost; watches that end, and one whose version is too old.
pub async fn requests_that_fail(world: &World) {
    let faults = [
        "fail 409 verb=patch path=/pods/ every=2 times=6",
        "fail 500 verb=patch path=/pods/ every=2 times=6",
        "fail 429 verb=create path=/eviction times=4",
        "lose verb=patch path=/pods/ times=2",
        "lose verb=create path=/eviction times=1",
        "drop verb=patch,create times=4",
        "delay 300 verb=patch,create",
    ];
    for fault in faults {
        let step = world.step("fails", 2).await;
        step.fill().await;
        let controller = Controller::start(&world.proxied("coscheduling"));
        world.testbed.command(fault).await;
        step.gang("g", &GANG).await;
        step.all_run(&GANG).await;
        assert_eq!(step.evicted().len(), 2, "{fault}");
        world.testbed.command("clear").await;
        controller.stop().await;
        step.end().await;
    }
    for cut in ["close", "expire"] {
        let step = world.step("cut", 2).await;
        step.fill().await;
        let controller = Controller::start(&world.proxied("coscheduling"));
        step.gang("g", &GANG).await;
        for _ in 0..4 {
            world.testbed.command(cut).await;
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        step.all_run(&GANG).await;
        assert_eq!(step.evicted().len(), 2, "{cut}");
        controller.stop().await;
        step.end().await;
    }
}

/// Checks an API server that is killed while the victims leave, and comes back.
pub async fn an_api_server_that_is_killed(world: &World) {
    let step = world.step("killed", 2).await;
    step.fill().await;
    let controller = Controller::start(&world.how("coscheduling"));
    step.gang("g", &GANG).await;
    step.until("g0", "nominated", |pod| pod.is_some_and(|pod| !crate::world::nominated(pod).is_empty())).await;
    world.testbed.command("restart kube-apiserver").await;
    step.all_run(&GANG).await;
    controller.stop().await;
    step.end().await;
    // kube-scheduler follows the nodes again up to a minute later than the pods: until then it would bind pods of the next step to nodes of this one,
    // which are gone. Started anew, it reads all of them first.
    world.testbed.command("restart kube-scheduler").await;
}
