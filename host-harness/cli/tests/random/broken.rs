//! The policy breaks, again and again.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use lictor::Native;
use lictor_host::cluster::Mirror;
use lictor_host::driver::random::{CallsUntilFault, Faulty};
use lictor_host::session::Session;

use crate::systems::{self, Played};
use crate::{STEPS, simulation};

/// Plays simulations with a system; its commands must be asked for often.
fn play(played: &Played) {
    let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
    let mut restarts = 0;
    for seed in 0..played.seeds {
        let fuse = CallsUntilFault::default();
        let policy = Faulty::new(Native::default(), fuse.clone());
        let counted = policy.restarts();
        let session = Session::open(Box::new(policy), played.name, "").unwrap();
        let mut simulation = simulation(played, session, seed, fuse);
        (0..STEPS).for_each(|_| simulation.step());
        simulation.settle();
        simulation.check(Mirror::new(played.info().interests), played.is_pod_by_pod());
        restarts += counted.load(Ordering::SeqCst);
        for (what, times) in simulation.record.requests {
            *asked.entry(what).or_default() += times;
        }
    }
    let often = |what: &str| asked.get(what).is_some_and(|times| *times > 10);
    assert!(played.commands.iter().all(|command| often(command)), "{}: {asked:?}", played.name);
    assert!(restarts > 10, "{}: {restarts} new instances", played.name);
}

#[test]
fn kubernetes() {
    play(&systems::kubernetes());
}

#[test]
fn coscheduling_with_gangs_of_two() {
    play(&systems::coscheduling());
}

#[test]
fn koordinator_with_gangs_of_two() {
    play(&systems::koordinator());
}

#[test]
fn yunikorn() {
    play(&systems::yunikorn());
}

#[test]
fn volcano() {
    play(&systems::volcano());
}
