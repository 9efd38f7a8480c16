//! Shares of devices, which the sums of nodes do not say.

use std::sync::Arc;

use crate::contract::{Admission, Amount, Event, Resource};
use crate::testing::{PodBuilder, PolicyHarness, pod};

/// The resource number of `koordinator.sh/gpu-core`, after the resources that every world has.
const GPU: u32 = 3;

fn world(gpus: i64) -> PolicyHarness {
    let mut world = PolicyHarness::new();
    world.apply(vec![Event::Resources(vec![Resource { name: "koordinator.sh/gpu-core".to_owned(), everywhere: 0 }])]);
    let Event::NodeUpserted(mut node) = world.numbers.node("n", "cpu=9") else { panic!("it is a node") };
    node.allocatable.push(Amount { resource: GPU, value: gpus });
    world.apply(vec![Event::NodeUpserted(node)]);
    world
}

fn add(world: &mut PolicyHarness, draft: PodBuilder, gpu: i64) {
    let events = world.numbers.pod(&draft).map(|event| match event {
        Event::PodUpserted(mut pod) => {
            Arc::make_mut(&mut pod.template).requests.push(Amount { resource: GPU, value: gpu });
            Event::PodUpserted(pod)
        }
        other => other,
    });
    world.apply(events.to_vec());
}

/// Checks whether a pod is tried. It requests `asked` of the resource, the node has `gpus`, and another pod uses `held`.
fn is_tried(gpus: i64, held: i64, asked: i64) -> bool {
    let mut world = world(gpus);
    if held > 0 {
        add(&mut world, pod("holder").requests("cpu=1").on("n"), held);
    }
    add(&mut world, pod("p").requests("cpu=1"), asked);
    matches!(world.pre_filter("p"), Admission::Pass)
}

#[test]
fn a_share_is_judged_on_nodes_of_one_device_alone() {
    assert!(is_tried(100, 0, 60) && is_tried(100, 30, 60));
    assert!(!is_tried(200, 0, 60) && !is_tried(200, 60, 60) && !is_tried(400, 0, 150));
}

#[test]
fn whole_devices_are_judged_while_nobody_holds_shares() {
    assert!(is_tried(400, 0, 100) && is_tried(400, 200, 200) && is_tried(100, 50, 100));
    assert!(!is_tried(400, 150, 100));
}
