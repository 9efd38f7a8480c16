//! A play: everything that there is, and the time.

use std::collections::BTreeMap;

use lictor_host::driver::random::Random;

use super::hints::PodHints;
use super::host::Host;
use super::informer::Informers;
use super::observer::SchedulerChecker;
use super::plugin::PluginState;
use super::scheduler::Scheduler;
use super::system::SystemFixture;
use super::tasks::{TimedTask, TimedTasks};
use super::trouble::ActiveFaults;
use super::world::{Object, SECOND, SimulatedApiServer};

/// The time of the cluster at which a play begins, in nanoseconds since 1970.
const BEGIN: i64 = 1_790_000_000 * SECOND;

/// The turns of the loop without an end of which the model says that it spins.
const MOST_TURNS: usize = 20_000;

/// A cluster, the scheduler with its plugin, and the host.
pub(super) struct SchedulerSimulation<'s> {
    pub(super) system: &'s SystemFixture,
    pub(super) arguments: &'static str,
    pub(super) api_server: SimulatedApiServer,
    pub(super) informers: Informers,
    pub(super) host: Host,
    pub(super) plugin: PluginState,
    pub(super) scheduler: Scheduler,
    pub(super) tasks: TimedTasks,
    pub(super) faults: ActiveFaults,
    pub(super) random: Random,
    pub(super) observer: SchedulerChecker,
}

impl SchedulerSimulation<'_> {
    /// Begins with an empty cluster and without a scheduler.
    pub(super) fn begin(system: &SystemFixture, seed: u64) -> SchedulerSimulation<'_> {
        SchedulerSimulation {
            system,
            arguments: system.arguments[0],
            api_server: SimulatedApiServer::at(BEGIN),
            informers: Informers::default(),
            host: Host::new(&format!("{}-{seed}-{:?}", system.name, std::thread::current().id())),
            plugin: PluginState::default(),
            scheduler: Scheduler::default(),
            tasks: TimedTasks::default(),
            faults: ActiveFaults::default(),
            random: Random::new(seed),
            observer: SchedulerChecker::default(),
        }
    }

    pub(super) fn now(&self) -> i64 {
        self.api_server.now
    }

    pub(super) fn add_line(&mut self, line: impl FnOnce() -> String) {
        let now = self.now();
        self.observer.add_line(now, line);
    }

    /// Starts kube-scheduler. It waits for the host and for its informers (`New` in `plugin.go`).
    pub(super) fn start(&mut self) {
        self.plugin = PluginState { hints: PodHints::at(self.now()), ..PluginState::default() };
        (self.scheduler, self.informers) = (Scheduler::default(), Informers::default());
        self.tasks.restart();
        self.host.end(self.now());
        self.add_line(|| "kube-scheduler starts".to_owned());
        self.connect();
        for kind in self.scheduler.kinds.clone() {
            self.informers.list(&mut self.api_server, &kind);
        }
        self.begin_connection();
        self.receive_all();
        self.complete();
    }

    /// Lets so much time pass.
    pub(super) fn pass(&mut self, length: i64) {
        let until = self.now() + length;
        let mut turns = 0;
        loop {
            self.turn();
            let due = self.next_due().max(self.now());
            if due >= until && !self.scheduler.is_ready() {
                self.set_now(until.max(self.now()));
                return;
            }
            if !self.scheduler.is_ready() {
                self.set_now(due);
            } else if self.now() >= until {
                return;
            }
            turns += 1;
            if turns > MOST_TURNS {
                return self.observer.violate("the loop spins".to_owned());
            }
        }
    }

    pub(super) fn set_now(&mut self, now: i64) {
        self.api_server.now = now;
        self.plugin.hints.clock = now;
    }

    /// Runs all that is due but the cycles of the scheduler.
    pub(super) fn run_background(&mut self) {
        self.deliver(false);
        self.connect();
        self.run_due();
        self.pump();
        self.begin_connection();
        let woken = self.plugin.hints.wake_due();
        self.activate(woken);
        self.wake_waiting();
        self.flush();
    }

    fn turn(&mut self) {
        self.run_background();
        if let Some(entry) = self.pop() {
            // A cycle takes a millisecond.
            self.set_now(self.now() + SECOND / 1000);
            self.cycle(entry);
        }
    }

    /// Returns when something happens next by time alone.
    fn next_due(&self) -> i64 {
        let hints = self.plugin.hints.due();
        let due =
            [self.tasks.due(), self.host.due(), hints, self.scheduler.due(), self.host.returns_at, self.plugin.begins];
        let informers = (!self.informers.is_quiet() || self.has_events()).then(|| self.now() + 20 * SECOND / 1000);
        due.into_iter().flatten().chain(informers).min().unwrap_or(i64::MAX)
    }

    fn has_events(&self) -> bool {
        self.api_server.watches.iter().any(|(kind, said)| !said.is_empty() && self.scheduler.kinds.contains(kind))
    }

    /// Activates these pods in kube-scheduler, while other calls are under way (`newPlugin` in `plugin.go`).
    pub(super) fn activate(&mut self, pods: Vec<Object>) {
        if !pods.is_empty() {
            self.tasks.add(self.api_server.now, TimedTask::Activate(pods));
        }
    }

    /// Activates pods. One that waits at Permit or is being tried is tried again if it fails.
    pub(super) fn activate_now(&mut self, pods: &[Object]) {
        for pod in pods {
            self.add_line(|| format!("activates {}", super::world::name_of(pod)));
            if let Some(entry) = self.scheduler.queue.activate(super::world::uid_of(pod)) {
                self.make_active(entry);
            }
        }
    }
}

/// Figures of plays.
#[derive(Debug, Default)]
pub(super) struct SchedulerSimulationTotals {
    pub(super) plays: usize,
    pub(super) steps: usize,
    pub(super) hosts: u64,
    pub(super) calls: BTreeMap<&'static str, u64>,
}
