//! Another policy is offered to a controller that runs.

use std::sync::atomic::Ordering;
use std::time::Duration;

use lictor::Native;
use lictor_controller::upgrade::{ReplacementCandidate, ReplacementProgress, ReplacementStage};
use lictor_host::driver::random::{CallsUntilFault, Faulty};
use lictor_host::policy::Policy;
use lictor_host::replace::{Period, ReplacementTerms};
use lictor_host::session::CandidatePolicy;
use serde_json::json;

use crate::controller::Controller;
use crate::liar::{Liar, Lie};
use crate::support::objects::wait_for;
use crate::world::{SOON, Step, World};

const GANG: [&str; 2] = ["g0", "g1"];

/// What each lie is found out by: as words of the refusal, and where the policy is the one in force.
const LIES: [(Lie, &str); 4] = [
    (Lie::Ghost, "no pod has the number"),
    (Lie::HalfTheRoom, "lacks room"),
    (Lie::OwnGang, "is a victim of the plan that places it"),
    (Lie::Nodes, "codes for nodes"),
];

/// Offers a policy, on these terms in seconds: of shadow, of watch, and how long one answer is waited for.
fn offer(controller: &Controller, policy: impl Policy + 'static, (shadow, watch, at_most): (i64, i64, i64)) -> u64 {
    let [shadow, watch, at_most] = [shadow, watch, at_most].map(|time| Period::Nanoseconds(time * 1_000_000_000));
    controller.offers.offer(ReplacementCandidate {
        name: "another".to_owned(),
        candidate: CandidatePolicy::new(Box::new(policy), "coscheduling", "").unwrap(),
        terms: ReplacementTerms { shadow, watch, allowed: 0, answers: 1, at_most },
        deletes_victims: true,
        settled: Box::new(|| {}),
    })
}

/// Waits until a replacement has come so far; how it stands then.
async fn comes_to(controller: &Controller, number: u64, stage: ReplacementStage) -> ReplacementProgress {
    let there = async || controller.offers.progress(Some(number)).filter(|progress| progress.stage == stage);
    wait_for(&format!("the replacement is {stage:?}: {:?}", controller.offers.progress(None)), SOON, there).await
}

/// Checks that the loop continues: a pod that fits loses its gate and runs.
async fn goes_on(step: &Step<'_>) {
    let small =
        json!({"spec": {"containers": [{"name": "main", "image": "none", "resources": {"requests": {"cpu": "1"}}}]}});
    step.held("small", "high", small).await;
    step.all_run(&["small"]).await;
}

/// Offers a policy that breaks after some calls in the middle of a plan: it never decides, and the plan continues.
pub async fn a_hostile_policy_evicts_nobody(world: &World) {
    let step = world.step("hostile", 2).await;
    step.fill().await;
    let controller = Controller::start(&world.how("coscheduling"));
    let fuse = CallsUntilFault::default();
    let number = offer(&controller, Faulty::new(Native::default(), fuse.clone()), (1, 1, 60));
    comes_to(&controller, number, ReplacementStage::Shadow).await;
    fuse.set(3);
    step.gang("g", &GANG).await;
    let ended = comes_to(&controller, number, ReplacementStage::RolledBack).await;
    assert!(ended.last().contains("it broke in "), "{ended:?}");
    step.all_run(&GANG).await;
    assert_eq!(step.evicted().len(), 2, "the victims of the plan, and no others");
    controller.stop().await;
    step.end().await;
}

/// Offers a policy that lies: it never decides, the mistake is reported, and the policy in force admits the gang.
pub async fn a_policy_that_lies_is_not_taken(world: &World) {
    for (lie, said) in LIES {
        let step = world.step("lies-beside", 2).await;
        step.fill().await;
        let controller = Controller::start(&world.how("coscheduling"));
        let number = offer(&controller, Liar::new(lie).0, (1, 1, 60));
        comes_to(&controller, number, ReplacementStage::Shadow).await;
        step.gang("g", &GANG).await;
        let ended = comes_to(&controller, number, ReplacementStage::RolledBack).await;
        let words = format!("{} {:?}", ended.last(), ended.differences);
        assert!(words.contains(said), "{lie:?}: {words}");
        step.all_run(&GANG).await;
        assert_eq!(step.evicted().len(), 2, "{lie:?}: the victims of the plan, and no others");
        goes_on(&step).await;
        controller.stop().await;
        step.end().await;
    }
}

/// Checks a lying policy without a predecessor to go back to: it evicts no pod, the mistake is reported, and the loop continues.
pub async fn a_first_policy_that_lies_evicts_nobody(world: &World) {
    for (lie, said) in LIES {
        let step = world.step("lies-first", 2).await;
        step.fill().await;
        let controller = Controller::with(&world.how("coscheduling"), move || Box::new(Liar::new(lie).0));
        step.gang("g", &GANG).await;
        let refused = async || {
            let words = controller.said(|it| {
                let plans = it.happened.refused.iter().map(|plan| plan.reason.message.clone());
                plans.chain(it.errors.iter().cloned()).collect::<Vec<_>>()
            });
            words.iter().any(|word| word.contains(said)).then_some(())
        };
        wait_for(&format!("{lie:?} is found out"), SOON, refused).await;
        if lie != Lie::Nodes {
            goes_on(&step).await;
        }
        // Some more decisions, with the same lie.
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(step.evicted(), Vec::<String>::new(), "{lie:?}");
        controller.stop().await;
        step.end().await;
    }
}

/// Checks a policy that lies after it has taken over: its predecessor is back by itself, and its plan is carried out.
pub async fn a_policy_that_lies_in_the_watch_is_rolled_back(world: &World) {
    let step = world.step("lies-later", 2).await;
    step.fill().await;
    let controller = Controller::start(&world.how("coscheduling"));
    let (liar, lies) = Liar::new(Lie::Ghost);
    lies.store(false, Ordering::SeqCst);
    let number = offer(&controller, liar, (1, 60, 60));
    // So that there is something to compare.
    step.held("large", "high", json!({"spec": {"nodeSelector": {"no": "such"}}})).await;
    comes_to(&controller, number, ReplacementStage::Watching).await;
    lies.store(true, Ordering::SeqCst);
    step.gang("g", &GANG).await;
    let ended = comes_to(&controller, number, ReplacementStage::RolledBack).await;
    assert!(ended.last().starts_with("watching -> rolled back: "), "{ended:?}");
    step.all_run(&GANG).await;
    assert_eq!(step.evicted().len(), 2, "the victims of the plan, and no others");
    controller.stop().await;
    step.end().await;
}

/// Offers the same policy once more: it takes over, and decides from then on.
pub async fn a_policy_that_decides_alike_takes_over(world: &World) {
    let step = world.step("upgrade", 2).await;
    step.fill().await;
    let controller = Controller::start(&world.how("coscheduling"));
    let number = offer(&controller, Native::default(), (1, 1, 60));
    step.gang("g", &GANG).await;
    let ended = comes_to(&controller, number, ReplacementStage::Done).await;
    assert!(ended.compared > 0, "{ended:?}");
    step.all_run(&GANG).await;
    assert_eq!(step.evicted().len(), 2);
    controller.stop().await;
    step.end().await;
}

/// Checks that in a quiet cluster nothing can be compared: the policy in force stays, and that is reported.
pub async fn a_quiet_cluster_compares_nothing(world: &World) {
    let step = world.step("quiet", 1).await;
    let controller = Controller::start(&world.how("coscheduling"));
    let number = offer(&controller, Native::default(), (1, 1, 2));
    let ended = comes_to(&controller, number, ReplacementStage::RolledBack).await;
    assert!(ended.last().contains("0 answers, 0 decide otherwise, 1 demanded"), "{ended:?}");
    controller.stop().await;
    step.end().await;
}
