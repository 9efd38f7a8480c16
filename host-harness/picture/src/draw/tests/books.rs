//! What is drawn of the queues is what the books have, in every scenario and snapshot.
#![expect(clippy::arithmetic_side_effects, reason = "tests")]

use std::path::{Path, PathBuf};

use lictor_conformance::{Scenario, each_in, read_scenario};
use lictor_decide::CycleInterval;
use lictor_host::driver::VirtualDriver;
use lictor_host::session::SessionInput;

use super::*;

/// The number of queues that were compared with the books, and the number of those that hold something.
#[derive(Default)]
struct Seen {
    queues: usize,
    holding: usize,
}

/// Checks that the pods in each queue hold as much of each drawn resource as the account of the queue says; a queue holds what those below it hold.
/// The accounts count pods that have been reserved a node and are not bound, but the picture draws these as waiting: their requests are added.
fn check(name: &str, session: &mut VirtualDriver, seen: &mut Seen) {
    let accounts = match session.accounts() {
        Ok(accounts) => accounts,
        Err(error) => panic!("{name}: {error}"),
    };
    let memberships = session.memberships().unwrap();
    let mirror = session.mirror();
    let picture = picture(mirror, &memberships);
    let numbers = resources(mirror);
    let mut own: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for held in picture.nodes.iter().flat_map(|node| &node.held) {
        let sums = own.entry(&picture.queues[held.queue]).or_insert_with(|| vec![0; numbers.len()]);
        sums.iter_mut().zip(&held.amounts).for_each(|(sum, amount)| *sum += amount);
    }
    for waiting in session.waiting().keys() {
        let pod = mirror.pod(mirror.pod_id(waiting).unwrap()).unwrap();
        let Some(queue) = memberships.get(&pod.id).and_then(|it| it.queue.as_deref()) else { continue };
        let sums = own.entry(queue).or_insert_with(|| vec![0; numbers.len()]);
        sums.iter_mut().zip(&numbers).for_each(|(sum, (number, _))| *sum += amount(&pod.template.requests, *number));
    }
    // Children come after their parents.
    let mut all: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for account in accounts.iter().rev() {
        let below = all.remove(account.name.as_str()).unwrap_or_else(|| vec![0; numbers.len()]);
        let own = own.get(account.name.as_str()).cloned().unwrap_or_else(|| vec![0; numbers.len()]);
        let sums: Vec<i64> = below.iter().zip(own).map(|(below, own)| below + own).collect();
        let used: Vec<i64> = numbers.iter().map(|(number, _)| amount(&account.used, *number)).collect();
        assert_eq!(sums, used, "{name}: queue `{}`, {:?}", account.name, picture.resources);
        seen.queues += 1;
        seen.holding += usize::from(used.iter().any(|used| *used > 0));
        if let Some(parent) = &account.parent {
            let above = all.entry(parent).or_insert_with(|| vec![0; numbers.len()]);
            above.iter_mut().zip(&sums).for_each(|(above, sum)| *above += sum);
        }
    }
}

fn play(scenario: &Scenario, seen: &mut Seen) {
    let arguments = serde_json::to_string(&scenario.args).unwrap();
    let mut session = VirtualDriver::open(Box::new(Native::default()), &scenario.system, &arguments).unwrap();
    session.set_schedulers(scenario.schedulers.iter().cloned());
    // What cannot be counted is said in the first answer, and left out from then on.
    drop(session.apply(scenario.cluster.clone()));
    check(&scenario.name, &mut session, seen);
    for _ in 0..2 {
        session.serve(SessionInput::Cycle).unwrap();
        check(&scenario.name, &mut session, seen);
        session.evictions_complete().unwrap();
        check(&scenario.name, &mut session, seen);
    }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn in_every_scenario_a_queue_is_drawn_with_what_it_uses() {
    let (mut seen, mut played) = (Seen::default(), 0);
    for file in files(&fixtures().join("scenarios")) {
        if file.extension().is_none_or(|it| it != "yaml") {
            continue;
        }
        each_in(&file, &mut |document| {
            play(&read_scenario(document)?, &mut seen);
            played += 1;
            Ok(())
        })
        .unwrap();
    }
    assert!(played > 700 && seen.holding > played, "{played} scenarios, {} queues, {} hold", seen.queues, seen.holding);
}

#[test]
fn in_every_snapshot_a_queue_is_drawn_with_what_it_uses() {
    let (mut seen, mut opened) = (Seen::default(), 0);
    for name in ["four-teams.yaml", "three-zones.yaml"] {
        let text = std::fs::read_to_string(fixtures().join("snapshots").join(name)).unwrap();
        for system in ["koordinator", "volcano", "coscheduling", "yunikorn", "kubernetes"] {
            let mut cluster = opened_as(system, &text);
            let name = format!("{name} as {system}");
            check(&name, cluster.session_mut(), &mut seen);
            cluster.decide(1, Default::default()).unwrap();
            check(&name, cluster.session_mut(), &mut seen);
            cluster.apply_interval(CycleInterval::default()).unwrap();
            check(&name, cluster.session_mut(), &mut seen);
            opened += 1;
        }
    }
    assert!(opened == 10 && seen.holding > opened, "{} queues, {} hold", seen.queues, seen.holding);
}
