//! Another policy is offered to a controller that runs.

use lictor::Native;
use lictor_controller::upgrade::Offer;
use lictor_host::driver::random::{Faulty, Fuse};
use lictor_host::policy::Policy;
use lictor_host::replace::{Period, State, Terms};

use crate::controller::Controller;
use crate::support::objects::wait_for;
use crate::world::{SOON, World};

const GANG: [&str; 2] = ["g0", "g1"];

fn offer(policy: Box<dyn Policy>) -> Offer {
    let second = Period::Nanoseconds(1_000_000_000);
    Offer {
        name: "another".to_owned(),
        policy,
        system: "coscheduling".to_owned(),
        arguments: String::new(),
        terms: Terms { shadow: second, watch: second, allowed: 0 },
        settled: Box::new(|| {}),
    }
}

async fn ends(controller: &Controller, state: State) {
    let ended = async || controller.said(|said| said.states.last() == Some(&state)).then_some(());
    wait_for(&format!("the replacement is {state:?}"), SOON, ended).await;
}

/// A policy that breaks after some calls is offered in the middle of a plan: it never decides, and the plan goes on.
pub async fn a_hostile_policy_evicts_nobody(world: &World) {
    let step = world.step("hostile", 2).await;
    step.fill().await;
    let controller = Controller::start(&world.how("coscheduling"));
    let fuse = Fuse::default();
    controller.offers.make(offer(Box::new(Faulty::new(Native::default(), fuse.clone()))));
    let shadow = async || controller.said(|said| said.states.contains(&State::Shadow)).then_some(());
    wait_for("the new policy is compared", SOON, shadow).await;
    fuse.set(3);
    step.gang("g", &GANG).await;
    ends(&controller, State::RolledBack).await;
    step.all_run(&GANG).await;
    assert_eq!(step.evicted().len(), 2, "the victims of the plan, and no others");
    controller.stop().await;
    step.end().await;
}

/// The same policy once more takes over, and decides from then on.
pub async fn a_policy_that_decides_alike_takes_over(world: &World) {
    let step = world.step("upgrade", 2).await;
    step.fill().await;
    let controller = Controller::start(&world.how("coscheduling"));
    controller.offers.make(offer(Box::new(Native::default())));
    step.gang("g", &GANG).await;
    ends(&controller, State::Done).await;
    step.all_run(&GANG).await;
    assert_eq!(step.evicted().len(), 2);
    controller.stop().await;
    step.end().await;
}
