//! The process of the session is killed at a random point, and started again from the cluster's objects and its last checkpoint.

use std::collections::BTreeMap;

use lictor_host::cluster::Mirror;
use lictor_host::driver::random::CallsUntilFault;

use crate::systems::{self, Played};
use crate::{STEPS, open, simulation};

/// How often the process is killed with each system, at least.
const KILLS: usize = 200;

/// Plays simulations until it was killed often enough. What must not happen is checked on the way and in the end: no pod is bound twice
/// or evicted twice, no plan, promise or pod is forgotten.
fn play(played: &Played) {
    let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut kills, mut seed) = (0, 0);
    while kills < KILLS {
        let fuse = CallsUntilFault::default();
        let mut simulation = simulation(played, open(played, &fuse), 1_000 + seed, fuse.clone());
        simulation.keep_checkpoints();
        for _ in 0..STEPS {
            simulation.step();
            kills += usize::from(simulation.may_be_killed(8, || open(played, &fuse)));
        }
        simulation.settle();
        simulation.check(Mirror::new(played.info().interests), played.is_pod_by_pod());
        for (what, times) in simulation.record.requests {
            *asked.entry(what).or_default() += times;
        }
        seed += 1;
    }
    println!("{}: killed {kills} times in {seed} simulations of {STEPS} steps; asked for {asked:?}", played.name);
    let often = |what: &str| asked.get(what).is_some_and(|times| *times > 10);
    assert!(played.commands.iter().all(|command| often(command)), "{}: {asked:?}", played.name);
}

#[test]
fn kubernetes_killed_at_any_point() {
    play(&systems::kubernetes());
}

#[test]
fn coscheduling_killed_at_any_point() {
    play(&systems::coscheduling());
}

#[test]
fn koordinator_killed_at_any_point() {
    play(&systems::koordinator_evicting());
}

#[test]
fn yunikorn_killed_at_any_point() {
    play(&systems::yunikorn());
}

#[test]
fn volcano_killed_at_any_point() {
    play(&systems::volcano_reclaiming());
}
