use super::play::SchedulerSimulationTotals;
use super::rest::{STEPS, play};
use super::system::{self, SystemFixture, named, selected_plays};

/// The plays of each system in every run of the tests: those of the first seeds.
const PLAYS: u64 = 2;

/// Returns the systems that are served: not those that decide in cycles of their own.
fn systems() -> Vec<SystemFixture> {
    system::all().into_iter().filter(|system| system.name != "volcano").collect()
}

/// Plays from these seeds.
fn plays(system: &SystemFixture, seeds: impl Iterator<Item = u64>) {
    let mut figures = SchedulerSimulationTotals::default();
    let mut broken = Vec::new();
    for seed in seeds {
        let (violations, _) = play(system, seed, false, &mut figures);
        broken.extend(violations.into_iter().map(|violation| format!("{}:{seed}: {violation}", system.name)));
    }
    println!("{}: {figures:?}", system.name);
    assert!(broken.is_empty(), "{} violations\n{}", broken.len(), broken.join("\n"));
}

/// The tests of each system, so that systems are played side by side.
macro_rules! of_each_system {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            plays(&named(stringify!($name)), 0..PLAYS);
        }
    )*};
}

of_each_system! { coscheduling koordinator kubernetes yunikorn }

#[test]
#[ignore = "a million steps take minutes"]
fn a_million_steps() {
    let (systems, first, count) = selected_plays(systems(), STEPS);
    if count == 1 {
        let (violations, story) = play(&systems[0], first, true, &mut SchedulerSimulationTotals::default());
        println!("{}\n{}", story.join("\n"), violations.join("\n"));
        return assert!(violations.is_empty());
    }
    for system in systems {
        plays(&system, first..first + count);
    }
}
