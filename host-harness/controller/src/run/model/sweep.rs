//! One plan, struck at each of its requests: what strikes at random in long plays strikes here everywhere once.

use lictor_host::living::only_marks;
use serde_json::Value;

use super::checkpoint::MemoryCheckpointStore;
use super::play::{ControllerSimulation, ROUND, in_time};
use super::server::{ApiServerHandle, ApiServerState, pods};
use super::strike::InjectedFault;
use super::system::SystemFixture;
use super::world;
use crate::view::text;

/// The rounds in which a gang of low priority starts.
const FIRST: usize = 6;
/// The rounds in which the plan for the gang of high priority is carried out, or struck.
const SECOND: usize = 8;

/// A sweep: what strikes at each request of a plan, and how the processes are started.
#[derive(Debug, Clone, Copy)]
pub(super) struct FaultSweep {
    pub(super) fault: InjectedFault,
    /// The arguments of the process that makes the plan.
    pub(super) arguments: &'static str,
    /// The arguments of the process that follows when that one ends in the middle of its plan.
    pub(super) then: &'static str,
    /// Whether the process that follows has the checkpoint of the one before.
    pub(super) has_checkpoint: bool,
}

impl FaultSweep {
    /// Returns the sweeps of a system: all that strikes, with its first arguments; and each way of a process to end, before and after a change of
    /// arguments and without one, with and without a checkpoint.
    pub(super) fn all(system: &SystemFixture) -> Vec<FaultSweep> {
        let first = system.arguments[0];
        let alike = |strike| FaultSweep { fault: strike, arguments: first, then: first, has_checkpoint: true };
        let others = InjectedFault::ALL.into_iter().filter(|strike| !InjectedFault::ENDS.contains(strike)).map(alike);
        let ends = InjectedFault::ENDS.into_iter().flat_map(|strike| {
            let others = system.arguments.iter().filter(move |other| **other != first);
            let pairs = others.flat_map(move |other| [(first, *other), (*other, first)]);
            [(first, first)].into_iter().chain(pairs).flat_map(move |(arguments, then)| {
                // Without a checkpoint nothing keeps two leaders apart: their plans add up.
                let kept = [true, false].into_iter().filter(move |kept| *kept || strike != InjectedFault::Deposed);
                kept.map(move |has_checkpoint| FaultSweep { fault: strike, arguments, then, has_checkpoint })
            })
        });
        others.chain(ends).collect()
    }
}

/// The result of a plan.
pub(super) struct FaultSweepResult {
    pub(super) violations: Vec<String>,
    /// Whether there was a request that was struck.
    pub(super) was_injected: bool,
    /// How many pods of the gang that preempts run in the end. Without a gang in the system, the laws may allow a part of them to preempt.
    pub(super) running: usize,
    /// How many pods were evicted.
    pub(super) evicted: usize,
}

/// Plays a plan that is struck at a request, by number.
pub(super) fn run_sweep(system: &SystemFixture, sweep: FaultSweep, at: u64) -> FaultSweepResult {
    in_time(async {
        let server = ApiServerHandle::new(at);
        // With a node more, two leaders may choose different victims.
        let nodes = if sweep.fault == InjectedFault::Deposed { 3 } else { 2 };
        let mut play = ControllerSimulation::begin(system, server.clone(), nodes);
        play.arguments = sweep.arguments;
        create(&server, system, "g0l", 6);
        for _ in 0..FIRST {
            play.round(ROUND).await;
        }
        assert_eq!(running(&server.state(), "g0l"), 2, "{} starts the gang that is preempted", system.name);
        create(&server, system, "g1h", 5);
        server.state().faults.injected = Some((at, sweep.fault));
        for _ in 0..SECOND {
            play.round(ROUND).await;
            if play.has_ended() {
                play.arguments = sweep.then;
                play.checkpoint = if sweep.has_checkpoint { play.checkpoint } else { MemoryCheckpointStore::default() };
            }
        }
        let was_struck = server.state().faults.injected.is_none();
        play.rest().await;
        let state = &mut *server.state();
        let evicts = state.observer.verbs.contains_key("evict");
        assert!(evicts || was_struck || only_marks(system.name, sweep.arguments), "{} evicts no pod", system.name);
        let violations = std::mem::take(&mut state.observer.violations);
        let (running, evicted) = (running(state, "g1h"), state.observer.evicted());
        FaultSweepResult { violations, was_injected: was_struck, running, evicted }
    })
}

/// Lets another process take the checkpoint over before a gang comes. Returns how many requests write before, until the process has ended, and in the
/// end.
pub(super) fn taken_over(system: &SystemFixture) -> [u64; 3] {
    in_time(async {
        let server = ApiServerHandle::new(0);
        let mut play = ControllerSimulation::begin(system, server.clone(), 2);
        let (_, before) = play.round(ROUND).await;
        play.checkpoint.lose();
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
fn running(state: &ApiServerState, gang: &str) -> usize {
    let kind = pods();
    let runs = |pod: &&Value| {
        text(pod, "/metadata/name").starts_with(gang)
            && text(pod, "/status/phase") == "Running"
            && text(pod, "/metadata/deletionTimestamp").is_empty()
    };
    state.all(&kind).filter(runs).count()
}

/// Creates a gang of two pods of these cores.
fn create(server: &ApiServerHandle, system: &SystemFixture, name: &str, cpu: usize) {
    let state = &mut *server.state();
    let important = name.ends_with('h');
    state.create((system.group)(name, 2, important));
    for member in 0..2 {
        world::pod(state, system, &format!("{name}-{member}"), Some(name), (cpu, important, false));
    }
}
