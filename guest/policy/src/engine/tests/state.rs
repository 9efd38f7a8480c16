//! A checkpoint carries what the cluster does not show.

use crate::contract::{Checkpoint, Event, Permission, StateError};
use crate::testing::{World, pod, pod_group};

fn world() -> World {
    let mut world = World::new();
    world.node("n", "cpu=2");
    world.object(pod_group("g", 2, &[]));
    world.pod(pod("v").asks("cpu=2").on("n"));
    world.pod(pod("a").asks("cpu=1").priority(1));
    for name in ["g1", "g2"] {
        world.pod(pod(name).job("g"));
    }
    world
}

#[test]
fn a_plan_in_flight_survives() {
    let mut first = world();
    let plan = first.plan("a").unwrap();
    first.tell(vec![Event::PlanAccepted(plan.id)]);
    let checkpoint = first.engine.save();

    let mut second = world();
    assert!(second.plan("a").is_ok());
    assert_eq!(second.engine.restore(&checkpoint), Ok(()));
    assert_eq!(second.plan("a"), Err("koordinator/last-plan-is-done".to_owned()));
    assert_eq!(second.engine.save().bytes, checkpoint.bytes, "what was restored is what is saved");
    second.gone("v");
    assert!(second.plan("a").is_ok_and(|next| next.id > plan.id), "no number is used twice");
}

#[test]
fn a_gang_that_was_complete_once_survives() {
    let mut first = world();
    for name in ["g1", "g2"] {
        first.reserve(name, "n");
    }
    let permission = |world: &mut World, name: &str| world.engine.permit(world.id(name)).unwrap().permission;
    assert_eq!(permission(&mut first, "g1"), Permission::Allow);

    let mut second = world();
    second.reserve("g1", "n");
    assert_eq!(permission(&mut second, "g1"), Permission::Wait(600_000_000_000));
    assert_eq!(second.engine.restore(&first.engine.save()), Ok(()));
    assert_eq!(permission(&mut second, "g1"), Permission::Allow);
}

#[test]
fn a_checkpoint_tells_at_which_event_it_was_taken() {
    let mut world = World::new();
    assert_eq!(world.engine.save().revision, 1, "the resources");
    world.node("n", "");
    world.tell(vec![Event::Clock(1), Event::Clock(2)]);
    assert_eq!(world.engine.save().revision, 4);
}

#[test]
fn what_is_no_checkpoint_restores_nothing() {
    let mut world = world();
    let plan = world.plan("a").unwrap();
    world.tell(vec![Event::PlanAccepted(plan.id)]);
    let good = world.engine.save();
    let unknown = Checkpoint { format: good.format + 1, ..good.clone() };
    assert_eq!(world.engine.restore(&unknown), Err(StateError::UnknownFormat(good.format)));
    let mut cut = good.bytes.clone();
    cut.pop();
    for bytes in [Vec::new(), b"{}".to_vec(), b"null".to_vec(), vec![0xff; 8], cut] {
        let broken = Checkpoint { bytes, ..good.clone() };
        assert!(matches!(world.engine.restore(&broken), Err(StateError::Malformed(_))), "{broken:?}");
    }
    assert_eq!(world.plan("a"), Err("koordinator/last-plan-is-done".to_owned()));
}
