//! One plan, struck at each of its requests: what strikes at random in long plays strikes here everywhere once.

use lictor_host::living::only_marks;
use serde_json::Value;

use super::play::{Play, ROUND, in_time};
use super::process::Kept;
use super::server::{Server, State, pods};
use super::strike::Strike;
use super::system::System;
use super::world;
use crate::view::text;

/// The rounds in which a gang of low priority starts.
const FIRST: usize = 6;
/// The rounds in which the plan for the gang of high priority is carried out, or struck.
const SECOND: usize = 8;

/// A sweep: what strikes at each request of a plan, and how the processes are started.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sweep {
    pub(super) strike: Strike,
    /// The arguments of the process that makes the plan.
    pub(super) arguments: &'static str,
    /// The arguments of the process that follows when that one ends in the middle of its plan.
    pub(super) then: &'static str,
    /// Whether the process that follows has the checkpoint of the one before.
    pub(super) has_checkpoint: bool,
}

impl Sweep {
    /// Returns the sweeps of a system: all that strikes, with its first arguments; and each way of a process to end, before and after a change of
    /// arguments and without one, with and without a checkpoint.
    pub(super) fn all(system: &System) -> Vec<Sweep> {
        let first = system.arguments[0];
        let alike = |strike| Sweep { strike, arguments: first, then: first, has_checkpoint: true };
        let others = Strike::ALL.into_iter().filter(|strike| !Strike::ENDS.contains(strike)).map(alike);
        let ends = Strike::ENDS.into_iter().flat_map(|strike| {
            let others = system.arguments.iter().filter(move |other| **other != first);
            let pairs = others.flat_map(move |other| [(first, *other), (*other, first)]);
            [(first, first)].into_iter().chain(pairs).flat_map(move |(arguments, then)| {
                [true, false].map(|has_checkpoint| Sweep { strike, arguments, then, has_checkpoint })
            })
        });
        others.chain(ends).collect()
    }
}

/// The result of a plan.
pub(super) struct Swept {
    pub(super) violations: Vec<String>,
    /// Whether there was a request that was struck.
    pub(super) was_struck: bool,
    /// How many pods of the gang that preempts run in the end. Without a gang in the system, the laws may allow a part of them to preempt.
    pub(super) running: usize,
}

/// Plays a plan that is struck at a request, by number.
pub(super) fn swept(system: &System, sweep: Sweep, at: u64) -> Swept {
    in_time(async {
        let server = Server::new(at);
        let mut play = Play::begin(system, server.clone(), 2);
        play.arguments = sweep.arguments;
        create(&server, system, "g0l", 6);
        for _ in 0..FIRST {
            play.round(ROUND).await;
        }
        assert_eq!(running(&server.state(), "g0l"), 2, "{} starts the gang that is preempted", system.name);
        create(&server, system, "g1h", 5);
        server.state().strike = Some((at, sweep.strike));
        for _ in 0..SECOND {
            play.round(ROUND).await;
            if play.has_ended() {
                play.arguments = sweep.then;
                play.kept = if sweep.has_checkpoint { play.kept } else { Kept::default() };
            }
        }
        let was_struck = server.state().strike.is_none();
        play.rest().await;
        let state = &mut *server.state();
        let evicts = state.observer.verbs.contains_key("evict");
        assert!(evicts || was_struck || only_marks(system.name, sweep.arguments), "{} evicts no pod", system.name);
        let violations = std::mem::take(&mut state.observer.violations);
        Swept { violations, was_struck, running: running(state, "g1h") }
    })
}

/// Lets another process take the checkpoint over before a gang comes. Returns how many requests write before, until the process has ended, and in the
/// end.
pub(super) fn taken_over(system: &System) -> [u64; 3] {
    in_time(async {
        let server = Server::new(0);
        let mut play = Play::begin(system, server.clone(), 2);
        let (_, before) = play.round(ROUND).await;
        play.kept.lose();
        create(&server, system, "g0l", 6);
        let (_, until) = play.round(ROUND).await;
        // Another process begins, and takes the checkpoint over.
        for _ in 0..FIRST {
            play.round(ROUND).await;
        }
        assert_eq!(running(&server.state(), "g0l"), 2, "{} starts the gang", system.name);
        [before, until, server.state().observer.writes]
    })
}

/// Returns how many pods of a gang run.
fn running(state: &State, gang: &str) -> usize {
    let kind = pods();
    let runs = |pod: &&Value| {
        text(pod, "/metadata/name").starts_with(gang)
            && text(pod, "/status/phase") == "Running"
            && text(pod, "/metadata/deletionTimestamp").is_empty()
    };
    state.all(&kind).filter(runs).count()
}

/// Creates a gang of two pods of these cores.
fn create(server: &Server, system: &System, name: &str, cpu: usize) {
    let state = &mut *server.state();
    let important = name.ends_with('h');
    state.create((system.group)(name, 2, important));
    for member in 0..2 {
        world::pod(state, system, &format!("{name}-{member}"), Some(name), (cpu, important, false));
    }
}
