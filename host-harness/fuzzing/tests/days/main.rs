//! Days of a cluster: jobs come, run, end, are evicted and come back, and a session of the host decides after each event.
//!
//! `cargo test` plays a short sample. `cargo test --release -p lictor-fuzzing --test days -- --ignored --nocapture` plays days and prints a
//! table. `LICTOR_DAYS` chooses the run: `SYSTEM:SEED:JOBS`, or with `:NODES`,
//! several with commas, such as `kubernetes-all:2:350`. With
//! `LICTOR_DAYS_INSTANCES=FOLDER`, each single plan is written there as JSON, with its exact minimum.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

mod compare;
mod days;
mod figures;
mod instance;
mod objects;
mod optimum;
mod plans;
mod trace;

use std::collections::BTreeMap;

use days::Days;
use figures::Figures;
use objects::Rules;
use optimum::Stopped;

/// The nodes of the cluster, 8 GPUs each.
const NODES: usize = 32;

/// Plays days in one system, and asserts what must hold after every event.
fn play(rules: Rules, seed: u64, jobs: usize, nodes: usize) -> Figures {
    let figures = Days::of(rules, trace::jobs(seed, jobs, nodes), nodes).play();
    let name = format!("{rules:?}, seed {seed}, {jobs} jobs");
    assert_eq!(figures.unsettled, 0, "{name}: an event does not settle: {:?}", figures.faults);
    assert_eq!(figures.useless, 0, "{name}: a plan is useless: {:?}", figures.faults);
    assert_eq!(figures.partial, 0, "{name}: a part of a gang runs at rest: {:?}", figures.faults);
    assert_eq!(figures.held_in_vain, 0, "{name}: a gang holds nodes at Permit in vain at rest: {:?}", figures.faults);
    figures
}

#[test]
fn an_afternoon_settles_in_every_system() {
    let mut plans = 0;
    for rules in Rules::ALL {
        plans += play(rules, 1, 40, 4).plans;
    }
    assert!(plans > 0, "nobody is evicted in the sample");
}

#[test]
#[ignore = "minutes: by hand, with --release"]
fn days_settle_in_every_system() {
    let runs = std::env::var("LICTOR_DAYS").unwrap_or_default();
    let chosen: Vec<(Rules, u64, usize, usize)> = match runs.as_str() {
        "" => Rules::ALL.iter().flat_map(|rules| (1..=3).map(|seed| (*rules, seed, 350, NODES))).collect(),
        runs => runs.split(',').map(run).collect(),
    };
    println!("| run | {} |", Figures::TITLES);
    let (mut faults, mut compared) = (Vec::new(), BTreeMap::<&str, [Stopped; 2]>::new());
    for (rules, seed, jobs, nodes) in chosen {
        let figures = Days::of(rules, trace::jobs(seed, jobs, nodes), nodes).play();
        println!("| {} {seed} | {} |", rules.name(), figures.row());
        faults.extend(figures.faults.iter().map(|fault| format!("{} {seed}: {fault}", rules.name())));
        if rules.leaves_the_order_open() {
            let [stopped, least] = compared.entry(rules.name()).or_default();
            stopped.add(figures.stopped);
            least.add(figures.least);
        }
    }
    let too_much = |(name, [stopped, least]): (&str, [Stopped; 2])| {
        let is_too_much = !stopped.in_order.is_near(least.in_order);
        is_too_much.then(|| format!("{name}: {:?} stop, where {:?} are enough", stopped.in_order, least.in_order))
    };
    faults.extend(compared.into_iter().filter_map(too_much));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Reads `SYSTEM:SEED:JOBS:NODES`.
fn run(text: &str) -> (Rules, u64, usize, usize) {
    let parts: Vec<&str> = text.split(':').collect();
    let rules = Rules::ALL.into_iter().find(|rules| rules.name() == parts[0]);
    let nodes = parts.get(3).map_or(NODES, |nodes| nodes.parse().unwrap());
    (
        rules.unwrap_or_else(|| panic!("no system {}", parts[0])),
        parts[1].parse().unwrap(),
        parts[2].parse().unwrap(),
        nodes,
    )
}
