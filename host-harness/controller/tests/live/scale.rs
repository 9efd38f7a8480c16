//! How fast a thousand pods are bound on five hundred nodes: held by our gate, and without it by kube-scheduler alone.

use std::time::{Duration, Instant};

use futures::{StreamExt, stream};
use kube::api::ListParams;
use lictor_controller::names::SCHEDULING_GATE;
use serde_json::json;

use crate::controller::Controller;
use crate::support::objects::{create, merge, pod, pods};
use crate::world::World;

const NODES: u32 = 500;
const PODS: u32 = 1000;

/// Measures how long it takes from the first creation until all pods are bound, `rounds` times with and without our gate. Both alternate, because
/// the load of the machine changes from minute to minute. Returns the share of the speed that is left with our gate, of the medians.
pub async fn a_thousand_pods(world: &World, rounds: usize) -> f64 {
    let (mut alone, mut held) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        for gated in [false, true] {
            let step = world.step("scale", NODES).await;
            let controller = gated.then(|| Controller::start(&world.how("coscheduling")));
            let took = bound(&step, gated).await;
            eprintln!("round {round}, {}: {took:?}", if gated { "held by the gate" } else { "without a gate" });
            if gated {
                held.push(took)
            } else {
                alone.push(took)
            }
            if let Some(controller) = controller {
                controller.stop().await;
            }
            step.end().await;
        }
    }
    let [alone, held] = [alone, held].map(|mut took: Vec<Duration>| {
        took.sort_unstable();
        took[rounds / 2].as_secs_f64()
    });
    let share = alone / held;
    eprintln!("{alone:.2} s without a gate, {held:.2} s with it: at {:.0} % of the speed (medians)", 100.0 * share);
    share
}

async fn bound(step: &crate::world::Step<'_>, gated: bool) -> Duration {
    let admin = &step.world.admin;
    let gates = if gated { json!([{"name": SCHEDULING_GATE}]) } else { json!([]) };
    let begun = Instant::now();
    let created = (0..PODS).map(|number| {
        let pod = merge(pod(&step.namespace, &format!("p{number}"), "2"), &json!({"spec": {"schedulingGates": gates}}));
        async move { create(admin, &pod).await }
    });
    stream::iter(created).buffer_unordered(8).for_each(|_| async {}).await;
    let bound = ListParams::default().fields("spec.nodeName=").limit(1);
    while !pods(admin, &step.namespace).list(&bound).await.unwrap().items.is_empty() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    begun.elapsed()
}
