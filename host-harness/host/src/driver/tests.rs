use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use super::random::{CallsUntilFault, Faulty, SessionSimulation};
use crate::cluster::Mirror;
use crate::session::Session;
use crate::session::testing::Plain;
use crate::verify::testing::interests;

/// The number of simulations, and the number of steps of each.
const SEEDS: u64 = 60;
const STEPS: usize = 400;

#[test]
fn whatever_goes_wrong_no_pod_is_bound_or_evicted_twice_or_forgotten_and_every_promise_is_kept_or_withdrawn() {
    let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut refused, mut restarts) = (0, 0);
    for seed in 0..SEEDS {
        let fuse = CallsUntilFault::default();
        let policy = Faulty::new(Plain::default(), fuse.clone());
        let counted = policy.restarts();
        let session = Session::open(Box::new(policy), "", "").unwrap();
        let mut simulation = SessionSimulation::new(session, seed, 3, Vec::new(), fuse);
        (0..STEPS).for_each(|_| simulation.step());
        simulation.settle();
        simulation.check(Mirror::new(interests()), true);
        refused += simulation.record.refused;
        restarts += counted.load(Ordering::SeqCst);
        for (what, times) in simulation.record.requests {
            *asked.entry(what).or_default() += times;
        }
    }
    // Commands of every kind were requested, and the policy broke often.
    assert!(asked.len() == 5 && asked.values().all(|times| *times > 50), "{asked:?}");
    assert!(refused > 100 && restarts > 100, "{refused} inputs were refused, {restarts} new instances");
}

#[test]
fn a_session_that_is_killed_at_any_point_goes_on_from_its_last_checkpoint() {
    let open =
        |fuse: &CallsUntilFault| Session::open(Box::new(Faulty::new(Plain::default(), fuse.clone())), "", "").unwrap();
    let mut kills = 0;
    for seed in 0..20 {
        let fuse = CallsUntilFault::default();
        let mut simulation = SessionSimulation::new(open(&fuse), seed, 3, Vec::new(), fuse.clone());
        simulation.keep_checkpoints();
        for _ in 0..STEPS {
            simulation.step();
            kills += usize::from(simulation.may_be_killed(5, || open(&fuse)));
        }
        simulation.settle();
        simulation.check(Mirror::new(interests()), true);
    }
    assert!(kills > 300, "killed {kills} times");
}
