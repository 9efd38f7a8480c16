//! The policy is replaced by a new instance of itself while the simulation runs.

use std::collections::BTreeMap;

use lictor::Native;
use lictor_host::cluster::Mirror;
use lictor_host::driver::random::{CallsUntilFault, FaultProbabilities, Faulty, Random};
use lictor_host::replace::{Period, ReplacementState, ReplacementTerms};
use lictor_host::session::{CandidatePolicy, StepOutput};

use crate::systems::{self, Played};
use crate::{STEPS, open, simulation};

/// Short periods, so that a simulation sees several replacements.
const TERMS: ReplacementTerms = ReplacementTerms {
    shadow: Period::Cycles(3),
    watch: Period::Cycles(3),
    allowed: 0,
    answers: 0,
    at_most: Period::Cycles(0),
};

/// Returns the steps of all inputs, with or without replacements, and how many replacements ended.
fn stream(played: &Played, seed: u64, replaces: bool) -> (Vec<StepOutput>, usize) {
    let fuse = CallsUntilFault::default();
    let mut simulation = simulation(played, open(played, &fuse), seed, fuse);
    simulation.faults.chances = FaultProbabilities { breaks: 0, ..simulation.faults.chances };
    simulation.record.steps = Some(Vec::new());
    let mut done = 0;
    for _ in 0..STEPS {
        let state = simulation.session.replacement().map(|progress| progress.state);
        if replaces && state.is_none_or(ReplacementState::is_final) {
            assert_ne!(state, Some(ReplacementState::RolledBack), "{:?}", simulation.session.replacement());
            done += usize::from(state.is_some());
            let new = CandidatePolicy::new(Box::new(Native::default()), played.name, "").unwrap();
            simulation.session.replace(new, TERMS).unwrap();
        }
        simulation.step();
    }
    let mut steps = simulation.record.steps.take().unwrap();
    steps.iter_mut().for_each(|step| step.replacement.clear());
    (steps, done)
}

#[test]
fn a_replacement_by_the_same_policy_changes_no_decision() {
    for played in systems::all() {
        let mut done = 0;
        for seed in 0..4 {
            let (without, _) = stream(&played, seed, false);
            let (with, ended) = stream(&played, seed, true);
            for (place, (one, other)) in without.iter().zip(&with).enumerate() {
                assert_eq!(one, other, "{}, seed {seed}, input {place}", played.name);
            }
            assert_eq!(without.len(), with.len());
            done += ended;
        }
        println!("{}: {done} replacements", played.name);
        assert!(done > 8, "{}: {done} replacements", played.name);
    }
}

#[test]
fn whatever_breaks_in_a_replacement_no_pod_is_bound_or_evicted_twice_or_forgotten() {
    let mut ends: BTreeMap<ReplacementState, usize> = BTreeMap::new();
    for played in systems::all() {
        for seed in 0..4 {
            let (fuse, beside, mut random) =
                (CallsUntilFault::default(), CallsUntilFault::default(), Random::new(seed));
            let mut simulation = simulation(&played, open(&played, &fuse), seed, fuse);
            for _ in 0..STEPS {
                let state = simulation.session.replacement().map(|progress| progress.state);
                if state.is_none_or(ReplacementState::is_final) {
                    *ends.entry(state.unwrap_or(ReplacementState::Loading)).or_default() += 1;
                    beside.set(-1);
                    let new = Faulty::new(Native::default(), beside.clone());
                    if let Ok(new) = CandidatePolicy::new(Box::new(new), played.name, "") {
                        let terms = ReplacementTerms { allowed: u64::MAX, ..TERMS };
                        drop(simulation.session.replace(new, terms));
                    }
                } else if random.percent(3) {
                    beside.set(i64::try_from(random.below(12)).unwrap());
                }
                simulation.step();
            }
            beside.set(-1);
            simulation.settle();
            simulation.check(Mirror::new(played.info().interests), played.is_pod_by_pod());
        }
    }
    println!("{ends:?}");
    assert!(
        [ReplacementState::Done, ReplacementState::RolledBack]
            .iter()
            .all(|state| ends.get(state).is_some_and(|count| *count > 20)),
        "{ends:?}"
    );
}
