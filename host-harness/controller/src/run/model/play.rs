//! Plays: the order of the things that happen, and the rest in the end.

use std::time::Duration;

use tokio::time::Instant;

use super::checkpoint::MemoryCheckpointStore;
use super::deposed::DeposedProcess;
use super::observer::seconds;
use super::process::{Process, ProcessSettings};
use super::server::{ApiServerHandle, SECOND, pods};
use super::system::SystemFixture;
use super::world::{self, in_short};
use super::{nodes, trouble};
use crate::decide::RunMode;
use crate::run::inbox::LoopEvent;
use crate::watch::GroupKind;
use lictor_host::living::only_marks;

/// The steps of a play.
pub(super) const STEPS: usize = 200;
/// The seconds of a round while a cluster comes to rest.
pub(super) const ROUND: u64 = 20;
/// The seconds of a round when nothing has changed for as long.
const LONG_ROUND: u64 = 60;
/// The seconds without a change after which a cluster is at rest: longer than the longest pause after a refusal, and than a plan in which
/// nothing moves, together.
const QUIET: u64 = 700;
/// The most seconds until a cluster is at rest: two hours.
const MOST: u64 = 7200;
/// The rounds in which a process that knows nothing of the past may find something to do.
const FRESH: usize = 8;

/// A cluster, and the process that leads in it.
pub(super) struct ControllerSimulation<'s> {
    pub(super) system: &'s SystemFixture,
    pub(super) server: ApiServerHandle,
    pub(super) process: Option<Process>,
    /// The process that led before, while it does not know that another one leads.
    pub(super) deposed: Option<DeposedProcess>,
    /// The number of the process.
    number: u64,
    pub(super) arguments: &'static str,
    pub(super) checkpoint: MemoryCheckpointStore,
    kinds: Vec<GroupKind>,
}

/// Figures of plays.
#[derive(Debug, Default)]
pub(super) struct ControllerSimulationTotals {
    pub(super) steps: usize,
    pub(super) processes: u64,
    pub(super) verbs: std::collections::BTreeMap<&'static str, u64>,
}

/// Plays once from this seed. Returns what was wrong, and the story where that is wanted.
pub(super) fn play(
    system: &SystemFixture,
    seed: u64,
    with_story: bool,
    figures: &mut ControllerSimulationTotals,
) -> (Vec<String>, Vec<String>) {
    in_time(async {
        let server = ApiServerHandle::new(seed);
        server.state().observer.story = with_story.then(Vec::new);
        let nodes = 2 + server.state().random.below(3);
        let mut play = ControllerSimulation::begin(system, server.clone(), nodes);
        for _ in 0..STEPS {
            play.step().await;
        }
        play.rest().await;
        figures.steps += STEPS;
        figures.processes += play.number;
        let mut state = server.state();
        for (verb, count) in &state.observer.verbs {
            *figures.verbs.entry(verb).or_default() += count;
        }
        let story = state.observer.story.take().unwrap_or_default();
        (std::mem::take(&mut state.observer.violations), story)
    })
}

/// Runs in a time of its own, which passes when nothing is to be done.
pub(super) fn in_time<T>(play: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(play)
}

impl ControllerSimulation<'_> {
    pub(super) fn begin(system: &SystemFixture, server: ApiServerHandle, nodes: usize) -> ControllerSimulation<'_> {
        world::begin(&mut server.state(), system, nodes);
        let (arguments, checkpoint, kinds) = (system.arguments[0], MemoryCheckpointStore::default(), Vec::new());
        ControllerSimulation {
            system,
            server: server.clone(),
            process: None,
            deposed: None,
            number: 0,
            arguments,
            checkpoint,
            kinds,
        }
    }

    /// Starts a process; `random`: in any way.
    fn start(&mut self, random: bool) {
        self.number += 1;
        let how = {
            let state = &mut *self.server.state();
            let mut below = |bound: usize| if random { state.random.below(bound) } else { 0 };
            if below(3) == 1 {
                self.arguments = self.system.arguments[below(self.system.arguments.len())];
            }
            let skew = [0, 0, 0, 600, -600][below(5)] * SECOND;
            let refused = [60, 60, 10][below(3)];
            // Without a checkpoint nothing keeps two leaders apart: their plans add up.
            let kept = (below(3) != 1 || self.deposed.is_some()).then(|| self.checkpoint.clone());
            self.checkpoint.set_full(below(6) == 1);
            if below(8) == 1 {
                self.checkpoint = MemoryCheckpointStore::default();
            }
            let (system, arguments) = (self.system.name, self.arguments);
            let now = seconds(state.now());
            let has_kept = kept.is_some();
            state.observer.reset_nominations();
            state.observer.add_line(|| {
                format!("{now:.3} process {}: `{arguments}` skew {skew} checkpoint {has_kept}", self.number)
            });
            ProcessSettings { system, arguments, skew, refused, checkpoint: kept, mode: RunMode::Enforce }
        };
        let process = Process::start(&self.server, self.number, &how);
        let own = |kind: &&GroupKind| !kind.group.is_empty();
        self.kinds = process.kinds.iter().filter(own).cloned().collect();
        self.process = Some(process);
    }

    /// Makes random changes, lets some watches deliver, and lets time pass.
    async fn step(&mut self) {
        let what = {
            let state = &mut *self.server.state();
            let soft = only_marks(self.system.name, self.arguments);
            for _ in 0..=state.random.below(2) {
                world::act(state, self.system, soft);
            }
            if state.random.percent(6) {
                trouble::change_faults(state, &self.kinds);
            }
            state.random.below(100)
        };
        match (what, self.process.is_some()) {
            (0..=2, true) => self.kill(),
            (3, true) => self.end().await,
            (4, true) => self.checkpoint.lose(),
            (5, true) => {
                self.depose();
                self.start(true);
            }
            (6, _) => trouble::set_clock(&mut self.server.state()),
            (0..=40, false) => self.start(true),
            _ => {}
        }
        self.deliver(false);
        let pause = {
            let random = &mut self.server.state().random;
            let most = match random.below(100) {
                0..=69 => 200,
                70..=94 => 3_000,
                95..=98 => 40_000,
                _ => 400_000,
            };
            Duration::from_millis(u64::try_from(random.below(most)).unwrap())
        };
        self.pass(pause).await;
    }

    /// Ends the process at once: it is killed, or has lost the lead.
    fn kill(&mut self) {
        if let Some(process) = self.process.take() {
            process.kill();
        }
    }

    async fn end(&mut self) {
        if let Some(process) = self.process.take() {
            process.end().await;
        }
    }

    /// Hands each process all that its watches have not delivered yet, or some of it.
    fn deliver(&mut self, all: bool) {
        let deposed = self.deposed.as_mut().map(|deposed| &mut deposed.process);
        for process in self.process.iter_mut().chain(deposed) {
            let messages = {
                let state = &mut *self.server.state();
                if all { state.deliver_all(process.number) } else { state.deliver_some(process.number) }
            };
            process.receive(messages.into_iter().map(|(kind, seen)| LoopEvent::Watch(kind, seen)).collect());
        }
    }

    /// Lets time pass.
    async fn pass(&mut self, length: Duration) {
        let until = Instant::now() + length;
        let deposed_runs = DeposedProcess::run_until(&mut self.deposed, until);
        match &mut self.process {
            None => drop(tokio::join!(tokio::time::sleep_until(until), deposed_runs)),
            Some(process) => drop(tokio::join!(process.pass(until), deposed_runs)),
        }
        self.process.take_if(|process| process.has_ended());
        if self.process.as_ref().is_some_and(Process::is_deposed) {
            self.depose();
        }
    }

    /// Plays a round in which nothing goes wrong. Returns how much was written so far.
    pub(super) async fn round(&mut self, seconds: u64) -> (u64, u64) {
        // A request that was under way may have ended it.
        if self.process.is_none() {
            self.start(false);
        }
        {
            let state = &mut *self.server.state();
            nodes::schedule(state);
            nodes::kubelets(state);
            if only_marks(self.system.name, self.arguments) {
                world::delete_marked(state);
            }
        }
        self.deliver(true);
        self.pass(Duration::from_secs(seconds)).await;
        let state = self.server.state();
        (state.version, state.observer.writes)
    }

    /// Returns whether no process leads: the last one has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.process.is_none()
    }

    /// Ends all that goes wrong, waits until the cluster is at rest, and judges.
    pub(super) async fn rest(&mut self) {
        let kinds = self.kinds.clone();
        trouble::clear_faults(&mut self.server.state(), &kinds);
        self.end_deposed();
        world::no_budgets(&mut self.server.state());
        if self.process.is_none() {
            self.start(false);
        }
        self.checkpoint.set_full(false);
        let (mut before, mut quiet, mut all) = ((0, 0), 0, 0);
        while quiet < QUIET && all < MOST {
            let seconds = if quiet < LONG_ROUND { ROUND } else { LONG_ROUND };
            let now = self.round(seconds).await;
            quiet = if now == before { quiet + seconds } else { 0 };
            (before, all) = (now, all + seconds);
        }
        if quiet < QUIET {
            self.server.state().observer.violations.push("the cluster does not come to rest".to_owned());
            return self.describe();
        }
        {
            let state = &mut *self.server.state();
            let all: Vec<_> = state.all(&pods()).cloned().collect();
            state.observer.judge(all.iter());
        }
        self.restart_without_history(before.1).await;
        self.describe();
    }

    /// Starts a process that knows nothing of the past. Where the one before has left nothing undone, it finds nothing to do.
    async fn restart_without_history(&mut self, writes: u64) {
        self.kill();
        self.checkpoint = MemoryCheckpointStore::default();
        let from = self.server.state().observer.verbs.clone();
        self.start(false);
        for _ in 0..FRESH {
            if self.round(ROUND).await.1 != writes {
                let state = &mut *self.server.state();
                let verbs = &state.observer.verbs;
                let did: Vec<_> = verbs.iter().filter(|(verb, count)| from.get(*verb) != Some(count)).collect();
                let message = format!("a process that begins anew finds something to do: {did:?}");
                return state.observer.violations.push(message);
            }
        }
    }

    /// Adds to the story what is there in the end.
    fn describe(&self) {
        let state = &mut *self.server.state();
        let all: Vec<String> = state.all(&pods()).map(in_short).collect();
        all.into_iter().for_each(|line| state.observer.add_line(|| line));
    }
}
