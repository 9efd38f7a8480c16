use super::play::{ControllerSimulationTotals, STEPS, play};
use super::strike::InjectedFault;
use super::sweep::{FaultSweep, FaultSweepResult, run_sweep, taken_over};
use super::system::{self, SystemFixture, named, selected_plays};

/// The plays of each system in every run of the tests: those of the first seeds.
const PLAYS: u64 = 3;

/// Plays from these seeds.
fn plays(system: &SystemFixture, seeds: impl Iterator<Item = u64>) {
    let mut figures = ControllerSimulationTotals::default();
    let mut broken = Vec::new();
    for seed in seeds {
        let (violations, _) = play(system, seed, false, &mut figures);
        broken.extend(violations.into_iter().map(|violation| format!("{}:{seed}: {violation}", system.name)));
    }
    println!("{}: {figures:?}", system.name);
    assert!(broken.is_empty(), "{} violations\n{}", broken.len(), broken.join("\n"));
}

/// Plays a plan that is struck at each of its requests, in every way. Where nothing but the process ends, as many pods run in the end as where
/// nothing strikes; and two leaders evict no more pods than one does.
fn sweeps(system: &SystemFixture) {
    let mut broken = Vec::new();
    for sweep in FaultSweep::all(system) {
        let (mut at, unstruck) = (0, run_sweep(system, sweep, u64::MAX));
        assert!(unstruck.running > 0, "{} {sweep:?}: no pod preempts", system.name);
        loop {
            let FaultSweepResult { mut violations, was_injected: was_struck, running, evicted } =
                run_sweep(system, sweep, at);
            if InjectedFault::ENDS.contains(&sweep.fault) && running != unstruck.running {
                violations.push(format!("{running} pods run, and {} without a strike", unstruck.running));
            }
            // With other arguments, the next process may delete what the one before only marks.
            let is_deposed = sweep.fault == InjectedFault::Deposed && sweep.arguments == sweep.then;
            if is_deposed && evicted > unstruck.evicted {
                violations.push(format!("{evicted} pods are evicted, and {} without a strike", unstruck.evicted));
            }
            let name = |violation| format!("{} {sweep:?} {at}: {violation}", system.name);
            broken.extend(violations.into_iter().map(name));
            if !was_struck {
                break;
            }
            at += 1;
        }
        assert!(at >= 4, "{} {sweep:?}: a plan has {at} requests", system.name);
    }
    assert!(broken.is_empty(), "{} violations\n{}", broken.len(), broken.join("\n"));
}

/// The tests of each system, so that systems are played side by side.
macro_rules! of_each_system {
    ($($name:ident)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn comes_to_rest() {
                plays(&named(stringify!($name)), 0..PLAYS);
            }

            #[test]
            fn comes_to_rest_whatever_strikes_at_a_request_of_a_plan() {
                sweeps(&named(stringify!($name)));
            }
        }
    )*};
}

of_each_system! { coscheduling koordinator kubernetes volcano yunikorn }

#[test]
fn a_gang_of_volcano_that_takes_back_comes_to_rest_whatever_strikes_at_a_request_of_a_plan() {
    sweeps(&system::volcano_reclaims());
}

#[test]
fn a_process_whose_checkpoint_was_taken_over_carries_nothing_out() {
    for system in system::all() {
        let [before, until, end] = taken_over(&system);
        assert!(before == until && until < end, "{}: {before}, {until}, {end}", system.name);
    }
}

#[test]
#[ignore = "a million steps take minutes"]
fn a_million_steps() {
    let (systems, first, count) = selected_plays(system::all().into(), STEPS);
    if count == 1 {
        let (violations, story) = play(&systems[0], first, true, &mut ControllerSimulationTotals::default());
        println!("{}\n{}", story.join("\n"), violations.join("\n"));
        return assert!(violations.is_empty());
    }
    for system in systems {
        plays(&system, first..first + count);
    }
}
