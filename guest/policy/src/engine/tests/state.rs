//! A checkpoint carries what the cluster does not show.

use crate::contract::{Admission, Checkpoint, Event, Permission, StateError};
use crate::testing::{PolicyHarness, pod, pod_group, without_numbers};

fn world() -> PolicyHarness {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=2");
    world.object(pod_group("g", 2, &[]));
    world.pod(pod("v").requests("cpu=2").on("n"));
    world.pod(pod("a").requests("cpu=1").priority(1));
    for name in ["g1", "g2"] {
        world.pod(pod(name).job("g"));
    }
    world
}

#[test]
fn a_plan_in_flight_survives() {
    let mut first = world();
    let plan = first.plan("a").unwrap();
    first.apply(vec![Event::PlanAccepted(plan.id)]);
    let checkpoint = first.engine.save();

    let mut second = world();
    assert!(second.plan("a").is_ok());
    assert_eq!(second.engine.restore(&checkpoint), Ok(()));
    assert_eq!(second.plan("a"), Err("koordinator/last-plan-is-done".to_owned()));
    assert_eq!(second.engine.save().bytes, checkpoint.bytes, "what was restored is what is saved");
    second.remove_pod("v");
    assert!(second.plan("a").is_ok_and(|next| next.id > plan.id), "no number is used twice");
}

/// Creates a cluster where `v` is on the only node, and `a` and `b` of job `j` need its capacity. The pods have these numbers, and `v` has this uid.
fn numbered(numbers: [u32; 3], uid: &str) -> PolicyHarness {
    let mut world = PolicyHarness::new();
    let names = ["default/v", "default/a", "default/b"];
    world.numbers.pods.extend(names.map(str::to_owned).into_iter().zip(numbers));
    world.node("n", "cpu=2");
    world.pod(pod("v").requests("cpu=2").on("n").with(|pod| pod.uid = uid.to_owned()));
    for name in ["a", "b"] {
        world.pod(pod(name).requests("cpu=1").priority(1).with(|pod| pod.uid = name.to_owned()));
    }
    world
}

#[test]
fn a_plan_in_flight_survives_under_other_numbers() {
    let mut first = numbered([0, 1, 2], "1");
    let plan = first.plan("a").unwrap();
    first.apply(vec![Event::PlanAccepted(plan.id)]);
    let checkpoint = first.engine.save();

    // The number of `a` is that of `b` now, and no pod has the number of `v`.
    let mut second = numbered([9, 2, 0], "1");
    assert_eq!(second.plan("b").unwrap().victims, ["default/v"]);
    assert_eq!(second.engine.restore(&checkpoint), Ok(()));
    assert_eq!(without_numbers(&second.engine.save()), without_numbers(&checkpoint));
    assert_eq!(second.plan("a"), Err("koordinator/last-plan-is-done".to_owned()));
    let planned = second.plan("b").map(|plan| plan.victims);
    assert_eq!(planned, Ok(Vec::new()), "`v` is leaving and is not evicted again");
}

#[test]
fn another_pod_of_the_name_of_a_victim_is_no_victim() {
    let mut first = numbered([0, 1, 2], "1");
    let plan = first.plan("a").unwrap();
    first.apply(vec![Event::PlanAccepted(plan.id)]);
    for (uid, is_the_victim) in [("1", true), ("2", false), ("", true)] {
        let mut second = numbered([0, 1, 2], uid);
        assert_eq!(second.engine.restore(&first.engine.save()), Ok(()));
        assert_eq!(second.plan("a").is_err(), is_the_victim, "uid `{uid}`");
    }
}

#[test]
fn a_gang_that_was_complete_once_survives() {
    let mut first = world();
    for name in ["g1", "g2"] {
        first.reserve(name, "n");
    }
    let permission = |world: &mut PolicyHarness, name: &str| world.engine.permit(world.id(name)).unwrap().permission;
    assert_eq!(permission(&mut first, "g1"), Permission::Allow);

    let mut second = world();
    second.reserve("g1", "n");
    assert_eq!(permission(&mut second, "g1"), Permission::Wait(600_000_000_000));
    assert_eq!(second.engine.restore(&first.engine.save()), Ok(()));
    assert_eq!(permission(&mut second, "g1"), Permission::Allow);
}

/// Creates a gang of three that must be complete, with these numbers for its pods. No node has capacity for `g3`.
fn gang_of_three(numbers: [u32; 3]) -> PolicyHarness {
    let mut world = PolicyHarness::new();
    let names = ["default/g1", "default/g2", "default/g3"];
    world.numbers.pods.extend(names.map(str::to_owned).into_iter().zip(numbers));
    world.node("n", "cpu=2");
    world.object(pod_group("g", 3, &[]));
    for (name, cpu) in [("g1", "cpu=1"), ("g2", "cpu=1"), ("g3", "cpu=9")] {
        world.pod(pod(name).job("g").requests(cpu));
    }
    world
}

#[test]
fn the_round_of_a_gang_survives_under_other_numbers() {
    // After any number of attempts, a restored policy decides like the policy that it replaces.
    let attempts = ["g3", "g1", "g2", "g3", "g1", "g1", "g2"];
    for tried in 0..=attempts.len() {
        let (before, after) = attempts.split_at(tried);
        let attempt = |world: &mut PolicyHarness, name: &&str| {
            let admission = world.pre_filter(name);
            let is_tried = admission == Admission::Pass && *name == "g3";
            (admission, is_tried.then(|| world.post_filter(name).reason.code))
        };
        let mut first = gang_of_three([0, 1, 2]);
        before.iter().for_each(|name| drop(attempt(&mut first, name)));
        let mut second = gang_of_three([2, 7, 1]);
        assert_eq!(second.engine.restore(&first.engine.save()), Ok(()));
        assert_eq!(without_numbers(&second.engine.save()), without_numbers(&first.engine.save()));
        let decisions = |world: &mut PolicyHarness| after.iter().map(|name| attempt(world, name)).collect::<Vec<_>>();
        assert_eq!(decisions(&mut second), decisions(&mut first), "after {before:?}");
    }
}

#[test]
fn a_checkpoint_without_rounds_is_taken() {
    let mut first = gang_of_three([0, 1, 2]);
    first.pre_filter("g3");
    first.post_filter("g3");
    assert!(matches!(first.pre_filter("g1"), Admission::Final(_)), "the gang cannot be complete in this round");
    let saved = first.engine.save();
    let mut older: serde_json::Value = serde_json::from_slice(&saved.bytes).unwrap();
    assert!(older.as_object_mut().unwrap().remove("rounds").is_some());
    let mut second = gang_of_three([0, 1, 2]);
    let older = Checkpoint { bytes: serde_json::to_vec(&older).unwrap(), ..saved };
    assert_eq!(second.engine.restore(&older), Ok(()));
    assert_eq!(second.pre_filter("g1"), Admission::Pass, "a round begins");
}

#[test]
fn what_is_no_checkpoint_restores_nothing() {
    let mut world = world();
    let plan = world.plan("a").unwrap();
    world.apply(vec![Event::PlanAccepted(plan.id)]);
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

#[test]
fn a_memory_that_could_not_be_written_is_no_checkpoint_and_says_why() {
    let mut world = PolicyHarness::of("yunikorn", "");
    let error = serde_json::to_vec(&std::collections::BTreeMap::from([([1, 2], 3)])).unwrap_err();
    let unsaved = crate::systems::unsaved_state(error);
    let good = world.engine.save();
    let mut memory: serde_json::Value = serde_json::from_slice(&good.bytes).unwrap();
    memory["system"] = unsaved.clone();
    // The memory of the engine, or that of the system alone.
    for bytes in [unsaved.to_string(), memory.to_string()].map(String::into_bytes) {
        let restored = world.engine.restore(&Checkpoint { bytes, ..good.clone() });
        let Err(StateError::Malformed(why)) = restored else { panic!("{restored:?}") };
        assert!(why.contains("key must be a string"), "{why}");
    }
}

/// Creates pods of group `g` of coscheduling, by name and creation, a single pod that was created at 3, and a group `h` created at 6.
fn groups(members: &[(&str, i64)]) -> PolicyHarness {
    let mut world = PolicyHarness::of("coscheduling", "");
    world.node("n", "cpu=2");
    let member = |group: &str, name: &str, created: i64| {
        let pod = pod(name).label("pod-group/name", group).label("pod-group/min-available", "2");
        pod.requests("cpu=1").with(|pod| pod.created = created)
    };
    for (name, created) in members {
        world.pod(member("g", name, *created));
    }
    world.pod(pod("alone").with(|pod| pod.created = 3));
    for (name, created) in [("h1", 6), ("h2", 6)] {
        world.pod(member("h", name, created));
    }
    world
}

fn order(world: &mut PolicyHarness, names: &[&str]) -> Vec<String> {
    let ids: Vec<_> = names.iter().map(|name| world.id(name)).collect();
    world.queue(&ids).into_iter().map(|id| world.pod_name(id)).collect()
}

#[test]
fn a_member_that_is_gone_does_not_count_for_the_time_of_its_gang() {
    let mut lived = groups(&[("g1", 1), ("g2", 5), ("g3", 4)]);
    assert_eq!(order(&mut lived, &["alone", "g2"]), ["default/g2", "default/alone"], "the gang stands at 1");
    lived.remove_pod("g1");
    let mut rebuilt = groups(&[("g2", 5), ("g3", 4)]);
    for world in [&mut lived, &mut rebuilt] {
        assert_eq!(order(world, &["g2", "alone"]), ["default/alone", "default/g2"], "the gang stands at 4");
    }
}

#[test]
fn whose_turn_it_is_survives() {
    let members = [("g1", 1), ("g2", 1)];
    let mut first = groups(&members);
    first.pre_filter("g1");
    first.reserve("g1", "n");
    let released = |world: &mut PolicyHarness| world.engine.pre_filter(world.id("h1")).unwrap().effects.releases;
    let mut forgetful = groups(&members);
    let mut second = groups(&members);
    assert_eq!(second.engine.restore(&first.engine.save()), Ok(()));
    for world in [&mut forgetful, &mut second] {
        world.reserve("g1", "n");
    }
    assert!(released(&mut forgetful).is_empty(), "nothing was tried before, as far as it knows");
    let g1 = first.id("g1");
    assert_eq!(released(&mut second), [g1], "`g` waits in vain when `h` is tried");
    assert_eq!(released(&mut first), [g1]);
    assert_eq!(second.engine.save().bytes, first.engine.save().bytes);
}

#[test]
fn a_gang_that_left_before_its_turn_ended_has_not_failed() {
    let mut world = groups(&[("g1", 1), ("g2", 1)]);
    world.apply(vec![Event::Clock(9)]);
    world.pre_filter("g1");
    world.remove_pod("g1");
    world.remove_pod("g2");
    world.pre_filter("h1");
    let mut again = groups(&[("g1", 1), ("g2", 1)]);
    let draft = |name: &str| pod(name).label("pod-group/name", "g").label("pod-group/min-available", "2");
    for name in ["g1", "g2"] {
        world.pod(draft(name).requests("cpu=1").with(|pod| pod.created = 1));
    }
    for world in [&mut world, &mut again] {
        assert_eq!(order(world, &["alone", "g1"]), ["default/g1", "default/alone"], "the gang stands at 1, not at 9");
    }
}
